// The records of a numeric domain as points of R^d, not cut into cells.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "space/domain.h"
#include "space/value.h"

namespace mollify {

/// One axis for each column of a domain whose columns are all numbers. Public and immutable.
///
/// What a field becomes is what the domain declares: the number as it is, if it lies in [min, max];
/// the nearer bound or the `outside` value, if not; the `null` value for nulls. Text that is no
/// number, and nulls of which nothing is declared, become the `outside` value, or min without one.
/// A column may be taken in logarithms: its axis then runs from ln min to ln max, and what is
/// written is e to the coordinate.
class RealColumns {
 public:
  /// `logarithms` names the columns that are taken in logarithms. Throws InvalidInput, naming the
  /// column, unless every column is a number without a null category, and every column named is one
  /// of the domain's, named once, with a min above 0 and a declared `outside`: zeros have no
  /// logarithm.
  explicit RealColumns(const Domain& domain, std::span<const std::string> logarithms = {});

  [[nodiscard]] std::size_t size() const noexcept { return axes_.size(); }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::string& name(std::size_t column) const noexcept {
    return axes_[column].name;
  }
  [[nodiscard]] bool is_logarithm(std::size_t column) const noexcept {
    return axes_[column].logarithm;
  }
  /// The least and the greatest coordinate that a record can have.
  [[nodiscard]] double low(std::size_t column) const noexcept { return axes_[column].low; }
  [[nodiscard]] double high(std::size_t column) const noexcept { return axes_[column].high; }

  /// The coordinate of a private value. Total, and finite, for any value.
  [[nodiscard]] double read(std::size_t column, const Value& value) const noexcept;
  /// The point of a private record's fields. Requires size() of each.
  void read(std::span<const std::string_view> fields, std::span<double> point) const noexcept;

  /// The number that a coordinate is written as. It is not clipped to the domain: a Gaussian knows
  /// no bounds.
  [[nodiscard]] double number(std::size_t column, double coordinate) const noexcept;
  /// The fields of a point, in as many digits as tell doubles apart. Requires size() coordinates.
  void write(std::span<const double> point, std::vector<std::string>& fields) const;

 private:
  struct Axis {
    std::string name;
    double min;
    double max;
    double low;    // min or its logarithm
    double high;   // max or its logarithm
    double below;  // the coordinates of what is not in [min, max]
    double above;
    double null;
    double unreadable;
    bool logarithm;
  };

  [[nodiscard]] static double coordinate(const Axis& axis, double number) noexcept;
  [[nodiscard]] static double coordinate(const Axis& axis, std::string_view text) noexcept;

  std::vector<Axis> axes_;
};

}  // namespace mollify
