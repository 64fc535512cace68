#include "release/central_release.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "central/gaussian_sampler.h"
#include "central/moment_sampler.h"
#include "central/whitening.h"
#include "kernel/core/invalid_input.h"
#include "records/numeric_rows.h"
#include "records/private_table.h"
#include "records/record_writer.h"
#include "records/wide_below.h"
#include "release/design.h"
#include "release/point_sums.h"
#include "release/spec_json.h"
#include "release/summed_release.h"

namespace mollify {
namespace {

/// One of a unit's records, each alike, though equal ones are counted together; of a unit without
/// records any outcome, each alike.
std::uint32_t one_of(std::span<const std::uint32_t> outcomes, std::span<const double> counts,
                     std::uint32_t outcome_count, SecureRandom& random) {
  uint128 all = 0;
  for (const double count : counts) all += static_cast<std::uint64_t>(count);
  if (all == 0) return static_cast<std::uint32_t>(random.below(outcome_count));
  uint128 place = wide_below(all, random);
  std::size_t i = 0;
  while (place >= static_cast<std::uint64_t>(counts[i])) {
    place -= static_cast<std::uint64_t>(counts[i]);
    ++i;
  }
  return outcomes[i];
}

/// Makes them so many records, were the data changed since they were counted: those that lack
/// count as the domain's first.
void resize(OutcomeHistogram& histogram, std::uint64_t records) {
  const uint128 there = record_count(histogram);
  if (there < records) {
    if (histogram.keys.empty() || histogram.keys.front() != 0) {
      histogram.keys.insert(histogram.keys.begin(), 0);
      histogram.counts.insert(histogram.counts.begin(), 0);
    }
    histogram.counts.front() += records - static_cast<std::uint64_t>(there);
  }
  for (uint128 more = there > records ? there - records : 0; more > 0;) {
    const auto gone = static_cast<std::uint64_t>(std::min<uint128>(more, histogram.counts.back()));
    more -= gone;
    histogram.counts.back() -= gone;
    if (histogram.counts.back() != 0) break;
    histogram.keys.pop_back();
    histogram.counts.pop_back();
  }
}

class FiniteRelease final : public PreparedRelease {
 public:
  FiniteRelease(DesignedRelease made, Domain domain, std::optional<Roster> roster)
      : PreparedRelease(std::move(made.certificate), domain),
        domain_(std::move(domain)),
        roster_(std::move(roster)),
        sampler_(std::move(made.central)),
        finder_(std::move(made.finder)) {}

  void require(const Source& data) const override {
    require_columns(data, domain_, certificate().spec.unit);
  }

  RecordCounting counting() const override {
    if (certificate().spec.unit) {
      throw InvalidInput(
          "model central with a unit draws one record of each unit, and needs more than how many "
          "there are of each");
    }
    return {&domain_, true};
  }

  void draw(const Source& data, SecureRandom& random, Sink& sink,
            std::size_t /*threads*/) const override {
    OutcomeHistogram records =
        certificate().spec.unit ? unit_records(data, random) : read_counts(data, domain_);
    resize(records, *certificate().facts.records);
    RecordWriter writer(domain_, sink);
    for (const std::uint32_t outcome :
         finder_ ? draw_within_support(records, random) : sampler_->draw(records, random)) {
      writer.write_outcome(outcome, random);
    }
    writer.finish();
  }

 private:
  OutcomeHistogram unit_records(const Source& data, SecureRandom& random) const {
    const UnitTable units = read_units(data, domain_, *certificate().spec.unit, roster_);
    Tally<std::uint32_t> drawn;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      drawn.add(one_of(units.outcomes(unit), units.weights(unit), domain_.size(), random));
    }
    return drawn.take();
  }

  // The mechanism is the public choice for the whole domain, with parameters for the support: it
  // has been paid for, and a design exists for each that there can be
  // (tests/central/central_design.cpp).
  std::vector<std::uint32_t> draw_within_support(const OutcomeHistogram& records,
                                                 SecureRandom& random) const {
    const FoundSupport support = finder_->find(records, random);
    const CentralDesign& whole = certificate().finite()->design;
    return support.map_back(make_central_sampler(with_outcomes(whole, support.size()))
                                ->draw(support.map_into(records, random), random));
  }

  Domain domain_;
  std::optional<Roster> roster_;
  std::unique_ptr<CentralSampler> sampler_;  // over the whole domain
  std::optional<SupportFinder> finder_;
};

/// A release of records that are points: all that its two samplers share.
class PointRelease : public PreparedRelease, public SummedRelease {
 public:
  PointRelease(DesignedRelease made, Domain domain, RealColumns columns,
               std::optional<Roster> roster, std::vector<std::string> warnings = {})
      : PreparedRelease(std::move(made.certificate), domain, std::move(warnings)),
        domain_(std::move(domain)),
        columns_(std::move(columns)),
        roster_(std::move(roster)) {}

  void require(const Source& data) const override {
    const auto& unit = certificate().spec.unit;
    require_columns(data, domain_, unit);
    require_single_records(data, "family gaussian");
    if (!unit) data.require_repeatable();
  }

  RecordCounting counting() const override {
    throw InvalidInput("Gaussian samples need the numbers of every record, and not counts of them");
  }

  void require_sums() const override {
    if (!certificate().spec.unit) return;
    throw InvalidInput(
        "Gaussian samples with a unit draw one row of each unit, and need more than sums over all "
        "rows");
  }

  void draw_by(const SumUp& sum_up, SecureRandom& random, Sink& sink) const override {
    RecordWriter writer(columns_, sink);
    draw_points_by(sum_up, random, writer);
    writer.finish();
  }

  void draw(const Source& data, SecureRandom& random, Sink& sink,
            std::size_t /*threads*/) const override {
    RecordWriter writer(columns_, sink);
    const auto& unit = certificate().spec.unit;
    if (unit) {
      const MemoryTable units(columns_.size(),
                              read_unit_points(data, columns_, *unit, roster_, random));
      draw_points(units, random, writer);
    } else {
      draw_points(NumericRows(data, columns_), random, writer);
    }
    writer.finish();
  }

 protected:
  [[nodiscard]] const RealColumns& columns() const noexcept { return columns_; }

 private:
  virtual void draw_points(const NumericTable& table, SecureRandom& random,
                           RecordWriter& writer) const = 0;
  virtual void draw_points_by(const SumUp& sum_up, SecureRandom& random,
                              RecordWriter& writer) const = 0;

  Domain domain_;
  RealColumns columns_;
  std::optional<Roster> roster_;
};

class GaussianRelease final : public PointRelease {
 public:
  GaussianRelease(DesignedRelease made, Domain domain, RealColumns columns, Whitening whitening,
                  std::optional<Roster> roster, std::vector<std::string> warnings)
      : PointRelease(std::move(made), std::move(domain), std::move(columns), std::move(roster),
                     std::move(warnings)),
        sampler_(*certificate().gaussian(), std::move(whitening)) {}

  bool needs_order() const noexcept override { return true; }

  std::unique_ptr<SummedPart> part(const std::string& pass, std::uint64_t number) const override {
    return gaussian_part(sampler_, columns(), pass, number);
  }

 private:
  void draw_points(const NumericTable& table, SecureRandom& random,
                   RecordWriter& writer) const override {
    write(sampler_.draw(table, random), writer);
  }

  void draw_points_by(const SumUp& sum_up, SecureRandom& random,
                      RecordWriter& writer) const override {
    const ReleaseKey key;
    write(draw_from_parts(
              sampler_, key,
              [&](const GaussianPass& pass) { return sum_up(pass_bytes(pass, key)); }, random),
          writer);
  }

  void write(const std::vector<double>& released, RecordWriter& writer) const {
    for (std::size_t i = 0; i < released.size(); i += columns().size()) {
      writer.write_point(std::span(released).subspan(i, columns().size()));
    }
  }

  GaussianSampler sampler_;
};

std::vector<double> ends_of(const RealColumns& columns, bool high) {
  std::vector<double> ends;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ends.push_back(high ? columns.high(i) : columns.low(i));
  }
  return ends;
}

class SharedGaussianRelease final : public PointRelease {
 public:
  SharedGaussianRelease(DesignedRelease made, Domain domain, RealColumns columns,
                        std::optional<Roster> roster)
      : PointRelease(std::move(made), std::move(domain), std::move(columns), std::move(roster)),
        sampler_(*certificate().moments(), ends_of(this->columns(), false),
                 ends_of(this->columns(), true)) {}

  std::unique_ptr<SummedPart> part(const std::string& pass,
                                   std::uint64_t /*number*/) const override {
    return moment_part(sampler_.design(), columns(), pass);
  }

 private:
  void draw_points(const NumericTable& table, SecureRandom& random,
                   RecordWriter& writer) const override {
    write(sampler_.measure(table, random), random, writer);
  }

  void draw_points_by(const SumUp& sum_up, SecureRandom& random,
                      RecordWriter& writer) const override {
    write(sampler_.measure(
              [&](const MomentMeasure& measure) { return sum_up(pass_bytes(measure)); }, random),
          random, writer);
  }

  void write(const SharedGaussian& model, SecureRandom& random, RecordWriter& writer) const {
    model.draw(*certificate().spec.count, sampler_.low(), sampler_.high(), random,
               [&](std::span<const double> point) { writer.write_point(point); });
  }

  MomentSampler sampler_;
};

}  // namespace

std::optional<Roster> count_records(const ReleaseSpec& spec, const PublicInputs& inputs,
                                    std::optional<std::uint64_t> records, PublicFacts& facts) {
  std::optional<Roster> roster = roster_of(spec, inputs);
  if (roster) records = roster->size();
  if (!records) {
    throw InvalidInput("model central needs the number of records, but none is given");
  }
  facts.records = records;
  return roster;
}

Whitening whitening_of(const RealColumns& columns, std::span<const double> given) {
  const std::size_t dimension = columns.size();
  std::vector<double> covariance(given.begin(), given.end());
  if (covariance.empty()) {
    covariance.resize(dimension * dimension);
    for (std::size_t i = 0; i < dimension; ++i) covariance[i * dimension + i] = 1;
  }
  std::vector<double> middle;
  for (std::size_t i = 0; i < dimension; ++i) {
    middle.push_back(columns.low(i) / 2 + columns.high(i) / 2);
  }
  return Whitening::from_covariance(dimension, covariance, middle);
}

std::vector<WhitenedRange> mean_ranges_of(const RealColumns& columns, const Whitening& whitening) {
  std::vector<double> low;
  std::vector<double> high;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    low.push_back(columns.low(i));
    high.push_back(columns.high(i));
  }
  return whitening.ranges_of_box(low, high);
}

std::vector<std::string> wide_ranges(const RealColumns& columns, std::span<const double> covariance,
                                     double covariance_bound) {
  // A mean that may be anywhere in so many deviations is hardly ever meant.
  constexpr double kMostDeviations = 1000;
  std::vector<std::string> said;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double variance =
        covariance.empty() ? covariance_bound : covariance[i * columns.size() + i];
    const double deviations = (columns.high(i) - columns.low(i)) / std::sqrt(variance);
    if (columns.is_logarithm(i) || !(deviations > kMostDeviations)) continue;
    said.push_back(fmt::format(
        "the declared range of {0} is {1:.2g} standard deviations {2} wide; is {3} of logarithms "
        "(--log {0})?",
        columns.name(i), deviations,
        covariance.empty() ? "(by the bound of the covariance)" : "of the covariance",
        covariance.empty() ? "the bound" : "the covariance"));
  }
  return said;
}

void require_countable(const Domain& domain) {
  if (domain.is_enumerable()) return;
  const bool numbers =
      std::all_of(domain.columns().begin(), domain.columns().end(), [](const Column& column) {
        return std::holds_alternative<NumberCells>(column.cells()) &&
               !column.mapping().null_is_category;
      });
  throw InvalidInput(fmt::format(
      "independent records in model central need a domain of at most {} outcomes, but the product "
      "of its columns is {:.15g}: declare fewer bins or fewer columns, or release rows of one "
      "noisy model (--family marginals){}",
      Domain::kMaxOutcomes, domain.product(),
      numbers ? ", or numbers that are not cut and roughly Gaussian (--family gaussian)" : ""));
}

std::unique_ptr<const PreparedRelease> prepare_finite(ReleaseSpec spec, const PublicInputs& inputs,
                                                      std::optional<std::uint64_t> records) {
  validate_spec(spec);
  Domain domain = complete_spec(spec, inputs);
  require_countable(domain);
  PublicFacts facts{.outcomes = domain.size()};
  auto roster = count_records(spec, inputs, records, facts);
  DesignedRelease made = design_release(spec, facts, domain);
  return std::make_unique<const FiniteRelease>(std::move(made), std::move(domain),
                                               std::move(roster));
}

std::unique_ptr<const PreparedRelease> prepare_gaussian(ReleaseSpec spec,
                                                        const PublicInputs& inputs,
                                                        std::optional<std::uint64_t> records) {
  validate_spec(spec);
  Domain domain = complete_spec(spec, inputs);
  const GaussianSpec& gaussian = *spec.gaussian();
  RealColumns columns(domain, gaussian.logarithms);
  if (gaussian.shared) {
    PublicFacts facts;
    auto roster = count_records(spec, inputs, records, facts);
    DesignedRelease made = design_release(spec, facts, domain);
    return std::make_unique<const SharedGaussianRelease>(std::move(made), std::move(domain),
                                                         std::move(columns), std::move(roster));
  }
  const std::vector<double> covariance = gaussian.covariance
                                             ? inputs.covariance(gaussian.covariance->name, columns)
                                             : std::vector<double>();
  Whitening whitening = whitening_of(columns, covariance);
  PublicFacts facts;
  auto roster = count_records(spec, inputs, records, facts);
  if (!gaussian.mean_bound) facts.mean_ranges = mean_ranges_of(columns, whitening);
  DesignedRelease made = design_release(spec, facts, domain);
  std::vector<std::string> wide =
      wide_ranges(columns, covariance, gaussian.covariance_bound.value_or(1));
  return std::make_unique<const GaussianRelease>(std::move(made), std::move(domain),
                                                 std::move(columns), std::move(whitening),
                                                 std::move(roster), std::move(wide));
}

}  // namespace mollify
