#include "release/local_release.h"

#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/shuffle.h"
#include "local/band_sampler.h"
#include "local/scored_table.h"
#include "records/private_table.h"
#include "records/record_writer.h"
#include "release/spec_json.h"
#include "release/unit_estimates.h"
#include "tuning/typical_band.h"

namespace mollify {
namespace {

/// What a band is placed by: its file's lower bounds, or the b for its prior.
void find_band(const ReleaseSpec& spec, const PublicInputs& inputs, const ReleaseSpace& space,
               PublicFacts& facts) {
  const auto& band = spec.local()->band;
  if (!band || (band->file.empty() && !band->typical)) return;
  const Privacy budget = spec.budget();
  if (budget.notion == PrivacyNotion::kGaussian) {
    throw InvalidInput(
        fmt::format("band {} needs an epsilon, but the budget is in mu", to_text(*band)));
  }
  const double epsilon = draw_budget_down(budget, *spec.count).epsilon;
  if (band->typical) {
    facts.location =
        typical_location(static_cast<std::size_t>(space.size()), epsilon, *band->typical);
    return;
  }
  PublicBand found = inputs.band(band->file);
  require_band_fits(found, band->file, epsilon, space.size());
  facts.lower_bounds = std::move(found.lower);
}

/// Draws by scores, a unit after the other.
class ScoredDraws {
 public:
  ScoredDraws(const LocalRelease& release, const Band& band, std::size_t draws)
      : release_(release), draws_(draws), scored_(band) {}

  void draw(const UnitEstimates& units, std::size_t unit, SecureRandom& random) {
    outcomes_.resize(outcomes_.size() + draws_);
    const std::span<std::uint32_t> drawn = std::span(outcomes_).last(draws_);
    const ReleaseSpace& space = release_.space();
    if (!space.is_fresh()) {
      scored_.assign(*release_.scorer(), units.rows(unit), space.densities());
      draw_all(scored_.table(), random, drawn);
      return;
    }
    const Candidates list = space.fresh_candidates(random);
    const auto scorer =
        make_scorer(release_.certificate().local()->scorer, space.layout().points(list.digits()),
                    release_.certificate().draw.parameter());
    scored_.assign(*scorer, units.rows(unit), list.densities());
    draw_all(scored_.table(), random, drawn);
    for (std::uint32_t& outcome : drawn) {
      const auto record = list[outcome];
      outcome = static_cast<std::uint32_t>(digits_.size() / list.columns());
      digits_.insert(digits_.end(), record.begin(), record.end());
    }
  }

  std::vector<std::uint32_t> take_outcomes() { return std::move(outcomes_); }
  /// Of fresh candidates: those of each outcome, which are then 0, 1, 2, ...
  std::vector<std::uint32_t> take_digits() { return std::move(digits_); }

 private:
  const LocalRelease& release_;
  std::size_t draws_;
  ScoredTable scored_;
  std::vector<std::uint32_t> outcomes_;
  std::vector<std::uint32_t> digits_;
};

}  // namespace

LocalRelease::LocalRelease(DesignedRelease made, ReleaseSpace space,
                           std::optional<StringIndex> roster)
    : PreparedRelease(std::move(made.certificate)),
      space_(std::move(space)),
      roster_(std::move(roster)),
      sampler_(std::move(made.local)) {
  const LocalDesign& design = *certificate().local();
  if (draws_by_scores(design) && !space_.is_fresh()) {
    scorer_ = make_scorer(design.scorer, space_.points(), certificate().draw.parameter());
  }
}

void LocalRelease::require(const Source& data) const {
  require_columns(data, space_.domain(), certificate().spec.unit);
}

void LocalRelease::draw(const Source& data, SecureRandom& random, Sink& sink) const {
  const std::size_t draws = *certificate().spec.count;
  const UnitEstimates units(*this, data, random);
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint32_t> fresh;
  if (draws_by_scores(*certificate().local())) {
    ScoredDraws drawn(*this, *sampler_->band(), draws);
    for (std::size_t unit = 0; unit < units.size(); ++unit) drawn.draw(units, unit, random);
    outcomes = drawn.take_outcomes();
    fresh = drawn.take_digits();
  } else {
    outcomes.resize(units.size() * draws);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      sampler_->draw(units.outcomes(unit), random,
                     std::span(outcomes).subspan(unit * draws, draws));
    }
  }
  if (!roster_) shuffle(outcomes, random);

  const Domain& domain = space_.domain();
  const std::size_t columns = domain.columns().size();
  RecordWriter writer(domain, sink, roster_ ? certificate().spec.unit : std::nullopt);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::uint32_t outcome = outcomes[i];
    const std::string_view id = roster_ ? (*roster_)[i / draws] : std::string_view();
    if (space_.is_fresh()) {
      writer.write_digits(std::span(fresh).subspan(outcome * columns, columns), random, id);
    } else if (space_.candidates()) {
      writer.write_digits((*space_.candidates())[outcome], random, id);
    } else {
      writer.write_outcome(outcome, random, id);
    }
  }
  writer.finish();
}

std::unique_ptr<const LocalRelease> prepare_local(ReleaseSpec spec, const PublicInputs& inputs) {
  validate_spec(spec);
  const Domain domain = complete_spec(spec, inputs);
  const LocalSpec& local = *spec.local();
  ReleaseSpace space(domain, local.space, local.reference, inputs);
  PublicFacts facts{.outcomes = space.size(), .list_sha256 = space.list_sha256()};
  if (local.reference && space.kind() != SpaceKind::kCandidates) {
    const Empirical records =
        counted_outcomes(inputs.records(local.reference->name, space.domain()), space.domain());
    facts.reference.emplace();
    for (std::size_t j = 0; j < records.outcomes().size(); ++j) {
      facts.reference->emplace_back(records.outcomes()[j], records.counts()[j]);
    }
  }
  find_band(spec, inputs, space, facts);
  std::optional<StringIndex> roster;
  if (spec.roster) {
    roster = inputs.roster(spec.roster->name, spec.units_column.value_or(*spec.unit));
    facts.units = roster->size();
  }
  return std::make_unique<const LocalRelease>(design_release(spec, facts, domain), std::move(space),
                                              std::move(roster));
}

}  // namespace mollify
