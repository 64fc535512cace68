// A column of numbers from min to max, cut into cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/decimal_lattice.h"
#include "space/integer_cells.h"
#include "space/reading.h"

namespace mollify {

/// The interval [min, max] in cells; cell j is [edge(j), edge(j + 1)), the last one closed. Edges
/// lie at equal distances, or where they are declared. A spike, a number that many values are
/// exactly (0, say), is a cell of its own between those below and above it.
///
/// A cell is written as a number drawn from a lattice inside it: the multiples m 10^s, so that all
/// values of a column have the same number of decimals. The step 10^s is about 10^-4 of a cell's
/// width and at most 0.1, so that the column still looks like one of numbers; it is larger only
/// where a double could not tell the points apart (|m| stays below 2^53, so m 10^s, read back, is
/// the double nearest to what is written). A lattice point belongs to the cell in which that
/// double lies: what is written for a cell is read back into it, never into a neighbour, and
/// never beyond min or max. The draw is an integer draw, not a floating-point one.
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

  /// The same with edges, two or more, finite and ascending, from min to max. Throws InvalidInput
  /// also for a spike that is not from min to max, or that no decimal number of the column is.
  static NumberCells with_edges(const std::vector<double>& edges,
                                std::optional<double> spike = std::nullopt);
  /// Equal cells, and a spike.
  static NumberCells with_spike(double min, double max, std::uint64_t bins, double spike);

  /// Cells whose groups are found by the release, privately (`bins: private`); those that find none
  /// take them for cells of which no number is declared. Throws InvalidInput as the others.
  static NumberCells with_private_bins(double min, double max,
                                       std::optional<double> spike = std::nullopt);

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
  /// What is read of the text that the value stands for, without writing it.
  [[nodiscard]] Reading read(std::int64_t value) const noexcept {
    return read(static_cast<double>(value));
  }
  [[nodiscard]] Reading read(double value) const noexcept;

  /// How many lattice points a cell holds; at least one. O(1).
  [[nodiscard]] std::uint64_t points(std::uint32_t cell) const noexcept;
  /// What is written are its points.
  [[nodiscard]] const DecimalLattice& lattice() const noexcept { return lattice_; }
  /// The double nearest to the `point`-th lattice point of the cell. Requires point < points(cell).
  [[nodiscard]] double value(std::uint32_t cell, std::uint64_t point) const noexcept;
  /// Appends the lattice point.
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;

  /// "a number from 0 to 1.5", for messages.
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
