#include "space/real_columns.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"

namespace mollify {
namespace {

/// The number that a mapping declares; Column has seen that it is one.
double declared_number(const std::string& value) { return read_number(value).value_or(0); }

}  // namespace

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
      throw InvalidInput(
          fmt::format("column \"{}\" must have a min above 0 to have logarithms, but it is {}",
                      column.name(), numbers->min()));
    }
    const auto place = [logarithm](double value) { return logarithm ? std::log(value) : value; };
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
      axis.below = axis.above = axis.null = axis.unreadable =
          place(declared_number(*mapping.outside_value));
    }
    if (mapping.null_value) axis.null = place(declared_number(*mapping.null_value));
    axes_.push_back(std::move(axis));
  }
  for (const std::string& name : logarithms) {
    const auto is_named = [&](const Axis& axis) { return axis.name == name; };
    if (std::none_of(axes_.begin(), axes_.end(), is_named)) {
      throw InvalidInput(fmt::format(
          "logarithms must be of the domain's columns, but \"{}\" is none of them", name));
    }
  }
}

double RealColumns::coordinate(const Axis& axis, std::string_view text) noexcept {
  const auto number = read_number(text);
  if (!number) return is_null_word(without_outer_spaces(text)) ? axis.null : axis.unreadable;
  if (*number < axis.min) return axis.below;
  if (*number > axis.max) return axis.above;
  return axis.logarithm ? std::log(*number) : *number;
}

void RealColumns::read(std::span<const std::string_view> fields,
                       std::span<double> point) const noexcept {
  for (std::size_t i = 0; i < axes_.size(); ++i) point[i] = coordinate(axes_[i], fields[i]);
}

void RealColumns::write(std::span<const double> point, std::vector<std::string>& fields) const {
  constexpr double kGreatest = std::numeric_limits<double>::max();
  fields.resize(axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const double value = axes_[i].logarithm ? std::exp(point[i]) : point[i];
    fields[i].clear();
    fmt::format_to(std::back_inserter(fields[i]), "{}", std::clamp(value, -kGreatest, kGreatest));
  }
}

}  // namespace mollify
