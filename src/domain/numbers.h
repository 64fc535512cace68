// Columns of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/same_value.h"
#include "domain/settings.h"

namespace mollify {

/// The real numbers from low to high; low < high.
struct RealRange {
  double low = 0;
  double high = 0;

  friend bool operator==(const RealRange&, const RealRange&) = default;
};

// -----------------------------------------------------------------------------------------------
// The multiples of a power of ten, as doubles and as texts.

/// The numbers m 10^exponent for integers |m| < 2^53, with -22 <= exponent <= 22.
class DecimalLattice {
 public:
  static constexpr int kMaxExponent = 22;             // the largest power of ten that is a double
  static constexpr double kMaxMultiple = 0x1p53 - 4;  // with room for the neighbours that are tried

  /// Requires -kMaxExponent <= exponent <= kMaxExponent.
  explicit DecimalLattice(int exponent) noexcept : exponent_(exponent) {}

  [[nodiscard]] int exponent() const noexcept { return exponent_; }

  /// How many steps make the value, rounded.
  [[nodiscard]] double in_steps(double value) const noexcept;

  /// The double nearest to m 10^exponent.
  [[nodiscard]] double value(std::int64_t multiple) const noexcept;

  /// An m whose value is this one, that from which it was made if |m| < 2^51 (above, the doubles
  /// are as far apart as the points). Requires a value of the lattice.
  [[nodiscard]] std::int64_t multiple(double value) const noexcept;

  /// The least m whose value is at least the bound. Requires a bound of at most kMaxMultiple steps.
  [[nodiscard]] std::int64_t ceiling(double bound) const noexcept;

  /// Appends m 10^exponent with as many decimals as the step has, and at least one.
  void write(std::int64_t multiple, std::string& text) const;

 private:
  int exponent_;
};

// -----------------------------------------------------------------------------------------------
// Logarithm and exponential that are the same on every machine.

// The C library's have other last digits on other processors. These are made of +, -, x and /
// alone, which IEEE 754 rounds alike everywhere, and are within 4 units in the last place. Numbers
// that others must find again to the digit are made with them. Nothing private.

/// x from the least normal double to the greatest.
[[nodiscard]] double same_log(double x);
/// ln(1 + x); x above -1.
[[nodiscard]] double same_log1p(double x);
/// Any x but NaN: 0 and infinity where the doubles end.
[[nodiscard]] double same_exp(double x);

// -----------------------------------------------------------------------------------------------
// A column of integers from min to max, grouped into cells.

/// The n = max - min + 1 integers of a range, in `bins` cells of near-equal size: cell j holds the
/// offsets from min in [floor(j n / bins), floor((j + 1) n / bins)). Or in cells that begin at
/// declared edges.
class IntegerCells {
 public:
  /// Of any column.
  static constexpr std::uint64_t kMaxBins = std::uint64_t{1} << 24U;
  /// Number of fine cells that private bins are made of, if there are enough integers.
  static constexpr std::uint32_t kCellsOfPrivateBins = 4096;

  /// Without `bins`, each integer is a cell, or, if there are more than 2^24, there are 2^24 cells.
  /// Throws InvalidInput unless min <= max, the range spans fewer than 2^63, and
  /// 1 <= bins <= min(n, 2^24).
  [[nodiscard]] static IntegerCells make(std::int64_t min, std::int64_t max,
                                         std::optional<std::uint64_t> bins = std::nullopt);

  /// Cell j holds edges[j] to edges[j + 1] - 1, and the last one its end too, which is max. Throws
  /// InvalidInput unless there are two edges or more, ascending, and the range is as above.
  static IntegerCells with_edges(const std::vector<std::int64_t>& edges);
  /// Cell j begins at starts[j], and the last one ends at max. Throws InvalidInput for starts that
  /// do not ascend, or pass max.
  static IntegerCells with_starts(const std::vector<std::int64_t>& starts, std::int64_t max);

  /// Cells whose groups are found by the release, privately (`bins: private`); those that find none
  /// take them for cells of which no number is declared. Throws InvalidInput as `make`.
  static IntegerCells with_private_bins(std::int64_t min, std::int64_t max);

  static const ColumnKind kKind;
  [[nodiscard]] static IntegerCells declare(const ColumnKind& kind, const Settings& settings);
  [[nodiscard]] const ColumnKind& kind() const noexcept { return kKind; }
  [[nodiscard]] DeclaredSettings settings() const;
  void add_canonical(std::string& text) const;
  void describe(ColumnSchema& schema) const;

  /// As declared; empty for cells of near-equal size.
  [[nodiscard]] std::vector<std::int64_t> declared_edges() const;

  [[nodiscard]] std::int64_t min() const noexcept { return min_; }
  [[nodiscard]] std::int64_t max() const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(min_) + (count_ - 1));
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return bins_; }
  /// True if every cell holds one integer.
  [[nodiscard]] bool ungrouped() const noexcept { return bins_ == count_; }
  /// False if the number of cells was left open or equals the number of integers.
  [[nodiscard]] bool declares_bins() const noexcept { return declares_bins_; }
  [[nodiscard]] bool has_private_bins() const noexcept { return has_private_bins_; }
  /// True if cells hold several integers because there are too many of them, and nobody said so.
  [[nodiscard]] bool is_cut() const noexcept {
    return !ungrouped() && !declares_bins_ && !has_private_bins_;
  }
  /// n.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// Total; O(length). `3`, `3.0` and `3e0` are the integer 3, and so is what else
  /// `read_number_of` reads. An integer beyond a bound is
  /// kOutside with the bound's cell; any other number is kUnreadable with the cell of the nearest
  /// integer; other text is kUnreadable with cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;
  [[nodiscard]] Reading read(std::int64_t value) const noexcept {
    return nearest(value, Verdict::kValue);
  }
  [[nodiscard]] Reading read(double value) const noexcept;

  [[nodiscard]] std::uint64_t points(std::uint32_t cell) const noexcept {
    return start(cell + 1) - start(cell);
  }
  [[nodiscard]] std::int64_t value(std::uint32_t cell, std::uint64_t point) const noexcept;
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;
  [[nodiscard]] std::string expectation() const;

 private:
  IntegerCells(std::int64_t min, std::uint64_t count, std::uint32_t bins, bool declares_bins)
      : min_(min), count_(count), bins_(bins), declares_bins_(declares_bins) {}

  [[nodiscard]] std::uint64_t start(std::uint32_t cell) const noexcept;
  [[nodiscard]] Reading nearest(std::int64_t value, Verdict if_inside) const noexcept;

  std::int64_t min_;
  std::uint64_t count_;
  std::uint32_t bins_;
  bool declares_bins_;
  bool has_private_bins_ = false;
  std::vector<std::uint64_t> starts_;  // offsets of cells, one more than there are, if declared
};

// -----------------------------------------------------------------------------------------------
// A column of numbers from min to max, cut into cells.

/// The interval [min, max] in cells; cell j is [edge(j), edge(j + 1)), the last one closed. Edges
/// lie at equal distances, or where they are declared. A spike, a number that many values are
/// exactly (0, say), is a cell of its own between those below and above it.
///
/// A cell is written as a number drawn from a lattice inside it: the multiples m 10^s, so that all
/// values of a column have the same number of decimals. The step 10^s is about 10^-4 of a cell's
/// width and at most 0.1, so that the column still looks like one of numbers; it is larger only
/// where a double could not distinguish the points (|m| stays below 2^53, so m 10^s, read back, is
/// the double nearest to what is written). A lattice point belongs to the cell in which that double
/// lies: a value written for a cell is read back into it, never into a neighbour, and never beyond
/// min or max. The draw is an integer draw, not a floating-point one.
///
/// Without declared bins there are 2^20 cells, fewer where decimal numbers could not resolve them:
/// the number as it is, to six digits. Their step is only about 10^-2 of a cell's width.
class NumberCells {
 public:
  static constexpr std::uint32_t kUndeclaredBins = std::uint32_t{1} << 20U;
  /// As fine are the cells that private bins are put together from.
  static constexpr std::uint32_t kCellsOfPrivateBins = IntegerCells::kCellsOfPrivateBins;

  /// Throws InvalidInput unless min < max, both are finite, 1 <= bins <= 2^24, and every cell can
  /// hold ten lattice points (which fails only for bounds above 9e37 or cells narrower than 1e-14
  /// of the bounds or than 1e-21).
  [[nodiscard]] static NumberCells make(double min, double max,
                                        std::optional<std::uint64_t> bins = std::nullopt);

  /// Cells with edges, two or more, finite and ascending, from min to max. Throws InvalidInput also
  /// for a spike that is not from min to max, or that no decimal number of the column is.
  static NumberCells with_edges(const std::vector<double>& edges,
                                std::optional<double> spike = std::nullopt);
  /// Equal cells, and a spike.
  static NumberCells with_spike(double min, double max, std::uint64_t bins, double spike);

  /// Cells whose groups are found by the release, privately (`bins: private`); those that find none
  /// take them for cells of which no number is declared. Throws InvalidInput as the others.
  static NumberCells with_private_bins(double min, double max,
                                       std::optional<double> spike = std::nullopt);

  static const ColumnKind kKind;
  [[nodiscard]] static NumberCells declare(const ColumnKind& kind, const Settings& settings);
  [[nodiscard]] const ColumnKind& kind() const noexcept { return kKind; }
  [[nodiscard]] DeclaredSettings settings() const;
  void add_canonical(std::string& text) const;
  void describe(ColumnSchema& schema) const;

  /// As declared: empty for equal cells, without the spike's.
  [[nodiscard]] const std::vector<double>& declared_edges() const noexcept { return declared_; }
  [[nodiscard]] std::optional<double> spike() const noexcept { return spike_; }
  /// True if all cells have one width.
  [[nodiscard]] bool are_equal() const noexcept { return edges_.empty(); }
  /// As declared: without what a spike adds.
  [[nodiscard]] std::uint32_t declared_bins() const noexcept { return declared_bins_; }

  [[nodiscard]] double min() const noexcept { return min_; }
  [[nodiscard]] double max() const noexcept { return max_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return bins_; }
  /// False if the number of cells was left open.
  [[nodiscard]] bool declares_bins() const noexcept { return declares_bins_; }
  [[nodiscard]] bool has_private_bins() const noexcept { return has_private_bins_; }

  /// Total; O(length). Texts are read as `read_number_of` does. Numbers beyond a bound, infinities
  /// included, are kOutside with the bound's cell; other text is kUnreadable with cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;
  [[nodiscard]] Reading read(std::int64_t value) const noexcept {
    return read(static_cast<double>(value));
  }
  [[nodiscard]] Reading read(double value) const noexcept;

  [[nodiscard]] std::uint64_t points(std::uint32_t cell) const noexcept {
    return static_cast<std::uint64_t>(first_point(cell + 1) - first_point(cell));
  }
  /// Its points are written.
  [[nodiscard]] const DecimalLattice& lattice() const noexcept { return lattice_; }
  /// The double nearest to the lattice point.
  [[nodiscard]] double value(std::uint32_t cell, std::uint64_t point) const noexcept {
    return lattice_.value(first_point(cell) + static_cast<std::int64_t>(point));
  }
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;
  [[nodiscard]] std::string expectation() const;

 private:
  NumberCells(double min, double max, std::uint32_t bins, bool declares_bins,
              DecimalLattice lattice);
  void cut_at(std::vector<double> edges, std::optional<double> spike);

  [[nodiscard]] double edge(std::uint32_t index) const noexcept;
  [[nodiscard]] std::int64_t first_point(std::uint32_t cell) const noexcept;

  double min_;
  double max_;
  double bins_per_unit_;
  std::uint32_t bins_;
  bool declares_bins_;
  bool has_private_bins_ = false;
  DecimalLattice lattice_;
  std::uint32_t declared_bins_;
  std::vector<double> declared_;
  std::optional<double> spike_;
  std::vector<double> edges_;  // one more than cells; empty if these are equal
};

}  // namespace mollify
