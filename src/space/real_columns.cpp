#include "space/real_columns.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "accounting/nearest_name.h"
#include "kernel/core/invalid_input.h"
#include "space/field_text.h"

namespace mollify {
RealColumns::RealColumns(const Domain& domain, std::span<const std::string> logarithms) {
  for (const Column& column : domain.columns()) {
    const auto* numbers = std::get_if<NumberCells>(&column.cells());
    if (numbers == nullptr) {
      throw InvalidInput(
          fmt::format("column \"{}\" must be of type number to be a coordinate, but is {}",
                      column.name(), type_name(column.cells())));
    }
    const Mapping& mapping = column.mapping();
    if (mapping.null_is_category) {
      throw InvalidInput(
          fmt::format("column \"{}\" must map nulls to a number to be a coordinate, but declares "
                      "a category for them",
                      column.name()));
    }
    const auto times = std::count(logarithms.begin(), logarithms.end(), column.name());
    if (times > 1) {
      throw InvalidInput(
          fmt::format("column \"{}\" must be named once for logarithms, but is named {} times",
                      column.name(), times));
    }
    const bool logarithm = times == 1;
    if (logarithm && !(numbers->min() > 0)) {
      throw InvalidInput(fmt::format(
          "column \"{}\" must have a min above 0 to have logarithms, but it is {}: a zero has "
          "none. "
          "Set min to the least value that counts, and write outside: VALUE for what a zero "
          "becomes",
          column.name(), numbers->min()));
    }
    if (logarithm && !mapping.outside_value) {
      throw InvalidInput(fmt::format(
          "column \"{}\" must declare what a zero becomes to have logarithms: as min, {}, zeros "
          "widen the spread of all others. Write outside: VALUE, a usual value of the column, into "
          "the domain",
          column.name(), numbers->min()));
    }
    const auto place = [logarithm](double value) { return logarithm ? std::log(value) : value; };
    // Column has seen that a mapping declares a number.
    const auto declared = [&](const std::string& value) {
      return place(read_number_of(value, numbers->min(), numbers->max()).value_or(0));
    };
    Axis axis{.name = column.name(),
              .min = numbers->min(),
              .max = numbers->max(),
              .low = place(numbers->min()),
              .high = place(numbers->max()),
              .below = place(numbers->min()),
              .above = place(numbers->max()),
              .null = place(numbers->min()),
              .unreadable = place(numbers->min()),
              .logarithm = logarithm};
    if (mapping.outside_value) {
      axis.below = axis.above = axis.null = axis.unreadable = declared(*mapping.outside_value);
    }
    if (mapping.null_value) axis.null = declared(*mapping.null_value);
    axes_.push_back(std::move(axis));
  }
  for (const std::string& name : logarithms) {
    const auto is_named = [&](const Axis& axis) { return axis.name == name; };
    if (std::none_of(axes_.begin(), axes_.end(), is_named)) {
      throw InvalidInput(
          fmt::format("logarithms must be of the domain's columns, but \"{}\" is none of them{}",
                      name, did_you_mean(name, names())));
    }
  }
}

std::vector<std::string> RealColumns::names() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes_) names.push_back(axis.name);
  return names;
}

double RealColumns::coordinate(const Axis& axis, double number) noexcept {
  if (std::isnan(number)) return axis.null;
  if (number < axis.min) return axis.below;
  if (number > axis.max) return axis.above;
  return axis.logarithm ? std::log(number) : number + 0.0;
}

double RealColumns::coordinate(const Axis& axis, std::string_view text) noexcept {
  if (const auto number = read_number_of(text, axis.min, axis.max))
    return coordinate(axis, *number);
  return is_null_word(without_outer_spaces(text)) ? axis.null : axis.unreadable;
}

double RealColumns::read(std::size_t column, const Value& value) const noexcept {
  const Axis& axis = axes_[column];
  if (const auto* text = std::get_if<std::string_view>(&value)) return coordinate(axis, *text);
  if (const auto* number = std::get_if<double>(&value)) return coordinate(axis, *number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return coordinate(axis, static_cast<double>(*integer));
  }
  if (const auto* truth = std::get_if<bool>(&value)) {
    return coordinate(axis, std::string_view(*truth ? "true" : "false"));
  }
  return axis.null;
}

void RealColumns::read(std::span<const std::string_view> fields,
                       std::span<double> point) const noexcept {
  for (std::size_t i = 0; i < axes_.size(); ++i) point[i] = coordinate(axes_[i], fields[i]);
}

double RealColumns::number(std::size_t column, double coordinate) const noexcept {
  constexpr double kGreatest = std::numeric_limits<double>::max();
  const double value = axes_[column].logarithm ? std::exp(coordinate) : coordinate;
  return std::clamp(value, -kGreatest, kGreatest);
}

void RealColumns::write(std::span<const double> point, std::vector<std::string>& fields) const {
  fields.resize(axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    fields[i].clear();
    fmt::format_to(std::back_inserter(fields[i]), "{}", number(i, point[i]));
  }
}

}  // namespace mollify
