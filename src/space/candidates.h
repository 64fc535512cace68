// A public list of records to choose from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernel/core/secure_random.h"
#include "space/domain.h"
#include "space/seeded_random.h"
#include "space/uniform_records.h"

namespace mollify {

/// N records of a domain, drawn from a public reference h, and h's density at each. A release over
/// them draws an index, so it is exactly as private as the band over N outcomes, in any dimension
/// and for any types; its law tends to the sampler's over h as N grows (docs/theory/spaces.md).
///
/// All of it is public: never make one from private records. 4 bytes a digit.
class Candidates {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24U;
  static constexpr std::uint64_t kUsual = 65'536;

  /// Throws InvalidInput unless count is from 1 to kMost.
  static void require_count(std::uint64_t count);

  /// The list that everybody with this domain and this number has: UniformRecords in the order of
  /// the SeededRandom of the domain's seed. A shorter list is the beginning of a longer one.
  /// **Fixed for ever**, like UniformRecords. Throws InvalidInput unless count is from 1 to kMost.
  [[nodiscard]] static Candidates seeded(const Domain& domain, std::uint64_t count);

  /// New ones that nobody has seen, from the same reference.
  [[nodiscard]] static Candidates fresh(const Domain& domain, std::uint64_t count,
                                        SecureRandom& random);

  /// Records whose digits lie end to end, and the reference's density at each, or nothing if they
  /// were drawn evenly. Throws InvalidInput unless there are from 1 to kMost records, every digit
  /// is one of its column's, and densities, if given, are positive, finite and one for each.
  [[nodiscard]] static Candidates of(const Domain& domain, std::vector<std::uint32_t> digits,
                                     std::vector<float> densities = {});

  [[nodiscard]] std::size_t size() const noexcept { return digits_.size() / columns_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  /// The digits of one record. Requires index < size().
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t index) const noexcept {
    return std::span(digits_).subspan(index * columns_, columns_);
  }
  /// All digits, a record after the other.
  [[nodiscard]] std::span<const std::uint32_t> digits() const noexcept { return digits_; }
  /// The reference's density at each record, up to a factor; empty if it is the same at all.
  [[nodiscard]] std::span<const float> densities() const noexcept { return densities_; }

 private:
  Candidates(std::size_t columns, std::vector<std::uint32_t> digits, std::vector<float> densities)
      : columns_(columns), digits_(std::move(digits)), densities_(std::move(densities)) {}

  template <class Random>
  [[nodiscard]] static Candidates uniform(const Domain& domain, std::uint64_t count,
                                          Random& random);

  std::size_t columns_;
  std::vector<std::uint32_t> digits_;
  std::vector<float> densities_;
};

}  // namespace mollify
