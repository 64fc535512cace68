#include "release/marginals_release.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "kernel/core/invalid_input.h"
#include "marginals/marginal_learner.h"
#include "records/private_table.h"
#include "records/record_writer.h"
#include "release/acceptance.h"
#include "release/central_release.h"
#include "release/design.h"
#include "release/released_model.h"
#include "release/spec_json.h"
#include "release/summed_release.h"

namespace mollify {
namespace {

PairCounts no_counts(const Domain& domain) {
  std::vector<std::uint32_t> sizes;
  for (const Column& column : domain.columns()) sizes.push_back(column.size());
  return PairCounts(std::move(sizes));
}

PairCounts count_units(const Source& data, const Domain& domain, const std::string& unit_column,
                       const std::optional<StringIndex>& roster, SecureRandom& random) {
  PairCounts counts = no_counts(domain);
  // Of more rows than there is weight so many are drawn, one for each.
  const UnitRecords units =
      read_unit_digits(data, domain, unit_column, roster, kUnitWeight, random);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const auto digits = units.digits(unit);
    if (!digits.empty()) {
      counts.add_unit(digits, kUnitWeight);
      continue;
    }
    std::vector<std::uint32_t> drawn(domain.columns().size());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      drawn[i] = static_cast<std::uint32_t>(random.below(domain.columns()[i].size()));
    }
    counts.add(drawn, kUnitWeight);
  }
  return counts;
}

/// Counts pairs of cells in a part of the rows.
class PairCountsPart final : public SummedPart {
 public:
  explicit PairCountsPart(const Domain& domain) : domain_(domain), counts_(no_counts(domain)) {}

  void add(const Source& records) override {
    visit_digits(records, domain_, [this](std::span<const std::span<const std::uint32_t>> digits) {
      counts_.add(digits);
    });
  }
  PartSums take() override { return {0, std::exchange(counts_, no_counts(domain_)).all()}; }

 private:
  const Domain& domain_;
  PairCounts counts_;
};

class MarginalsRelease final : public PreparedRelease, public SummedRelease {
 public:
  MarginalsRelease(DesignedRelease made, Domain domain, std::optional<StringIndex> roster)
      : PreparedRelease(std::move(made.certificate)),
        domain_(std::move(domain)),
        roster_(std::move(roster)) {}

  void require(const Source& data) const override {
    require_columns(data, domain_, certificate().spec.unit);
    require_single_records(data, "family marginals");
  }

  RecordCounting counting() const override {
    throw InvalidInput(
        "family marginals needs the records themselves, so nothing of them can be counted before");
  }

  void draw(const Source& data, SecureRandom& random, Sink& sink,
            std::size_t /*threads*/) const override {
    draw_from(exact_pair_counts(data, domain_, certificate().spec.unit, roster_, random), random,
              sink);
  }

  void require_sums() const override {
    if (!certificate().spec.unit) return;
    throw InvalidInput(
        "family marginals with a unit shares out each unit's weight among its rows, and needs more "
        "than counts of all rows");
  }

  std::unique_ptr<SummedPart> part(const std::string& /*pass*/,
                                   std::uint64_t /*number*/) const override {
    return std::make_unique<PairCountsPart>(domain_);
  }

  void draw_by(const SumUp& sum_up, SecureRandom& random, Sink& sink) const override {
    draw_from(PairCounts(no_counts(domain_).sizes(), sum_up({})), random, sink);
  }

 private:
  void draw_from(const PairCounts& counts, SecureRandom& random, Sink& sink) const {
    const MarginalDesign& design = *certificate().marginals();
    const MarginalBudget budget(design.request.budget, design.request.unit);
    PrivateMarginals answers(counts, budget, random);
    const MarginalModel model = learn_marginals(design, answers);
    RecordWriter writer(domain_, sink);
    sink.take_model(released_model_text(model, domain_, design.guarantee));
    write_rows(model, *certificate().spec.count, {}, random, writer);
    writer.finish();
  }

  Domain domain_;
  std::optional<StringIndex> roster_;
};

}  // namespace

PairCounts exact_pair_counts(const Source& data, const Domain& domain,
                             const std::optional<std::string>& unit,
                             const std::optional<StringIndex>& roster, SecureRandom& random) {
  if (unit) return count_units(data, domain, *unit, roster, random);
  PairCounts counts = no_counts(domain);
  visit_digits(data, domain,
               [&](std::span<const std::span<const std::uint32_t>> digits) { counts.add(digits); });
  return counts;
}

std::unique_ptr<const PreparedRelease> prepare_marginals(ReleaseSpec spec,
                                                         const PublicInputs& inputs,
                                                         std::optional<std::uint64_t> records) {
  validate_spec(spec);
  Domain domain = complete_spec(spec, inputs);
  PublicFacts facts;
  std::optional<StringIndex> roster;
  if (!spec.hides_count()) roster = count_records(spec, inputs, records, facts);
  DesignedRelease made = design_release(spec, facts, domain);
  require_acceptable(made.certificate);
  return std::make_unique<const MarginalsRelease>(std::move(made), std::move(domain),
                                                  std::move(roster));
}

}  // namespace mollify
