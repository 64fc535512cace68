#include "release/central_release.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "core/invalid_input.h"
#include "methods/gaussian/moments.h"
#include "methods/gaussian/sampler.h"
#include "methods/marginals/answers.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/learner.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/values.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/public_inputs.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Passes over points.

namespace {

std::string bytes_of(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

/// What `read` makes of them. Only workers of another version come upon other bytes.
template <class Read>
auto read_pass(const std::string& bytes, const Read& read) {
  try {
    return read(Json::from_cbor(bytes));
  } catch (const Json::exception&) {
    throw InvalidInput("a pass over parts of a table is none that this version knows");
  }
}

/// d numbers where a pass has any.
std::vector<double> numbers(const Json& json, std::size_t count) {
  auto read = json.get<std::vector<double>>();
  if (read.size() != count) {
    throw InvalidInput("a pass over parts of a table is of another number of columns");
  }
  return read;
}

struct KeyedPass {
  GaussianPass pass;
  ReleaseKey key;
};

/// Reads a part's records as points, block after block.
template <class Points>
class PointPart final : public SummedPart {
 public:
  PointPart(const RealColumns& columns, Points points)
      : columns_(columns), points_(std::move(points)) {}

  void add(const Source& records) override {
    NumericRows(records, columns_).visit([this](std::span<const double> rows) {
      points_.add(rows);
    });
  }
  PartSums take() override { return points_.take(); }

 private:
  const RealColumns& columns_;
  Points points_;
};

class GaussianPoints {
 public:
  GaussianPoints(const GaussianSampler& sampler, const KeyedPass& asked, std::uint64_t number)
      : part_(sampler, asked.pass, asked.key, number) {}
  void add(std::span<const double> rows) { part_.add(rows); }
  PartSums take() {
    const std::uint64_t begin = part_.begin();
    return {begin, part_.take()};
  }

 private:
  GaussianPart part_;
};

class MomentPoints {
 public:
  explicit MomentPoints(MomentSums sums) : sums_(std::move(sums)) {}
  void add(std::span<const double> rows) { sums_.add(rows); }
  PartSums take() { return {0, sums_.entries()}; }

 private:
  MomentSums sums_;
};

KeyedPass keyed_pass(const Json& json, std::size_t dimension) {
  GaussianPass pass;
  const auto kind = json.at("kind").get<unsigned>();
  if (kind > static_cast<unsigned>(GaussianPass::Kind::kRuns)) {
    throw InvalidInput("a pass over parts of a table is of no kind that this version knows");
  }
  pass.kind = static_cast<GaussianPass::Kind>(kind);
  for (const Json& part : json.at("roles")) {
    std::vector<RoleShare>& shares = pass.roles.emplace_back();
    for (std::size_t i = 0; i + 1 < part.size(); i += 2) {
      shares.push_back({part[i].get<GaussianRole>(), part[i + 1].get<std::uint64_t>()});
    }
  }
  if (pass.kind == GaussianPass::Kind::kRuns) pass.centre = numbers(json.at("centre"), dimension);
  const auto& bytes = json.at("key").get_binary();
  auto key = ReleaseKey::of_worker_bytes(std::vector<unsigned char>(bytes.begin(), bytes.end()));
  if (!key) throw InvalidInput("a pass over parts of a table has no release key");
  return {std::move(pass), *std::move(key)};
}

}  // namespace

std::string pass_bytes(const GaussianPass& pass, const ReleaseKey& key) {
  Json roles = Json::array();
  for (const auto& shares : pass.roles) {
    Json part = Json::array();
    for (const RoleShare& share : shares) {
      part.push_back(share.role);
      part.push_back(share.rows);
    }
    roles.push_back(std::move(part));
  }
  Json json = {{"kind", static_cast<unsigned>(pass.kind)},
               {"roles", std::move(roles)},
               {"centre", pass.centre}};
  json["key"] = Json::binary(key.bytes_for_workers());
  return bytes_of(json);
}

std::string pass_bytes(const MomentMeasure& measure) {
  return bytes_of({{"centre", measure.centre}, {"forward", measure.forward}});
}

std::unique_ptr<SummedPart> gaussian_part(const GaussianSampler& sampler,
                                          const RealColumns& columns, const std::string& bytes,
                                          std::uint64_t number) {
  const KeyedPass asked =
      read_pass(bytes, [&](const Json& json) { return keyed_pass(json, columns.size()); });
  return std::make_unique<PointPart<GaussianPoints>>(columns,
                                                     GaussianPoints(sampler, asked, number));
}

std::unique_ptr<SummedPart> moment_part(const MomentDesign& design, const RealColumns& columns,
                                        const std::string& bytes) {
  const std::size_t d = columns.size();
  auto measure = read_pass(bytes, [&](const Json& json) {
    return MomentMeasure{numbers(json.at("centre"), d), numbers(json.at("forward"), d * d)};
  });
  return std::make_unique<PointPart<MomentPoints>>(
      columns, MomentPoints(MomentSums(design, std::move(measure))));
}

// -----------------------------------------------------------------------------------------------
// Releases in the central model.

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
          "method central with a unit draws one record of each unit, and needs more than how many "
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
  // (tests/methods/central/design.cpp).
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
    require_single_records(data, "method gaussian");
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
    throw InvalidInput(
        "a release that protects rows needs the number of records, but none is given");
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
      "method central needs a domain of at most {} outcomes, but the product "
      "of its columns is {:.15g}: declare fewer bins or fewer columns, or release rows of one "
      "noisy model (method marginals){}",
      Domain::kMaxOutcomes, domain.product(),
      numbers ? ", or numbers that are not cut and roughly Gaussian (method gaussian)" : ""));
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
  if (spec.method == Method::kGaussianModel) {
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

// -----------------------------------------------------------------------------------------------
// Releases in the central model from one private model of a whole table.

namespace {

/// Counts of some columns of the table.
struct CountedColumns {
  CountedColumns(std::vector<std::size_t> of, std::vector<CellGroups> in)
      : columns(std::move(of)), bins(std::move(in)), counts(sizes_of(bins)) {}

  static std::vector<std::uint32_t> sizes_of(const std::vector<CellGroups>& bins) {
    std::vector<std::uint32_t> sizes;
    for (const CellGroups& column : bins) sizes.push_back(column.count);
    return sizes;
  }

  std::vector<std::size_t> columns;
  std::vector<CellGroups> bins;  ///< of each of these columns' cells: what is counted
  PairCounts counts;
};

/// The records of a table, counted as often as they are asked for.
class TableRecords {
 public:
  TableRecords(const Source& data, const Domain& domain, const std::optional<std::string>& unit,
               const std::optional<Roster>& roster, SecureRandom& random)
      : data_(data), domain_(domain) {
    if (!unit) return;
    // Of more rows than there is weight so many are drawn, one for each.
    units_.emplace(read_unit_digits(data, domain, *unit, roster, kUnitWeight, random));
    for (std::size_t one = 0; one < units_->size(); ++one) {
      if (!units_->digits(one).empty()) continue;
      for (const Column& column : domain.columns()) {
        uniform_.push_back(static_cast<std::uint32_t>(random.below(column.size())));
      }
    }
  }

  void count(std::vector<CountedColumns>& tables) const {
    if (units_) return count_units(tables);
    std::vector<PairCounter> counters;
    for (const CountedColumns& table : tables) counters.emplace_back(table.counts.sizes());
    std::vector<std::vector<std::uint32_t>> binned(domain_.columns().size());
    std::vector<std::span<const std::uint32_t>> counted;
    visit_digits(data_, domain_, [&](std::span<const std::span<const std::uint32_t>> digits) {
      for (std::size_t at = 0; at < tables.size(); ++at) {
        const CountedColumns& table = tables[at];
        counted.clear();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
          const auto of_column = digits[table.columns[i]];
          const CellGroups& bins = table.bins[i];
          if (bins.count == bins.of.size()) {  // every cell by itself
            counted.push_back(of_column);
            continue;
          }
          binned[i].clear();
          for (const std::uint32_t digit : of_column) binned[i].push_back(bins.of[digit]);
          counted.push_back(binned[i]);
        }
        counters[at].add(counted);
      }
    });
    for (std::size_t at = 0; at < tables.size(); ++at) {
      tables[at].counts = std::move(counters[at]).take();
    }
  }

 private:
  void count_units(std::vector<CountedColumns>& tables) const {
    const std::size_t columns = domain_.columns().size();
    std::vector<std::uint32_t> binned;
    std::span<const std::uint32_t> uniform = uniform_;
    for (std::size_t unit = 0; unit < units_->size(); ++unit) {
      std::span<const std::uint32_t> digits = units_->digits(unit);
      if (digits.empty()) {
        digits = uniform.first(columns);
        uniform = uniform.subspan(columns);
      }
      for (CountedColumns& table : tables) {
        binned.clear();
        for (std::size_t row = 0; row < digits.size(); row += columns) {
          for (std::size_t i = 0; i < table.columns.size(); ++i) {
            binned.push_back(table.bins[i].of[digits[row + table.columns[i]]]);
          }
        }
        table.counts.add_unit(binned, kUnitWeight);
      }
    }
  }

  const Source& data_;
  const Domain& domain_;
  std::optional<UnitRecords> units_;
  std::vector<std::uint32_t> uniform_;  // a record of each unit without rows
};

/// Every cell by itself.
std::vector<CellGroups> cells_of(const Domain& domain) {
  std::vector<CellGroups> cells;
  for (const Column& column : domain.columns()) cells.push_back(single_cells(column.size()));
  return cells;
}

/// Where every column is cut: private bins, found now, or its cells.
std::vector<CellGroups> found_bins(const MarginalDesign& design, const TableRecords& records,
                                   const MarginalBudget& budget, PartsLeft& parts,
                                   SecureRandom& random) {
  const std::vector<MarginalColumn>& columns = design.request.columns;
  std::vector<CellGroups> bins;
  std::vector<CountedColumns> fine;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    bins.push_back(single_cells(columns[i].size));
    if (columns[i].private_bins) fine.emplace_back(std::vector{i}, std::vector{bins.back()});
  }
  if (fine.empty()) return bins;
  records.count(fine);
  for (const CountedColumns& one : fine) {
    const std::size_t i = one.columns.front();
    bins[i] =
        private_bins(columns[i], one.counts.column(0), budget, design.cut_parts, parts, random);
  }
  return bins;
}

PairCounts counts_in(const TableRecords& records, std::vector<CellGroups> bins) {
  std::vector<std::size_t> all(bins.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<CountedColumns> table;
  table.emplace_back(std::move(all), std::move(bins));
  records.count(table);
  return std::move(table.front().counts);
}

std::vector<std::uint32_t> sizes_of(const Domain& domain) {
  std::vector<std::uint32_t> sizes;
  for (const Column& column : domain.columns()) sizes.push_back(column.size());
  return sizes;
}

/// Counts pairs of cells in a part of the rows.
class PairCountsPart final : public SummedPart {
 public:
  explicit PairCountsPart(const Domain& domain) : domain_(domain), counter_(sizes_of(domain)) {}

  void add(const Source& records) override {
    visit_digits(records, domain_, [this](std::span<const std::span<const std::uint32_t>> digits) {
      counter_.add(digits);
    });
  }
  PartSums take() override {
    return {0, std::exchange(counter_, PairCounter(sizes_of(domain_))).take().all()};
  }

 private:
  const Domain& domain_;
  PairCounter counter_;
};

class MarginalsRelease final : public PreparedRelease, public SummedRelease {
 public:
  /// `reference`: public records as digits that lie end to end, or nothing.
  MarginalsRelease(DesignedRelease made, Domain domain, std::optional<Roster> roster,
                   std::vector<std::uint32_t> reference)
      : PreparedRelease(std::move(made.certificate), domain),
        domain_(std::move(domain)),
        roster_(std::move(roster)),
        reference_(std::move(reference)) {}

  void require(const Source& data) const override {
    require_columns(data, domain_, certificate().spec.unit);
    require_single_records(data, "method marginals");
    // A pass finds private bins, and one counts in them; units are held.
    if (has_private_bins() && !certificate().spec.unit) data.require_repeatable();
  }

  RecordCounting counting() const override {
    throw InvalidInput(
        "method marginals needs the records themselves, so nothing of them can be counted before");
  }

  void draw(const Source& data, SecureRandom& random, Sink& sink,
            std::size_t /*threads*/) const override {
    const MarginalDesign& design = *certificate().marginals();
    const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
    const TableRecords records(data, domain_, certificate().spec.unit, roster_, random);
    PartsLeft parts;
    const std::vector<CellGroups> bins = found_bins(design, records, budget, parts, random);
    draw_from(counts_in(records, bins), bins, parts, random, sink);
  }

  void require_sums() const override {
    if (has_private_bins()) {
      throw InvalidInput(
          "private bins are found by a pass before the counts, so such a release is made where the "
          "table is");
    }
    if (!certificate().spec.unit) return;
    throw InvalidInput(
        "method marginals with a unit shares out each unit's weight among its rows, and needs more "
        "than counts of all rows");
  }

  std::unique_ptr<SummedPart> part(const std::string& /*pass*/,
                                   std::uint64_t /*number*/) const override {
    return std::make_unique<PairCountsPart>(domain_);
  }

  void draw_by(const SumUp& sum_up, SecureRandom& random, Sink& sink) const override {
    draw_from(PairCounts(sizes_of(domain_), sum_up({})), cells_of(domain_), {}, random, sink);
  }

 private:
  [[nodiscard]] bool has_private_bins() const {
    const std::vector<MarginalColumn>& columns = certificate().marginals()->request.columns;
    return std::any_of(columns.begin(), columns.end(),
                       [](const MarginalColumn& column) { return column.private_bins; });
  }

  /// `counts` are of bins; `parts` is what finding these has left.
  void draw_from(const PairCounts& counts, const std::vector<CellGroups>& bins, PartsLeft parts,
                 SecureRandom& random, Sink& sink) const {
    const MarginalDesign& design = *certificate().marginals();
    const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
    PrivateMarginals answers(counts, budget, random, parts);
    RecordedAnswers recorded(answers);
    std::optional<PairCounts> reference;
    if (!reference_.empty()) reference = reference_counts(bins);
    const MarginalModel model = without_bins(
        learn_marginals(with_bins(design, bins), recorded, reference ? &*reference : nullptr), bins,
        reference_columns());
    RecordWriter writer(domain_, sink);
    sink.take_model(released_model_text(model, domain_, design.guarantee));
    sink.take_measured(measured_pairs_json(recorded.measured(), certificate(), domain_)
                           .dump(-1, ' ', false, Json::error_handler_t::replace));
    write_rows(model, *certificate().spec.count, {}, random, writer);
    writer.finish();
  }

  /// Public records in bins.
  [[nodiscard]] PairCounts reference_counts(const std::vector<CellGroups>& bins) const {
    PairCounts counts(CountedColumns::sizes_of(bins));
    std::vector<std::uint32_t> record(bins.size());
    for (std::size_t at = 0; at < reference_.size(); at += record.size()) {
      for (std::size_t i = 0; i < record.size(); ++i) record[i] = bins[i].of[reference_[at + i]];
      counts.add(record, 1);
    }
    return counts;
  }

  /// Of each column how many public records each cell has.
  [[nodiscard]] std::vector<std::vector<double>> reference_columns() const {
    std::vector<std::vector<double>> columns;
    for (const Column& column : domain_.columns()) columns.emplace_back(column.size());
    for (std::size_t at = 0; at < reference_.size(); ++at) {
      ++columns[at % columns.size()][reference_[at]];
    }
    return columns;
  }

  Domain domain_;
  std::optional<Roster> roster_;
  std::vector<std::uint32_t> reference_;
};

}  // namespace

PairCounts exact_pair_counts(const Source& data, const Domain& domain,
                             const std::optional<std::string>& unit,
                             const std::optional<Roster>& roster, SecureRandom& random) {
  return counts_in(TableRecords(data, domain, unit, roster, random), cells_of(domain));
}

std::unique_ptr<const PreparedRelease> prepare_marginals(ReleaseSpec spec,
                                                         const PublicInputs& inputs,
                                                         std::optional<std::uint64_t> records) {
  validate_spec(spec);
  Domain domain = complete_spec(spec, inputs);
  PublicFacts facts;
  std::optional<Roster> roster;
  if (!spec.hides_count()) roster = count_records(spec, inputs, records, facts);
  DesignedRelease made = design_release(spec, facts, domain);
  const auto& reference = made.certificate.spec.reference();
  std::vector<std::uint32_t> digits;
  if (reference) digits = inputs.records(reference->name, domain);
  return std::make_unique<const MarginalsRelease>(std::move(made), std::move(domain),
                                                  std::move(roster), std::move(digits));
}

}  // namespace mollify
