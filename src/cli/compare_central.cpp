#include "compare_central.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "accounting/counted.h"
#include "central/gaussian_distance.h"
#include "central/moment_sampler.h"
#include "central/whitening.h"
#include "command.h"
#include "compare_caveats.h"
#include "compare_marginals.h"
#include "divergence/f_divergence.h"
#include "io/csv_source.h"
#include "io/public_files.h"
#include "kernel/core/invalid_input.h"
#include "log_normal.h"
#include "marginals.h"
#include "point_summary.h"
#include "progress.h"
#include "records/numeric_rows.h"
#include "records/numeric_table.h"
#include "records/private_table.h"
#include "records/record_encoder.h"
#include "release/acceptance.h"
#include "release/advice.h"
#include "release/central_release.h"
#include "report.h"

namespace mollify::cli {
namespace {

/// A simulation ends with so many records, or when it has taken so long.
constexpr std::uint64_t kSimulatedRecords = 20'000;
constexpr std::chrono::seconds kSimulatedFor{2};

/// Counts released records as outcomes of the domain.
class OutcomeTally final : public Sink {
 public:
  explicit OutcomeTally(const Domain& domain) : encoder_(domain), counts_(domain.size()) {}

  void begin(const Schema&) override {}
  void write(const Block& block) override {
    encoder_.encode(block);
    for (const std::uint32_t outcome : encoder_.outcomes()) ++counts_[outcome];
    records_ += block.rows;
  }
  void finish() override {}

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

  void begin(const Schema&) override {}
  void write(const Block& block) override {
    for (std::size_t row = 0; row < block.rows; ++row) {
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const double number = std::get<double>(block.columns[column][row]);
        points.push_back(columns_.is_logarithm(column) ? std::log(number) : number);
      }
    }
  }
  void finish() override {}

  std::vector<double> points;

 private:
  const RealColumns& columns_;
};

/// Releases again and again, nothing of which is kept or charged.
template <class Records>
void simulate(const PreparedRelease& release, const Source& data, Sink& sink, Records records) {
  SecureRandom random;
  const auto end = std::chrono::steady_clock::now() + kSimulatedFor;
  Progress progress("simulated records", kSimulatedRecords);
  do {
    release.draw(data, random, sink, 1);
    progress.reached(std::min<std::uint64_t>(records(), kSimulatedRecords));
  } while (records() < kSimulatedRecords && std::chrono::steady_clock::now() < end);
  progress.finish();
}

std::unique_ptr<const PreparedRelease> prepared_for(ReleaseSpec spec, const PublicFiles& inputs,
                                                    const Source& source) {
  spec.accept_error = spec.accept_large_delta = true;  // nothing is released
  auto release = prepare(spec, inputs, public_count(spec, source));
  release->require(source);
  return release;
}

/// Each of the mechanism's outputs is a randomized response of one record, drawn evenly.
bool is_randomized_response(CentralMechanism mechanism) {
  switch (mechanism) {
    case CentralMechanism::kSubsampledRr:
    case CentralMechanism::kRevealOrObscure:
    case CentralMechanism::kSubsetRr:
    case CentralMechanism::kShuffledRr:
    case CentralMechanism::kPoissonRr:
      return true;
    default:
      return false;
  }
}

/// The table's own law, and that of a released record.
struct FiniteLaws {
  std::vector<double> truth;
  std::vector<double> law;
  std::uint64_t simulated = 0;  ///< 0 where the law is exact
};

std::vector<double> truth_of(const ReleaseSpec& spec, const Domain& domain,
                             const PublicFiles& inputs, const Source& source) {
  std::vector<double> truth(domain.size());
  if (!spec.unit) {
    for (const std::uint32_t outcome : read_outcomes(source, domain)) ++truth[outcome];
  } else {
    const UnitTable units = read_units(source, domain, *spec.unit, roster_of(spec, inputs));
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      const auto outcomes = units.outcomes(unit);
      const auto weights = units.weights(unit);
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (std::size_t i = 0; i < outcomes.size(); ++i) truth[outcomes[i]] += weights[i] / sum;
    }
  }
  const double sum = std::accumulate(truth.begin(), truth.end(), 0.0);
  if (!(sum > 0)) {
    throw InvalidInput(
        fmt::format("{} must hold records to compare with, but holds none", source.name()));
  }
  for (double& mass : truth) mass /= sum;
  return truth;
}

FiniteLaws finite_laws(const PreparedRelease& release, const Domain& domain,
                       const PublicFiles& inputs, const Source& source) {
  const ReleaseSpec& spec = release.certificate().spec;
  const FiniteDesign& design = *release.certificate().finite();
  FiniteLaws laws;
  laws.truth = truth_of(spec, domain, inputs, source);
  if (is_randomized_response(design.design.mechanism) && !design.hint) {
    // A record keeps its value but for a uniform draw, whose rate is TV k/(k - 1).
    const auto k = static_cast<double>(domain.size());
    const double uniform = k > 1 ? design.design.total_variation_up * k / (k - 1) : 0;
    for (const double mass : laws.truth) laws.law.push_back((1 - uniform) * mass + uniform / k);
    return laws;
  }
  OutcomeTally tally(domain);
  simulate(release, source, tally, [&] { return tally.records(); });
  laws.law = tally.law();
  laws.simulated = tally.records();
  return laws;
}

/// What so many simulated records alone are from their law in total variation, on average.
double simulation_distance(const FiniteLaws& laws) {
  double sum = 0;
  for (const double mass : laws.law) sum += std::sqrt(mass * (1 - mass));
  return sum / std::sqrt(2 * std::acos(-1.0) * static_cast<double>(laws.simulated));
}

int compare_finite(const PreparedRelease& release, const Domain& domain, const PublicFiles& inputs,
                   const Source& source, const std::string& data, bool json) {
  const FiniteLaws laws = finite_laws(release, domain, inputs, source);
  const std::vector<double> uniform(domain.size(), 1.0 / domain.size());
  const NamedLaw named[] = {law_over_outcomes("truth", domain, laws.truth),
                            law_over_outcomes("law", domain, laws.law),
                            law_over_outcomes("uniform", domain, uniform)};
  const Certificate& certificate = release.certificate();
  const auto own =
      own_means(source, domain, certificate.spec.unit, roster_of(certificate.spec, inputs));
  const DivergenceReport law = divergence_report(laws.truth, laws.law);
  const CompareCaveats caveats = compare_caveats(certificate.spec, domain, data);
  if (json) {
    Json result{{"notice", kNotPrivate},
                {"model", "central"},
                {"mechanism", certificate.mechanism()},
                {"total", certificate.total.text()},
                {"records", *certificate.facts.records},
                {"simulated_records", laws.simulated},
                {"law", divergence_json(law)},
                {"uniform", divergence_json(divergence_report(laws.truth, uniform))}};
    result.update(marginals_json(domain, named, own));
    caveats.add_to(result);
    print_json(result);
    return kSuccess;
  }
  fmt::print("{}\n{}, {}, {} {}; {}\n", kNotPrivate, certificate.mechanism(),
             certificate.total.text(), *certificate.facts.records,
             certificate.spec.unit ? "units" : "records",
             laws.simulated == 0
                 ? std::string("the law of a released record is exact")
                 : fmt::format("the law of a released record is simulated by {} records, which "
                               "alone put it at total variation {:.2g}",
                               laws.simulated, simulation_distance(laws)));
  print_marginals(domain, named, own);
  caveats.print();
  fmt::print("\ntruth from the law:     {}\n", law.text());
  fmt::print("truth from uniform:     {}\n", divergence_report(laws.truth, uniform).text());
  fmt::print("{}a record is as good as a new row of the same population, but for {}\n",
             within_bins(domain), times_words(total_variation(laws.truth, laws.law)));
  return kSuccess;
}

/// What is known of a shared model's accuracy by looking at the data.
struct SharedAccuracy {
  /// Of each column, in its coordinates: the standard deviation from which on the design's accuracy
  /// holds, and the table's.
  std::vector<double> least_deviations{}, deviations{};
  double greatest_correlation = 0;  ///< of any two columns, in size
  std::uint64_t releases = 0;       ///< simulated
  /// The models' total variation from the table's Gaussian.
  double least = 1, greatest = 0;

  [[nodiscard]] bool is_met(std::size_t column) const {
    return deviations[column] >= least_deviations[column];
  }
  [[nodiscard]] bool is_met() const {
    if (greatest_correlation > kStatedCorrelation) return false;
    for (std::size_t i = 0; i < deviations.size(); ++i) {
      if (!is_met(i)) return false;
    }
    return true;
  }
};

SharedGaussian gaussian_of(const PointSummary& summary) {
  const std::size_t d = summary.means.size();
  SharedGaussian found{summary.means, std::vector<double>(d * d)};
  std::size_t pair = 0;
  for (std::size_t i = 0; i < d; ++i) {
    found.covariance[i * d + i] = summary.deviations[i] * summary.deviations[i];
    for (std::size_t j = i + 1; j < d; ++j, ++pair) {
      found.covariance[i * d + j] = found.covariance[j * d + i] =
          summary.correlations[pair] * summary.deviations[i] * summary.deviations[j];
    }
  }
  return found;
}

/// Measures models as releases do, nothing of which is kept or charged, and draws from each of them
/// as many points as from any other.
SharedAccuracy simulate_models(const MomentDesign& design, const RealColumns& columns,
                               const std::vector<double>& rows, const PointSummary& truth,
                               std::vector<double>& points) {
  constexpr std::uint64_t kSimulatedModels = 40;
  constexpr std::size_t kDrawsOfDistance = 4000;
  SharedAccuracy found{.deviations = truth.deviations};
  for (const double correlation : truth.correlations) {
    found.greatest_correlation = std::max(found.greatest_correlation, std::abs(correlation));
  }
  std::vector<double> low, high;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    low.push_back(columns.low(i));
    high.push_back(columns.high(i));
    found.least_deviations.push_back((high[i] / 2 - low[i] / 2) / kStatedDeviations.back());
  }
  const MomentSampler sampler(design, low, high);
  const MemoryTable table(columns.size(), rows);
  const SharedGaussian of_table = gaussian_of(truth);
  SecureRandom random;
  const auto end = std::chrono::steady_clock::now() + kSimulatedFor;
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
  } while (found.releases < kSimulatedModels && std::chrono::steady_clock::now() < end);
  progress.finish();
  return found;
}

Json accuracy_json(const SharedAccuracy& found, const RealColumns& columns,
                   const MomentDesign& design) {
  Json spreads = Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    spreads.push_back({{"column", columns.name(i)},
                       {"least_deviation", found.least_deviations[i]},
                       {"deviation", found.deviations[i]},
                       {"is_met", found.is_met(i)}});
  }
  return {{"spreads", spreads},
          {"greatest_correlation", found.greatest_correlation},
          {"is_met", found.is_met()},
          {"total_variation",
           {{"expected", design.expected_total_variation},
            {"releases", found.releases},
            {"least", found.least},
            {"greatest", found.greatest}}}};
}

void print_accuracy(const SharedAccuracy& found, const RealColumns& columns,
                    const MomentDesign& design) {
  fmt::print("\nthe expected total variation from the data's Gaussian, {:.4g}, holds where\n",
             design.expected_total_variation);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    fmt::print("  {} has a standard deviation of {:.3g} or more; it is {:.3g}: {}\n",
               printable(coordinate_name(columns, i)), found.least_deviations[i],
               found.deviations[i], found.is_met(i) ? "met" : "NOT MET");
  }
  if (columns.size() > 1) {
    fmt::print("  no correlation is above {:g}; the greatest is {:.2g}: {}\n", kStatedCorrelation,
               found.greatest_correlation,
               found.greatest_correlation <= kStatedCorrelation ? "met" : "NOT MET");
  }
  fmt::print("in {} simulated release{} it was {:.3g} at least and {:.3g} at most\n",
             found.releases, found.releases == 1 ? "" : "s", found.least, found.greatest);
  const char* const shared =
      "all records of a release share the noise of one mean and one covariance";
  if (found.is_met()) {
    fmt::print(
        "{}: they are as good as new rows of the same Gaussian, but for about {}; how Gaussian the "
        "data are shows above\n",
        shared, times_words(design.expected_total_variation));
  } else {
    fmt::print(
        "{}: here that promises nothing. Declare ranges nearer to the data, or spend a larger "
        "budget; the worst of these releases was as good as new rows of the same Gaussian, but for "
        "{}\n",
        shared, times_words(found.greatest));
  }
}

int compare_gaussian(const PreparedRelease& release, const Domain& domain,
                     const PublicFiles& inputs, const Source& source, const std::string& data,
                     bool json) {
  const ReleaseSpec& spec = release.certificate().spec;
  const RealColumns columns(domain, spec.gaussian()->logarithms);
  std::vector<double> rows;
  SecureRandom random;
  if (spec.unit) {
    rows = read_unit_points(source, columns, *spec.unit, roster_of(spec, inputs), random);
  } else {
    NumericRows(source, columns).visit([&](std::span<const double> some) {
      rows.insert(rows.end(), some.begin(), some.end());
    });
  }
  if (rows.empty()) {
    throw InvalidInput(
        fmt::format("{} must hold records to compare with, but holds none", source.name()));
  }
  const PointSummary truth = summary_of_points(rows, columns.size());
  const MomentDesign* const moments = release.certificate().moments();
  PointList released(columns);
  SharedAccuracy accuracy;
  if (moments != nullptr) {
    accuracy = simulate_models(*moments, columns, rows, truth, released.points);
  } else {
    simulate(release, source, released, [&] { return released.points.size() / columns.size(); });
  }
  const std::vector<std::string> notes = log_normal_notes(columns, rows);
  const PointSummary law = summary_of_points(released.points, columns.size());
  const std::uint64_t simulated = released.points.size() / columns.size();
  const Certificate& certificate = release.certificate();
  const CompareCaveats caveats = compare_caveats(certificate.spec, domain, data);
  if (json) {
    Json result{{"notice", kNotPrivate},
                {"model", "central"},
                {"family", "gaussian"},
                {"mechanism", certificate.mechanism()},
                {"total", certificate.total.text()},
                {"records", *certificate.facts.records},
                {"simulated_records", simulated},
                {"columns", columns.names()},
                {"truth", point_summary_json(truth)},
                {"law", point_summary_json(law)},
                {"notes", notes}};
    if (moments != nullptr) result["accuracy"] = accuracy_json(accuracy, columns, *moments);
    caveats.add_to(result);
    print_json(result);
    return kSuccess;
  }
  fmt::print("{}\n{}, {}, {}; the law is simulated by {} records\n\n", kNotPrivate,
             certificate.mechanism(), certificate.total.text(),
             counted(*certificate.facts.records, spec.unit ? "unit" : "record"), simulated);
  print_point_summaries(columns, truth, law, "law");
  if (!notes.empty()) fmt::print("\n");
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
  caveats.print();
  if (moments != nullptr) {
    print_accuracy(accuracy, columns, *moments);
    return kSuccess;
  }
  fmt::print(
      "\na record is as good as a new row of the same Gaussian, but for {}; how Gaussian the data "
      "are shows above\n",
      times_words(certificate.gaussian()->total_variation_up()));
  return kSuccess;
}

}  // namespace

int compare_central(const ReleaseSpec& spec, const std::string& data, bool json) {
  if (spec.marginals() != nullptr) return compare_marginals(spec, data, json);
  const PublicFiles inputs(data);
  const Domain domain = inputs.domain(spec.domain);
  const CsvSource source(data);
  const auto release = prepared_for(spec, inputs, source);
  for (const std::string& warning : release->warnings()) {
    tell("WARNING: " + warning + "\n");
  }
  if (spec.gaussian() != nullptr)
    return compare_gaussian(*release, domain, inputs, source, data, json);
  return compare_finite(*release, domain, inputs, source, data, json);
}

double central_distance(const ReleaseSpec& spec, const std::string& data) {
  if (spec.marginals() != nullptr) return marginals_distance(spec, data);
  const PublicFiles inputs(data);
  const Domain domain = inputs.domain(spec.domain);
  const CsvSource source(data);
  const auto release = prepared_for(spec, inputs, source);
  const Certificate& certificate = release->certificate();
  if (certificate.moments() != nullptr) return certificate.moments()->expected_total_variation;
  if (certificate.gaussian() != nullptr) return certificate.gaussian()->total_variation_up();
  const FiniteLaws laws = finite_laws(*release, domain, inputs, source);
  return total_variation(laws.truth, laws.law);
}

}  // namespace mollify::cli
