#include "compare_marginals.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "accounting/counted.h"
#include "command.h"
#include "compare_caveats.h"
#include "compare_points.h"
#include "io/csv_source.h"
#include "io/public_files.h"
#include "kernel/core/invalid_input.h"
#include "marginals.h"
#include "marginals/marginal_error.h"
#include "marginals/pair_counter.h"
#include "marginals/private_bins.h"
#include "records/record_encoder.h"
#include "release/advice.h"
#include "release/design.h"
#include "release/marginals_release.h"

namespace mollify::cli {
namespace {

/// Counts released rows.
class PairTally final : public Sink {
 public:
  PairTally(const Domain& domain, PairCounts& counts)
      : encoder_(domain), counter_(counts.sizes()), counts_(counts) {}

  void begin(const Schema&) override {}
  void write(const Block& block) override {
    encoder_.encode(block);
    std::vector<std::span<const std::uint32_t>> digits;
    for (std::size_t i = 0; i < counts_.sizes().size(); ++i) digits.push_back(encoder_.digits(i));
    counter_.add(digits);
  }
  void finish() override { counts_ = std::move(counter_).take(); }

 private:
  RecordEncoder encoder_;
  PairCounter counter_;
  PairCounts& counts_;
};

/// Private bins are known to nobody before, and compared in as many of equal width.
Domain compared_domain(const Domain& domain) {
  std::vector<Column> columns;
  for (const Column& column : domain.columns()) {
    if (!has_private_bins(column.cells())) {
      columns.push_back(column);
      continue;
    }
    const Cells cells = [&]() -> Cells {
      if (const auto* integers = std::get_if<IntegerCells>(&column.cells())) {
        return IntegerCells::make(integers->min(), integers->max(),
                                  std::min<std::uint64_t>(integers->count(), kBinsOfRun));
      }
      const auto& numbers = std::get<NumberCells>(column.cells());
      return numbers.spike() ? NumberCells::with_spike(numbers.min(), numbers.max(), kBinsOfRun,
                                                       *numbers.spike())
                             : NumberCells::make(numbers.min(), numbers.max(), kBinsOfRun);
    }();
    columns.push_back(Column::make(column.name(), cells, column.mapping()));
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
  Certificate certificate;
};

ComparedTable simulated(ReleaseSpec spec, const std::string& data) {
  const PublicFiles inputs(data);
  const Domain declared = inputs.domain(spec.domain);
  const Domain domain = compared_domain(declared);
  const CsvSource source(data);
  const std::optional<Roster> roster = roster_of(spec, inputs);
  spec.accept_large_delta = spec.accept_error = true;  // nothing is released
  const auto asked = prepare(spec, inputs, public_count(spec, source));
  asked->require(source);
  require_countable_pairs(domain);
  SecureRandom random;
  PairCounts truth = exact_pair_counts(source, domain, spec.unit, roster, random);
  const auto column = truth.column(0);
  const std::uint64_t weight = std::accumulate(column.begin(), column.end(), std::uint64_t{0});
  if (weight == 0) refuse_nothing_to_compare(data);
  const std::uint64_t records = spec.unit ? weight / kUnitWeight : weight;
  const std::uint64_t count = std::max(spec.count.value_or(1), records);
  spec.count = count;
  const auto release = prepare(spec, inputs, public_count(spec, source));
  PairCounts released(truth.sizes());
  PairTally tally(domain, released);
  release->draw(source, random, tally, 1);
  // Private bins are found by each release, and those of this comparison are nobody's to cut finer.
  auto own = own_means(source, declared, spec.unit, roster);
  return {domain, std::move(truth), std::move(released),   records,
          count,  std::move(own),   release->certificate()};
}

Json noise_json(const MarginalDistance& distance) {
  return {{"mean", distance.mean}, {"worst", distance.worst}};
}

}  // namespace

int compare_marginals(const ReleaseSpec& spec, const std::string& data, bool json) {
  const ComparedTable table = simulated(spec, data);
  const NamedLaw truth = law_of_counts("truth", table.truth);
  const NamedLaw laws[] = {truth, law_of_counts("released", table.released),
                           law_of_independent_columns("independent", truth)};
  std::optional<MarginalError> noise;
  if (const MarginalDesign* design = table.certificate.marginals()) {
    noise = marginal_error(*design, table.records);
  }
  const CompareCaveats caveats = compare_caveats(spec, table.domain, data);
  if (json) {
    Json result{{"notice", kNotPrivate},
                {"model", name_of(spec.model)},
                {"mechanism", table.certificate.mechanism()},
                {"total", table.certificate.total.text()},
                {"records", table.records},
                {"simulated_records", table.simulated}};
    if (noise) {
      result["family"] = "marginals";
      result["expected_noise"] = {{"one_way", noise_json(noise->columns)},
                                  {"two_way", two_way_json(*noise)}};
    }
    result.update(marginals_json(table.domain, laws, table.own));
    caveats.add_to(result);
    print_json(result);
    return kSuccess;
  }
  fmt::print("{}\n{}, {}, {}; {} of one simulated release\n", kNotPrivate,
             table.certificate.mechanism(), table.certificate.total.text(),
             counted(table.records, spec.unit ? "unit" : "row"), counted(table.simulated, "row"));
  print_marginals(table.domain, laws, table.own);
  caveats.print();
  if (noise && noise->usual > 0) {
    fmt::print("\nbefore the data: {}\n", marginals_error_words(*noise));
  }
  fmt::print(
      "{}two columns of the released rows are {:.4f} from the table's in total variation, on "
      "average over pairs\n",
      within_bins(table.domain), pair_distances(table.domain, truth, laws[1]).mean);
  return kSuccess;
}

double marginals_distance(const ReleaseSpec& spec, const std::string& data) {
  const ComparedTable table = simulated(spec, data);
  return pair_distances(table.domain, law_of_counts("truth", table.truth),
                        law_of_counts("released", table.released))
      .mean;
}

}  // namespace mollify::cli
