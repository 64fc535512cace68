// Numbers of a certificate replaced by any others: its check refuses or ends. libFuzzer stops an
// input that takes longer than -timeout, or more memory than -malloc_limit_mb or -rss_limit_mb.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/invalid_input.h"
#include "release/every_method.h"

namespace {

using mollify::Json;
using mollify::test::MadeCertificate;

/// A certificate, and the places of its numbers, with those that are written as texts.
struct Numbered {
  explicit Numbered(const mollify::test::AskedRelease& asked) : made(asked) {
    const Json flat = made.json.flatten();
    for (const auto& [place, value] : flat.items()) {
      const auto* const text = value.get_ptr<const std::string*>();
      const bool is_text = text != nullptr && !text->empty() && text->size() <= 20 &&
                           text->find_first_not_of("0123456789") == std::string::npos;
      if (value.is_number() || is_text) places.emplace_back(place);
    }
  }

  MadeCertificate made;
  std::vector<Json::json_pointer> places;
};

const std::vector<Numbered>& certificates() {
  static const std::vector<Numbered> all = [] {
    std::vector<Numbered> made;
    for (const auto& asked : mollify::test::asked_releases()) made.emplace_back(asked);
    return made;
  }();
  return all;
}

/// Ten bytes: where, how, and a number.
struct Change {
  std::uint8_t place;
  std::uint8_t form;
  std::uint64_t bits;
};

Json number_of(const Change& change, const Json& before) {
  double real = 0;
  std::memcpy(&real, &change.bits, sizeof real);
  switch (change.form % 5) {
    case 0:
      return before.is_string() ? Json(std::to_string(change.bits)) : Json(change.bits);
    case 1:
      return static_cast<std::int64_t>(change.bits);
    case 2:
      return real;
    case 3:  // small, as exponents are
      return static_cast<std::int64_t>(static_cast<std::int8_t>(change.bits));
    default: {  // near to what it was
      const double times = 1 + static_cast<double>(static_cast<std::int16_t>(change.bits)) / 4096;
      const double value =
          before.is_string() ? std::stod(before.get<std::string>()) : before.get<double>();
      if (before.is_number_float()) return value * times;
      const double whole = value * times;
      if (!(whole >= 0 && whole < 0x1p64)) return 0;
      const auto near = static_cast<std::uint64_t>(whole);
      return before.is_string() ? Json(std::to_string(near)) : Json(near);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBytes = 10;
  constexpr std::size_t kMostChanges = 8;
  if (size < 1 + kBytes) return 0;
  const Numbered& one = certificates()[data[0] % certificates().size()];
  Json changed = one.made.json;
  for (std::size_t i = 0; i < kMostChanges && 1 + (i + 1) * kBytes <= size; ++i) {
    const std::uint8_t* const at = data + 1 + i * kBytes;
    Change change{at[0], at[1], 0};
    std::memcpy(&change.bits, at + 2, sizeof change.bits);
    Json& member = changed[one.places[change.place % one.places.size()]];
    if (member.is_number() || member.is_string()) member = number_of(change, member);
  }
  try {
    static_cast<void>(one.made.check(changed));
  } catch (const mollify::InvalidInput&) {
  }
  return 0;
}
