#include "release/local_release.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/shuffle.h"
#include "local/band_sampler.h"
#include "local/scored_table.h"
#include "records/in_threads.h"
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

/// What was drawn for all units, `draws` for each, one unit after the other.
struct DrawnOutcomes {
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint32_t> digits;  // of fresh candidates: those of each outcome, 0, 1, 2, ...
};

/// Draws for one unit after another by scores.
class ScoredDraws {
 public:
  ScoredDraws(const LocalRelease& release, const UnitEstimates& units, DrawnOutcomes& drawn)
      : release_(release), units_(units), drawn_(drawn), scored_(*release.sampler().band()) {}

  void draw(std::size_t unit, SecureRandom& random) {
    const std::size_t draws = *release_.certificate().spec.count;
    const auto outcomes = std::span(drawn_.outcomes).subspan(unit * draws, draws);
    const ReleaseSpace& space = release_.space();
    if (!space.is_fresh()) {
      scored_.assign(*release_.scorer(), units_.rows(unit), space.densities());
      draw_all(scored_.table(), random, outcomes);
      return;
    }
    const Candidates list = space.fresh_candidates(random);
    const auto scorer =
        make_scorer(release_.certificate().local()->scorer, space.layout().points(list.digits()),
                    release_.certificate().draw.parameter());
    scored_.assign(*scorer, units_.rows(unit), list.densities());
    draw_all(scored_.table(), random, outcomes);
    for (std::size_t i = 0; i < draws; ++i) {
      const std::size_t place = unit * draws + i;
      const auto record = list[outcomes[i]];
      std::copy(record.begin(), record.end(),
                drawn_.digits.begin() + static_cast<std::ptrdiff_t>(place * list.columns()));
      outcomes[i] = static_cast<std::uint32_t>(place);
    }
  }

 private:
  const LocalRelease& release_;
  const UnitEstimates& units_;
  DrawnOutcomes& drawn_;
  ScoredTable scored_;
};

/// Draws for one unit after another by the sampler on outcomes.
class OutcomeDraws {
 public:
  OutcomeDraws(const LocalRelease& release, const UnitEstimates& units, DrawnOutcomes& drawn)
      : release_(release), units_(units), drawn_(drawn) {}

  void draw(std::size_t unit, SecureRandom& random) {
    const std::size_t draws = *release_.certificate().spec.count;
    release_.sampler().draw(units_.outcomes(unit), random,
                            std::span(drawn_.outcomes).subspan(unit * draws, draws));
  }

 private:
  const LocalRelease& release_;
  const UnitEstimates& units_;
  DrawnOutcomes& drawn_;
};

/// By threads, each with words and memory of its own.
template <class Draws>
void draw_units(const LocalRelease& release, const UnitEstimates& units, DrawnOutcomes& drawn,
                std::size_t threads, Sink& sink) {
  struct Own {
    Own(const LocalRelease& of, const UnitEstimates& from, DrawnOutcomes& to)
        : draws(of, from, to) {}
    Draws draws;
    SecureRandom random{};
  };
  std::atomic<std::size_t> done = 0;
  std::mutex telling;
  in_threads(units.size(), threads, [&]() -> RangeWork {
    return [&, own = std::make_shared<Own>(release, units, drawn)](std::size_t begin,
                                                                   std::size_t end) {
      for (std::size_t unit = begin; unit < end; ++unit) {
        own->draws.draw(unit, own->random);
        const std::size_t so_far = ++done;
        if (const std::unique_lock lock(telling, std::try_to_lock); lock) {
          sink.drawn(so_far, units.size());
        }
      }
    };
  });
}

}  // namespace

LocalRelease::LocalRelease(DesignedRelease made, const Domain& domain, ReleaseSpace space,
                           std::optional<Roster> roster)
    : PreparedRelease(std::move(made.certificate), domain),
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
  if (draws_by_scores(*certificate().local())) {
    require_single_records(data, "a release whose records are scored");
  }
}

RecordCounting LocalRelease::counting() const {
  const auto& unit = certificate().spec.unit;
  if (!unit && draws_by_scores(*certificate().local())) {
    throw InvalidInput(fmt::format(
        "model {} needs the records of the whole table in one place where they are scored, and has "
        "only how many there are of each",
        name_of(certificate().spec.model)));
  }
  return {&space_.domain(), space_.domain().is_enumerable(), unit, roster_ ? &*roster_ : nullptr};
}

void LocalRelease::draw(const Source& data, SecureRandom& random, Sink& sink,
                        std::size_t threads) const {
  const std::size_t draws = *certificate().spec.count;
  const Domain& domain = space_.domain();
  const std::size_t columns = domain.columns().size();
  const UnitEstimates units(*this, data, random);
  DrawnOutcomes drawn{std::vector<std::uint32_t>(units.size() * draws), {}};
  if (space_.is_fresh()) drawn.digits.resize(drawn.outcomes.size() * columns);
  if (draws_by_scores(*certificate().local())) {
    draw_units<ScoredDraws>(*this, units, drawn, threads, sink);
  } else {
    draw_units<OutcomeDraws>(*this, units, drawn, threads, sink);
  }
  std::vector<std::uint32_t>& outcomes = drawn.outcomes;
  if (!roster_) shuffle(outcomes, random);
  RecordWriter writer(domain, sink, roster_ ? certificate().spec.unit : std::nullopt);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::uint32_t outcome = outcomes[i];
    const std::string_view id = roster_ ? (*roster_)[i / draws] : std::string_view();
    if (space_.is_fresh()) {
      writer.write_digits(std::span(drawn.digits).subspan(outcome * columns, columns), random, id);
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
  if (spec.shares_model()) {
    throw InvalidInput(
        "space models releases a model and not records of the table, which is for sample alone");
  }
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
  std::optional<Roster> roster = roster_of(spec, inputs);
  if (roster) facts.units = roster->size();
  return std::make_unique<const LocalRelease>(design_release(spec, facts, domain), domain,
                                              std::move(space), std::move(roster));
}

}  // namespace mollify
