#include "io/candidates_file.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/line_reader.h"
#include "kernel/core/invalid_input.h"
#include "space/candidates_text.h"

namespace mollify {
namespace {

/// The parts of a line that is being read from its front.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  template <class Number, class... Format>
  bool number(Number& value, Format... format) {
    const char* const end = rest_.data() + rest_.size();
    const auto [stopped, error] = std::from_chars(rest_.data(), end, value, format...);
    if (error != std::errc()) return false;
    rest_ = {stopped, static_cast<std::size_t>(end - stopped)};
    return true;
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

Candidates read_candidates(const std::string& path, const Domain& domain,
                           std::optional<std::string_view> bytes) {
  LineReader lines(path, bytes);
  const auto refuse = [&](const std::string& what) {
    throw InvalidInput(fmt::format("{} line {} must {}", path, lines.number(), what));
  };
  const auto next = [&](const std::string& what) {
    if (!lines.next()) {
      throw InvalidInput(
          fmt::format("{} must {}, but ends after line {}", path, what, lines.number()));
    }
    return Fields(lines.line());
  };

  Fields first = next("be a list of candidates");
  if (!first.word(kCandidatesFormat) || !first.at_end())
    refuse(fmt::format("be \"{}\"", kCandidatesFormat));
  Fields second = next("name its domain");
  if (!second.word("domain ")) refuse("name the domain's hash");
  if (!second.word(domain.hash()) || !second.at_end()) {
    refuse("name this domain, but the list was made for another");
  }
  Fields third = next("say how many records it has");
  std::uint64_t count = 0;
  std::uint64_t columns = 0;
  if (!third.word("records ") || !third.number(count) || !third.word(" columns ") ||
      !third.number(columns)) {
    refuse("say how many records and columns there are");
  }
  const bool dense = third.word(" densities");
  if (!third.at_end()) refuse("say how many records and columns there are");
  if (columns != domain.columns().size()) {
    refuse(fmt::format("have {} columns like the domain, but has {}", domain.columns().size(),
                       columns));
  }
  if (count < 1 || count > Candidates::kMost) {
    refuse(fmt::format("have from 1 to {} records, but has {}", Candidates::kMost, count));
  }

  std::vector<std::uint32_t> digits;
  std::vector<float> densities;
  digits.reserve(static_cast<std::size_t>(count * columns));
  for (std::uint64_t i = 0; i < count; ++i) {
    Fields record = next(fmt::format("have {} records", count));
    bool whole = true;
    for (std::uint64_t column = 0; column < columns && whole; ++column) {
      std::uint32_t digit = 0;
      whole = (column == 0 || record.word(",")) && record.number(digit);
      digits.push_back(digit);
    }
    if (dense && whole) {
      float density = 0;
      whole = record.word(",0x") && record.number(density, std::chars_format::hex);
      densities.push_back(density);
    }
    if (!whole || !record.at_end()) {
      refuse(fmt::format("have {} digits{} with commas between them", columns,
                         dense ? " and a density" : ""));
    }
  }
  if (lines.next()) refuse(fmt::format("not be there, for there are {} records", count));
  try {
    return Candidates::of(domain, std::move(digits), std::move(densities));
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace mollify
