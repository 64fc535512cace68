#include "methods/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/words.h"
#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Numbers with error bars.

bool has_population(const Measurements& measurements) { return !measurements.weighted; }

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Variances noise_of(const Measurements& measurements, const JointEstimate& joint,
                   const CountRatio& ratio) {
  const NoisySum above = joint.sum(ratio.above);
  const NoisySum below = joint.sum(ratio.below);
  NoisySum both = above;
  both.add(below);
  Variances made{above.variance(measurements), 0, below.variance(measurements)};
  made.both = (both.variance(measurements) - made.above - made.below) / 2;
  return made;
}

/// The part of a sample's variance; nothing if noise leaves no rows.
Variances sampling_of(const JointEstimate& joint, const CountRatio& ratio, double value) {
  Variances made;
  for (std::size_t cell = 0; cell < joint.counts().size(); ++cell) {
    const double count = joint.counts()[cell];
    made.above += count * ratio.above[cell] * ratio.above[cell];
    made.both += count * ratio.above[cell] * ratio.below[cell];
    made.below += count * ratio.below[cell] * ratio.below[cell];
  }
  return made.at(value) > 0 ? made : Variances{};
}

/// The r at which a - r b is within 1.96 standard deviations; none if b is not beyond 1.96 of its
/// own.
std::optional<ErrorBar> fieller(double above, double below, const Variances& variances) {
  const double square = kNormal975 * kNormal975;
  const double a = below * below - square * variances.below;
  const double b = above * below - square * variances.both;
  const double c = above * above - square * variances.above;
  if (!(a > 0) || below <= 0) return std::nullopt;
  const double root = std::sqrt(std::max(b * b - a * c, 0.0));
  const double value = above / below;
  const double error = std::sqrt(std::max(variances.at(value), 0.0)) / below;
  return ErrorBar{error, std::min((b - root) / a, value), std::max((b + root) / a, value)};
}

/// The ratio's least and greatest value, whatever strays there are: it is monotone in each of them.
std::pair<double, double> with_strays(const CountRatio& ratio, double low, double high,
                                      double below) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  const std::size_t choices = std::size_t{1} << ratio.strays.size();
  for (std::size_t chosen = 0; chosen < choices; ++chosen) {
    double least_above = low, greatest_above = high, left = below;
    for (std::size_t i = 0; i < ratio.strays.size(); ++i) {
      const Stray& stray = ratio.strays[i];
      if ((chosen >> i & 1U) == 0) continue;
      const bool is_missing = stray.weight < 0;
      left -= stray.weight * stray.most;
      least_above += stray.most * (is_missing ? stray.low : -stray.high);
      greatest_above += stray.most * (is_missing ? stray.high : -stray.low);
    }
    if (!(left > 0)) {
      const double all = std::numeric_limits<double>::infinity();
      return {-all, all};
    }
    least = std::min(least, least_above / left);
    greatest = std::max(greatest, greatest_above / left);
  }
  return {least, greatest};
}

}  // namespace

Estimated with_errors(double value, double hidden, const Variances& noise,
                      const std::optional<Variances>& sampling) {
  Estimated made;
  const auto bar = [&](const Variances& variances) -> std::optional<ErrorBar> {
    auto found = fieller(0, 1, variances);
    if (!found || !std::isfinite(value + found->upper - found->lower)) return std::nullopt;
    return ErrorBar{found->standard_error, value - hidden + found->lower,
                    value + hidden + found->upper};
  };
  made.table = bar(noise);
  if (!made.table) return made;
  made.value = value;
  made.least = value - hidden;
  made.greatest = value + hidden;
  if (sampling) made.population = bar(noise.plus(*sampling));
  return made;
}

Estimated ratio_of(const Measurements& measurements, const JointEstimate& joint,
                   const CountRatio& ratio) {
  const double above = dot(joint.counts(), ratio.above);
  const double below = dot(joint.counts(), ratio.below);
  const Variances noise = noise_of(measurements, joint, ratio);
  Estimated made;
  const auto table = fieller(above, below, noise);
  if (!table) return made;
  const auto [least, greatest] =
      with_strays(ratio, dot(joint.counts(), ratio.low), dot(joint.counts(), ratio.high), below);
  if (!std::isfinite(least)) return made;
  const double value = above / below;
  made.value = value;
  made.least = std::min(least, value);
  made.greatest = std::max(greatest, value);
  const auto widened = [&](const ErrorBar& bar) {
    return ErrorBar{bar.standard_error, bar.lower - (value - made.least),
                    bar.upper + (made.greatest - value)};
  };
  made.table = widened(*table);
  if (!has_population(measurements)) return made;
  if (const auto bar = fieller(above, below, noise.plus(sampling_of(joint, ratio, value)))) {
    made.population = widened(*bar);
  }
  return made;
}

Estimated difference_of(const Measurements& measurements, const JointEstimate& joint,
                        const CountRatio& one, const CountRatio& other) {
  const Estimated first = ratio_of(measurements, joint, one);
  const Estimated second = ratio_of(measurements, joint, other);
  Estimated made;
  if (!first.value || !second.value) return made;
  made.value = *first.value - *second.value;
  made.least = first.least - second.greatest;
  made.greatest = first.greatest - second.least;
  const double below = dot(joint.counts(), one.below);
  const double other_below = dot(joint.counts(), other.below);
  std::vector<double> both;
  double sampling = 0;
  for (std::size_t cell = 0; cell < joint.counts().size(); ++cell) {
    const double of_one = (one.above[cell] - *first.value * one.below[cell]) / below;
    const double of_other = (other.above[cell] - *second.value * other.below[cell]) / other_below;
    both.push_back(of_one - of_other);
    sampling += joint.counts()[cell] * both.back() * both.back();
  }
  const double noise = joint.sum(both).variance(measurements);
  const auto joined = [&](const ErrorBar& a, const ErrorBar& b, double variance) {
    const double spread = *a.standard_error * *b.standard_error;
    const double covariance =
        (*a.standard_error * *a.standard_error + *b.standard_error * *b.standard_error - variance) /
        2;
    const double correlation = spread > 0 ? std::clamp(covariance / spread, -1.0, 1.0) : 0;
    const auto reach = [&](double x, double y) {
      return std::sqrt(std::max(x * x + y * y - 2 * correlation * x * y, 0.0));
    };
    // The parts of the intervals that noise makes.
    const double down = first.least - a.lower, up = a.upper - first.greatest;
    const double other_down = second.least - b.lower, other_up = b.upper - second.greatest;
    return ErrorBar{std::sqrt(std::max(variance, 0.0)), made.least - reach(down, other_up),
                    made.greatest + reach(up, other_down)};
  };
  made.table = joined(*first.table, *second.table, noise);
  if (first.population && second.population) {
    made.population =
        joined(*first.population, *second.population, noise + std::max(sampling, 0.0));
  }
  return made;
}

// -----------------------------------------------------------------------------------------------
// Some columns together, as far as they were measured.

namespace {

/// The columns put together as far as they were measured together, with their estimate.
struct MeasuredColumns {
  std::vector<AskedValues> columns;  ///< in the order of the question
  JointEstimate joint;               ///< over the columns in ascending order
  std::vector<std::size_t> places;   ///< of each of the question's columns in `joint`

  /// The group of one of the question's columns in a cell of the joint.
  [[nodiscard]] std::uint32_t group_in(std::size_t cell, std::size_t column) const {
    for (std::size_t i = joint.asked().size(); i-- > 0;) {
      const std::uint32_t count = joint.asked()[i].groups.count;
      if (i == places[column]) return static_cast<std::uint32_t>(cell % count);
      cell /= count;
    }
    return 0;
  }
};

/// Throws InvalidInput for columns that no table has together.
MeasuredColumns measured_columns(const Measurements& measurements,
                                 const std::vector<AskedValues>& single) {
  std::vector<std::size_t> order(single.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return single[a].cells.column < single[b].cells.column;
  });
  std::vector<AskedColumn> cells;
  std::vector<std::string> names;
  for (const std::size_t at : order) {
    if (!cells.empty() && cells.back().column == single[at].cells.column) {
      refuse_question(
          "contradicting-parameters",
          "\"{}\" and \"{}\" are one column, or one follows from the other: ask about one of "
          "them",
          names.empty() ? "" : names.back(), single[at].name);
    }
    cells.push_back(single[at].cells);
    names.push_back(single[at].name);
  }
  auto told = told_apart(measurements, cells);
  if (!told) {
    refuse_question(
        "not-available-here", "{} {}; release the table with the question among its questions",
        list_words(names),
        names.size() == 1
            ? "was not measured"
            : "were not measured together, so no count says how one depends on the other");
  }
  std::vector<std::size_t> places(single.size());
  std::vector<AskedValues> columns = single;
  for (std::size_t i = 0; i < order.size(); ++i) {
    places[order[i]] = i;
    columns[order[i]] = put_together(measurements, single[order[i]], (*told)[i].groups);
  }
  return {std::move(columns), JointEstimate(measurements, std::move(*told)), std::move(places)};
}

// -----------------------------------------------------------------------------------------------
// Shares, means, quantiles and tables.

/// Answers to one question would be a book.
constexpr std::size_t kMostAnswers = 2000;

class Answering {
 public:
  Answering(const Measurements& measurements, const Domain& domain, const TableQuestion& question)
      : measurements_(measurements),
        question_(question),
        single_(asked(domain)),
        measured_(measured_columns(measurements, single_)) {
    if (needs_numbers()) {
      const bool has_numbers =
          column().has_numbers && std::any_of(column().groups.begin(), column().groups.end(),
                                              [](const auto& group) { return !group.is_null; });
      if (!has_numbers) {
        refuse_question(
            "contradicting-parameters",
            "\"{}\" has no numbers, so it has no mean and no quantile: ask for share({})",
            column().name, column().name);
      }
      for (const AskedValues::Group& group : column().groups) {
        if (std::isinf(group.others)) {
          refuse_question(
              "not-available-here",
              "nulls of \"{}\" were counted together with its numbers, so nothing says how many "
              "there are",
              column().name);
        }
      }
    }
    if (question.value) {
      value_ = group_for(column(), single_[0], group_of(domain, single_[0], *question.value));
    }
    const std::size_t answers = groups().size() * (needs_numbers() || value_ ? 1 : values().size());
    if (answers > kMostAnswers) {
      refuse_question(
          "too-much-work",
          "a question may have at most {} answers, but \"{}\" has {}: ask for one value",
          kMostAnswers, question.text, answers);
    }
  }

  std::vector<Estimated> answers() const {
    std::vector<Estimated> all;
    for (const std::uint32_t group : groups()) {
      for (Estimated one : of_group(group)) {
        one.group = group_words(group);
        all.push_back(std::move(one));
      }
    }
    return all;
  }

  /// Of each group from the first one.
  std::vector<Estimated> differences() const {
    std::vector<Estimated> all;
    if (question_.by.empty() || question_.kind == QuestionKind::kTable ||
        question_.kind == QuestionKind::kQuantile) {
      return all;
    }
    const std::vector<std::uint32_t> of = groups();
    for (std::size_t at = 1; at < of.size(); ++at) {
      for (const std::uint32_t value : values()) {
        Estimated one = difference_of(measurements_, measured_.joint, ratio(value, of[at]),
                                      ratio(value, of[0]));
        one.of = words_of(value);
        one.group = group_words(of[at]) + " less " + group_words(of[0]);
        all.push_back(std::move(one));
      }
    }
    return all;
  }

  /// Values that were put together, in words.
  std::vector<std::string> together() const {
    std::vector<std::string> told;
    for (const AskedValues& column : measured_.columns) {
      for (std::string& words : column.together()) told.push_back(std::move(words));
    }
    return told;
  }

 private:
  std::vector<AskedValues> asked(const Domain& domain) const {
    std::vector<AskedValues> columns = {asked_values(domain, question_.column)};
    for (const std::string& by : question_.by) columns.push_back(asked_values(domain, by));
    return columns;
  }

  bool needs_numbers() const {
    return question_.kind == QuestionKind::kMean || question_.kind == QuestionKind::kQuantile;
  }
  bool is_table() const { return question_.kind == QuestionKind::kTable; }
  const AskedValues& column() const { return measured_.columns.front(); }

  /// The groups that are answered for, of the last column fastest: of a column that numbers are
  /// asked by not its nulls.
  std::vector<std::uint32_t> groups() const {
    std::vector<std::uint32_t> all = {0};
    for (const AskedValues& by : by_columns()) {
      std::vector<std::uint32_t> more;
      for (const std::uint32_t first : all) {
        for (std::uint32_t group = 0; group < by.groups.size(); ++group) {
          const bool is_asked = is_table() || !by.groups[group].is_null;
          if (is_asked)
            more.push_back(first * static_cast<std::uint32_t>(by.groups.size()) + group);
        }
      }
      all = std::move(more);
    }
    return all;
  }
  std::span<const AskedValues> by_columns() const {
    return std::span<const AskedValues>(measured_.columns).subspan(1);
  }
  /// Of each column that is asked by, in their order.
  std::vector<std::uint32_t> places_of(std::uint32_t group) const {
    std::vector<std::uint32_t> places(by_columns().size());
    for (std::size_t i = places.size(); i-- > 0;) {
      const auto count = static_cast<std::uint32_t>(by_columns()[i].groups.size());
      places[i] = group % count;
      group /= count;
    }
    return places;
  }
  std::string group_words(std::uint32_t group) const {
    std::vector<std::string> words;
    const std::vector<std::uint32_t> places = places_of(group);
    for (std::size_t i = 0; i < places.size(); ++i) {
      words.push_back(by_columns()[i].groups[places[i]].words);
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }
  bool is_in(std::size_t cell, std::uint32_t group) const {
    std::uint32_t own = 0;
    for (std::size_t i = 0; i < by_columns().size(); ++i) {
      own = own * static_cast<std::uint32_t>(by_columns()[i].groups.size()) +
            measured_.group_in(cell, i + 1);
    }
    return own == group;
  }

  /// The values whose shares are asked for; of a mean only one thing is.
  std::vector<std::uint32_t> values() const {
    if (needs_numbers()) return {0};
    if (value_) return {*value_};
    std::vector<std::uint32_t> all(column().groups.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  std::string words_of(std::uint32_t value) const {
    return needs_numbers() ? "mean" : column().groups[value].words;
  }

  CountRatio ratio(std::uint32_t value, std::uint32_t group) const {
    return question_.kind == QuestionKind::kMean ? mean_ratio(group) : share_ratio(value, group);
  }

  CountRatio share_ratio(std::uint32_t value, std::uint32_t group) const {
    CountRatio made;
    for (std::size_t cell = 0; cell < measured_.joint.counts().size(); ++cell) {
      const bool is_of_group = is_in(cell, group);
      made.below.push_back(is_table() || is_of_group ? 1 : 0);
      made.above.push_back(is_of_group && measured_.group_in(cell, 0) == value ? 1 : 0);
    }
    made.low = made.high = made.above;
    if (const double others = column().groups[value].others; others > 0) {
      made.strays.push_back({others, 1, 1, 0});
    }
    add_others_of(group, 0, 1, made);
    return made;
  }

  CountRatio mean_ratio(std::uint32_t group) const {
    CountRatio made;
    for (std::size_t cell = 0; cell < measured_.joint.counts().size(); ++cell) {
      const AskedValues::Group& own = column().groups[measured_.group_in(cell, 0)];
      const double counts = is_in(cell, group) && !own.is_null ? 1 : 0;
      made.below.push_back(counts);
      made.above.push_back(counts * own.range.middle);
      made.low.push_back(counts * own.range.low);
      made.high.push_back(counts * own.range.high);
    }
    for (const AskedValues::Group& own : column().groups) {
      if (own.others > 0) {
        made.strays.push_back(
            {own.others, own.range.low, own.range.high, own.is_null ? -1.0 : 1.0});
      }
    }
    const auto [low, high] = whole_range();
    add_others_of(group, low, high, made);
    return made;
  }

  /// Rows of a group that were counted with its named value.
  void add_others_of(std::uint32_t group, double low, double high, CountRatio& made) const {
    const std::vector<std::uint32_t> places = places_of(group);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double others = by_columns()[i].groups[places[i]].others;
      if (others > 0) made.strays.push_back({others, low, high, is_table() ? 0.0 : 1.0});
    }
  }

  std::pair<double, double> whole_range() const {
    std::optional<std::pair<double, double>> range;
    for (const AskedValues::Group& group : column().groups) {
      if (group.is_null) continue;
      if (!range) range = {group.range.low, group.range.high};
      range = {std::min(range->first, group.range.low), std::max(range->second, group.range.high)};
    }
    return *range;
  }

  std::vector<Estimated> of_group(std::uint32_t group) const {
    if (question_.kind == QuestionKind::kQuantile) return {quantile(group)};
    std::vector<Estimated> all;
    for (const std::uint32_t value : values()) {
      all.push_back(ratio_of(measurements_, measured_.joint, ratio(value, group)));
      all.back().of = words_of(value);
    }
    return all;
  }

  /// Groups of numbers, ascending.
  std::vector<std::uint32_t> ascending() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t own = 0; own < column().groups.size(); ++own) {
      if (!column().groups[own].is_null) order.push_back(own);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return column().groups[a].range.high < column().groups[b].range.high;
    });
    return order;
  }

  /// For each number, in ascending order: how many more rows of a group are up to it than the
  /// quantile's share, and how far noise and strays may move that.
  struct Excess {
    std::vector<double> counts, noise, sampling;
    double strays = 0;
  };
  Excess excess(std::uint32_t group, const std::vector<std::uint32_t>& order) const {
    // The noise of sums up to a number changes little from one number to the next.
    constexpr std::size_t kMostSolved = 128;
    const std::vector<double>& counts = measured_.joint.counts();
    std::vector<std::size_t> rank(column().groups.size(), order.size());
    for (std::size_t at = 0; at < order.size(); ++at) rank[order[at]] = at;
    std::vector<double> weights(counts.size());
    std::vector<std::vector<std::size_t>> cells(order.size());
    double sampling = 0, sum = 0;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      const std::size_t own = rank[measured_.group_in(cell, 0)];
      if (own == order.size() || !is_in(cell, group)) continue;
      cells[own].push_back(cell);
      weights[cell] = -question_.quantile;
      sum += weights[cell] * counts[cell];
      sampling += weights[cell] * weights[cell] * counts[cell];
    }
    Excess made;
    std::size_t solved = 0;
    for (std::size_t at = 0; at < order.size(); ++at) {
      for (const std::size_t cell : cells[at]) {
        weights[cell] += 1;
        sum += counts[cell];
        sampling += (1 - 2 * question_.quantile) * counts[cell];
      }
      made.counts.push_back(sum);
      made.sampling.push_back(std::max(sampling, 0.0));
      made.noise.push_back(0);
      const bool is_solved =
          at == 0 || at + 1 == order.size() ||
          at * kMostSolved / order.size() != (at - 1) * kMostSolved / order.size();
      if (!is_solved) continue;
      made.noise[at] = measured_.joint.sum(weights).variance(measurements_);
      for (std::size_t between = solved + 1; between < at; ++between) {
        const double part =
            static_cast<double>(between - solved) / static_cast<double>(at - solved);
        made.noise[between] = made.noise[solved] + part * (made.noise[at] - made.noise[solved]);
      }
      solved = at;
    }
    double strays = 0;
    const std::vector<std::uint32_t> places = places_of(group);
    for (std::size_t i = 0; i < places.size(); ++i) {
      strays += by_columns()[i].groups[places[i]].others;
    }
    for (const AskedValues::Group& own : column().groups) strays += own.others;
    made.strays = strays * std::max(question_.quantile, 1 - question_.quantile);
    return made;
  }

  /// The numbers at which the excess may pass 0 [Woodruff 1952].
  ErrorBar crossing(const Excess& excess, const std::vector<std::uint32_t>& order,
                    bool of_population) const {
    std::size_t lower = order.size() - 1, upper = 0;
    for (std::size_t at = order.size(); at-- > 0;) {
      const double variance = excess.noise[at] + (of_population ? excess.sampling[at] : 0);
      const double reach = kNormal975 * std::sqrt(variance);
      if (excess.counts[at] + excess.strays + reach >= 0) lower = at;
      if (upper == 0 && excess.counts[at] - excess.strays - reach < 0) upper = at + 1;
    }
    upper = std::min(upper, order.size() - 1);
    return {std::nullopt, column().groups[order[lower]].range.low,
            column().groups[order[upper]].range.high};
  }

  Estimated quantile(std::uint32_t group) const {
    const std::vector<std::uint32_t> order = ascending();
    const Excess found = excess(group, order);
    Estimated made;
    made.of = fmt::format("quantile {:g}", question_.quantile);
    made.table = crossing(found, order, false);
    if (has_population(measurements_)) made.population = crossing(found, order, true);
    const double rows = found.counts.back() / (1 - question_.quantile);
    const double reach = kNormal975 * std::sqrt(found.noise.back()) / (1 - question_.quantile);
    if (!(rows > reach)) return made;  // noise leaves no rows
    // Between the least and the greatest excess that ascends.
    std::vector<double> rising(found.counts), falling(found.counts);
    for (std::size_t at = 1; at < rising.size(); ++at) {
      rising[at] = std::max(rising[at], rising[at - 1]);
      const std::size_t back = rising.size() - at;
      falling[back - 1] = std::min(falling[back - 1], falling[back]);
    }
    double before = -question_.quantile * rows;
    for (std::size_t at = 0; at < order.size(); ++at) {
      const double now = (rising[at] + falling[at]) / 2;
      if (now >= 0) {
        const AskedValues::Range& range = column().groups[order[at]].range;
        const double part = now > before ? std::clamp(-before / (now - before), 0.0, 1.0) : 1;
        made.value = range.low + part * (range.high - range.low);
        break;
      }
      before = now;
    }
    made.least = made.greatest = made.value.value_or(0);
    return made;
  }

  const Measurements& measurements_;
  const TableQuestion& question_;
  std::vector<AskedValues> single_;
  MeasuredColumns measured_;
  std::optional<std::uint32_t> value_;
};

// -----------------------------------------------------------------------------------------------
// Words and facts.

Json number_json(std::optional<double> number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

Json bar_json(const std::optional<ErrorBar>& bar) {
  if (!bar) return nullptr;
  return {{"standard_error", number_json(bar->standard_error)},
          {"lower", number_json(bar->lower)},
          {"upper", number_json(bar->upper)}};
}

bool is_widened(const Estimated& one) { return one.greatest > one.least; }

Json estimated_json(const std::vector<Estimated>& all) {
  Json list = Json::array();
  for (const Estimated& one : all) {
    Json json{{"of", one.of}};
    if (!one.group.empty()) json["group"] = one.group;
    json["estimate"] = number_json(one.value);
    json["table"] = bar_json(one.table);
    json["population"] = bar_json(one.population);
    if (is_widened(one)) {
      json["not_told_apart"] = {{"least", one.least}, {"greatest", one.greatest}};
    }
    list.push_back(std::move(json));
  }
  return list;
}

/// A table for people. Rows are named as the question names its columns.
std::string lines_of(const std::vector<Estimated>& all, const std::string& heading,
                     const TableQuestion& question) {
  const bool has_one_thing = question.value || question.kind == QuestionKind::kMean ||
                             question.kind == QuestionKind::kQuantile;
  Json rows = estimated_json(all);
  std::size_t width = heading.size() + 2;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const Estimated& one = all[at];
    std::string what = one.of;
    if (question.kind == QuestionKind::kTable) {
      what = one.of + ", " + one.group;
    } else if (!one.group.empty()) {
      what = has_one_thing ? one.group : one.group + ", " + one.of;
    }
    rows[at]["what"] = "  " + printable(what);
    width = std::max(width, rows[at]["what"].get_ref<const std::string&>().size());
    // A missing object is a blank, and a null is a dash.
    for (const char* const bar : {"table", "population"}) {
      if (rows[at][bar].is_null()) rows[at][bar] = bar_json(ErrorBar{{}, NAN, NAN});
    }
  }
  const TableColumn columns[] = {{"  " + heading, -static_cast<int>(width) - 2, "/what"},
                                 {"estimate", 11, "/estimate", ".4g"},
                                 {"std error", 11, "/table/standard_error", ".3g"},
                                 {"95 %: from", 12, "/table/lower", ".4g"},
                                 {"to", 11, "/table/upper", ".4g"},
                                 {"population:", 12, "/population/lower", ".4g"},
                                 {"to", 11, "/population/upper", ".4g"}};
  return table_text(columns, rows);
}

std::string heading_of(const TableQuestion& question) {
  const std::string by = fmt::format("{}", fmt::join(question.by, ", "));
  if (question.kind == QuestionKind::kTable) return question.column + ", " + by;
  if (question.by.empty()) return question.value ? "" : question.column;
  const bool has_one_thing = question.value || question.kind != QuestionKind::kShares;
  return has_one_thing ? by : by + ", " + question.column;
}

/// Whether a cell of a column may hold several numbers.
bool has_bins(const Column& column) {
  if (const auto* numbers = std::get_if<NumberCells>(&column.cells()))
    return numbers->declared().values.empty();
  const auto* integers = std::get_if<IntegerCells>(&column.cells());
  if (integers == nullptr || !integers->declared().values.empty()) return false;
  const double span =
      static_cast<double>(integers->max()) - static_cast<double>(integers->min()) + 1;
  return static_cast<double>(integers->size()) < span;
}

/// Whether a regression uses middles of bins as numbers.
bool is_of_bins(const Domain& domain, const TableQuestion& question, bool is_logistic) {
  return std::any_of(domain.columns().begin(), domain.columns().end(), [&](const Column& column) {
    const auto& terms = question.terms;
    const bool is_term = std::find(terms.begin(), terms.end(), column.name()) != terms.end();
    return (is_term || (!is_logistic && column.name() == question.column)) && has_bins(column);
  });
}

std::string meaning(const Measurements& measurements, const Domain& domain,
                    const std::vector<Estimated>& all, bool is_of_rows, bool of_bins) {
  std::string words =
      "  An interval holds the table's number in 95 of 100 releases; the population's, if the rows "
      "are a random sample of it. Both come from noisy counts, not from released rows.";
  if (!has_population(measurements)) {
    words =
        "  An interval holds the table's number in 95 of 100 releases. It comes from noisy counts, "
        "not from released rows. The population has no interval, because rows' weights are "
        "private.";
  }
  if (!domain.rules().empty()) {
    words += " The table's number is the one after rows that break a rule were changed.";
  }
  if (!is_of_rows) {
    words +=
        " The coefficients are those that the pairs of these columns determine. If three of the "
        "columns interact, the rows' own coefficients differ.";
  }
  if (of_bins) {
    words +=
        " A number counts as the middle of its bin: coefficients of the numbers themselves may lie "
        "outside.";
  }
  if (std::any_of(all.begin(), all.end(), is_widened)) {
    words +=
        " Intervals are wider where counts do not tell values apart, such as the numbers of a bin.";
  }
  if (std::any_of(all.begin(), all.end(), [](const Estimated& one) { return !one.value; })) {
    words += " A dash: too few rows for the noise.";
  }
  return wrapped(words + "\n", kLineWidth, 2);
}

}  // namespace

Answer answer_question(const Measurements& measurements, const Domain& domain,
                       const TableQuestion& question) {
  if (measurements.tables.empty()) {
    refuse_question("not-available-here",
                    "the model has no measurements of columns, so no answer has an error bar");
  }
  Answer answer;
  std::vector<std::string> together;
  std::vector<Estimated> all;
  bool is_of_rows = true;
  bool of_bins = false;
  answer.add("question", question.text, printable(question.text) + "\n");
  if (question.kind == QuestionKind::kRegression) {
    Regression found = regression_of(measurements, domain, question);
    is_of_rows = found.is_of_rows;
    together = std::move(found.together);
    all = std::move(found.coefficients);
    answer.add("regression", found.is_logistic ? "logistic" : "linear");
    answer.add("target", is_of_rows ? "rows" : "pairs");
    of_bins = is_of_bins(domain, question, found.is_logistic);
    answer.add("of_bins", of_bins);
    answer.add("answers", estimated_json(all),
               lines_of(all, found.is_logistic ? "logistic coefficients" : "linear coefficients",
                        question));
  } else {
    const Answering answering(measurements, domain, question);
    together = answering.together();
    all = answering.answers();
    answer.add("answers", estimated_json(all), lines_of(all, heading_of(question), question));
    const std::vector<Estimated> differences = answering.differences();
    answer.add("differences", estimated_json(differences),
               differences.empty() ? "" : "\n" + lines_of(differences, "difference", question));
  }
  answer.add("counted_together", together,
             together.empty()
                 ? ""
                 : wrapped(fmt::format("  counted together: {}\n", fmt::join(together, "; ")),
                           kLineWidth, 4));
  if (!domain.rules().empty()) answer.add("after_rules", true, "");
  answer.say(meaning(measurements, domain, all, is_of_rows, of_bins));
  return answer;
}

std::vector<Answer> answer_questions(const std::optional<Measurements>& measurements,
                                     const Domain& domain,
                                     const std::vector<TableQuestion>& questions,
                                     const std::string& name) {
  if (!measurements) {
    refuse_input("not-available-here", "model",
                 "{} holds no measurements: only a model of method marginals of this version does",
                 name);
  }
  std::vector<Answer> answers;
  for (const TableQuestion& question : questions) {
    try {
      answers.push_back(answer_question(*measurements, domain, question));
    } catch (const InvalidInput& refusal) {
      const bool is_unmeasured =
          refusal.code() == Code("not-available-here") || refusal.code() == Code("too-much-work");
      if (questions.size() == 1 || !is_unmeasured) throw;
      Answer& answer = answers.emplace_back();
      answer.add("question", question.text, printable(question.text) + "\n");
      answer.add("refused", refusal.what(),
                 wrapped(fmt::format("  no answer: {}\n", refusal.what()), kLineWidth, 2));
    }
  }
  return answers;
}

}  // namespace mollify
