// A support that is found privately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/privacy.h"
#include "core/random.h"
#include "domain/numbers.h"
#include "kernel/noise.h"
#include "records/tallies.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The first of many questions whose answer is large.

/// The sparse vector technique, stopping at the first answer above a threshold (Dwork, Roth 2014,
/// Algorithm 1), with exact discrete noise. However many questions are asked, one budget is spent.
///
/// Definition. Questions q_0, q_1, ... have integer answers that replacing a record changes by at
/// most Delta. With R discrete Laplace of scale t1 >= 2 Delta / epsilon, drawn once, and V_i of
/// scale t2 >= 4 Delta / epsilon, drawn for each question, the first i with q_i + V_i >= T + R is
/// released, or that there is none.
///
/// Theorem. This is epsilon-DP. Proof: docs/theory/central.md. All sums are of 128 bits and never
/// wrap, so the proof is about what is computed.
///
/// Utility. With probability at least 1 - beta, among m questions the first with q_i >= T + (t1 +
/// t2) ln(2/beta), or one before it, is released, and the released one has q_i >= T - t1 ln(2/beta)
/// - t2 ln(2 m/beta).
///
/// Public and immutable.
class AboveThreshold {
 public:
  /// epsilon from 1e-6 to 100, Delta from 1 to 1000; InvalidInput otherwise.
  explicit AboveThreshold(double epsilon, std::uint64_t sensitivity = 1);

  [[nodiscard]] Privacy guarantee() const { return Privacy::pure(epsilon_); }
  /// t1 and t2, doubles exactly.
  [[nodiscard]] double threshold_scale() const { return threshold_scale_; }
  [[nodiscard]] double answer_scale() const { return 2 * threshold_scale_; }

  /// The number of the first question above the threshold. `answer` is asked in order, up to the
  /// one that is released. Their number, the threshold and the questions are public, and the caller
  /// owes that each has sensitivity Delta.
  std::optional<std::size_t> draw(std::size_t questions,
                                  const std::function<std::int64_t(std::size_t)>& answer,
                                  std::int64_t threshold, SecureRandom& random) const;

 private:
  double epsilon_;
  double threshold_scale_;
  DiscreteLaplace threshold_noise_;
  DiscreteLaplace answer_noise_;
};

// -----------------------------------------------------------------------------------------------
// Where the records lie in a large domain of integers, found privately.

/// A hint about the distribution on {0, ..., k - 1} that records come from. Utility depends on it,
/// privacy does not.
enum class SupportKind {
  kContiguous,   ///< an interval of unknown width, evenly enough filled
  kBounded,      ///< few different outcomes, near one another
  kHeavy,        ///< few different outcomes, anywhere
  kWidth,        ///< an interval of the given width
  kSubGaussian,  ///< sub-Gaussian with the given proxy S: P(|X - mean| >= r) <= 2 e^(-r^2/(2 S^2))
};

struct SupportHint {
  SupportKind kind = SupportKind::kContiguous;
  /// The width W (an integer from 1), or S > 0; not looked at for the other kinds.
  double parameter = 0;

  friend bool operator==(const SupportHint&, const SupportHint&) = default;
};

/// All that is known of a kind of hint; SupportFinder says what each finds. A new one is its value
/// above and its row in support.cpp.
struct SupportRow {
  SupportKind kind;
  std::string_view name;         ///< as users write it, before a parameter
  std::string_view letter = "";  ///< of the parameter, if there is one
  bool finds_width = false;      ///< the cells' width too is found
  bool finds_outcomes = false;   ///< no interval, but outcomes one by one
  bool covers = false;           ///< the anchor's covering interval is found
  bool is_likely = false;        ///< the parameter tells where most records lie, not all
  /// The mass of what must be found: share/s of s outcomes, or a cell's; null if any anchor has
  /// half of the records.
  double (*mass)(double outcomes, double share) = nullptr;
  /// The growth of what the papers' searches need; k is the number of the support's outcomes, or
  /// follows from the parameter.
  const char* order = "k ln(1/(beta delta))/epsilon";
  double (*k)(double parameter) = nullptr;
  // With a parameter alone. The first throws InvalidInput for one that does not fit a domain of
  // this many outcomes; then the cells' width, and how far the interval reaches on either side of
  // the anchor.
  void (*require)(double parameter, std::uint64_t outcomes) = nullptr;
  double (*in_cells)(double parameter, const IntegerCells& cells) = nullptr;
  double (*width)(double parameter) = nullptr;
  double (*reach)(double parameter, double records) = nullptr;
};

[[nodiscard]] const SupportRow& row_of(SupportKind kind) noexcept;

/// "contiguous", "bounded", "heavy", "width=W" or "subgaussian=S": the hint as users write it.
[[nodiscard]] std::string to_text(const SupportHint& hint);
/// The reverse. InvalidInput for any other text; whether W and S fit a domain is not looked at.
[[nodiscard]] SupportHint parse_support_hint(const std::string& text);

/// The hint for the cells of an integer column, whose widths users give in integers: an interval of
/// W integers meets at most ceil((W - 1) / c) + 1 cells of at least c integers, and a variable cut
/// into them is within a cell of one with proxy S / c. InvalidInput for a W that is not an integer
/// from 1 to the number of the column's integers.
[[nodiscard]] SupportHint hint_in_cells(const SupportHint& hint, const IntegerCells& cells);

/// first, first + 1, ..., last.
struct OutcomeInterval {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  [[nodiscard]] std::uint64_t width() const { return last - first + 1; }
  friend bool operator==(const OutcomeInterval&, const OutcomeInterval&) = default;
};

/// The space of a sampler in the domain's place: an interval, or outcomes found one by one.
class FoundSupport {
 public:
  explicit FoundSupport(OutcomeInterval interval) : interval_(interval) {}
  /// Ascending, at least one.
  explicit FoundSupport(std::vector<std::uint32_t> outcomes)
      : interval_{outcomes.front(), outcomes.back()}, outcomes_(std::move(outcomes)) {}

  [[nodiscard]] std::uint64_t size() const {
    return outcomes_.empty() ? interval_.width() : outcomes_.size();
  }
  /// From the first outcome to the last.
  [[nodiscard]] OutcomeInterval hull() const { return interval_; }

  /// The records' places in the support, counted from its first outcome; none is dropped. A record
  /// outside goes to the nearest end of an interval, and to a uniform draw among outcomes found one
  /// by one [Cheu, Nayak 2024, Appendix B.2, option 1], of its own for each record (in turn, of
  /// more than 2^30), so that tables that differ in one still do. The input of a sampler over its
  /// places.
  [[nodiscard]] OutcomeHistogram map_into(const OutcomeHistogram& histogram,
                                          SecureRandom& random) const;

  /// The outcomes at these places, for a sampler's outputs.
  [[nodiscard]] std::vector<std::uint32_t> map_back(std::span<const std::uint32_t> places) const;

 private:
  OutcomeInterval interval_;
  std::vector<std::uint32_t> outcomes_{};  ///< none: all of the interval
};

/// Finds a part of {0, ..., k - 1} that holds nearly all records [after Cheu, Nayak 2024, Appendix
/// B].
///
/// Definition. Cells of width w cut the domain into {0, ..., w - 1}, {w, ..., 2 w - 1}, ...; the
/// heaviest of them in a StableHistogram of the records' cells is the anchor.
/// - kWidth: w = W; the interval is the anchor and a cell on either side.
/// - kSubGaussian: w = ceil(2 S); the anchor and 2 S sqrt(2 ln(2000 n)) on either side.
/// - kBounded: w = 1; then the covering interval of the anchor.
/// - kHeavy: w = 1; no interval, but all outcomes that the histogram shows.
/// - kContiguous: w = 2^j for the first j where AboveThreshold finds a cell with about half of the
///   records; then the covering interval of the anchor.
///
/// Covering interval: the anchor and 2^i - 1 integers on either side, for the first i where
/// AboveThreshold finds all records but a few inside.
///
/// Theorem (privacy). find is (epsilon, delta)-DP for replacing a record, whatever the
/// distribution. Its stages have the budgets that `stages` lists, which sum to at most epsilon and
/// delta (basic, adaptive composition). A replaced record changes the cells' counts as
/// StableHistogram allows, and the count of the fullest cell, or of an interval, by at most one.
/// The support is a function of the stages' releases.
///
/// Totality. If a stage finds nothing, the interval is the whole domain. An interval wider than
/// most_width, the limit of the caller's sampler, is cut to it, around the anchor or else the
/// domain's middle; of more outcomes those with the greatest noisy counts are kept. So nothing is
/// ever refused after the data were seen.
///
/// Utility, with beta = 1/1000 for each stage and an interval that is not cut. A cell is found if
/// its count is at least the histogram's threshold T plus t ln(1/beta).
/// - kWidth: an interval of W integers meets at most two cells. If it holds all records, one of the
///   two holds half of them, and any anchor is one of the two: all records are inside. If it holds
///   1 - alpha of them with alpha < 1/3 - 2 t ln(2 n/beta)/n, the anchor still is one of the two.
/// - kSubGaussian: with probability 1 - beta all records are within S sqrt(2 ln(2 n/beta)) of the
///   mean, and so is a part of any anchor: all records are inside. More than a fifth of the mass
///   lies in one of the three cells that meet mean +- 2 S, so n of about 5 (T + t ln(1/beta)) is
///   enough.
/// - kBounded: one of s outcomes holds n/s records. Covering leaves at most
///   1 + (12/epsilon') ln(66/beta) records outside, epsilon' being that stage's budget.
/// - kHeavy: of s outcomes those that occur T + t ln(s/beta) times are all found, so fewer than
///   s (T + t ln(s/beta)) records are outside.
/// - kContiguous: a support of width at most 2^j meets two cells at most, one with half of the
///   records. Covering as before.
///
/// Public and immutable.
class SupportFinder {
 public:
  /// The outcomes that the kernel's randomized response takes.
  static constexpr std::uint64_t kMostWidth = std::uint64_t{1} << 24;
  /// The largest domain, and the most records.
  static constexpr std::uint64_t kMostIntegers = std::uint64_t{1} << 32;
  /// The probability of each way in which a search fails, at most: beta.
  static constexpr double kMiss = 1e-3;

  /// k and n from 1 to 2^32, epsilon from 3e-6 to 100, delta from 1e-300 to 1/2, W an integer from
  /// 1 to k, S positive and finite, most_width from 1. InvalidInput otherwise.
  SupportFinder(SupportHint hint, std::uint64_t outcome_count, std::uint64_t record_count,
                double epsilon, double delta, std::uint64_t most_width = kMostWidth);

  /// A mechanism that `find` runs, and its own promise.
  struct Stage {
    std::string name;
    Privacy guarantee;
  };
  [[nodiscard]] const std::vector<Stage>& stages() const { return stages_; }

  /// All stages together: the budget asked for.
  [[nodiscard]] Privacy guarantee() const { return Privacy::approximate(epsilon_, delta_); }

  /// Number of equal records from which on they are likely to be found.
  [[nodiscard]] std::uint64_t least_records() const;

  /// How many outcomes the support has for the data that suit it best: an interval of the declared
  /// width, or one; of fewer than least_records the whole domain.
  [[nodiscard]] std::uint64_t least_size() const;

  /// The support. Requires n records, a public number. A
  /// record outside {0, ..., k - 1} counts as 0. O(log k) for each distinct outcome.
  [[nodiscard]] FoundSupport find(const OutcomeHistogram& histogram, SecureRandom& random) const;

  // How good a support is. Proofs: docs/theory/central.md.

  /// Bounds before the search, if the records are independent draws from a distribution with the
  /// hint's promise and a support of s outcomes. `failure` is the probability that another bound
  /// does not hold.
  struct Expected {
    std::uint64_t records = 0;  ///< number with which a support is found [Lemmas 28 and 29]
    std::uint64_t size = 0;     ///< number of its outcomes
    double outside = 0;         ///< expected share of the records outside it
    double failure = 0;
  };
  /// s from 1 to k: of kContiguous and kBounded the outcomes are consecutive integers, of kWidth
  /// and kSubGaussian s is not looked at. Throws InvalidInput for a support that may be wider than
  /// most_width.
  [[nodiscard]] Expected expected(std::uint64_t outcomes) const;

  /// For kHeavy, the number of records with which all outcomes of mass share/s or more are found,
  /// except with probability beta: the missed outcomes have mass `share` at most [Lemma 29]. For
  /// other kinds Expected::records.
  [[nodiscard]] double records_to_find(std::uint64_t outcomes, double share = 1) const;

  /// After the search: how many records are outside at most, except with probability `failure`. For
  /// kWidth and kSubGaussian the hint must hold; the others need no assumption. None for kHeavy,
  /// because the bound depends on how many outcomes there are.
  struct Outside {
    std::uint64_t records = 0;
    double failure = 0;
  };
  [[nodiscard]] std::optional<Outside> outside(std::uint64_t size) const;

  /// Whether `find` can return a support of `size` outcomes, from the first to the last outcome of
  /// an interval. Requires k <= most_width, so that no support is cut.
  [[nodiscard]] bool can_find(OutcomeInterval hull, std::uint64_t size) const;

 private:
  /// The most records that covering leaves outside, except with probability beta:
  /// 1 + (12/epsilon') ln(66/beta).
  [[nodiscard]] double uncovered() const;
  /// Of the cells among which the anchor is; of kContiguous it is found.
  [[nodiscard]] std::uint64_t cell_width() const;
  /// How far the interval reaches on either side of the anchor, where the hint says it.
  [[nodiscard]] std::uint64_t reach() const;

  SupportHint hint_;
  std::uint64_t outcome_count_;
  std::uint64_t record_count_;
  double epsilon_;
  double delta_;
  std::uint64_t most_width_;
  double stage_epsilon_;
  std::vector<Stage> stages_;
};

}  // namespace mollify
