// Keep the value or replace it by a draw from a public reference, with exact probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mollify/kernel/exp_bound.h"
#include "mollify/kernel/secure_random.h"
#include "mollify/kernel/seeded_random.h"

namespace mollify {

/// A public integer matrix: value x of {0, ..., k - 1} is reported as outcome j with probability
///   (keep [j = x] + g_j) / N,   N = keep + sum g,
/// for public integers keep >= 0 and g_j >= 1.
///
/// Theorem (columns). In column j the greatest entry is keep + g_j and, when k > 1, the least is
/// g_j. If keep + g_j <= Ebar g_j for every j then any report is at most e^epsilon times as likely
/// under one value as under another; averaging over values drawn from P and from P' keeps that
/// [Park, Asoodeh, Lee 2024, eq. 35 and the caution in MATH 1.3].
///
/// Memory 8 bytes an outcome. A draw takes O(log k). Values out of range are private data and count
/// as 0.
class MixtureChannel {
 public:
  /// The largest keep that satisfies the theorem at epsilon: weight (E - 1) h_min / ((E - 1) h_min
  /// + 1) on the value. `reference` holds k from 1 to 2^24 positive finite masses. Throws
  /// InvalidInput otherwise.
  static MixtureChannel pure(std::span<const double> reference, double epsilon);

  /// Keeps the value with probability `weight` in [0, 1], rounded down to a multiple of 1/N. Makes
  /// no claim: the caller's theorem is another one (the Gaussian curve).
  static MixtureChannel with_weight(std::span<const double> reference, double weight);

  /// Whether every column satisfies the theorem, decided in integers. O(k).
  bool satisfies(const ExpBound& bound) const;

  std::size_t input_count() const { return outcome_count(); }
  std::size_t outcome_count() const { return prefix_.size() - 1; }
  uint128 total() const { return keep_ + prefix_.back(); }
  std::uint64_t keep() const { return keep_; }
  /// g_j.
  std::uint64_t reference(std::size_t j) const { return prefix_[j + 1] - prefix_[j]; }
  /// Numerator over total() of reporting value x as outcome j.
  uint128 entry(std::size_t x, std::size_t j) const { return reference(j) + (x == j ? keep_ : 0); }
  /// The column's greatest and least entry, whose ratio bounds what outcome j tells.
  struct Extremes {
    uint128 greatest;
    uint128 least;
  };
  Extremes column(std::size_t j) const;

  std::size_t draw(std::size_t value, SecureRandom& random) const { return report(value, random); }
  /// A report for analysis. NOT PRIVATE.
  std::size_t simulate(std::size_t value, SeededRandom& random) const {
    return report(value, random);
  }

 private:
  MixtureChannel(std::span<const double> reference, std::uint64_t reference_total);
  std::size_t locate(std::uint64_t position) const;

  template <WordSource Source>
  std::size_t report(std::size_t value, Source& random) const {
    const std::uint64_t position = uniform_below(random, keep_ + prefix_.back());
    if (position >= prefix_.back()) return value < outcome_count() ? value : 0;
    return locate(position);
  }

  std::uint64_t keep_ = 0;
  std::vector<std::uint64_t> prefix_;  // of g, with k + 1 entries
};

}  // namespace mollify
