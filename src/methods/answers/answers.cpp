#include "methods/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/words.h"
#include "domain/column.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Numbers with error bars.

Estimated::Interval Estimated::interval(double variance) const {
  constexpr double kNormal975 = 1.959963984540054;
  const double error = std::sqrt(variance);
  return {error, least - kNormal975 * error, greatest + kNormal975 * error};
}

std::optional<Estimated::Interval> Estimated::of_population() const {
  if (population_least && population_greatest) {
    return Interval{0, *population_least, *population_greatest};
  }
  if (!sampling_variance) return std::nullopt;
  return interval(noise_variance + *sampling_variance);
}

Estimated ratio_of(const Measurements& measurements, const JointEstimate& joint,
                   std::span<const double> numerator, std::span<const double> denominator,
                   bool has_rows) {
  const std::vector<double>& counts = joint.counts();
  const double over = std::inner_product(counts.begin(), counts.end(), denominator.begin(), 0.0);
  const double sum = std::inner_product(counts.begin(), counts.end(), numerator.begin(), 0.0);
  Estimated made;
  made.value = made.least = made.greatest = sum / over;
  std::vector<double> weights;
  double square = 0;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    weights.push_back((numerator[cell] - made.value * denominator[cell]) / over);
    square += weights.back() * weights.back() * counts[cell];
  }
  made.noise_variance = joint.sum(weights).variance(measurements);
  if (has_rows) made.sampling_variance = std::max(square, 0.0);
  return made;
}

// -----------------------------------------------------------------------------------------------
// Some columns together, as far as they were measured.

std::uint32_t MeasuredColumns::group_in(std::size_t cell, std::size_t column) const {
  for (std::size_t i = joint.asked().size(); i-- > 0;) {
    const std::uint32_t count = joint.asked()[i].groups.count;
    if (i == places[column]) return static_cast<std::uint32_t>(cell % count);
    cell /= count;
  }
  return 0;
}

namespace {

/// How often each cell of a column occurs by the column's own measurements, for what its groups
/// have inside: none if it was measured in groups only.
std::vector<double> shares_of_cells(const Measurements& measurements, const Domain& domain,
                                    std::size_t column) {
  CellGroups single{{}, domain.columns()[column].size()};
  for (std::uint32_t cell = 0; cell < single.count; ++cell) single.of.push_back(cell);
  const auto told = told_apart(measurements, {{column, single}});
  if (!told || told->front().groups.count < single.count) return {};
  return JointEstimate(measurements, *told).counts();
}

}  // namespace

MeasuredColumns measured_columns(const Measurements& measurements, const Domain& domain,
                                 std::vector<AskedValues> asked) {
  std::vector<std::size_t> order(asked.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return asked[a].cells.column < asked[b].cells.column;
  });
  std::vector<AskedColumn> cells;
  std::vector<std::string> names;
  for (const std::size_t at : order) {
    refuse_if(!cells.empty() && cells.back().column == asked[at].cells.column,
              "contradicting-parameters", "question",
              "\"{}\" and \"{}\" are one column, or one follows from the other: ask about one of "
              "them",
              names.empty() ? "" : names.back(), asked[at].name);
    cells.push_back(asked[at].cells);
    names.push_back(asked[at].name);
  }
  auto told = told_apart(measurements, cells);
  if (!told) {
    refuse_input("not-available-here", "question", {},
                 "{} were not measured together, so no count says how one depends on the other; "
                 "release the table with them among its questions",
                 list_words(names));
  }
  std::vector<std::size_t> places(asked.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    places[order[i]] = i;
    AskedValues& one = asked[order[i]];
    one = put_together(domain, one, (*told)[i].groups,
                       shares_of_cells(measurements, domain, one.cells.column));
  }
  return {std::move(asked), JointEstimate(measurements, std::move(*told)), std::move(places)};
}

namespace {

// -----------------------------------------------------------------------------------------------
// Shares, means, quantiles and tables.

class Answering {
 public:
  Answering(const Measurements& measurements, const Domain& domain, const TableQuestion& question)
      : measurements_(measurements),
        domain_(domain),
        question_(question),
        // A weighted row's part of a sample's variance depends on the weights, which are private.
        has_rows_(measurements.records.has_value() || measurements.step == 1),
        measured_(measured_columns(measurements, domain, asked())) {}

  std::vector<Estimated> answers() const {
    std::vector<Estimated> all;
    if (question_.kind == QuestionKind::kTable) return table();
    for (std::size_t group = 0; group < groups().size(); ++group) {
      if (!is_asked(group)) continue;
      for (Estimated one : of_group(group)) {
        one.group = groups()[group];
        all.push_back(std::move(one));
      }
    }
    return all;
  }

  /// Of each group from the first one.
  std::vector<Estimated> differences() const {
    std::vector<Estimated> all;
    if (!question_.by || question_.kind == QuestionKind::kTable ||
        question_.kind == QuestionKind::kQuantile) {
      return all;
    }
    std::optional<std::size_t> first;
    for (std::size_t group = 0; group < groups().size(); ++group) {
      if (!is_asked(group)) continue;
      if (!first) {
        first = group;
        continue;
      }
      for (const std::uint32_t value : values()) {
        Estimated one = difference(value, group, *first);
        one.of = words_of(value);
        one.group = groups()[group] + " less " + groups()[*first];
        all.push_back(std::move(one));
      }
    }
    return all;
  }

  /// Values that were put together, in words.
  std::vector<std::string> together() const {
    std::vector<std::string> told;
    for (const AskedValues& column : measured_.columns) {
      const AskedValues single = asked_values(domain_, column.name);
      for (const std::string& words : column.words) {
        if (std::find(single.words.begin(), single.words.end(), words) == single.words.end()) {
          told.push_back(fmt::format("{}: {}", column.name, words));
        }
      }
    }
    return told;
  }

 private:
  std::vector<AskedValues> asked() const {
    std::vector<AskedValues> columns = {asked_values(domain_, question_.column)};
    if (question_.by) columns.push_back(asked_values(domain_, *question_.by));
    return columns;
  }

  const AskedValues& column() const { return measured_.columns.front(); }
  std::vector<std::string> groups() const {
    return question_.by ? measured_.columns[1].words : std::vector<std::string>{""};
  }
  bool is_asked(std::size_t group) const {
    return !question_.by || !measured_.columns[1].is_null[group];
  }
  bool is_in(std::size_t cell, std::size_t group) const {
    return !question_.by || measured_.group_in(cell, 1) == group;
  }

  /// The values whose shares are asked for; of a mean only one thing is.
  std::vector<std::uint32_t> values() const {
    if (question_.kind == QuestionKind::kMean) return {0};
    if (question_.value) return {group_of(domain_, column(), *question_.value)};
    std::vector<std::uint32_t> all(column().words.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  std::string words_of(std::uint32_t value) const {
    return question_.kind == QuestionKind::kMean ? "mean" : column().words[value];
  }

  /// What a row counts in the sum that is asked for, and whether it counts at all.
  struct Weights {
    std::vector<double> numerator, denominator;
  };
  enum class End { kLow, kMiddle, kHigh };
  Weights weights(std::uint32_t value, std::size_t group, End end) const {
    Weights made;
    for (std::size_t cell = 0; cell < measured_.joint.counts().size(); ++cell) {
      const std::uint32_t own = measured_.group_in(cell, 0);
      const bool is_mean = question_.kind == QuestionKind::kMean;
      const bool counts = is_in(cell, group) && !(is_mean && column().is_null[own]);
      made.denominator.push_back(counts ? 1 : 0);
      if (!counts) {
        made.numerator.push_back(0);
      } else if (is_mean) {
        const AskedValues::Range& range = column().ranges[own];
        made.numerator.push_back(end == End::kLow    ? range.low
                                 : end == End::kHigh ? range.high
                                                     : range.middle);
      } else {
        made.numerator.push_back(own == value ? 1 : 0);
      }
    }
    return made;
  }

  Estimated ratio(const Weights& weights) const {
    return ratio_of(measurements_, measured_.joint, weights.numerator, weights.denominator,
                    has_rows_);
  }

  Estimated of_value(std::uint32_t value, std::size_t group) const {
    Estimated made = ratio(weights(value, group, End::kMiddle));
    if (question_.kind != QuestionKind::kMean) return made;
    // The bound's own noise is nearly that of the middle.
    made.least = ratio(weights(value, group, End::kLow)).value;
    made.greatest = ratio(weights(value, group, End::kHigh)).value;
    return made;
  }

  std::vector<Estimated> of_group(std::size_t group) const {
    if (question_.kind == QuestionKind::kQuantile) return {quantile(group)};
    std::vector<Estimated> all;
    for (const std::uint32_t value : values()) {
      all.push_back(of_value(value, group));
      all.back().of = words_of(value);
    }
    return all;
  }

  /// Both groups' ratios have noise and rows of one table.
  Estimated difference(std::uint32_t value, std::size_t group, std::size_t first) const {
    const std::vector<double>& counts = measured_.joint.counts();
    const Estimated of_group = of_value(value, group), of_first = of_value(value, first);
    const Weights one = weights(value, group, End::kMiddle);
    const Weights other = weights(value, first, End::kMiddle);
    const auto sum = [&](const std::vector<double>& weights) {
      return std::inner_product(counts.begin(), counts.end(), weights.begin(), 0.0);
    };
    const double over = sum(one.denominator), over_first = sum(other.denominator);
    std::vector<double> both;
    double square = 0;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      both.push_back((one.numerator[cell] - of_group.value * one.denominator[cell]) / over -
                     (other.numerator[cell] - of_first.value * other.denominator[cell]) /
                         over_first);
      square += both.back() * both.back() * counts[cell];
    }
    Estimated made;
    made.value = of_group.value - of_first.value;
    made.least = of_group.least - of_first.greatest;
    made.greatest = of_group.greatest - of_first.least;
    made.noise_variance = measured_.joint.sum(both).variance(measurements_);
    if (has_rows_) made.sampling_variance = std::max(square, 0.0);
    return made;
  }

  std::vector<Estimated> table() const {
    std::vector<Estimated> all;
    const std::size_t cells = measured_.joint.counts().size();
    const std::vector<double> every(cells, 1);
    for (std::uint32_t row = 0; row < column().words.size(); ++row) {
      for (std::uint32_t other = 0; other < measured_.columns[1].words.size(); ++other) {
        std::vector<double> of_cell(cells);
        for (std::size_t cell = 0; cell < cells; ++cell) {
          if (measured_.group_in(cell, 0) == row && measured_.group_in(cell, 1) == other) {
            of_cell[cell] = 1;
          }
        }
        all.push_back(ratio_of(measurements_, measured_.joint, of_cell, every, has_rows_));
        all.back().of = column().words[row];
        all.back().group = measured_.columns[1].words[other];
      }
    }
    return all;
  }

  /// Where the share of rows up to a number passes the asked one; its interval are the numbers whose
  /// share may be the asked one [Woodruff 1952].
  Estimated quantile(std::size_t group) const {
    const AskedValues& of = column();
    std::vector<std::uint32_t> order;
    for (std::uint32_t own = 0; own < of.words.size(); ++own) {
      if (!of.is_null[own]) order.push_back(own);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return of.ranges[a].high < of.ranges[b].high;
    });
    Estimated made;
    made.of = fmt::format("quantile {:g}", question_.quantile);
    double before = 0;
    std::optional<double> found, lower, upper;
    std::optional<double> lower_of_population, upper_of_population;
    for (const std::uint32_t last : order) {
      Weights up_to = weights(last, group, End::kMiddle);
      for (std::size_t cell = 0; cell < up_to.numerator.size(); ++cell) {
        const std::uint32_t own = measured_.group_in(cell, 0);
        const bool counts = is_in(cell, group) && !of.is_null[own];
        up_to.denominator[cell] = counts ? 1 : 0;
        up_to.numerator[cell] = counts && of.ranges[own].high <= of.ranges[last].high ? 1 : 0;
      }
      const Estimated share = ratio(up_to);
      const AskedValues::Range& range = of.ranges[last];
      const double asked = question_.quantile;
      if (!lower && share.of_table().upper >= asked) lower = range.low;
      if (!upper && share.of_table().lower >= asked) upper = range.high;
      if (const auto population = share.of_population()) {
        if (!lower_of_population && population->upper >= asked) lower_of_population = range.low;
        if (!upper_of_population && population->lower >= asked) upper_of_population = range.high;
      }
      if (!found && share.value >= asked) {
        const double part = share.value > before ? (asked - before) / (share.value - before) : 1;
        found = range.low + std::clamp(part, 0.0, 1.0) * (range.high - range.low);
      }
      before = std::max(before, share.value);
    }
    const AskedValues::Range& end = of.ranges[order.back()];
    made.value = found.value_or(end.high);
    made.least = lower.value_or(made.value);
    made.greatest = upper.value_or(end.high);
    made.population_least = lower_of_population;
    made.population_greatest = upper_of_population ? upper_of_population : end.high;
    return made;
  }

  const Measurements& measurements_;
  const Domain& domain_;
  const TableQuestion& question_;
  bool has_rows_;
  MeasuredColumns measured_;
};

Json interval_json(const Estimated::Interval& interval) {
  return {{"standard_error", interval.standard_error},
          {"lower", interval.lower},
          {"upper", interval.upper}};
}

Json estimated_json(const std::vector<Estimated>& all) {
  Json list = Json::array();
  for (const Estimated& one : all) {
    const auto population = one.of_population();
    Json json{{"of", one.of}};
    if (!one.group.empty()) json["group"] = one.group;
    json["estimate"] = one.value;
    json["table"] = interval_json(one.of_table());
    json["population"] = population ? interval_json(*population) : Json(nullptr);
    if (one.greatest > one.least) {
      json["not_told_apart"] = {{"least", one.least}, {"greatest", one.greatest}};
    }
    list.push_back(std::move(json));
  }
  return list;
}

/// A table for people.
std::string lines_of(const Json& all, const std::string& heading) {
  Json rows = Json::array();
  std::size_t width = heading.size();
  for (const Json& one : all) {
    Json row = one;
    std::string what = one["of"].get<std::string>();
    if (one.contains("group")) what = one["group"].get<std::string>() + ": " + what;
    row["what"] = "  " + printable(what);
    width = std::max(width, row["what"].get_ref<const std::string&>().size());
    rows.push_back(std::move(row));
  }
  const TableColumn columns[] = {{heading, -static_cast<int>(width) - 2, "/what"},
                                 {"estimate", 11, "/estimate", ".4g"},
                                 {"std error", 11, "/table/standard_error", ".3g"},
                                 {"95 %: from", 12, "/table/lower", ".4g"},
                                 {"to", 11, "/table/upper", ".4g"},
                                 {"population:", 12, "/population/lower", ".4g"},
                                 {"to", 11, "/population/upper", ".4g"}};
  return table_text(columns, rows);
}

}  // namespace

Answer answer_question(const Measurements& measurements, const Domain& domain,
                       const TableQuestion& question) {
  refuse_if(measurements.tables.empty(), "not-available-here", "question",
            "the model has no measurements of columns, so no answer has an error bar");
  Answer answer;
  std::vector<std::string> together;
  answer.add("question", question.text, question.text + "\n");
  if (question.kind == QuestionKind::kRegression) {
    const Regression found = regression_of(measurements, domain, question);
    together = found.together;
    answer.add("regression", found.is_logistic ? "logistic" : "linear");
    const Json all = estimated_json(found.coefficients);
    answer.add("answers", all,
               lines_of(all, found.is_logistic ? "logistic coefficients" : "linear coefficients"));
  } else {
    const Answering answering(measurements, domain, question);
    together = answering.together();
    const Json all = estimated_json(answering.answers());
    answer.add("answers", all, lines_of(all, question.by ? "group" : ""));
    const Json differences = estimated_json(answering.differences());
    answer.add("differences", differences,
               differences.empty() ? "" : "\n" + lines_of(differences, "difference"));
  }
  answer.add("counted_together", together,
             together.empty()
                 ? ""
                 : wrapped(fmt::format("  counted together: {}\n", fmt::join(together, "; ")),
                           kLineWidth, 4));
  answer.say(wrapped(
      "  Intervals hold what was asked of the table, or of a population that its rows are a random "
      "sample of, for 95 of 100 releases. They come from noisy counts, and not from released "
      "rows.\n",
      kLineWidth, 2));
  return answer;
}

}  // namespace mollify
