#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "analysis/advice.h"
#include "analysis/compare.h"
#include "analysis/summaries.h"
#include "base/json.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "formats/csv.h"
#include "methods/central/method.h"
#include "methods/divergence/f_divergence.h"
#include "methods/gaussian/design.h"
#include "methods/gaussian/method.h"
#include "methods/gaussian/moments.h"
#include "methods/gaussian/sampler.h"
#include "methods/local/release.h"
#include "methods/marginals/design.h"
#include "methods/marginals/method.h"
#include "methods/marginals/private_bins.h"
#include "records/pair_counts.h"
#include "records/private_table.h"
#include "records/source.h"
#include "release/acceptance.h"
#include "release/design.h"
#include "release/release_error.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The law of a central release next to the truth.

namespace {

/// A simulation ends with this many records, or after two seconds of processor time: a busy machine
/// simulates no fewer records than a quiet one.
constexpr std::uint64_t kSimulatedRecords = 20'000;

std::clock_t end_of_simulation() { return std::clock() + 2 * CLOCKS_PER_SEC; }

/// Counts released records as outcomes of the domain.
class OutcomeTally final : public Sink {
 public:
  explicit OutcomeTally(const Domain& domain) : encoder_(domain), counts_(domain.size()) {}

  void write(const Block& block) override {
    encoder_.encode(block);
    for (const std::uint32_t outcome : encoder_.outcomes()) ++counts_[outcome];
    records_ += block.rows;
  }

  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] std::vector<double> law() const {
    std::vector<double> law;
    for (const std::uint64_t count : counts_) {
      law.push_back(static_cast<double>(count) / std::max(1.0, static_cast<double>(records_)));
    }
    return law;
  }

 private:
  RecordEncoder encoder_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t records_ = 0;
};

/// Keeps released numbers, a row after the other, as coordinates.
class PointList final : public Sink {
 public:
  explicit PointList(const RealColumns& columns) : columns_(columns) {}

  void write(const Block& block) override {
    for (std::size_t row = 0; row < block.rows; ++row) {
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const double number = std::get<double>(block.columns[column][row]);
        points.push_back(columns_.is_logarithm(column) ? std::log(number) : number);
      }
    }
  }

  std::vector<double> points;

 private:
  const RealColumns& columns_;
};

/// Releases again and again; nothing is kept or charged.
template <class Records>
void simulate(const PreparedRelease& release, const Source& data, Sink& sink, Records records) {
  SecureRandom random;
  const std::clock_t end = end_of_simulation();
  Progress progress("simulated records", kSimulatedRecords);
  do {
    release.draw(data, random, sink, 1);
    progress.reached(std::min<std::uint64_t>(records(), kSimulatedRecords));
  } while (records() < kSimulatedRecords && std::clock() < end);
  progress.finish();
}

std::unique_ptr<const PreparedRelease> prepared_for(ReleaseSpec spec, const PublicInputs& inputs,
                                                    const Source& source) {
  spec.accept_error = spec.accept_large_delta = true;  // nothing is released
  auto release = prepare(spec, inputs, public_count(spec, source));
  release->require(source);
  return release;
}

/// Of a release from a finite domain, the other law being uniform.
struct FiniteLaws : OutcomeLaws {
  std::uint64_t simulated = 0;  ///< 0 where the law is exact
};

std::vector<double> truth_of(const ReleaseSpec& spec, const Domain& domain,
                             const PublicInputs& inputs, const Source& source) {
  std::vector<double> truth(domain.size());
  if (!spec.unit) {
    const OutcomeHistogram counts = read_counts(source, domain);
    for (std::size_t i = 0; i < counts.keys.size(); ++i) {
      truth[counts.keys[i]] = static_cast<double>(counts.counts[i]);
    }
  } else {
    const UnitTable units = read_units(source, domain, spec.unit, roster_of(spec, inputs));
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      const auto outcomes = units.outcomes(unit);
      const auto weights = units.weights(unit);
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      const auto& declared = source.weights();
      const double counts_as =
          declared ? std::fmin(sum, static_cast<double>(declared->greatest)) : 1;
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        truth[outcomes[i]] += counts_as * weights[i] / sum;
      }
    }
  }
  const double sum = std::accumulate(truth.begin(), truth.end(), 0.0);
  if (!(sum > 0) && source.weights()) refuse_nothing_to_compare(source);
  refuse_if(!(sum > 0), "empty-input", {}, "{} must hold records to compare with, but holds none",
            source.name());
  for (double& mass : truth) mass /= sum;
  return truth;
}

FiniteLaws finite_laws(const PreparedRelease& release, const Domain& domain,
                       const PublicInputs& inputs, const Source& source) {
  const ReleaseSpec& spec = release.certificate().spec;
  const FiniteDesign* finite = release.certificate().as<FiniteDesign>();
  FiniteLaws laws{{.truth = truth_of(spec, domain, inputs, source),
                   .other = std::vector<double>(domain.size(), 1.0 / domain.size()),
                   .other_name = "uniform"}};
  if (finite != nullptr && row_of(finite->design.mechanism).is_randomized_response &&
      !finite->hint) {
    // A record keeps its value except for a uniform draw, whose rate is TV k/(k - 1).
    const auto k = static_cast<double>(domain.size());
    const double uniform = k > 1 ? finite->design.total_variation_up * k / (k - 1) : 0;
    for (const double mass : laws.truth) laws.law.push_back((1 - uniform) * mass + uniform / k);
    return laws;
  }
  OutcomeTally tally(domain);
  simulate(release, source, tally, [&] { return tally.records(); });
  laws.law = tally.law();
  laws.simulated = tally.records();
  return laws;
}

/// The beginning of a comparison of one release.
Answer begun(const Certificate& certificate, std::string_view words) {
  Answer answer;
  answer.add("notice", kNotPrivate, fmt::format("{}\n", kNotPrivate));
  answer.add("method", name_of(certificate.spec.method));
  answer.add("mechanism", certificate.mechanism(), certificate.mechanism() + ", ");
  answer.add("total", certificate.total.text(), certificate.total.text() + ", ");
  answer.say(words);
  return answer;
}

Answer compare_finite(const PreparedRelease& release, const Domain& domain,
                      const PublicInputs& inputs, const Source& source) {
  const FiniteLaws laws = finite_laws(release, domain, inputs, source);
  const Certificate& certificate = release.certificate();
  const ReleaseSpec& spec = certificate.spec;
  const std::uint64_t records = *certificate.facts.records;
  Answer answer = begun(
      certificate,
      fmt::format(
          "{} {}; {}\n", records, spec.unit ? "units" : "records",
          laws.simulated == 0
              ? std::string("the output distribution of a record is exact")
              : fmt::format("the output distribution of a record is simulated by {} records, "
                            "which alone put it at total variation {:.2g}",
                            laws.simulated,
                            chance_of(spread_of(laws.law), static_cast<double>(laws.simulated)))));
  answer.add("records", records);
  answer.add("simulated_records", laws.simulated);
  add_outcome_laws(answer, laws, domain, source, spec, roster_of(spec, inputs));
  answer.say(fmt::format("{}a record is as good as a new row of the same population, except {}\n",
                         within_bins(domain), times_words(total_variation(laws.truth, laws.law))));
  return answer;
}

/// A shared model's accuracy, seen from the data.
struct SharedAccuracy {
  /// Of each column, in its coordinates: how many of the table's standard deviations its range
  /// reaches below and above the mean.
  std::vector<double> below{}, above{};
  /// Of all weighted sums of the columns, the least variance, relative to independent
  /// columns.
  double least_sum = 1;
  std::uint64_t releases = 0;  ///< simulated
  /// The models' total variation from the table's Gaussian.
  double least = 1, greatest = 0;

  [[nodiscard]] bool is_met(std::size_t column) const {
    return std::min(below[column], above[column]) >= kLeastDeviations &&
           std::max(below[column], above[column]) <= kStatedDeviations.back();
  }
  [[nodiscard]] bool is_met() const {
    if (least_sum < kLeastSum) return false;
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (!is_met(i)) return false;
    }
    return true;
  }
};

SharedGaussian gaussian_of(const LawMoments& moments) {
  const std::size_t d = moments.means.size();
  SharedGaussian found{moments.means, moments.correlation_matrix()};
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      found.covariance[i * d + j] *= moments.deviations[i] * moments.deviations[j];
    }
  }
  return found;
}

/// Measures models as releases do, keeps and charges nothing, and draws equally many points from
/// each of them.
SharedAccuracy simulate_models(const MomentDesign& design, const RealColumns& columns,
                               const std::vector<double>& rows, const LawMoments& truth,
                               std::vector<double>& points) {
  constexpr std::uint64_t kSimulatedModels = 40;
  constexpr std::size_t kDrawsOfDistance = 4000;
  SharedAccuracy found;
  found.least_sum = least_sum(truth.means.size(), truth.correlations);
  std::vector<double> low, high;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    low.push_back(columns.low(i));
    high.push_back(columns.high(i));
    found.below.push_back((truth.means[i] - low[i]) / truth.deviations[i]);
    found.above.push_back((high[i] - truth.means[i]) / truth.deviations[i]);
  }
  const MomentSampler sampler(design, low, high);
  const MemoryTable table(columns.size(), rows);
  const SharedGaussian of_table = gaussian_of(truth);
  SecureRandom random;
  const std::clock_t end = end_of_simulation();
  Progress progress("simulated releases", kSimulatedModels);
  do {
    const SharedGaussian model = sampler.measure(table, random);
    const double distance = simulated_total_variation(of_table, model, kDrawsOfDistance, random);
    found.least = std::min(found.least, distance);
    found.greatest = std::max(found.greatest, distance);
    model.draw(kSimulatedRecords / kSimulatedModels, low, high, random,
               [&](std::span<const double> point) {
                 points.insert(points.end(), point.begin(), point.end());
               });
    progress.reached(++found.releases);
  } while (found.releases < kSimulatedModels && std::clock() < end);
  progress.finish();
  return found;
}

void add_accuracy(Answer& answer, const SharedAccuracy& found, const RealColumns& columns,
                  const MomentDesign& design) {
  answer.say(
      fmt::format("\nthe expected total variation from the data's Gaussian, {:.4g}, holds where\n",
                  design.expected_total_variation));
  Json spreads = Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    spreads.push_back({{"column", columns.name(i)},
                       {"deviations_below", found.below[i]},
                       {"deviations_above", found.above[i]},
                       {"is_met", found.is_met(i)}});
    answer.say(fmt::format(
        "  the range of {} reaches {:g} to {:g} standard deviations to both sides of its mean; it "
        "reaches {:.3g} below and {:.3g} above: {}\n",
        printable(coordinate_name(columns, i)), kLeastDeviations, kStatedDeviations.back(),
        found.below[i], found.above[i], found.is_met(i) ? "met" : "NOT MET"));
  }
  if (columns.size() > 1) {
    answer.say(
        fmt::format("  no weighted sum of columns varies by less than {:g} of its variation under "
                    "independence; the least by {:.2g}: {}\n",
                    kLeastSum, found.least_sum, found.least_sum >= kLeastSum ? "met" : "NOT MET"));
  }
  answer.add(
      "accuracy",
      {{"spreads", spreads},
       {"least_sum", found.least_sum},
       {"is_met", found.is_met()},
       {"total_variation",
        {{"expected", design.expected_total_variation},
         {"releases", found.releases},
         {"least", found.least},
         {"greatest", found.greatest}}}},
      fmt::format("in {} it was {:.3g} at least and {:.3g} at most\n",
                  counted(found.releases, "simulated release"), found.least, found.greatest));
  answer.say("all records of a release share the noise of one mean and one covariance: ");
  answer.say(
      found.is_met()
          ? fmt::format("if the data were Gaussian, they would be as good as new rows of the same "
                        "population, except about {}\n",
                        times_words(design.expected_total_variation))
          : fmt::format("here that promises nothing. Declare ranges nearer to the data, or spend a "
                        "larger budget; if the data were Gaussian, rows of the worst of these "
                        "releases would be as good as new ones, except {}\n",
                        times_words(found.greatest)));
}

Answer compare_gaussian(const PreparedRelease& release, const Domain& domain,
                        const PublicInputs& inputs, const Source& source) {
  const ReleaseSpec& spec = release.certificate().spec;
  const RealColumns columns(domain, spec.own.get<GaussianSpec>()->logarithms);
  std::vector<double> rows;
  SecureRandom random;
  if (spec.unit) {
    rows = read_unit_points(source, columns, spec.unit, roster_of(spec, inputs), random);
  } else {
    NumericRows(source, columns).visit([&](std::span<const double> some) {
      rows.insert(rows.end(), some.begin(), some.end());
    });
  }
  refuse_if(rows.empty(), "empty-input", {}, "{} must hold records to compare with, but holds none",
            source.name());
  const MomentDesign* const moments = release.certificate().as<MomentDesign>();
  PointList released(columns);
  SharedAccuracy accuracy;
  if (moments != nullptr) {
    accuracy = simulate_models(*moments, columns, rows, moments_of_rows(rows, columns.size()),
                               released.points);
  } else {
    simulate(release, source, released, [&] { return released.points.size() / columns.size(); });
  }
  const std::vector<std::string> notes = log_normal_notes(columns, rows);
  const ShapeComparison shapes(columns, rows, released.points, random);
  const std::uint64_t simulated = released.points.size() / columns.size();
  const Certificate& certificate = release.certificate();
  Answer answer = begun(
      certificate,
      fmt::format("{}; the output distribution is simulated by {} records\n\n",
                  counted(*certificate.facts.records, spec.unit ? "unit" : "record"), simulated));
  answer.add("records", *certificate.facts.records);
  answer.add("simulated_records", simulated);
  answer.add("columns", columns.names());
  answer.add("logarithms", spec.own.get<GaussianSpec>()->logarithms);
  answer.add("truth", moments_json(shapes.truth()));
  answer.add("law", moments_json(shapes.other()), shapes.text("law"));
  answer.add("distances", shapes.json("law"));
  answer.add("notes", notes, notes.empty() ? "" : "\n");
  for (const std::string& note : notes) answer.say(fmt::format("note: {}\n", note));
  add_caveats(answer, domain, source, represented(spec));
  if (moments != nullptr) {
    add_accuracy(answer, accuracy, columns, *moments);
  } else {
    answer.say(fmt::format(
        "\nif the data were Gaussian, a record would be as good as a new row of the same "
        "population, except {}\n",
        times_words(certificate.as<GaussianDesign>()->total_variation_up())));
  }
  answer.say(shapes.verdict());
  if (shapes.has_other_shape()) {
    answer.say(
        fmt::format("released records are Gaussian and the data are not: {} keeps the shape of "
                    "each column, and logarithms of some columns may be nearer to Gaussian\n",
                    method_words("marginals")));
  }
  return answer;
}

}  // namespace

Answer compare_central(const ReleaseSpec& spec, const PublicInputs& inputs, const Source& data) {
  const Domain domain = inputs.domain(spec.domain);
  const auto release = prepared_for(spec, inputs, data);
  Answer answer = spec.own.get<GaussianSpec>() != nullptr
                      ? compare_gaussian(*release, domain, inputs, data)
                      : compare_finite(*release, domain, inputs, data);
  for (Message& warning : release->warnings()) answer.warn(std::move(warning));
  return answer;
}

ReleaseDistance central_distance(const ReleaseSpec& spec, const PublicInputs& inputs,
                                 const Source& data) {
  const std::shared_ptr<const PreparedRelease> release = prepared_for(spec, inputs, data);
  const Certificate& certificate = release->certificate();
  if (const auto* moments = certificate.as<MomentDesign>())
    return {moments->expected_total_variation, release};
  if (const auto* design = certificate.as<GaussianDesign>())
    return {design->total_variation_up(), release};
  const FiniteLaws laws = finite_laws(*release, inputs.domain(spec.domain), inputs, data);
  return {total_variation(laws.truth, laws.law), release};
}

// -----------------------------------------------------------------------------------------------
// The rows of simulated releases, next to the truth.

namespace {

/// Counts released rows.
class PairTally final : public Sink {
 public:
  PairTally(const Domain& domain, const std::vector<std::uint32_t>& sizes)
      : encoder_(domain), counter_(sizes), digits_(sizes.size()) {}

  void write(const Block& block) override {
    encoder_.encode(block);
    for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] = encoder_.digits(i);
    counter_.add(digits_);
    rows_ += block.rows;
  }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] PairCounts take() && { return std::move(counter_).take(); }

 private:
  RecordEncoder encoder_;
  PairCounter counter_;
  std::vector<std::span<const std::uint32_t>> digits_;
  std::uint64_t rows_ = 0;
};

/// A column without declared bins is compared in this many, if it has more values.
constexpr std::uint32_t kComparedCells = 16;
/// A release counts each of so few values by itself.
constexpr std::uint32_t kFewValues = 256;
/// The values read to find them.
constexpr std::size_t kMostRead = 1'000'000;

/// Private bins are found by each release anew.
bool is_for_private_bins(const Column& column) {
  return has_private_bins(column.cells()) && column.size() > kFewValues;
}

bool is_uncut(const Column& column) {
  const Cells& cells = column.cells();
  if (!is_numeric(cells) || column.size() <= kFewValues) return false;
  if (has_private_bins(cells)) return true;
  if (const auto* integers = std::get_if<IntegerCells>(&cells)) {
    return !integers->declares_bins() && integers->declared().values.empty();
  }
  const NumberCells::Declaration& numbers = std::get<NumberCells>(cells).declared();
  return !numbers.bins && numbers.edges.empty() && numbers.values.empty();
}

/// Cells that begin where about equally many of the levels do, each cell a value's.
template <class Number>
std::vector<Number> edges_of(const Column& column, std::vector<std::uint32_t> levels) {
  std::sort(levels.begin(), levels.end());
  const auto first_of = [&](std::uint32_t level) {
    return std::get<Number>(column.value(level, 0));
  };
  std::vector<Number> edges;
  const auto add = [&](Number edge) {
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  };
  if constexpr (std::is_same_v<Number, double>) {
    add(std::get<NumberCells>(column.cells()).min());
  } else {
    add(std::get<IntegerCells>(column.cells()).min());
  }
  if (levels.empty()) return edges;
  const auto begin_at = [&](std::uint32_t level) {
    if (level > 0 && level < column.cell_count()) add(first_of(level));  // the first begins at min
  };
  begin_at(levels.front());
  for (std::uint32_t cell = 1; cell < kComparedCells; ++cell) {
    begin_at(levels[levels.size() * cell / kComparedCells]);
  }
  begin_at(levels.back() + 1);  // beyond all rows, so that a cell's middle is among them
  return edges;
}

Cells recut(const Column& column, std::vector<std::uint32_t> levels) {
  if (const auto* integers = std::get_if<IntegerCells>(&column.cells())) {
    IntegerCells::Declaration declared = integers->declared();
    declared.private_bins = false;
    declared.bins.reset();
    declared.edges = edges_of<std::int64_t>(column, std::move(levels));
    declared.edges.push_back(integers->max());
    return IntegerCells::make(declared);
  }
  const auto& numbers = std::get<NumberCells>(column.cells());
  NumberCells::Declaration declared = numbers.declared();
  declared.private_bins = false;
  declared.edges = edges_of<double>(column, std::move(levels));
  if (declared.edges.back() < numbers.max()) declared.edges.push_back(numbers.max());
  return NumberCells::make(declared);
}

/// The domain with some of its uncut columns in cells of about equally many of the table's rows:
/// nothing is released by it, so it may follow the data.
Domain cut_where_data_lie(const Domain& domain, const Source& source,
                          bool (*is_uncut)(const Column&)) {
  std::vector<std::string> names;
  std::vector<const Column*> uncut;
  for (const Column& column : domain.columns()) {
    if (!is_uncut(column)) continue;
    names.push_back(column.name());
    uncut.push_back(&column);
  }
  std::vector<std::vector<std::uint32_t>> levels(uncut.size());
  if (!uncut.empty()) {
    source.visit(wanted_columns(source, names), [&](const Block& block) {
      for (std::size_t i = 0; i < uncut.size(); ++i) {
        for (std::size_t row = 0; row < block.rows && levels[i].size() < kMostRead; ++row) {
          const std::uint32_t level = uncut[i]->encode(block.columns[i][row]);
          if (number_of_level(*uncut[i], level)) levels[i].push_back(level);
        }
      }
    });
  }
  std::vector<Column> columns;
  std::size_t next = 0;
  for (const Column& column : domain.columns()) {
    if (!is_uncut(column)) {
      columns.push_back(column);
    } else {
      columns.push_back(
          Column::make(column.name(), recut(column, std::move(levels[next++])), column.mapping()));
    }
  }
  return Domain::make(std::move(columns), domain.seed());
}

struct ComparedTable {
  Domain domain;
  PairCounts truth;
  PairCounts released;
  std::uint64_t records;    ///< rows, or units
  std::uint64_t simulated;  ///< rows
  std::vector<std::optional<OwnMean>> own;
  std::shared_ptr<const PreparedRelease> release;
};

/// The number of a table's rows, or of its units with rows, whatever they weigh.
std::uint64_t records_of(const Source& data, const UnitColumns& unit) {
  if (!unit) return data.record_count();
  const std::optional<Roster> none;
  Units units(none);
  data.visit(wanted_columns(data, {}, unit),
             [&](const Block& block) { static_cast<void>(units.of(block.columns)); });
  return units.size();
}

ComparedTable simulated_table(ReleaseSpec spec, const PublicInputs& inputs, const Source& source) {
  const Domain declared = inputs.domain(spec.domain);
  const Domain domain = cut_where_data_lie(declared, source, is_for_private_bins);
  const std::optional<Roster> roster = roster_of(spec, inputs);
  spec.accept_large_delta = spec.accept_error = true;  // nothing is released
  const std::shared_ptr<const PreparedRelease> asked =
      prepare(spec, inputs, public_count(spec, source));
  asked->require(source);
  require_countable_pairs(domain);
  SecureRandom random;
  PairCounts truth = exact_pair_counts(source, domain, spec.unit, roster, random);
  const auto column = truth.column(0);
  const std::uint64_t weight = std::accumulate(column.begin(), column.end(), std::uint64_t{0});
  if (weight == 0) refuse_nothing_to_compare(source);
  const std::uint64_t records = spec.weights ? records_of(source, spec.unit)
                                : spec.unit  ? weight / kUnitWeight
                                             : weight;
  PairTally tally(domain, truth.sizes());
  if (kModelMethods.has(spec.method)) {
    spec.count = std::max(spec.count.value_or(1), records);
    prepare(spec, inputs, public_count(spec, source))->draw(source, random, tally, 1);
  } else {
    simulate(*asked, source, tally, [&] { return tally.rows(); });
  }
  const std::uint64_t simulated = tally.rows();
  // Private bins are found by each release, and nobody can cut this comparison's finer.
  auto own = own_means(source, declared, spec.unit, roster, true);
  return {domain, std::move(truth), std::move(tally).take(), records, simulated, std::move(own),
          asked};
}

Json noise_json(const MarginalDistance& distance) {
  return {{"mean", distance.mean}, {"worst", distance.worst}};
}

}  // namespace

Answer compare_rows(const ReleaseSpec& spec, const PublicInputs& inputs, const Source& data) {
  const ComparedTable table = simulated_table(spec, inputs, data);
  const Certificate& certificate = table.release->certificate();
  const NamedLaw truth = law_of_counts("truth", table.truth);
  const NamedLaw laws[] = {
      truth, law_of_counts("released", table.released),
      law_of_independent_columns("independent", truth, table.truth.sizes().size())};
  Answer answer = begun(
      certificate,
      fmt::format("{}; {} of {}\n", counted(table.records, spec.unit ? "unit" : "row"),
                  counted(table.simulated, "row"),
                  kModelMethods.has(spec.method) ? "one simulated release" : "simulated releases"));
  answer.add("records", table.records);
  answer.add("simulated_records", table.simulated);
  const ComparedLaws compared = add_marginals(answer, table.domain, laws, table.own);
  add_caveats(answer, table.domain, data, represented(spec));
  if (const auto* design = certificate.as<MarginalDesign>()) {
    const auto& weights = spec.weights;
    const MarginalError noise =
        marginal_error(*design, weights ? weights->effective(table.records) : table.records);
    answer.add(
        "expected_noise",
        {{"one_way", noise_json(noise.columns)}, {"two_way", two_way_json(noise)}},
        noise.most > 0 ? fmt::format("\nbefore the data: {}\n", marginals_error_words(noise)) : "");
  }
  answer.say(fmt::format(
      "{}two columns of the released rows are {:.4f} from the table's in total variation, on "
      "average over pairs\n",
      within_bins(table.domain), compared.others.front().mean_pair));
  for (Message& warning : table.release->warnings()) answer.warn(std::move(warning));
  return answer;
}

ReleaseDistance rows_distance(const ReleaseSpec& spec, const PublicInputs& inputs,
                              const Source& data) {
  const ComparedTable table = simulated_table(spec, inputs, data);
  const NamedLaw laws[] = {law_of_counts("truth", table.truth),
                           law_of_counts("released", table.released)};
  return {compare_laws(table.domain.columns().size(), laws).others.front().mean_pair,
          table.release};
}

// -----------------------------------------------------------------------------------------------
// Rows that have been released, next to their table.

namespace {

std::vector<double> points_of(const Source& source, const RealColumns& columns) {
  std::vector<double> points;
  NumericRows(source, columns).visit([&](std::span<const double> some) {
    points.insert(points.end(), some.begin(), some.end());
  });
  return points;
}

bool are_uncut_numbers(const Domain& domain) {
  return std::all_of(domain.columns().begin(), domain.columns().end(), [](const Column& column) {
    return std::holds_alternative<NumberCells>(column.cells()) && is_uncut(column) &&
           column.codes_and_nulls() == 0;
  });
}

std::uint64_t weight_of(const PairCounts& counts) {
  const auto column = counts.column(0);
  return std::accumulate(column.begin(), column.end(), std::uint64_t{0});
}

}  // namespace

bool is_of_released(const Part& part) {
  constexpr std::string_view kKnown[] = {
      "/domain",         "/unit",         "/roster",           "/units_column", "/weights",
      "/weights/column", "/weights/step", "/weights/greatest", "/logarithms",   "/weights/invalid"};
  return std::find(std::begin(kKnown), std::end(kKnown), part.place) != std::end(kKnown);
}

Answer compare_released(const Json& question, const PublicInputs& inputs, const Source& table,
                        const Source& released, const std::string& released_name,
                        const HolderQuestions& asked) {
  const CsvSource::RefusingEndlessLines refusing(table), refusing_released(released);
  std::vector<Part> parts;
  std::copy_if(spec_parts().begin(), spec_parts().end(), std::back_inserter(parts), is_of_released);
  const std::string flags;  // sentences name flags
  const PartReader reader(parts, question, flags, "a comparison");
  reader.require_given("/domain");
  ReleaseSpec spec{.domain = *reader.find_domain("/domain"),
                   .unit = reader.columns("/unit"),
                   .roster = reader.find_file("/roster"),
                   .units_column = reader.columns("/units_column"),
                   .weights = reader.find_weights()};
  const CountedTable counted_table(table, spec.weights);
  const Source& data = *counted_table;
  if (spec.roster && !spec.unit) refuse_without("units", "unit");
  if (spec.units_column && !spec.roster) refuse_without("units-column", "units");
  const std::vector<std::string> logarithms = reader.texts("/logarithms");
  const Domain declared = inputs.domain(spec.domain);
  const bool are_points = are_uncut_numbers(declared);
  if (!logarithms.empty() && !are_points) {
    refuse_input("not-for-this-domain", "log", {WayOut::leave("log")},
                 "{} needs a domain of numbers without bins, but this domain has other columns",
                 flag_words("log"));
  }
  const std::optional<Roster> roster = roster_of(spec, inputs);
  data.require_repeatable();
  naming_part("data", [&] { require_columns(data, declared, spec.unit); });
  naming_part("released", [&] { require_columns(released, declared, {}); });
  released.require_repeatable();
  const Domain domain = cut_where_data_lie(declared, data, is_uncut);
  require_countable_pairs(domain);
  SecureRandom random;
  const PairCounts counts = exact_pair_counts(data, domain, spec.unit, roster, random);
  if (weight_of(counts) == 0) refuse_nothing_to_compare(data);
  const PairCounts of_released = exact_pair_counts(released, domain, {}, std::nullopt, random);
  const std::uint64_t rows = weight_of(of_released);
  refuse_if(rows == 0, "empty-input", "released", "{} must hold released rows, but holds none",
            released_name);
  const std::uint64_t records = spec.weights ? records_of(data, spec.unit)
                                             : weight_of(counts) / (spec.unit ? kUnitWeight : 1);
  const NamedLaw truth = law_of_counts("truth", counts);
  const NamedLaw laws[] = {truth, law_of_counts("released", of_released),
                           law_of_independent_columns("independent", truth, counts.sizes().size())};
  auto own = own_means(data, domain, spec.unit, roster, true);
  for (std::size_t i = 0; i < own.size(); ++i) {
    // Cells of this comparison alone move no mean of a release.
    if (own[i] && is_uncut(declared.columns()[i])) own[i]->in_bins = own[i]->mean;
  }
  Answer answer;
  answer.add("notice", kNotPrivate,
             fmt::format("{}\n{} of {} beside {} of {}\n", kNotPrivate, counted(rows, "row"),
                         released_name, counted(records, spec.unit ? "unit" : "row"), data.name()));
  answer.add("released", released_name);
  answer.add("records", records);
  answer.add("released_records", rows);
  Answer marginals;
  const ComparedLaws compared =
      add_marginals(marginals, domain, laws, own, own_means(released, domain, {}));
  if (are_points) {
    const RealColumns columns(declared, logarithms);
    const ShapeComparison shapes(columns,
                                 spec.unit
                                     ? read_unit_points(data, columns, spec.unit, roster, random)
                                     : points_of(data, columns),
                                 points_of(released, columns), random);
    answer.add("points",
               {{"columns", columns.names()},
                {"truth", moments_json(shapes.truth())},
                {"released", moments_json(shapes.other())},
                {"distances", shapes.json("released")}},
               "\n" + shapes.text("released") + "\n" + shapes.verdict());
  } else {
    answer.say(marginals.text);
  }
  answer.json.update(marginals.json);
  // How the rows were released, and what stood for units without any, is not known here.
  add_caveats(answer, declared, data, {represented(spec).front()});
  const bool is_alone = domain.columns().size() == 1;
  const double distance = is_alone ? total_variation(truth.shares(0, 0), laws[1].shares(0, 0))
                                   : compared.others.front().mean_pair;
  const double spread = is_alone ? spread_of(truth.shares(0, 0)) : compared.spread;
  const double chance = std::min(1.0, chance_of(spread, static_cast<double>(rows)));
  answer.add(
      "tv", distance,
      fmt::format("\n{}{} of the released rows {} {:.4f} from the table's in total variation over "
                  "the domain's cells{}",
                  within_bins(declared), is_alone ? "the column" : "two columns",
                  is_alone ? "is" : "are", distance, is_alone ? "" : ", on average over pairs"));
  answer.add("tv_by_chance", chance,
             fmt::format("; {} rows drawn from the table itself would be {:.4f} from it, by chance "
                         "alone\n",
                         rows, chance));
  add_answers(answer, asked, declared, {&data, spec.unit, roster ? &*roster : nullptr},
              {&released, {}, nullptr});
  return answer;
}

}  // namespace mollify
