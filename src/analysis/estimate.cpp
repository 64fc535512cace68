#include "analysis/estimate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "analysis/requests.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "methods/local/method.h"
#include "methods/local/sampler.h"
#include "methods/local/space.h"
#include "release/design.h"
#include "release/method.h"
#include "release/verification.h"

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
        "COLUMN"}}};
  return kParts;
}

EstimateRequest estimate_request_of(const Json& json, const std::string& name) {
  const PartReader reader(estimate_parts(), json, name, "a question to estimate");
  EstimateRequest request{.pairs = reader.is_true("/pairs"),
                          .counts_column = reader.find<std::string>("/counts_column")};
  request.confidence = reader.find<double>("/confidence").value_or(request.confidence);
  if (const auto method = reader.find<std::string>("/method")) {
    request.method = known_value<EstimateMethod>("method", *method);
  }
  return request;
}

// -----------------------------------------------------------------------------------------------
// How the records of a release come from the population, as its certificate tells.

namespace {

/// The domain of a release that draws outcomes which each are a record.
Domain outcomes_of(const StatedCertificate& stated, const Domain& domain) {
  if (kModelMethods.has(stated.spec.method)) {
    refuse_input("not-for-this-release", {},
                 "estimate is for records that each have noise of their own, but records of {} "
                 "share one model, which is the estimate itself",
                 method_words(name_of(stated.spec.method)));
  }
  const LocalSpec* local = stated.spec.own.get<LocalSpec>();
  if (local == nullptr) return domain;
  refuse_if(space_kind(domain, local->space) == SpaceKind::kCandidates, "not-for-this-release", {},
            "estimate is for categories and grids, but this release is from candidates, which only "
            "a band draws from, and no band determines the population");
  return space_domain(domain, local->space);
}

void require_valid(const StatedCertificate& stated, const std::string& name, const Domain& domain) {
  const CertificateCheck check = verify_certificate(stated, name, domain);
  refuse_if(!check.domain_matches, "certificate-mismatch", "domain",
            "{} must be of the domain that is given, but is of another one", name);
  if (!check.holds()) {
    refuse_input("certificate-altered", "certificate", {WayOut::run("verify")},
                 "{} must hold, but {} finds that it does not", name, command_words("verify"));
  }
}

}  // namespace

ReleasedLaw::ReleasedLaw(const StatedCertificate& stated, const std::string& name,
                         const Domain& domain)
    : domain_(domain) {
  require_valid(stated, name, domain);
  domain_ = outcomes_of(stated, domain);
  DesignedRelease made = design_release(stated.spec, stated.facts, domain);
  mechanism_ = made.certificate.mechanism();
  has_weights_ = stated.spec.weights.has_value();
  if (HeldLocalSampler local = local_sampler(made)) {
    take_local(made.certificate, std::move(local));
  } else if (const auto law = release_method(stated.spec.method).record_law(made)) {
    take(*law);
  } else if (stated.facts.outcomes > 0) {
    refuse_input("not-for-this-release", {},
                 "estimate needs the law by which records come from the population, but {} states "
                 "none: look at the shares of the records themselves",
                 method_words(name_of(stated.spec.method)));
  } else {
    refuse_input("not-for-this-release", {},
                 "estimate is for records that are outcomes of a list, but records of {} are not: "
                 "look at the means of the records themselves",
                 method_words(name_of(stated.spec.method)));
  }
}

void ReleasedLaw::take_local(const Certificate& certificate,
                             std::shared_ptr<const LocalSampler> sampler) {
  sampler_ = std::move(sampler);
  linear_ = LinearLaw::of(*sampler_);
  refuse_if(!linear_ && !certificate.as<LocalDesign>()->floor, "not-for-this-release", {},
            "estimate works with linear mechanisms and with bands, and {} is neither; next time "
            "use randomized-response",
            mechanism_);
  smoothed_ = draws_by_scores(*certificate.as<LocalDesign>());
  const Privacy draw = certificate.draw;
  if (draw.notion == PrivacyNotion::kPure) epsilon_ = draw.parameter();
  multiple_ = *certificate.spec.count;
  if (certificate.facts.units) exactly_ = *certificate.facts.units * multiple_;
  if (!kUnitMethods.has(certificate.spec.method)) exactly_ = multiple_;
}

void ReleasedLaw::take(const RecordLaw& law) {
  exactly_ = law.records;
  if (law.response) linear_ = LinearLaw(*law.response);
  epsilon_ = law.epsilon;
  failure_up_ = law.failure_up;
  total_variation_up_ = law.total_variation_up;
}

void ReleasedLaw::require_count(std::uint64_t records, const std::string& name) const {
  if (exactly_ && records != *exactly_) {
    refuse_input("certificate-mismatch", "released",
                 "{} must hold the {} that the certificate speaks of, but holds {}", name,
                 counted(*exactly_, "record"), records);
  }
  if (records == 0 || records % multiple_ != 0) {
    refuse_input("certificate-mismatch", "released",
                 "{} must hold {} of each unit, as the certificate says, but holds {} in all", name,
                 counted(multiple_, "record"), records);
  }
}

// -----------------------------------------------------------------------------------------------
// Estimates that are distributions.

namespace {

/// max(r_j, s_j / t) summing to one: outcomes by descending s / r are above their r, as many as
/// that leaves consistent.
std::vector<double> filled(const LinearLaw& law, std::span<const double> shares) {
  const std::size_t k = shares.size();
  std::vector<std::size_t> order(k);
  for (std::size_t j = 0; j < k; ++j) order[j] = j;
  // By s_a r_b > s_b r_a, which no zero r spoils.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return shares[a] * law.replaced(b) > shares[b] * law.replaced(a);
  });
  double share = 0;
  double floor = 0;  // r of those that are not above it
  for (std::size_t j = 0; j < k; ++j) floor += law.replaced(j);
  double t = 1;
  for (const std::size_t j : order) {
    const double next_share = share + shares[j];
    const double next_floor = floor - law.replaced(j);
    const double next_t = next_share / (1 - next_floor);
    if (!(shares[j] > next_t * law.replaced(j))) break;
    share = next_share;
    floor = next_floor;
    t = next_t;
  }
  std::vector<double> q(k);
  for (std::size_t j = 0; j < k; ++j) q[j] = std::max(law.replaced(j), shares[j] / t);
  return q;
}

}  // namespace

std::vector<double> projected_on_simplex(std::vector<double> masses) {
  std::vector<double> sorted = masses;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double shift = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const double next = (sum - 1) / static_cast<double>(j + 1);
    if (!(sorted[j] > next)) break;
    shift = next;
  }
  for (double& mass : masses) mass = std::max(0.0, mass - shift);
  return masses;
}

LikelihoodFit maximum_likelihood(const LinearLaw& law, std::span<const double> shares,
                                 double draws) {
  const std::size_t k = shares.size();
  if (law.is_mixture()) {
    std::vector<double> p = filled(law, shares);
    for (std::size_t j = 0; j < k; ++j) {
      p[j] = std::max(0.0, (p[j] - law.replaced(j)) / law.kept());
    }
    return {std::move(p), 0};
  }
  constexpr int kMostSteps = 100'000;
  constexpr double kGap = 1e-6;
  LikelihoodFit fit{std::vector<double>(k, 1 / static_cast<double>(k)), 0};
  std::vector<double> u(k);
  for (int step = 0;; ++step) {
    const std::vector<double> q = law.released(fit.p);
    for (std::size_t j = 0; j < k; ++j) u[j] = shares[j] > 0 ? shares[j] / q[j] : 0;
    const std::vector<double> factor = law.expected(u);
    fit.gap_up = draws * std::max(0.0, *std::max_element(factor.begin(), factor.end()) - 1);
    if (fit.gap_up < kGap || step == kMostSteps) return fit;
    double sum = 0;
    for (std::size_t x = 0; x < k; ++x) sum += fit.p[x] *= factor[x];
    for (double& mass : fit.p) mass /= sum;
  }
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

/// The middles of a numeric column's cells, and how far a value is from its own at most.
struct Middles {
  std::vector<double> of;  // 0 of the null category
  double half_cell = 0;

  explicit Middles(const Column& column) {
    for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
      if (is_null(column, cell)) {
        of.push_back(0);
        continue;
      }
      const std::uint64_t points = column.points(cell);
      const double first = as_number(column.value(cell, 0));
      const double last = as_number(column.value(cell, points - 1));
      of.push_back(first + (last - first) / 2);
      // Numbers lie between the points that are written too.
      const bool integers = std::holds_alternative<std::int64_t>(column.value(cell, 0));
      const double spread =
          points == 1 ? 0 : (last - first) * (integers ? 1 : 1 + 2 / static_cast<double>(points));
      half_cell = std::max(half_cell, spread / 2);
    }
  }
};

class PopulationEstimator {
 public:
  PopulationEstimator(const ReleasedLaw& law, const Empirical& released,
                      const EstimateRequest& request)
      : law_(law),
        released_(released),
        request_(request),
        domain_(law.domain()),
        n_(static_cast<double>(released.total())),
        shares_(domain_.size()) {
    for (std::size_t i = 0; i < released.outcomes().size(); ++i) {
      shares_[released.outcomes()[i]] = static_cast<double>(released.counts()[i]) / n_;
    }
    if (law.band() != nullptr) edge_ratio_ = greatest_edge_ratio(*law.band());
    if (law.linear() && request.method != EstimateMethod::kUnbiased) fit();
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
    const double alpha = (1 - request_.confidence - law_.failure_up()) / families;

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
    found_.mechanism = law_.mechanism();
    found_.is_linear = law_.linear().has_value();
    found_.records = released_.total();
    found_.request = request_;
    take_notes();
    return std::move(found_);
  }

 private:
  void fit() {
    const LinearLaw& linear = *law_.linear();
    if (request_.method == EstimateMethod::kSimplex) {
      fitted_ = projected_on_simplex(linear.unbiased(shares_));
      return;
    }
    LikelihoodFit likeliest = maximum_likelihood(linear, shares_, n_);
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
    std::vector<std::uint64_t> counts(cells);
    for (std::size_t i = 0; i < released_.outcomes().size(); ++i) {
      counts[cell_of(released_.outcomes()[i], columns)] += released_.counts()[i];
    }
    made.cells.resize(cells);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      made.cells[cell].name = name_of_cell(cell, columns);
    }
    found_.intervals += cells;
    if (law_.linear() && law_.linear()->is_mixture()) {
      fill_from_mixture(made, columns, counts, alpha);
    } else if (law_.linear()) {
      fill_by_weights(made, columns, alpha);
    } else {
      fill_with_bounds(made, columns, counts, alpha);
    }
    if (!fitted_.empty()) {
      for (EstimatedValue& cell : made.cells) cell.value = 0;
      for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
        *made.cells[cell_of(outcome, columns)].value += fitted_[outcome];
      }
    }
    return made;
  }

  void fill_from_mixture(EstimatedTable& made, const std::vector<std::size_t>& columns,
                         const std::vector<std::uint64_t>& counts, double alpha) {
    const LinearLaw& linear = *law_.linear();
    std::vector<double> replaced(counts.size());
    for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
      replaced[cell_of(outcome, columns)] += linear.replaced(outcome);
    }
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      const double q = static_cast<double>(counts[cell]) / n_;
      EstimatedValue& value = made.cells[cell];
      value.value = (q - replaced[cell]) / linear.kept();
      // If no report or every report is of the cell, none deviates. Its law has at least the
      // replacing records, and at most these and all that are kept.
      const double law =
          q > 0 && q < 1 ? q : std::clamp(q, replaced[cell], replaced[cell] + linear.kept());
      value.standard_error = std::sqrt(std::max(0.0, law * (1 - law)) / n_) / linear.kept();
      value.interval = unmixed(binomial(counts[cell], alpha), replaced[cell]);
    }
  }

  /// What an event's probability is if it is released with one in `law`. Requires a mixture.
  [[nodiscard]] ConfidenceInterval unmixed(const ConfidenceInterval& law, double replaced) const {
    const auto back = [&](double share) {
      return std::clamp((share - replaced) / law_.linear()->kept(), 0.0, 1.0);
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
                   law_.mechanism(), domain_.size(), made.cells.size());
    }
    std::vector<double> v(domain_.size());
    for (std::size_t cell = 0; cell < made.cells.size(); ++cell) {
      for (std::uint32_t outcome = 0; outcome < v.size(); ++outcome) {
        v[outcome] = cell_of(outcome, columns) == cell ? 1 : 0;
      }
      const std::string name = std::move(made.cells[cell].name);
      made.cells[cell] = weighted(v, alpha, {0, 1});
      made.cells[cell].name = name;
    }
  }

  /// The estimate of the sum of v P; `range` holds its possible values.
  [[nodiscard]] EstimatedValue weighted(const std::vector<double>& v, double alpha,
                                        const ConfidenceInterval& range) const {
    const BoundedDraws draws = counted(law_.linear()->report_weights(v));
    const ConfidenceInterval interval = bernstein_interval(draws, alpha);
    return {.name = {},
            .value = draws.mean,
            .standard_error = std::sqrt(draws.variance() / n_),
            .interval = {std::clamp(interval.lower, range.lower, range.upper),
                         std::clamp(interval.upper, range.lower, range.upper)}};
  }

  /// The reports' sum by these weights.
  [[nodiscard]] BoundedDraws counted(const std::vector<double>& weights) const {
    BoundedDraws draws{.count = released_.total(),
                       .least = *std::min_element(weights.begin(), weights.end()),
                       .greatest = *std::max_element(weights.begin(), weights.end())};
    for (std::size_t i = 0; i < released_.outcomes().size(); ++i) {
      const std::uint32_t outcome = released_.outcomes()[i];
      draws.mean += shares_[outcome] * weights[outcome];
      draws.square_mean += shares_[outcome] * weights[outcome] * weights[outcome];
    }
    return draws;
  }

  void fill_with_bounds(EstimatedTable& made, const std::vector<std::size_t>& columns,
                        const std::vector<std::uint64_t>& counts, double alpha) {
    std::vector<EventEdges> inside(counts.size());
    if (law_.band() != nullptr) {
      for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
        inside[cell_of(outcome, columns)].add(*law_.band(), outcome);
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

  [[nodiscard]] ConfidenceInterval bounds(const ConfidenceInterval& law, const EventEdges& inside,
                                          const EventEdges& outside) const {
    if (law_.band() != nullptr) return band_bounds(law, inside, outside, edge_ratio_);
    const double away = law_.total_variation_up();
    return {std::max(0.0, law.lower - away), std::min(1.0, law.upper + away)};
  }

  EstimatedMean mean(std::size_t column, double alpha) {
    const Column& declared = domain_.columns()[column];
    const Middles middles(declared);
    EstimatedMean made{.mean = {}, .half_cell = middles.half_cell};
    ++found_.intervals;
    const bool by_tails = !law_.linear() || law_.linear()->is_mixture();
    if (!law_.linear()) {
      made.mean.interval = mean_by_tails(column, middles, alpha);
    } else if (declared.codes_and_nulls() > 0) {
      made.mean = mean_without_nulls(column, middles, alpha);
    } else {
      // Two intervals, each with half of alpha; either may be the narrower.
      made.mean = weighted(values_of(column, middles.of), by_tails ? alpha / 2 : alpha,
                           range_of(declared, middles));
      if (by_tails) meet(made.mean.interval, mean_by_tails(column, middles, alpha / 2));
    }
    if (!fitted_.empty()) made.mean.value = fitted_mean(column, middles);
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

  static ConfidenceInterval range_of(const Column& column, const Middles& middles) {
    const std::size_t cells = middles.of.size() - column.codes_and_nulls();
    const auto end = middles.of.begin() + static_cast<std::ptrdiff_t>(cells);
    const auto [least, greatest] = std::minmax_element(middles.of.begin(), end);
    return {*least, *greatest};
  }

  /// The ratio of two estimates, each with half of alpha.
  [[nodiscard]] EstimatedValue mean_without_nulls(std::size_t column, const Middles& middles,
                                                  double alpha) const {
    const Column& declared = domain_.columns()[column];
    const ConfidenceInterval range = range_of(declared, middles);
    const double centre = (range.lower + range.upper) / 2;
    const double half = (range.upper - range.lower) / 2;
    std::vector<double> deviations;
    std::vector<double> present;
    for (std::uint32_t cell = 0; cell < declared.size(); ++cell) {
      deviations.push_back(is_null(declared, cell) ? 0 : middles.of[cell] - centre);
      present.push_back(is_null(declared, cell) ? 0 : 1);
    }
    const EstimatedValue sum = weighted(values_of(column, deviations), alpha / 2, {-half, half});
    const EstimatedValue share = weighted(values_of(column, present), alpha / 2, {0, 1});
    EstimatedValue made{.name = {}, .interval = range};
    if (share.interval.lower > 0) {
      const auto ratio = [&](double value) { return centre + std::clamp(value, -half, half); };
      made.interval = {ratio(std::min(sum.interval.lower / share.interval.lower,
                                      sum.interval.lower / share.interval.upper)),
                       ratio(std::max(sum.interval.upper / share.interval.lower,
                                      sum.interval.upper / share.interval.upper))};
    }
    if (*share.value > 0) {
      made.value = centre + *sum.value / *share.value;
      for (std::size_t cell = 0; cell < deviations.size(); ++cell) {
        deviations[cell] =
            (deviations[cell] - *sum.value / *share.value * present[cell]) / *share.value;
      }
      made.standard_error = weighted(values_of(column, deviations), alpha, range).standard_error;
    }
    return made;
  }

  [[nodiscard]] double fitted_mean(std::size_t column, const Middles& middles) const {
    const Column& declared = domain_.columns()[column];
    double sum = 0;
    double mass = 0;
    for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
      const std::uint32_t cell = domain_.digit(outcome, column);
      if (is_null(declared, cell)) continue;
      sum += fitted_[outcome] * middles.of[cell];
      mass += fitted_[outcome];
    }
    const ConfidenceInterval range = range_of(declared, middles);
    return mass > 0 ? sum / mass : (range.lower + range.upper) / 2;
  }

  /// The intersection of both; `interval` itself if it is empty, which is one of the errors.
  static void meet(ConfidenceInterval& interval, const ConfidenceInterval& other) {
    const double lower = std::max(interval.lower, other.lower);
    const double upper = std::min(interval.upper, other.upper);
    if (lower <= upper) interval = {lower, upper};
  }

  /// A mean is the least value plus each step to the next one times the probability of lying beyond
  /// it, and these events have intervals. With a null category it is all that is possible.
  [[nodiscard]] ConfidenceInterval mean_by_tails(std::size_t column, const Middles& middles,
                                                 double alpha) {
    const Column& declared = domain_.columns()[column];
    const ConfidenceInterval range = range_of(declared, middles);
    if (declared.codes_and_nulls() > 0 || declared.size() == 1) return range;
    const std::size_t cells = middles.of.size();
    std::vector<std::uint64_t> counts(cells);
    for (std::size_t i = 0; i < released_.outcomes().size(); ++i) {
      counts[domain_.digit(released_.outcomes()[i], column)] += released_.counts()[i];
    }
    std::vector<EventEdges> edges(cells);
    std::vector<double> replaced(cells);
    for (std::uint32_t outcome = 0; outcome < domain_.size(); ++outcome) {
      const std::uint32_t cell = domain_.digit(outcome, column);
      if (law_.band() != nullptr) edges[cell].add(*law_.band(), outcome);
      if (law_.linear()) replaced[cell] += law_.linear()->replaced(outcome);
    }
    const auto joined = [](const EventEdges& a, const EventEdges& b) {
      return EventEdges{a.lower + b.lower, a.upper + b.upper, std::min(a.least_gap, b.least_gap)};
    };
    std::vector<EventEdges> below(cells + 1);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      below[cell + 1] = joined(below[cell], edges[cell]);
    }
    EventEdges above;
    double replaced_above = 0;
    std::uint64_t count = 0;
    ConfidenceInterval mean{middles.of[0], middles.of[0]};
    for (std::size_t cell = cells; cell-- > 1;) {
      above = joined(above, edges[cell]);
      replaced_above += replaced[cell];
      count += counts[cell];
      const ConfidenceInterval shown = binomial(count, alpha / static_cast<double>(cells - 1));
      const ConfidenceInterval beyond =
          law_.linear() ? unmixed(shown, replaced_above) : bounds(shown, above, below[cell]);
      const double step = middles.of[cell] - middles.of[cell - 1];
      mean.lower += step * beyond.lower;
      mean.upper += step * beyond.upper;
    }
    return mean;
  }

  /// binomial_interval, once for each count.
  [[nodiscard]] ConfidenceInterval binomial(std::uint64_t count, double alpha) {
    if (alpha != known_alpha_) known_.clear();
    known_alpha_ = alpha;
    const auto [place, is_new] = known_.try_emplace(count);
    if (is_new) place->second = binomial_interval(count, released_.total(), alpha);
    return place->second;
  }

  void take_comparison() {
    const double k = domain_.size();
    if (!law_.linear() || !law_.epsilon() || k < 2) return;
    const LinearLaw& linear = *law_.linear();
    double variance = 0;
    if (linear.is_mixture()) {
      double replaced = 0;
      for (std::uint32_t j = 0; j < domain_.size(); ++j) replaced += linear.replaced(j);
      replaced /= k;
      variance = replaced * (1 - replaced) / (linear.kept() * linear.kept());
    } else {
      return;  // it depends on the outcome
    }
    found_.standard_error_here = std::sqrt(variance / n_);
    found_.standard_error_oracle = std::sqrt(subset_selection_variance(k, *law_.epsilon()) / n_);
  }

  void take_notes() {
    std::vector<std::string>& notes = found_.notes;
    if (law_.band() != nullptr) {
      notes.push_back(
          "This release cuts shares off at the edges of its band, and releases all that lie beyond "
          "an edge alike. So its records do not determine the population, and the numbers here are "
          "bounds that always hold.");
      notes.push_back(
          fmt::format("To estimate the population, release by {} randomized-response next time, or "
                      "by public-kernel with a public reference.",
                      flag_words("mechanism")));
    } else if (!law_.linear()) {
      notes.push_back(fmt::format(
          "What {} makes of the records cannot be undone; bounds are what its total variation of "
          "at most {:.4g} leaves, for rows that are a random sample of the population.",
          law_.mechanism(), law_.total_variation_up()));
      notes.push_back(fmt::format(
          "To estimate the population, release by {} subset-rr next time{}.",
          flag_words("mechanism"),
          law_.has_weights() ? fmt::format(", without {}", flag_words("weights")) : ""));
    }
    if (law_.is_smoothed()) {
      notes.push_back(
          "The units' distributions are here what the scorer made of their records, not the "
          "records themselves.");
    }
    notes.push_back(
        "That these records are of this certificate is not checked, because it was made before "
        "they were drawn: keep the two together.");
  }

  const ReleasedLaw& law_;
  const Empirical& released_;
  const EstimateRequest& request_;
  const Domain& domain_;
  double n_;
  std::vector<double> shares_;
  std::vector<double> fitted_;  // empty where the unbiased estimate is asked for
  double edge_ratio_ = 1;
  double known_alpha_ = 0;
  std::unordered_map<std::uint64_t, ConfidenceInterval> known_;
  PopulationEstimate found_;
};

}  // namespace

PopulationEstimate estimate_population(const ReleasedLaw& law, const Empirical& released,
                                       const EstimateRequest& request, const std::string& name) {
  if (!law.linear() && request.method != EstimateMethod::kUnbiased) {
    refuse_input("not-for-this-mechanism", "method", {WayOut::leave("method")},
                 "{} needs a linear mechanism, and {} is not linear: leave out {}, and estimate "
                 "prints bounds",
                 setting_words("method", name_of(request.method)), law.mechanism(),
                 flag_words("method"));
  }
  if (!(law.failure_up() < (1 - request.confidence) / 2)) {
    refuse_input("out-of-range", "confidence", {},
                 {{"given", request.confidence}, {"below", 1 - 2 * law.failure_up()}},
                 "confidence must leave room for the probability {:.3g} that records are missing, "
                 "but is {:g}",
                 law.failure_up(), request.confidence);
  }
  law.require_count(released.total(), name);
  return PopulationEstimator(law, released, request).take();
}

}  // namespace mollify
