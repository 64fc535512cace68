// Points that are scored, and their scorers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Points of real columns, as estimates and classifiers read them.

/// A fixed number of points of a fixed dimension, a column after the other, in single precision.
///
/// Values may be anything, NaN and infinities included: a result learned from them may be worthless
/// but is always defined, and nothing private depends on it. New points are all zero. 4 bytes a
/// value.
class Points {
 public:
  Points(std::size_t dimension, std::size_t size)
      : dimension_(dimension), size_(size), values_(dimension * size) {}

  /// The number of columns: the features of a point.
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  /// The number of points.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The values of one column, one for each point.
  [[nodiscard]] std::span<float> values(std::size_t column) noexcept {
    return std::span(values_).subspan(column * size_, size_);
  }
  [[nodiscard]] std::span<const float> values(std::size_t column) const noexcept {
    return std::span(values_).subspan(column * size_, size_);
  }

 private:
  std::size_t dimension_;
  std::size_t size_;
  std::vector<float> values_;
};

// -----------------------------------------------------------------------------------------------
// Points whose columns are numbers, categories and ordered values.

/// The meaning of a column's values.
enum class Scale {
  kNumber,    ///< a real number, scaled to [0, 1]
  kCategory,  ///< the index of a level; different levels are all equally far apart
  kOrdered,   ///< the index of a level; levels lie in their order, one apart
};

/// One column of mixed points. Public.
struct MixedColumn {
  Scale scale = Scale::kNumber;
  std::uint32_t levels = 0;  ///< of categories and ordered values, 1 to 2^24; 0 for numbers

  friend bool operator==(const MixedColumn&, const MixedColumn&) = default;
};

/// A value of a number column as everything here reads it: clamped to [0, 1]; NaN is 0.
[[nodiscard]] constexpr float number_in_range(float value) noexcept {
  if (!(value > 0.0F)) return 0.0F;
  return value < 1.0F ? value : 1.0F;
}

/// A value of a category or ordered column of `levels` levels as everything here reads it: the
/// level at or below it, clamped to {0, ..., levels - 1}; NaN is 0.
[[nodiscard]] constexpr std::uint32_t level_in_range(float value, std::uint32_t levels) noexcept {
  if (!(value >= 1.0F)) return 0;
  return value < static_cast<float>(levels) ? static_cast<std::uint32_t>(value) : levels - 1;
}

/// Points whose columns say what their values mean.
///
/// Code that computes with values reads them through `number_in_range` and `level_in_range`.
/// Densities of mixed points are with respect to Lebesgue measure on [0, 1] for numbers times
/// counting measure for levels, unless said otherwise.
class MixedPoints : public Points {
 public:
  /// `size` points. Throws InvalidInput if a number column has levels, or another has none or more
  /// than 2^24, above which not every level is a float.
  MixedPoints(std::vector<MixedColumn> columns, std::size_t size);

  [[nodiscard]] std::span<const MixedColumn> columns() const noexcept { return columns_; }

 private:
  std::vector<MixedColumn> columns_;
};

// -----------------------------------------------------------------------------------------------
// The shape of everything that scores public candidates by private rows.

/// Gives each public candidate a score from private rows: how likely the rows' distribution is to
/// produce it.
///
/// A scorer is made from public candidates once and may then be shared by threads; `score` changes
/// nothing. It is free to be wrong, for the kernel bounds what scores can do
/// (docs/theory/privacy-kernel.md), but it is total: any values in rows, NaN and infinities
/// included, give scores that are finite and not negative.
class Scorer {
 public:
  virtual ~Scorer() = default;
  Scorer(const Scorer&) = delete;
  Scorer& operator=(const Scorer&) = delete;

  /// Writes a score for each candidate, in the order of the candidates. Without rows all scores are
  /// zero. Throws InvalidInput if the rows have other columns than the candidates, or `scores`
  /// another size: both are public.
  void score(const MixedPoints& rows, std::span<float> scores) const;

  /// Whether scores are relative to the law that the candidates were drawn from (p/h, for the
  /// kernel). Otherwise they are densities p on mixed points, still to be divided by h.
  [[nodiscard]] virtual bool scores_are_ratios() const noexcept { return false; }

  [[nodiscard]] std::span<const MixedColumn> columns() const noexcept { return columns_; }

 protected:
  explicit Scorer(const MixedPoints& candidates);

  /// Throws InvalidInput as `score` does.
  void check_shapes(const MixedPoints& rows, std::span<const float> scores) const;

 private:
  /// The scores from at least one row, shapes being right.
  virtual void score_rows(const MixedPoints& rows, std::span<float> scores) const = 0;

  std::vector<MixedColumn> columns_;
  std::size_t candidate_count_;
};

}  // namespace mollify
