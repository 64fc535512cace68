// Columns of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/number_scales.h"
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
// What columns of numbers declare.

/// A range and its cells. Either `edges` or `values` may take the place of `min`, `max` and `bins`.
template <class Number>
struct NumberDeclaration {
  Number min{};
  Number max{};
  std::optional<std::uint64_t> bins{};
  bool private_bins = false;  ///< the release finds groups of cells; `bins` is empty
  /// Where cells begin, and where the last one ends.
  std::vector<Number> edges{};
  /// A short list: the column's only values.
  std::vector<Number> values{};
  /// Numbers that many values are exactly, each in a cell of its own.
  std::vector<Number> spikes{};
  /// All values are multiples of it.
  std::optional<Number> step{};

  friend bool operator==(const NumberDeclaration&, const NumberDeclaration&) = default;
};

// -----------------------------------------------------------------------------------------------
// A column of integers from min to max, grouped into cells.

/// The integers of a range that are multiples of a step (1, unless one is declared), in cells of
/// neighbours. n multiples in `bins` cells of near-equal size: cell j holds those with the indices
/// from floor(j n / bins) to floor((j + 1) n / bins) - 1. Or in cells that begin at declared edges,
/// or one cell for each value of a list. A spike is cut out of the cell in which it lies.
class IntegerCells {
 public:
  using Declaration = NumberDeclaration<std::int64_t>;

  /// Of any column.
  static constexpr std::uint64_t kMaxBins = std::uint64_t{1} << 24U;
  /// Private bins are made of at most this many fine cells: each integer by itself, or, of more
  /// integers, cells that are as wide as a fixed part of their numbers, so that bins can follow
  /// values of any size (`dyadic_starts`).
  static constexpr std::size_t kCellsOfPrivateBins = 60'000;

  /// Without `bins`, each multiple is a cell, or, if there are more than 2^24, there are 2^23 cells.
  /// Cells of `private_bins` are for the release to group; others take them for cells without a declared
  /// number. Throws InvalidInput unless min <= max, the range spans
  /// fewer than 2^63 and holds a multiple, 1 <= bins <= min(n, 2^24), edges and values ascend, every
  /// cell holds a multiple, and spikes are multiples in the range, in cells that are declared.
  [[nodiscard]] static IntegerCells make(const Declaration& declared);
  /// Near-equal cells and nothing else.
  [[nodiscard]] static IntegerCells make(std::int64_t min, std::int64_t max,
                                         std::optional<std::uint64_t> bins = std::nullopt) {
    return make(Declaration{.min = min, .max = max, .bins = bins});
  }

  static const ColumnKind kKind;
  [[nodiscard]] static IntegerCells declare(const ColumnKind& kind, const Settings& settings);
  [[nodiscard]] const ColumnKind& kind() const noexcept { return kKind; }
  [[nodiscard]] DeclaredSettings settings() const;
  void add_canonical(std::string& text) const;
  void describe(ColumnSchema& schema) const;

  [[nodiscard]] const Declaration& declared() const noexcept { return declared_; }
  [[nodiscard]] std::int64_t min() const noexcept { return declared_.min; }
  [[nodiscard]] std::int64_t max() const noexcept { return declared_.max; }
  [[nodiscard]] std::uint32_t size() const noexcept { return bins_; }
  /// True if every cell holds one value.
  [[nodiscard]] bool ungrouped() const noexcept { return bins_ == count_; }
  /// True if cells have near-equal sizes, and all integers of the range are values.
  [[nodiscard]] bool are_equal() const noexcept { return starts_.empty() && !declared_.step; }
  /// False if the number of cells was left open or equals the number of values.
  [[nodiscard]] bool declares_bins() const noexcept {
    return !declared_.edges.empty() || (declared_.bins && !ungrouped());
  }
  [[nodiscard]] bool has_private_bins() const noexcept { return declared_.private_bins; }
  /// True if cells hold several integers because there are too many of them, and nobody said so.
  [[nodiscard]] bool is_cut() const noexcept {
    return !ungrouped() && !declares_bins() && !has_private_bins();
  }
  /// n.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The cells of spikes, ascending.
  [[nodiscard]] std::vector<std::uint32_t> spike_cells() const;

  /// Total; O(length). `3`, `3.0` and `3e0` are the integer 3, and so is what else
  /// `read_number_of` reads. It belongs to the nearest multiple, the greater of two. An integer
  /// beyond a bound, or none of a list of values, is kOutside with the nearest cell; any other
  /// number is kNotWhole with the cell of the nearest integer; other text is kUnreadable with
  /// cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;
  [[nodiscard]] Reading read(std::int64_t value) const noexcept {
    return nearest(value, Verdict::kValue);
  }
  [[nodiscard]] Reading read(double value) const noexcept;

  [[nodiscard]] std::uint64_t points(std::uint32_t cell) const noexcept {
    return is_listed() ? 1 : start(cell + 1) - start(cell);
  }
  [[nodiscard]] std::int64_t value(std::uint32_t cell, std::uint64_t point) const noexcept;
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;
  /// Of a text that `read` finds to be a value: whether it is a multiple of the step, and not
  /// rounded to one.
  [[nodiscard]] bool is_on_step(std::string_view text) const;
  [[nodiscard]] std::string expectation() const;

 private:
  explicit IntegerCells(Declaration declared) : declared_(std::move(declared)) {}

  /// Sets the multiples that the declaration's range holds.
  void span_range();
  void require_spikes() const;
  void cut_at(std::vector<std::uint64_t> starts);
  [[nodiscard]] bool is_listed() const noexcept { return !declared_.values.empty(); }
  [[nodiscard]] std::uint64_t start(std::uint32_t cell) const noexcept;
  /// How many multiples lie below the value. Requires one of the range.
  [[nodiscard]] std::uint64_t multiples_below(std::int64_t value) const noexcept;
  [[nodiscard]] Reading nearest(std::int64_t value, Verdict if_inside) const noexcept;

  Declaration declared_;    // min and max are set whatever declares them
  std::int64_t first_ = 0;  // the least multiple, divided by the step
  std::uint64_t step_ = 1;
  std::uint64_t count_ = 1;
  std::uint32_t bins_ = 1;
  std::vector<std::uint64_t> starts_;  // indices of multiples, one more than cells, if not equal
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
/// min or max. The draw is an integer draw, not a floating-point one. A spike is written as itself;
/// where one lies between the points of the lattice, numbers have as few digits as tell them apart.
/// So have numbers of private bins, whose fine cells are of all sizes: each holds those points that
/// are multiples of some power of ten, about a hundred or more of them.
///
/// Without declared bins there are 2^20 cells, fewer where decimal numbers could not resolve them:
/// the number as it is, to six digits. Their step is only about 10^-2 of a cell's width.
///
/// With a declared step s all values are multiples of s, in cells of IntegerCells; a number belongs
/// to the nearest one. With a list of values each of them is a cell, and nothing between them is
/// released.
class NumberCells {
 public:
  using Declaration = NumberDeclaration<double>;

  static constexpr std::uint32_t kUndeclaredBins = std::uint32_t{1} << 20U;
  /// Of private bins' fine cells: widths are a fixed part of their numbers down to the greatest
  /// bound's size times 2^-43, some thirteen orders of magnitude below it.
  static constexpr int kOctavesOfPrivateBins = 43;

  /// Throws InvalidInput unless min < max, all numbers are finite, 1 <= bins <= 2^24, edges and
  /// values ascend, spikes lie in the range and in cells that are declared, and every cell can hold
  /// ten lattice points (which fails only for bounds above 9e37 or cells narrower than 1e-14 of the
  /// bounds or than 1e-21). With a step, each cell must hold a multiple of it, and spikes must be
  /// multiples.
  [[nodiscard]] static NumberCells make(const Declaration& declared);
  /// Equal cells and nothing else.
  [[nodiscard]] static NumberCells make(double min, double max,
                                        std::optional<std::uint64_t> bins = std::nullopt) {
    return make(Declaration{.min = min, .max = max, .bins = bins});
  }

  static const ColumnKind kKind;
  [[nodiscard]] static NumberCells declare(const ColumnKind& kind, const Settings& settings);
  [[nodiscard]] const ColumnKind& kind() const noexcept { return kKind; }
  [[nodiscard]] DeclaredSettings settings() const;
  void add_canonical(std::string& text) const;
  void describe(ColumnSchema& schema) const;

  [[nodiscard]] const Declaration& declared() const noexcept { return declared_; }
  /// True if all cells have one width, and numbers between their points are values.
  [[nodiscard]] bool are_equal() const noexcept { return edges_.empty() && !multiples_; }
  /// True if numbers are released to about six digits: nothing says how they are cut.
  [[nodiscard]] bool are_uncut() const noexcept { return are_equal() && !declares_bins(); }

  [[nodiscard]] double min() const noexcept { return declared_.min; }
  [[nodiscard]] double max() const noexcept { return declared_.max; }
  [[nodiscard]] std::uint32_t size() const noexcept { return bins_; }
  /// False if the number of cells was left open.
  [[nodiscard]] bool declares_bins() const noexcept {
    if (has_private_bins()) return false;
    return multiples_ ? !multiples_->is_cut() : declared_.bins || !edges_.empty();
  }
  [[nodiscard]] bool has_private_bins() const noexcept { return declared_.private_bins; }
  /// How many cells the range can have at most.
  [[nodiscard]] std::uint64_t most_cells() const noexcept {
    return multiples_ ? multiples_->count() : IntegerCells::kMaxBins;
  }
  /// The cells of spikes, ascending.
  [[nodiscard]] std::vector<std::uint32_t> spike_cells() const;

  /// Total; O(length). Texts are read as `read_number_of` does. Numbers beyond a bound, infinities
  /// included, and numbers that a list of values lacks are kOutside with the nearest cell;
  /// other text is kUnreadable with cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;
  [[nodiscard]] Reading read(std::int64_t value) const noexcept {
    return read(static_cast<double>(value));
  }
  [[nodiscard]] Reading read(double value) const noexcept;

  [[nodiscard]] std::uint64_t points(std::uint32_t cell) const noexcept;
  /// A value of the cell.
  [[nodiscard]] double value(std::uint32_t cell, std::uint64_t point) const noexcept;
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;
  /// Of a text that `read` finds to be a value: whether it is a multiple of the step, and not
  /// rounded to one.
  [[nodiscard]] bool is_on_step(std::string_view text) const;
  [[nodiscard]] std::string expectation() const;

 private:
  NumberCells(Declaration declared, std::uint32_t bins, DecimalLattice lattice);

  [[nodiscard]] static NumberCells of_range(Declaration declared);
  [[nodiscard]] static NumberCells of_private_bins(Declaration declared);
  [[nodiscard]] static NumberCells of_edges(Declaration declared);
  [[nodiscard]] static NumberCells of_values(Declaration declared);
  [[nodiscard]] static NumberCells of_step(Declaration declared);
  void cut_out_spikes(std::vector<double> edges);

  [[nodiscard]] double edge(std::uint32_t index) const noexcept;
  [[nodiscard]] std::int64_t first_point(std::uint32_t cell) const noexcept;
  /// The number that the whole cell is; nullptr for a cell of lattice points.
  [[nodiscard]] const double* single(std::uint32_t cell) const noexcept;

  Declaration declared_;  // min and max are set whatever declares them
  std::uint32_t bins_;
  DecimalLattice lattice_;
  double bins_per_unit_;
  std::vector<double> edges_;  // one more than cells; empty if these are equal, or have a step
  // Cells that are one number, ascending, and these numbers: spikes, or the values of a list.
  std::vector<std::uint32_t> single_cells_;
  std::vector<double> singles_;
  // Of private bins' cells: every how many points of the lattice one is written.
  std::vector<std::int64_t> strides_;
  bool singles_are_points_ = true;           // of the lattice
  std::optional<IntegerCells> multiples_{};  // of the step, if there is one
  std::int64_t points_of_step_ = 1;          // of the lattice
};

}  // namespace mollify
