#include "analysis/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "analysis/joint_release.h"
#include "analysis/requests.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "methods/local/sampler.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What is asked for.

std::span<const Part> estimate_parts() {
  using enum PartKind;
  static constexpr Part kParts[] = {
      between({"/confidence", "--confidence", kNumber,
               "probability that all intervals hold together (default: 0.95)"},
              0.5, 1),
      {{"/method", "--method", kText,
        "unbiased (default), simplex or maximum-likelihood\nsimplex: the nearest distribution",
        "NAME"}},
      {{"/pairs", "--pairs", kTruth, "two-way tables of all pairs of columns too"}},
      {{"/counts_column", "--counts-column", kText, "column with how many records a row counts as",
        "COLUMN"}},
      from({"/bad_reports", "--bad-reports", kWhole,
            "how many records may be anything; intervals hold with them (default: 0)"},
           0),
      {{"/weighting", "--weighting", kText,
        "how several releases count: precision (default) or reports\n"
        "precision: by their public variances. reports: each record alike",
        "NAME"}}};
  return kParts;
}

EstimateRequest estimate_request_of(const Json& json, const std::string& name) {
  const PartReader reader(estimate_parts(), json, name, "a question to estimate");
  EstimateRequest request{.pairs = reader.is_true("/pairs"),
                          .counts_column = reader.find<std::string>("/counts_column")};
  request.confidence = reader.find<double>("/confidence").value_or(request.confidence);
  request.bad_reports = reader.find<std::uint64_t>("/bad_reports").value_or(request.bad_reports);
  if (const auto method = reader.find<std::string>("/method")) {
    request.method = known_value<EstimateMethod>("method", *method);
  }
  if (const auto weighting = reader.find<std::string>("/weighting")) {
    request.weighting = known_value<Weighting>("weighting", *weighting);
  }
  return request;
}

// -----------------------------------------------------------------------------------------------
// From released records and their certificate to the distribution of the population.

namespace {

/// The values of one cell of a column, as its least and its greatest: "20..39".
std::string cell_text(const Column& column, std::uint32_t cell) {
  std::string text;
  column.write(cell, 0, text);
  if (const std::uint64_t points = column.points(cell); points > 1) {
    text += "..";
    column.write(cell, points - 1, text);
  }
  return text.empty() ? "null" : text;
}

double as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*integer);
  }
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? *number : 0;
}

/// A null or a missing code.
bool is_null(const Column& column, std::uint32_t cell) { return cell >= column.cell_count(); }

/// Where the numbers of a numeric column's cells lie: one for each cell, 0 for nulls and codes.
struct CellNumbers {
  std::vector<double> least, middle, greatest;  // each ascends
  double half_cell = 0;  // how far a number is from its cell's middle, at most

  explicit CellNumbers(const Column& column) {
    const std::uint32_t cells = column.cell_count();
    const auto bound = [&](std::uint32_t cell, bool is_last) {
      return as_number(column.value(cell, is_last ? column.points(cell) - 1 : 0));
    };
    const auto* numbers = std::get_if<NumberCells>(&column.cells());
    const double min = numbers != nullptr ? numbers->min() : bound(0, false);
    const double max = numbers != nullptr ? numbers->max() : bound(cells - 1, true);
    for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
      double first = 0;
      double last = 0;
      double beyond = 0;
      if (cell < cells) {
        first = bound(cell, false);
        last = bound(cell, true);
        // Numbers lie between the points that are written too, and next to the outer ones.
        const std::uint64_t points = column.points(cell);
        const bool integers = std::holds_alternative<std::int64_t>(column.value(cell, 0));
        if (points > 1 && !integers) beyond = (last - first) / static_cast<double>(points - 1);
        least.push_back(std::max(min, first - beyond));
        greatest.push_back(std::min(max, last + beyond));
        middle.push_back(first + (last - first) / 2);
        half_cell =
            std::max({half_cell, middle[cell] - least[cell], greatest[cell] - middle[cell]});
      } else {
        for (std::vector<double>* ends : {&least, &middle, &greatest}) ends->push_back(0);
      }
    }
    // Next to a spike the room beyond a point may be the spike's.
    for (std::uint32_t cell = cells - 1; cell > 0; --cell) {
      least[cell - 1] = std::min(least[cell - 1], least[cell]);
    }
    for (std::uint32_t cell = 1; cell < cells; ++cell) {
      greatest[cell] = std::max(greatest[cell], greatest[cell - 1]);
    }
  }

  /// What a mean can be.
  [[nodiscard]] ConfidenceInterval range(const Column& column) const {
    return {least[0], greatest[column.cell_count() - 1]};
  }
};

class PopulationEstimator {
 public:
  PopulationEstimator(std::vector<LawDraws> draws, const Domain& domain, double failure_up,
                      const EstimateRequest& request)
      : draws_(std::move(draws)),
        request_(request),
        domain_(domain),
        failure_up_(failure_up),
        total_(std::accumulate(draws_.begin(), draws_.end(), 0.0,
                               [](double sum, const LawDraws& one) { return sum + one.count; })) {
    if (band() != nullptr) edge_ratio_ = greatest_edge_ratio(*band());
    if (is_linear() && request.method != EstimateMethod::kUnbiased) fit();
  }

  PopulationEstimate take() {
    const std::size_t columns = domain_.columns().size();
    std::vector<std::size_t> numeric;
    for (std::size_t i = 0; i < columns; ++i) {
      if (is_numeric(domain_.columns()[i].cells())) numeric.push_back(i);
    }
    const bool many = columns > 1;
    const double families =
        1 + (many ? 1 : 0) + (numeric.empty() ? 0 : 1) + (many && request_.pairs ? 1 : 0);
    const double alpha = (1 - request_.confidence - failure_up_) / families;

    if (is_mixture()) found_.moved_up = static_cast<double>(request_.bad_reports) * most_worth();
    std::vector<std::size_t> all(columns);
    std::iota(all.begin(), all.end(), std::size_t{0});
    found_.outcomes = table(all, alpha / static_cast<double>(domain_.size()));
    if (many) {
      double cells = 0;
      for (const Column& column : domain_.columns()) cells += column.size();
      for (const std::size_t i : all) found_.marginals.push_back(table({i}, alpha / cells));
    }
    for (const std::size_t i : numeric) {
      found_.means.push_back(mean(i, alpha / static_cast<double>(numeric.size())));
    }
    if (many && request_.pairs) take_pairs(alpha);
    take_comparison();
    found_.mechanism = law().mechanism();
    for (std::size_t g = 1; g < draws_.size(); ++g) {
      const std::string& other = draws_[g].law->mechanism();
      if (other != found_.mechanism) found_.mechanism += ", " + other;
    }
    found_.is_linear = is_linear();
    for (const LawDraws& one : draws_) found_.records += whole(one);
    found_.request = request_;
    take_notes();
    return std::move(found_);
  }

 private:
  [[nodiscard]] const ReleasedLaw& law() const { return *draws_.front().law; }
  [[nodiscard]] const Band* band() const { return law().band(); }
  [[nodiscard]] bool is_joint() const { return draws_.size() > 1; }
  [[nodiscard]] bool is_linear() const { return draws_.front().linear.has_value(); }
  [[nodiscard]] bool is_mixture() const {
    return is_linear() && draws_.front().linear->is_mixture();
  }
  static std::uint64_t whole(const LawDraws& one) { return static_cast<std::uint64_t>(one.count); }

  /// How far one record moves a share's estimate at most.
  [[nodiscard]] double most_worth() const {
    double most = 0;
    for (const LawDraws& one : draws_) {
      most = std::max(most, one.weight / (one.count * one.linear->kept()));
    }
    return most;
  }

  /// The records' share of each outcome.
  [[nodiscard]] static std::vector<double> shares(const LawDraws& one) {
    std::vector<double> shares(one.counts.size());
    for (std::size_t j = 0; j < shares.size(); ++j) {
      shares[j] = static_cast<double>(one.counts[j]) / one.count;
    }
    return shares;
  }

  void fit() {
    if (request_.method == EstimateMethod::kSimplex) {
      std::vector<double> masses(domain_.size());
      for (const LawDraws& one : draws_) {
        const std::vector<double> own = one.linear->unbiased(shares(one));
        for (std::size_t j = 0; j < masses.size(); ++j) masses[j] += one.weight * own[j];
      }
      fitted_ = projected_on_simplex(std::move(masses));
      return;
    }
    LikelihoodFit likeliest = maximum_likelihood(*draws_[0].linear, shares(draws_[0]), total_);
    fitted_ = std::move(likeliest.p);
    found_.likelihood_gap_up = likeliest.gap_up;
  }

  void take_pairs(double alpha) {
    const std::size_t columns = domain_.columns().size();
    double cells = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = i + 1; j < columns; ++j) {
        cells += static_cast<double>(domain_.columns()[i].size()) * domain_.columns()[j].size();
      }
    }
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = i + 1; j < columns; ++j) {
        found_.pairs.push_back(table({i, j}, alpha / cells));
      }
    }
  }

  // ---------------------------------------------------------------------------------------------
  // Tables.

  [[nodiscard]] std::uint64_t cells_of(const std::vector<std::size_t>& columns) const {
    std::uint64_t cells = 1;
    for (const std::size_t i : columns) cells *= domain_.columns()[i].size();
    return cells;
  }

  [[nodiscard]] std::size_t cell_of(std::uint32_t outcome,
                                    const std::vector<std::size_t>& columns) const {
    std::size_t cell = 0;
    for (const std::size_t i : columns) {
      cell = cell * domain_.columns()[i].size() + domain_.digit(outcome, i);
    }
    return cell;
  }

  [[nodiscard]] std::string name_of_cell(std::size_t cell,
                                         const std::vector<std::size_t>& columns) const {
    std::string name;
    for (std::size_t at = columns.size(); at-- > 0;) {
      const Column& column = domain_.columns()[columns[at]];
      const auto value = static_cast<std::uint32_t>(cell % column.size());
      cell /= column.size();
      const std::string text = cell_text(column, value);
      if (columns.size() == 1) return text;
      name = list_item(text) + (name.empty() ? "" : ", " + name);
    }
    return name;
  }

  /// Each cell at error probability `alpha`.
  EstimatedTable table(const std::vector<std::size_t>& columns, double alpha) {
    EstimatedTable made;
    for (const std::size_t i : columns) made.columns.push_back(domain_.columns()[i].name());
    const std::size_t cells = cells_of(columns);
    std::vector<std::vector<std::uint64_t>> counts;
    for (const LawDraws& one : draws_) {
      std::vector<std::uint64_t>& own = counts.emplace_back(cells);
      for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
        own[cell_of(outcome, columns)] += one.counts[outcome];
      }
    }
    made.cells.resize(cells);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      made.cells[cell].name = name_of_cell(cell, columns);
    }
    found_.intervals += cells;
    if (is_mixture()) {
      fill_from_mixtures(made, columns, counts, alpha);
    } else if (is_linear()) {
      fill_by_weights(made, columns, alpha);
    } else {
      fill_with_bounds(made, columns, counts[0], alpha);
    }
    if (!fitted_.empty()) {
      for (EstimatedValue& cell : made.cells) cell.value = 0;
      for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
        *made.cells[cell_of(outcome, columns)].value += fitted_[outcome];
      }
    }
    return made;
  }

  /// The sum of what replaces, of each cell.
  template <class CellOf>
  [[nodiscard]] std::vector<double> replaced_in(const LawDraws& one, std::size_t cells,
                                                const CellOf& cell_of_outcome) const {
    std::vector<double> replaced(cells);
    for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
      replaced[cell_of_outcome(outcome)] += one.linear->replaced(outcome);
    }
    return replaced;
  }

  void fill_from_mixtures(EstimatedTable& made, const std::vector<std::size_t>& columns,
                          const std::vector<std::vector<std::uint64_t>>& counts, double alpha) {
    std::vector<std::vector<double>> replaced;
    for (const LawDraws& one : draws_) {
      replaced.push_back(replaced_in(one, made.cells.size(), [&](std::uint32_t outcome) {
        return cell_of(outcome, columns);
      }));
    }
    std::vector<SeenEvent> seen(draws_.size());
    for (std::size_t cell = 0; cell < made.cells.size(); ++cell) {
      for (std::size_t g = 0; g < draws_.size(); ++g)
        seen[g] = {counts[g][cell], replaced[g][cell]};
      EstimatedValue& value = made.cells[cell];
      double sum = 0;
      double variance = 0;
      for (std::size_t g = 0; g < draws_.size(); ++g) {
        const LawDraws& one = draws_[g];
        const double kept = one.linear->kept();
        const double q = static_cast<double>(seen[g].count) / one.count;
        sum += one.weight * (q - seen[g].replaced) / kept;
        // If no report or every report is of the cell, none deviates. Its law has at least the
        // replacing records, and at most these and all that are kept.
        const double at =
            q > 0 && q < 1 ? q : std::clamp(q, seen[g].replaced, seen[g].replaced + kept);
        const double scale = one.weight / kept;
        variance += scale * scale * std::max(0.0, at * (1 - at)) / one.count;
      }
      value.value = sum;
      value.standard_error = std::sqrt(variance);
      value.interval = event(seen, alpha);
    }
  }

  /// How many records of a law show an event, and how much of the law replaces by it.
  struct SeenEvent {
    std::uint64_t count;
    double replaced;
  };

  /// The probability of an event. Requires mixtures.
  [[nodiscard]] ConfidenceInterval event(std::span<const SeenEvent> seen, double alpha) {
    if (!is_joint()) return unmixed(binomial(seen[0].count, alpha), seen[0].replaced);
    std::string key(reinterpret_cast<const char*>(seen.data()), seen.size_bytes());
    key.append(reinterpret_cast<const char*>(&alpha), sizeof alpha);
    const auto [place, is_new] = known_events_.try_emplace(std::move(key));
    if (!is_new) return place->second;
    static constexpr std::array<double, 2> kTruths{0, 1};
    std::vector<std::array<double, 2>> replaced;
    std::vector<MixtureDraws> groups;
    replaced.reserve(seen.size());
    for (std::size_t g = 0; g < seen.size(); ++g) {
      const LawDraws& one = draws_[g];
      replaced.push_back({1 - one.linear->kept() - seen[g].replaced, seen[g].replaced});
      groups.push_back({one.count, one.weight, one.linear->kept(), replaced.back(),
                        static_cast<double>(seen[g].count) / one.count});
    }
    return place->second = joint_interval(kTruths, groups, alpha, bad());
  }

  [[nodiscard]] double bad() const { return static_cast<double>(request_.bad_reports); }

  /// What an event's probability is if it is released with one in `law`. Requires a mixture.
  [[nodiscard]] ConfidenceInterval unmixed(const ConfidenceInterval& law, double replaced) const {
    const auto back = [&](double share) {
      return std::clamp((share - replaced) / draws_[0].linear->kept(), 0.0, 1.0);
    };
    return {back(law.lower), back(law.upper)};
  }

  void fill_by_weights(EstimatedTable& made, const std::vector<std::size_t>& columns,
                       double alpha) {
    constexpr double kMostWork = 0x1p34;
    if (static_cast<double>(made.cells.size()) * static_cast<double>(domain_.size()) > kMostWork) {
      refuse_input("too-much-work", {},
                   "mechanism {} needs a pass over the {} outcomes for each of {} estimates, but "
                   "more than 2^34 steps are refused; declare fewer bins next time, or use mixture",
                   law().mechanism(), domain_.size(), made.cells.size());
    }
    std::vector<double> v(domain_.size());
    for (std::size_t cell = 0; cell < made.cells.size(); ++cell) {
      for (std::uint32_t outcome = 0; outcome < v.size(); ++outcome) {
        v[outcome] = cell_of(outcome, columns) == cell ? 1 : 0;
      }
      const BoundedDraws draws = drawn(draws_[0], draws_[0].linear->report_weights(v));
      found_.moved_up =
          std::max(found_.moved_up.value_or(0), bad() * (draws.greatest - draws.least) / total_);
      const std::string name = std::move(made.cells[cell].name);
      made.cells[cell] = weighted(v, alpha, {0, 1});
      made.cells[cell].name = name;
    }
  }

  /// The estimate of the sum of v P; `range` holds its possible values.
  [[nodiscard]] EstimatedValue weighted(const std::vector<double>& v, double alpha,
                                        const ConfidenceInterval& range) const {
    EstimatedValue made{.name = {}, .value = 0};
    double variance = 0;
    std::vector<BoundedDraws> all;
    for (const LawDraws& one : draws_) {
      const BoundedDraws& draws = all.emplace_back(drawn(one, one.linear->report_weights(v)));
      *made.value += one.weight * draws.mean;
      variance += one.weight * one.weight * draws.variance() / one.count;
    }
    made.standard_error = std::sqrt(variance);
    const ConfidenceInterval interval =
        is_joint() ? joint(v, alpha) : bernstein_interval(all[0], alpha, request_.bad_reports);
    made.interval = {std::clamp(interval.lower, range.lower, range.upper),
                     std::clamp(interval.upper, range.lower, range.upper)};
    return made;
  }

  /// joint_interval for the sum of v P: outcomes of one value together.
  [[nodiscard]] ConfidenceInterval joint(const std::vector<double>& v, double alpha) const {
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    const double least = *low;
    const double range = *high - least;
    if (range == 0) return {least, least};
    std::vector<double> values(v);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<std::vector<double>> replaced(draws_.size(), std::vector<double>(values.size()));
    std::vector<MixtureDraws> groups(draws_.size());
    for (std::size_t g = 0; g < draws_.size(); ++g) {
      const LawDraws& one = draws_[g];
      double mean = 0;
      for (std::size_t j = 0; j < v.size(); ++j) {
        const auto place = std::lower_bound(values.begin(), values.end(), v[j]) - values.begin();
        replaced[g][static_cast<std::size_t>(place)] += one.linear->replaced(j);
        mean += static_cast<double>(one.counts[j]) / one.count * (v[j] - least) / range;
      }
      groups[g] = {one.count, one.weight, one.linear->kept(), replaced[g], mean};
    }
    for (double& value : values) value = (value - least) / range;
    const ConfidenceInterval found = joint_interval(values, groups, alpha, bad());
    return {least + range * found.lower, least + range * found.upper};
  }

  /// The records by these weights.
  [[nodiscard]] static BoundedDraws drawn(const LawDraws& one, const std::vector<double>& weights) {
    BoundedDraws draws{.count = whole(one),
                       .least = *std::min_element(weights.begin(), weights.end()),
                       .greatest = *std::max_element(weights.begin(), weights.end())};
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (one.counts[j] == 0) continue;
      const double share = static_cast<double>(one.counts[j]) / one.count;
      draws.mean += share * weights[j];
      draws.square_mean += share * weights[j] * weights[j];
    }
    return draws;
  }

  // ---------------------------------------------------------------------------------------------
  // Bounds, from laws that are not linear.

  void fill_with_bounds(EstimatedTable& made, const std::vector<std::size_t>& columns,
                        const std::vector<std::uint64_t>& counts, double alpha) {
    std::vector<EventEdges> inside(counts.size());
    if (band() != nullptr) {
      for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
        inside[cell_of(outcome, columns)].add(*band(), outcome);
      }
    }
    const std::vector<EventEdges> outside = complements(inside);
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      made.cells[cell].interval =
          bounds(binomial(counts[cell], alpha), inside[cell], outside[cell]);
    }
  }

  static std::vector<EventEdges> complements(const std::vector<EventEdges>& events) {
    double lower = 0;
    double upper = 0;
    // The least gap of all others: the least of all, or for that event itself the second.
    std::size_t least = 0;
    double second = 1;
    for (std::size_t i = 0; i < events.size(); ++i) {
      lower += events[i].lower;
      upper += events[i].upper;
      if (i == 0) continue;
      second = std::min(second, std::max(events[i].least_gap, events[least].least_gap));
      if (events[i].least_gap < events[least].least_gap) least = i;
    }
    std::vector<EventEdges> others;
    for (std::size_t i = 0; i < events.size(); ++i) {
      others.push_back({.lower = std::max(0.0, lower - events[i].lower),
                        .upper = std::max(0.0, upper - events[i].upper),
                        .least_gap = i == least ? second : events[least].least_gap});
    }
    return others;
  }

  [[nodiscard]] ConfidenceInterval bounds(const ConfidenceInterval& shown, const EventEdges& inside,
                                          const EventEdges& outside) const {
    if (band() != nullptr) return band_bounds(shown, inside, outside, edge_ratio_);
    const double away = law().total_variation_up();
    return {std::max(0.0, shown.lower - away), std::min(1.0, shown.upper + away)};
  }

  // ---------------------------------------------------------------------------------------------
  // Means.

  /// The estimate takes each number as the middle of its cell. The lower end takes it as the least
  /// one of its cell, the upper end as the greatest, and each fails with half of alpha at most.
  EstimatedMean mean(std::size_t column, double alpha) {
    const Column& declared = domain_.columns()[column];
    const CellNumbers numbers(declared);
    EstimatedMean made{.mean = {}, .half_cell = numbers.half_cell};
    ++found_.intervals;
    const ConfidenceInterval range = numbers.range(declared);
    if (!is_linear()) {
      made.mean.interval = mean_by_tails(column, numbers, alpha);
    } else if (declared.codes_and_nulls() > 0) {
      made.mean = mean_without_nulls(column, numbers, alpha);
    } else {
      // Two intervals, each with half of alpha; either may be the narrower.
      const double part = is_mixture() ? alpha / 2 : alpha;
      made.mean = weighted(values_of(column, numbers.middle), part, range);
      if (numbers.half_cell > 0) {
        made.mean.interval = {
            weighted(values_of(column, numbers.least), part, range).interval.lower,
            weighted(values_of(column, numbers.greatest), part, range).interval.upper};
      }
      if (is_mixture()) meet(made.mean.interval, mean_by_tails(column, numbers, part));
    }
    if (!fitted_.empty()) made.mean.value = fitted_mean(column, numbers);
    made.mean.name = declared.name();
    return made;
  }

  /// A value for each outcome, from one for each cell of a column.
  [[nodiscard]] std::vector<double> values_of(std::size_t column,
                                              const std::vector<double>& cells) const {
    std::vector<double> values(domain_.size());
    for (std::uint32_t outcome = 0; outcome < values.size(); ++outcome) {
      values[outcome] = cells[domain_.digit(outcome, column)];
    }
    return values;
  }

  /// The ratio of two estimates, each with half of alpha.
  [[nodiscard]] EstimatedValue mean_without_nulls(std::size_t column, const CellNumbers& numbers,
                                                  double alpha) const {
    const Column& declared = domain_.columns()[column];
    const ConfidenceInterval range = numbers.range(declared);
    const double centre = (range.lower + range.upper) / 2;
    const double half = (range.upper - range.lower) / 2;
    std::vector<double> present;
    for (std::uint32_t cell = 0; cell < declared.size(); ++cell) {
      present.push_back(is_null(declared, cell) ? 0 : 1);
    }
    const auto deviations = [&](const std::vector<double>& of) {
      std::vector<double> away;
      for (std::size_t cell = 0; cell < of.size(); ++cell) {
        away.push_back(present[cell] * (of[cell] - centre));
      }
      return away;
    };
    const auto sum = [&](const std::vector<double>& of) {
      return weighted(values_of(column, deviations(of)), alpha / 2, {-half, half});
    };
    const EstimatedValue share = weighted(values_of(column, present), alpha / 2, {0, 1});
    EstimatedValue made{.name = {}, .interval = range};
    if (share.interval.lower > 0) {
      const auto ratio = [&](double value) { return centre + std::clamp(value, -half, half); };
      const double least = sum(numbers.least).interval.lower;
      const double greatest = sum(numbers.greatest).interval.upper;
      made.interval = {
          ratio(std::min(least / share.interval.lower, least / share.interval.upper)),
          ratio(std::max(greatest / share.interval.lower, greatest / share.interval.upper))};
    }
    if (*share.value > 0) {
      const double away = *sum(numbers.middle).value / *share.value;
      made.value = centre + away;
      std::vector<double> influences = deviations(numbers.middle);
      for (std::size_t cell = 0; cell < influences.size(); ++cell) {
        influences[cell] = (influences[cell] - away * present[cell]) / *share.value;
      }
      made.standard_error = weighted(values_of(column, influences), alpha, range).standard_error;
    }
    return made;
  }

  [[nodiscard]] double fitted_mean(std::size_t column, const CellNumbers& numbers) const {
    const Column& declared = domain_.columns()[column];
    double sum = 0;
    double mass = 0;
    for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
      const std::uint32_t cell = domain_.digit(outcome, column);
      if (is_null(declared, cell)) continue;
      sum += fitted_[outcome] * numbers.middle[cell];
      mass += fitted_[outcome];
    }
    const ConfidenceInterval range = numbers.range(declared);
    return mass > 0 ? sum / mass : (range.lower + range.upper) / 2;
  }

  /// The intersection of both; `interval` itself if it is empty, which is one of the errors.
  static void meet(ConfidenceInterval& interval, const ConfidenceInterval& other) {
    const double lower = std::max(interval.lower, other.lower);
    const double upper = std::min(interval.upper, other.upper);
    if (lower <= upper) interval = {lower, upper};
  }

  /// A mean is the least value plus each step to the next one times the probability of lying beyond
  /// it, and these events have intervals. With a null category it is all that is possible. Many
  /// cells count in groups: each event takes as long as all cells of a table, and costs its share
  /// of alpha.
  [[nodiscard]] ConfidenceInterval mean_by_tails(std::size_t column, const CellNumbers& numbers,
                                                 double alpha) {
    constexpr std::size_t kMostGroups = 1024;
    const Column& declared = domain_.columns()[column];
    const ConfidenceInterval range = numbers.range(declared);
    if (declared.codes_and_nulls() > 0 || declared.size() == 1) return range;
    const std::size_t cells = numbers.middle.size();
    const std::size_t of_group = (cells + kMostGroups - 1) / kMostGroups;
    const std::size_t groups = (cells + of_group - 1) / of_group;
    const auto group_of = [&](std::uint32_t outcome) {
      return domain_.digit(outcome, column) / of_group;
    };
    const auto least_of = [&](std::size_t group) { return numbers.least[group * of_group]; };
    const auto greatest_of = [&](std::size_t group) {
      return numbers.greatest[std::min(cells, (group + 1) * of_group) - 1];
    };
    std::vector<std::vector<SeenEvent>> seen(groups, std::vector<SeenEvent>(draws_.size()));
    for (std::size_t g = 0; g < draws_.size(); ++g) {
      for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
        seen[group_of(outcome)][g].count += draws_[g].counts[outcome];
      }
      if (!is_linear()) continue;
      const std::vector<double> replaced = replaced_in(draws_[g], groups, group_of);
      for (std::size_t group = 0; group < groups; ++group) {
        seen[group][g].replaced = replaced[group];
      }
    }
    std::vector<EventEdges> edges(groups);
    for (std::uint32_t outcome = 0; band() != nullptr && outcome < domain_.size(); ++outcome) {
      edges[group_of(outcome)].add(*band(), outcome);
    }
    const auto joined = [](const EventEdges& a, const EventEdges& b) {
      return EventEdges{a.lower + b.lower, a.upper + b.upper, std::min(a.least_gap, b.least_gap)};
    };
    std::vector<EventEdges> below(groups + 1);
    for (std::size_t group = 0; group < groups; ++group) {
      below[group + 1] = joined(below[group], edges[group]);
    }
    EventEdges above;
    std::vector<SeenEvent> beyond(draws_.size());
    ConfidenceInterval mean{least_of(0), greatest_of(0)};
    const double part = alpha / static_cast<double>(std::max<std::size_t>(groups - 1, 1));
    for (std::size_t group = groups; group-- > 1;) {
      above = joined(above, edges[group]);
      for (std::size_t g = 0; g < draws_.size(); ++g) {
        beyond[g].count += seen[group][g].count;
        beyond[g].replaced += seen[group][g].replaced;
      }
      const ConfidenceInterval found =
          is_linear() ? event(beyond, part)
                      : bounds(binomial(beyond[0].count, part), above, below[group]);
      mean.lower += (least_of(group) - least_of(group - 1)) * found.lower;
      mean.upper += (greatest_of(group) - greatest_of(group - 1)) * found.upper;
    }
    return mean;
  }

  // ---------------------------------------------------------------------------------------------
  // What all of these use, and what there is to say.

  /// binomial_interval, once for each count.
  [[nodiscard]] ConfidenceInterval binomial(std::uint64_t count, double alpha) {
    if (alpha != known_alpha_) known_.clear();
    known_alpha_ = alpha;
    const auto [place, is_new] = known_.try_emplace(count);
    if (is_new) {
      place->second = binomial_interval(count, whole(draws_[0]), alpha, request_.bad_reports);
    }
    return place->second;
  }

  void take_comparison() {
    const double k = domain_.size();
    if (is_joint() || !is_mixture() || !law().epsilon() || k < 2) return;
    const LinearLaw& linear = *draws_[0].linear;
    double replaced = 0;
    for (std::uint32_t j = 0; j < domain_.size(); ++j) replaced += linear.replaced(j);
    replaced /= k;
    const double variance = replaced * (1 - replaced) / (linear.kept() * linear.kept());
    found_.standard_error_here = std::sqrt(variance / total_);
    found_.standard_error_oracle =
        std::sqrt(subset_selection_variance(k, *law().epsilon()) / total_);
  }

  void take_notes() {
    std::vector<std::string>& notes = found_.notes;
    if (band() != nullptr) {
      notes.push_back(
          "This release cuts shares off at the edges of its band, and releases all that lie beyond "
          "an edge alike. So its records do not determine the population, and the numbers here are "
          "bounds that always hold.");
      notes.push_back(
          fmt::format("To estimate the population, release by {} randomized-response next time, or "
                      "by public-kernel with a public reference.",
                      flag_words("mechanism")));
    } else if (!is_linear()) {
      notes.push_back(fmt::format(
          "What {} makes of the records cannot be undone; bounds are what its total variation of "
          "at most {:.4g} leaves, for rows that are a random sample of the population.",
          law().mechanism(), law().total_variation_up()));
      notes.push_back(fmt::format(
          "To estimate the population, release by {} subset-rr next time{}.",
          flag_words("mechanism"),
          law().has_weights() ? fmt::format(", without {}", flag_words("weights")) : ""));
    }
    const bool is_smoothed = std::any_of(
        draws_.begin(), draws_.end(), [](const LawDraws& one) { return one.law->is_smoothed(); });
    if (is_smoothed) {
      notes.push_back(
          "The units' distributions are here what the scorer made of their records, not the "
          "records themselves.");
    }
    notes.push_back(
        "That these records are of this certificate is not checked, because it was made before "
        "they were drawn: keep the two together.");
  }

  const std::vector<LawDraws> draws_;
  const EstimateRequest& request_;
  const Domain& domain_;
  double failure_up_;
  double total_;
  std::vector<double> fitted_;  // empty where the unbiased estimate is asked for
  double edge_ratio_ = 1;
  double known_alpha_ = 0;
  std::unordered_map<std::uint64_t, ConfidenceInterval> known_;
  std::unordered_map<std::string, ConfidenceInterval> known_events_;  // of several laws
  PopulationEstimate found_;
};

}  // namespace

PopulationEstimate estimate_population(std::span<const CountedRelease> releases,
                                       const EstimateRequest& request) {
  double failure_up = 0;
  for (const CountedRelease& one : releases) {
    if (!one.law->linear() && request.method != EstimateMethod::kUnbiased) {
      refuse_input("not-for-this-mechanism", "method", {WayOut::leave("method")},
                   "{} needs a linear mechanism, and {} is not linear: leave out {}, and estimate "
                   "prints bounds",
                   setting_words("method", name_of(request.method)), one.law->mechanism(),
                   flag_words("method"));
    }
    failure_up += one.law->failure_up();
  }
  if (!(failure_up < (1 - request.confidence) / 2)) {
    refuse_input("out-of-range", "confidence", {},
                 {{"given", request.confidence}, {"below", 1 - 2 * failure_up}},
                 "confidence must leave room for the probability {:.3g} that records are missing, "
                 "but is {:g}",
                 failure_up, request.confidence);
  }
  for (const CountedRelease& one : releases) one.law->require_count(one.records->total(), one.name);
  std::vector<LawDraws> draws = draws_by_law(releases, request.weighting);
  if (draws.size() > 1 && request.method == EstimateMethod::kMaximumLikelihood) {
    refuse_input("not-for-this-release", "method", {WayOut::leave("method")},
                 "{} is for records of one mechanism and budget, but these are of {}: use simplex, "
                 "or leave out {}",
                 setting_words("method", name_of(request.method)), draws.size(),
                 flag_words("method"));
  }
  std::vector<ReleaseShare> shares;
  for (const CountedRelease& one : releases) {
    const auto of_law = std::find_if(draws.begin(), draws.end(), [&](const LawDraws& known) {
      return std::find(known.releases.begin(), known.releases.end(), &one) != known.releases.end();
    });
    const auto records = static_cast<double>(one.records->total());
    shares.push_back({one.name, one.law->mechanism(), one.records->total(), one.law->epsilon(),
                      of_law->weight * records / of_law->count});
  }
  const Domain& domain = releases.front().law->domain();
  PopulationEstimate found =
      PopulationEstimator(std::move(draws), domain, failure_up, request).take();
  found.releases = std::move(shares);
  return found;
}

PopulationEstimate estimate_population(const ReleasedLaw& law, const Empirical& released,
                                       const EstimateRequest& request, const std::string& name) {
  const CountedRelease one{&law, &released, name};
  return estimate_population({&one, 1}, request);
}

}  // namespace mollify
