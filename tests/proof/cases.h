// For all comparisons with the proved models: the program that runs the models, and words with
// the edges of machine integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/band.h"
#include "core/wide.h"

namespace mollify::test {

using Words = std::vector<std::uint64_t>;

/// A number of the environment, for scripts/compare_models.sh; 1 without it.
inline std::uint64_t asked_for(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}
/// The number of random cases, given the usual number.
inline std::size_t times(std::size_t usual) {
  return usual * static_cast<std::size_t>(asked_for("MOLLIFY_PROOF_TIMES"));
}

inline std::string hexadecimal(uint128 value) {
  char text[40];
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  if (high != 0) {
    std::snprintf(text, sizeof text, "%lx%016lx", high, low);
  } else {
    std::snprintf(text, sizeof text, "%lx", low);
  }
  return text;
}

/// The models, as a program that reads cases with the answers of the C++.
class Models {
 public:
  Models() : input_(popen(MOLLIFY_MODELS, "w")) {
    std::signal(SIGPIPE, SIG_IGN);  // the models end early if they differ
  }
  Models(const Models&) = delete;
  Models& operator=(const Models&) = delete;
  ~Models() {
    if (input_ != nullptr) pclose(input_);
  }

  Models& operator<<(const char* text) {
    line_ += (line_.empty() ? "" : " ") + std::string(text);
    return *this;
  }
  Models& operator<<(uint128 value) { return *this << hexadecimal(value).c_str(); }
  Models& operator<<(std::span<const std::uint64_t> values) {
    for (const std::uint64_t value : values) *this << uint128{value};
    return *this;
  }
  void send() {
    std::fprintf(input_, "%s\n", line_.c_str());
    line_.clear();
    ++cases_;
  }
  /// Whether all cases were read and none differs.
  [[nodiscard]] bool agree() {
    std::fprintf(input_, "end %zx\n", cases_);
    std::printf("%zu cases\n", cases_);
    return pclose(std::exchange(input_, nullptr)) == 0;
  }
  [[nodiscard]] std::size_t cases() const { return cases_; }

 private:
  std::FILE* input_;
  std::string line_;
  std::size_t cases_ = 0;
};

/// Words of all lengths, with many near powers of two.
class Edges {
 public:
  explicit Edges(std::uint64_t seed)
      : random_(seed + 1000 * (asked_for("MOLLIFY_PROOF_SEED") - 1)) {}

  std::uint64_t word() { return random_(); }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t edge() {
    const std::uint64_t power = std::uint64_t{1} << below(64);
    switch (below(4)) {
      case 0:
        return power - below(3);
      case 1:
        return power + below(3);
      case 2:
        return -below(3);
      default:
        return word() >> below(64);
    }
  }
  /// From low to high, with the ends more often.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    const std::uint64_t room = high - low;
    const std::uint64_t value = edge();
    if (room + 1 == 0) return value;
    return below(4) == 0 ? (below(2) == 0 ? low : high) : low + value % (room + 1);
  }
  /// An epsilon from 1e-6 to 30, in even steps of its logarithm; or an end.
  double epsilon() {
    const std::uint64_t which = below(16);
    if (which == 0) return ExpBound::kLeastEpsilon;
    if (which == 1) return ExpBound::kGreatestEpsilon;
    const double share = static_cast<double>(word() >> 11U) * 0x1p-53;
    return std::clamp(1e-6 * std::exp(share * std::log(3e7)), 1e-6, 30.0);
  }
  /// Any bits, or a double near a number of parts.
  double score(std::uint64_t total) {
    const std::uint64_t which = below(8);
    if (which < 2) {
      const std::uint64_t bits = which == 0 ? word() : edge();
      double score = 0;
      std::memcpy(&score, &bits, sizeof score);
      return score;
    }
    static constexpr double kSpecial[] = {0,
                                          -0.0,
                                          1,
                                          -1,
                                          0x1p-700,
                                          0x1.0000000000001p-700,
                                          0x1p52,
                                          0x1p62,
                                          0x1p63,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN(),
                                          std::numeric_limits<double>::denorm_min()};
    if (which == 2) return kSpecial[below(std::size(kSpecial))];
    return static_cast<double>(between(0, 2 * total)) * (which == 3 ? 0.5 : 1);
  }

 private:
  std::mt19937_64 random_;
};

inline std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline Models& operator<<(Models& models, const ExpBound& bound) {
  return models << uint128{bound.mantissa()} << static_cast<uint128>(bound.shift());
}

}  // namespace mollify::test
