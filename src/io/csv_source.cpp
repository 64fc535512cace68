#include "io/csv_source.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/sha256.h"

namespace mollify {
namespace {

/// Texts of a block, in bytes of their own: a reader's are gone with the next line.
class TextBlock {
 public:
  explicit TextBlock(std::size_t columns) : texts_(columns), values_(columns) {
    bytes_.reserve(kBytes);
    for (auto& texts : texts_) texts.reserve(kRowsPerBlock);
  }

  /// Adds a row, or, if there is no room, does nothing and is false. There is room for one.
  bool add(std::span<const std::string_view> fields, std::span<const std::size_t> wanted) {
    std::size_t length = 0;
    for (const std::size_t place : wanted) length += fields[place].size();
    if (rows_ == kRowsPerBlock) return false;
    if (length > bytes_.capacity() - bytes_.size()) {
      if (rows_ > 0) return false;
      bytes_.reserve(length);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string_view field = fields[wanted[i]];
      const char* const copy = bytes_.data() + bytes_.size();
      bytes_.append(field);
      texts_[i].emplace_back(copy, field.size());
    }
    ++rows_;
    return true;
  }

  void pass_to(const std::function<void(const Block&)>& take) {
    if (rows_ == 0) return;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      values_[i] = Values(std::span<const std::string_view>(texts_[i]));
    }
    take({rows_, values_});
    for (auto& texts : texts_) texts.clear();
    bytes_.clear();
    rows_ = 0;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 17U;

  std::string bytes_;
  std::vector<std::vector<std::string_view>> texts_;
  std::vector<Values> values_;
  std::size_t rows_ = 0;
};

}  // namespace

CsvSource::CsvSource(std::string path, std::optional<std::string> bytes)
    : path_(std::move(path)),
      bytes_(std::move(bytes)),
      opened_(std::make_unique<CsvReader>(path_, this->bytes())) {
  columns_ = opened_->header();
}

std::unique_ptr<CsvReader> CsvSource::open() const {
  if (opened_) return std::move(opened_);
  require_repeatable();
  auto again = std::make_unique<CsvReader>(path_, bytes());
  if (again->header() != columns_) {
    throw InvalidInput(
        fmt::format("{} must not change while it is read, but has another header", path_));
  }
  return again;
}

void CsvSource::visit(std::span<const std::size_t> wanted,
                      const std::function<void(const Block&)>& take) const {
  const std::unique_ptr<CsvReader> csv = open();
  TextBlock block(wanted.size());
  while (csv->next_line() && csv->ends_as_a_record()) {
    if (block.add(csv->fields(), wanted)) continue;
    block.pass_to(take);
    block.add(csv->fields(), wanted);
  }
  block.pass_to(take);
}

std::uint64_t CsvSource::record_count() const {
  require_repeatable();
  LineReader lines(path_, bytes());
  std::uint64_t count = 0;
  lines.next();  // the header
  while (lines.next() && (columns_.size() > 1 || lines.terminated())) ++count;
  return count;
}

void CsvSource::require_repeatable() const {
  if (!bytes_) require_rereadable(path_);
}

std::optional<Provenance> CsvSource::provenance() const {
  Sha256 digest;
  if (bytes_) {
    digest.add(*bytes_);
    return Provenance{path_, digest.hex()};
  }
  std::ifstream file(path_, std::ios::binary);
  if (!file) throw InvalidInput(fmt::format("{} cannot be opened", path_));
  std::array<char, 1U << 16U> bytes{};
  while (file) {
    file.read(bytes.data(), bytes.size());
    digest.add(std::string_view(bytes.data(), static_cast<std::size_t>(file.gcount())));
  }
  return Provenance{path_, digest.hex()};
}

}  // namespace mollify
