#include "methods/local/release.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/threads.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/numbers.h"
#include "kernel/order.h"
#include "methods/local/method.h"
#include "methods/local/typical_band.h"
#include "methods/marginals/counts.h"
#include "records/pair_counts.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/weights.h"
#include "release/public_inputs.h"
#include "release/released_model.h"
#include "release/spec.h"
#include "scores/public_models.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What a release makes of each unit's records before the kernel bounds it.

namespace {

std::variant<Empirical, UnitTable, UnitRecords> read_estimates(const LocalRelease& release,
                                                               const Source& data,
                                                               SecureRandom& random) {
  const Domain& domain = release.space().domain();
  const auto& unit = release.certificate().spec.unit;
  if (!draws_by_scores(*release.certificate().as<LocalDesign>())) {
    if (unit) return read_units(data, domain, unit, release.roster());
    return read_table(data, domain);
  }
  if (unit) {
    return read_unit_digits(data, domain, unit, release.roster(), kMostScoredRows, random)
        .repeated(kMostScoredRows, random);
  }
  const auto [digits, weights] = read_table_digits(data, domain, kMostScoredRows, random);
  const std::size_t columns = domain.columns().size();
  UnitRecords::Builder whole(columns);
  for (auto record = digits.begin(); record != digits.end();
       record += static_cast<std::ptrdiff_t>(columns)) {
    std::copy_n(record, columns, whole.add(0).begin());
  }
  for (const std::uint64_t weight : weights) whole.weigh(weight);
  return std::move(whole).build(1).repeated(kMostScoredRows, random);
}

}  // namespace

UnitEstimates::UnitEstimates(const LocalRelease& release, const Source& data, SecureRandom& random)
    : release_(&release),
      units_(read_estimates(release, *CountedTable(data, release.certificate().spec.weights),
                            random)) {}

std::size_t UnitEstimates::size() const noexcept {
  if (const auto* table = std::get_if<UnitTable>(&units_)) return table->size();
  const auto* records = std::get_if<UnitRecords>(&units_);
  return records != nullptr ? records->size() : 1;
}

ScoredOutcomes UnitEstimates::outcomes(std::size_t unit) const noexcept {
  if (const auto* table = std::get_if<Empirical>(&units_)) {
    return {table->outcomes(), table->weights()};
  }
  const auto& table = std::get<UnitTable>(units_);
  return {table.outcomes(unit), table.weights(unit)};
}

MixedPoints UnitEstimates::rows(std::size_t unit) const {
  const ReleaseSpace& space = release_->space();
  if (std::holds_alternative<UnitRecords>(units_)) return space.layout().points(digits(unit));
  std::vector<std::uint32_t> digits;
  const ScoredOutcomes counted = outcomes(unit);
  // Steps of weight are many more than records.
  const double whole = std::accumulate(counted.weights.begin(), counted.weights.end(), 0.0);
  const double scale =
      release_->certificate().spec.weights
          ? std::fmin(1, static_cast<double>(kMostScoredRows) / std::fmax(1, whole))
          : 1;
  double weight = 0;
  for (std::size_t j = 0; j < counted.outcomes.size(); ++j) {
    const double before = std::floor(weight * scale);
    weight += counted.weights[j];
    for (double record = before; record < std::floor(weight * scale); ++record) {
      for (std::size_t i = 0; i < space.domain().columns().size(); ++i) {
        digits.push_back(space.domain().digit(counted.outcomes[j], i));
      }
    }
  }
  return space.layout().points(digits);
}

void UnitEstimates::masses(std::size_t unit, std::span<float> masses) const {
  if (const Scorer* scorer = release_->scorer()) {
    score_against_reference(*scorer, rows(unit), release_->space().densities(), masses);
    return;
  }
  std::fill(masses.begin(), masses.end(), 0.0F);
  const ScoredOutcomes counted = outcomes(unit);
  for (std::size_t j = 0; j < counted.outcomes.size(); ++j) {
    masses[counted.outcomes[j]] = static_cast<float>(counted.weights[j]);
  }
}

// -----------------------------------------------------------------------------------------------
// Releases in the local and the integral model.

namespace {

/// A band's place: its file's lower bounds, or the b for its prior.
void find_band(const ReleaseSpec& spec, const PublicInputs& inputs, const ReleaseSpace& space,
               PublicFacts& facts) {
  const auto& band = spec.own.get<LocalSpec>()->band;
  if (!band || (band->file.empty() && !band->typical)) return;
  const Privacy budget = spec.budget();
  require_placeable(*spec.own.get<LocalSpec>(), space.kind(),
                    budget.notion == PrivacyNotion::kGaussian);
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

/// The draws of all units, `draws` for each, one unit after the other.
struct DrawnOutcomes {
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint32_t> digits;  // of fresh candidates: of each outcome, 0, 1, 2, ...
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
        make_scorer(release_.certificate().as<LocalDesign>()->scorer,
                    space.layout().points(list.digits()), release_.certificate().draw.parameter());
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
                std::size_t threads) {
  struct Own {
    Own(const LocalRelease& of, const UnitEstimates& from, DrawnOutcomes& to)
        : draws(of, from, to) {}
    Draws draws;
    SecureRandom random{};
  };
  const auto make_work = [&]() -> RangeWork {
    return
        [own = std::make_shared<Own>(release, units, drawn)](std::size_t begin, std::size_t end) {
          for (std::size_t unit = begin; unit < end; ++unit) own->draws.draw(unit, own->random);
        };
  };
  // The released table has a record of each.
  in_threads(units.size(), threads, make_work, "units");
}

}  // namespace

LocalRelease::LocalRelease(DesignedRelease made, const Domain& domain, ReleaseSpace space,
                           std::optional<Roster> roster)
    : PreparedRelease(std::move(made.certificate), domain),
      space_(std::move(space)),
      roster_(std::move(roster)),
      sampler_(local_sampler(made)) {
  const LocalDesign& design = *certificate().as<LocalDesign>();
  if (draws_by_scores(design) && !space_.is_fresh()) {
    scorer_ = make_scorer(design.scorer, space_.points(), certificate().draw.parameter());
  }
}

void LocalRelease::require_table(const Source& data) const {
  require_columns(data, space_.domain(), certificate().spec.unit);
  if (draws_by_scores(*certificate().as<LocalDesign>())) {
    require_single_records(data, "a release whose records are scored");
  }
}

RecordCounting LocalRelease::counting_of_table() const {
  const auto& unit = certificate().spec.unit;
  if (!unit && draws_by_scores(*certificate().as<LocalDesign>())) {
    refuse_input("not-available-here", {},
                 "{} needs the records of the whole table in one place where they are scored, and "
                 "has only how many there are of each",
                 method_words(name_of(certificate().spec.method)));
  }
  return {&space_.domain(), space_.domain().is_enumerable(), unit, roster_ ? &*roster_ : nullptr};
}

Drawn LocalRelease::draw_table(const Source& data, SecureRandom& random, Sink& sink,
                               std::size_t threads) const {
  const std::size_t draws = *certificate().spec.count;
  const Domain& domain = space_.domain();
  const std::size_t columns = domain.columns().size();
  const UnitEstimates units(*this, data, random);
  DrawnOutcomes drawn{std::vector<std::uint32_t>(units.size() * draws), {}};
  if (space_.is_fresh()) drawn.digits.resize(drawn.outcomes.size() * columns);
  if (draws_by_scores(*certificate().as<LocalDesign>())) {
    draw_units<ScoredDraws>(*this, units, drawn, threads);
  } else {
    draw_units<OutcomeDraws>(*this, units, drawn, threads);
  }
  std::vector<std::uint32_t>& outcomes = drawn.outcomes;
  if (!roster_) shuffle(outcomes, random);
  RecordWriter writer(domain, sink, roster_ ? certificate().spec.unit : UnitColumns());
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
  return {};
}

std::unique_ptr<const LocalRelease> prepare_local(ReleaseSpec spec, const PublicInputs& inputs) {
  validate_spec(spec);
  const Domain domain = complete_spec(spec, inputs);
  LocalSpec& local = *spec.own.get<LocalSpec>();
  if (spec.method == Method::kIntegralModel) {
    throw InvalidInput(
        "not-available-here",
        method_words("integral-model") +
            " releases a model and not records of the table, which is for sample alone");
  }
  ReleaseSpace space(domain, local.space, local.reference, inputs);
  if (spec.budget().notion != PrivacyNotion::kGaussian) declare_class(local, inputs);
  PublicFacts facts{.outcomes = space.size(), .list_sha256 = space.list_sha256()};
  if (local.reference && space.kind() != SpaceKind::kCandidates) {
    const Empirical counts = reference_counts(*local.reference, space.domain(), inputs);
    facts.reference.emplace();
    for (std::size_t j = 0; j < counts.outcomes().size(); ++j) {
      facts.reference->emplace_back(counts.outcomes()[j], counts.counts()[j]);
    }
  }
  if (local.channel) facts.channel = inputs.channel(local.channel->name, space.size());
  find_band(spec, inputs, space, facts);
  std::optional<Roster> roster = roster_of(spec, inputs);
  if (roster) facts.units = roster->size();
  return std::make_unique<const LocalRelease>(design_release(spec, facts, domain), domain,
                                              std::move(space), std::move(roster));
}

// -----------------------------------------------------------------------------------------------
// Releases of one public model under integral privacy, and rows of it.

namespace {

/// How many records of the table's distribution a likelihood is taken of: the more, the more the
/// nearest models alone are at the band's upper edge. Public, so that a table's size does not
/// count.
constexpr double kLikelihoodRecords = 256;
/// A model's mean log-likelihood is not taken to be less.
constexpr double kLeastLogarithm = -64;

/// As a graphical model: a potential for each column given its parent.
MarginalModel marginal_model_of(const std::vector<std::uint32_t>& sizes,
                                const PublicModels::Model& model) {
  std::vector<MarginalModel::ColumnModel> columns;
  std::vector<GraphicalModel::Potential> potentials;
  const double* share = model.shares.data();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    columns.push_back({single_cells(sizes[i]), std::vector<double>(sizes[i], 1)});
    GraphicalModel::Potential& potential = potentials.emplace_back();
    const std::size_t parent = model.parents[i];
    const std::size_t runs = parent == PublicModels::kNoParent ? 1 : sizes[parent];
    potential.values.resize(runs * sizes[i]);
    // A clique's columns ascend, and the last one's cells are next to each other.
    const bool is_last = parent == PublicModels::kNoParent || parent < i;
    for (std::size_t run = 0; run < runs; ++run) {
      for (std::size_t cell = 0; cell < sizes[i]; ++cell) {
        potential.values[is_last ? run * sizes[i] + cell : cell * runs + run] = std::log(*share++);
      }
    }
    if (parent == PublicModels::kNoParent) {
      potential.clique = {i};
    } else {
      potential.clique = {std::min(parent, i), std::max(parent, i)};
    }
  }
  return {std::move(columns), GraphicalModel(sizes, 1, std::move(potentials))};
}

/// How often a table's columns have each cell; for trees its pairs of columns too.
class TableCounts {
 public:
  TableCounts(const std::vector<std::uint32_t>& sizes, bool with_pairs) : sizes_(sizes) {
    if (with_pairs) counter_.emplace(sizes);
    for (const std::uint32_t size : sizes) columns_.emplace_back(size);
  }

  void add(std::span<const std::span<const std::uint32_t>> digits) {
    for (std::size_t i = 0; i < digits.size(); ++i) {
      for (const std::uint32_t digit : digits[i]) ++columns_[i][digit];
    }
    if (counter_) counter_->add(digits);
    records_ += digits[0].size();
  }
  /// Comes after the last of them.
  void finish() {
    if (counter_) pairs_ = std::move(*counter_).take();
  }

  /// The mean of the records' log-likelihoods under a model; 0 of a table without records.
  [[nodiscard]] double mean_logarithm(const PublicModels::Model& model) const {
    double sum = 0;
    const double* share = model.shares.data();
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const std::size_t parent = model.parents[i];
      const std::size_t runs = parent == PublicModels::kNoParent ? 1 : sizes_[parent];
      for (std::size_t run = 0; run < runs; ++run) {
        for (std::size_t cell = 0; cell < sizes_[i]; ++cell, ++share) {
          const std::uint64_t count = parent == PublicModels::kNoParent
                                          ? columns_[i][cell]
                                          : pair_count(parent, run, i, cell);
          if (count > 0) sum += static_cast<double>(count) * std::log(*share);
        }
      }
    }
    return records_ > 0 ? sum / static_cast<double>(records_) : 0;
  }

 private:
  [[nodiscard]] std::uint64_t pair_count(std::size_t parent, std::size_t run, std::size_t column,
                                         std::size_t cell) const {
    return parent < column ? pairs_->pair(parent, column)[run * sizes_[column] + cell]
                           : pairs_->pair(column, parent)[cell * sizes_[parent] + run];
  }

  const std::vector<std::uint32_t>& sizes_;
  std::vector<std::vector<std::uint64_t>> columns_;
  std::optional<PairCounter> counter_;
  std::optional<PairCounts> pairs_;
  std::uint64_t records_ = 0;
};

void require_pairs(const Domain& domain, const std::vector<std::uint32_t>& sizes) {
  if (PairCounts::are_few(sizes)) return;
  refuse_input("too-much-work", "domain", {WayOut::declare("bins"), WayOut::leave("trees")},
               "trees take at most {} cells of all pairs of columns together, but there are {}; {}",
               PairCounts::kMostCells, PairCounts::cells(sizes),
               domain.fewer_bins(&PairCounts::are_few));
}

class ModelsRelease final : public PreparedRelease {
 public:
  ModelsRelease(DesignedRelease made, Domain domain, PublicModels models,
                std::vector<Message> warnings)
      : PreparedRelease(std::move(made.certificate), domain, std::move(warnings)),
        domain_(std::move(domain)),
        models_(std::move(models)),
        sampler_(local_sampler(made)) {}

  void require_table(const Source& data) const override {
    require_columns(data, domain_);
    require_single_records(data, method_words("integral-model"));
  }

  RecordCounting counting_of_table() const override {
    throw InvalidInput(
        "not-available-here",
        method_words("integral-model") +
            " needs how often each column has each value, and is released where the table is");
  }

  Drawn draw_table(const Source& data, SecureRandom& random, Sink& sink,
                   std::size_t /*threads*/) const override {
    std::uint32_t index = 0;
    sampler_->draw_rows(likelihoods(data), random, std::span(&index, 1));
    // From here on all is made of the index.
    const MarginalModel model = marginal_model_of(models_.columns(), models_.model(index));
    RecordWriter writer(domain_, sink);
    write_rows(model, *certificate().spec.count, {}, random, writer);
    writer.finish();
    return {.model = released_model_text(model, domain_, certificate().total)};
  }

 private:
  /// Up to a factor. The kernel's table keeps its band whatever they are.
  std::vector<double> likelihoods(const Source& data) const {
    const bool trees = certificate().spec.own.get<LocalSpec>()->space.trees;
    TableCounts table(models_.columns(), trees);
    visit_digits(data, domain_,
                 [&](std::span<const std::span<const std::uint32_t>> digits,
                     std::span<const std::uint64_t> /*weights*/) { table.add(digits); });
    table.finish();
    std::vector<double> scores(models_.size());
    models_.visit([&](std::uint64_t index, const PublicModels::Model& model) {
      scores[index] = std::max(kLeastLogarithm, table.mean_logarithm(model));
    });
    const double most = *std::max_element(scores.begin(), scores.end());
    for (double& score : scores) score = std::exp(kLikelihoodRecords * (score - most));
    return scores;
  }

  Domain domain_;
  PublicModels models_;
  HeldLocalSampler sampler_;
};

}  // namespace

std::string ModelsOutlook::words(std::uint64_t models) const {
  return fmt::format(
      "if likelihoods tell models apart, the one released is among the {} likeliest of {} with "
      "probability {:.4g}",
      best, models, probability);
}

ModelsOutlook models_outlook(std::uint64_t models, double floor, double epsilon) {
  // f of all models at floor e^epsilon and the rest at floor sum to 1.
  const double most = same_exp(epsilon);
  const double share = most > 1 ? (1 - floor) / (floor * (most - 1)) : 1;
  ModelsOutlook outlook;
  const double best = std::ceil(share * static_cast<double>(models));
  outlook.best = static_cast<std::uint64_t>(std::clamp(best, 1.0, static_cast<double>(models)));
  const double of_best = static_cast<double>(outlook.best) / static_cast<double>(models);
  // The last of the best may be below its upper bound: what all others have at most is their floor.
  outlook.probability =
      std::clamp(std::min(of_best * floor * most, 1 - (1 - of_best) * floor), 0.0, 1.0);
  return outlook;
}

ModelsOutlook models_outlook(const Certificate& certificate) {
  return models_outlook(certificate.facts.outcomes, *certificate.as<LocalDesign>()->floor,
                        certificate.draw.epsilon);
}

Message models_message(const ReleaseError& error) {
  return {
      .code = "mostly-noise",
      .verdict = fmt::format("the released model is {} a table ({:.3g}) than the records it was "
                             "drawn around ({:.3g})",
                             error.error < error.reference ? "hardly nearer to" : "farther from",
                             error.error, error.reference),
      .reason = error_words(error),
      .clauses = {fmt::format("a larger {} lessens it", flag_words("epsilon"))},
      .remedy = {.told = {WayOut::set("epsilon")}},
      .severity = Severity::kNoise,
      .quantities = error.quantities()};
}

PublicModels judged_models(const Domain& domain, std::uint64_t count,
                           std::span<const std::uint32_t> reference) {
  constexpr std::uint64_t kMostModels = 1024, kFewestModels = 16;
  constexpr std::uint64_t kMostJudgedShares = kFewestModels * PublicModels::kMostCells;
  std::uint64_t cells = 0;
  for (const Column& column : domain.columns()) cells += column.size();
  const std::uint64_t judged = std::clamp(kMostJudgedShares / cells, kFewestModels, kMostModels);
  return {domain, std::min(count, judged), ModelShapes::kProducts, reference};
}

namespace {

/// How many of the judged models stand for private tables.
constexpr std::size_t kMostJudgedTables = 48;

}  // namespace

ReleaseError models_error(const PublicModels& models, std::uint64_t of_all,
                          const ModelsOutlook& outlook) {
  std::vector<std::vector<double>> shares;
  models.visit(
      [&](std::uint64_t, const PublicModels::Model& model) { shares.push_back(model.shares); });
  ReleaseError error{.kind = "expected error of a column of the released model",
                     .of_reference = models.has_reference() ? "that of the public records alone"
                                                            : "that of uniform records alone"};
  if (of_all <= kMostJudgedTables) return error;
  const std::size_t tables =
      shares.size() > kMostJudgedTables ? kMostJudgedTables : shares.size() / 2;
  const auto columns = static_cast<double>(models.columns().size());
  const auto distance = [&](const std::vector<double>& one, const std::vector<double>& other) {
    double sum = 0;
    for (std::size_t i = 0; i < one.size(); ++i) sum += std::abs(one[i] - other[i]);
    return sum / (2 * columns);
  };
  std::vector<double> middle(shares.front().size());
  for (const std::vector<double>& one : shares) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      middle[i] += one[i] / static_cast<double>(shares.size());
    }
  }
  const double share = static_cast<double>(outlook.best) / static_cast<double>(of_all);
  for (std::size_t table = 0; table < tables; ++table) {
    std::vector<double> distances;
    for (std::size_t i = tables; i < shares.size(); ++i) {
      distances.push_back(distance(shares[i], shares[table]));
    }
    std::sort(distances.begin(), distances.end());
    const auto all = static_cast<double>(distances.size());
    const double best = std::clamp(std::ceil(share * all), 1.0, all);
    const auto end = distances.begin() + static_cast<std::ptrdiff_t>(best);
    const double nearest = std::accumulate(distances.begin(), end, 0.0) / best;
    const double others =
        best < all ? std::accumulate(end, distances.end(), 0.0) / (all - best) : nearest;
    error.error += outlook.probability * nearest + (1 - outlook.probability) * others;
    error.reference += distance(middle, shares[table]);
  }
  error.error /= static_cast<double>(tables);
  error.reference /= static_cast<double>(tables);
  return error;
}

std::vector<double> models_nulls(const PublicModels& models, const Domain& domain,
                                 std::uint64_t of_all, const ModelsOutlook& outlook) {
  const std::vector<Column>& columns = domain.columns();
  const auto can_be_null = [](const Column& column) {
    return column.mapping().null_is_category && column.size() > 1;
  };
  std::vector<double> nulls(columns.size());
  if (std::none_of(columns.begin(), columns.end(), can_be_null)) return nulls;
  std::vector<std::vector<double>> shares, logarithms;
  models.visit([&](std::uint64_t, const PublicModels::Model& model) {
    shares.push_back(model.shares);
    for (double& share : logarithms.emplace_back(model.shares)) share = std::log(share);
  });
  if (shares.size() < 2) return nulls;
  // A column's nulls are the last of its cells.
  std::vector<std::size_t> ends;
  for (const Column& column : columns)
    ends.push_back((ends.empty() ? 0 : ends.back()) + column.size());
  const double of_best = static_cast<double>(outlook.best) / static_cast<double>(of_all);
  const std::size_t tables = std::min(kMostJudgedTables, shares.size());
  for (std::size_t table = 0; table < tables; ++table) {
    std::vector<double> data = shares[table];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!can_be_null(columns[i])) continue;
      const auto end = data.begin() + static_cast<std::ptrdiff_t>(ends[i]);
      const double left = 1 - std::exchange(end[-1], 0.0);
      std::for_each(end - columns[i].size(), end, [left](double& share) { share /= left; });
    }
    // A table's likelihoods, which the release goes by, and not its distances.
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (i == table) continue;
      others.emplace_back(std::inner_product(data.begin(), data.end(), logarithms[i].begin(), 0.0),
                          i);
    }
    std::sort(others.begin(), others.end(), std::greater<>());
    const auto all = static_cast<double>(others.size());
    const double best = std::clamp(std::ceil(of_best * all), 1.0, all);
    for (std::size_t rank = 0; rank < others.size(); ++rank) {
      const double weight = static_cast<double>(rank) < best
                                ? outlook.probability / best
                                : (1 - outlook.probability) / (all - best);
      const std::vector<double>& model = shares[others[rank].second];
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (can_be_null(columns[i])) nulls[i] += weight * model[ends[i] - 1];
      }
    }
  }
  for (double& share : nulls) share /= static_cast<double>(tables);
  return nulls;
}

std::unique_ptr<const PreparedRelease> prepare_models(ReleaseSpec spec,
                                                      const PublicInputs& inputs) {
  validate_spec(spec);
  Domain domain = complete_spec(spec, inputs);
  const LocalSpec& local = *spec.own.get<LocalSpec>();
  const ReleaseSpace space(domain, local.space, std::nullopt, inputs);
  const ModelShapes shapes = model_shapes(local.space);
  const std::vector<std::uint32_t> reference = local.reference
                                                   ? inputs.records(local.reference->name, domain)
                                                   : std::vector<std::uint32_t>();
  PublicModels models(domain, space.size(), shapes, reference);
  if (shapes == ModelShapes::kProductsAndTrees) require_pairs(domain, models.columns());
  const PublicFacts facts{.outcomes = space.size(), .list_sha256 = models.sha256()};
  DesignedRelease made = design_release(spec, facts, domain);
  const ReleaseError error = models_error(judged_models(domain, models.size(), reference),
                                          models.size(), models_outlook(made.certificate));
  std::vector<Message> warnings;
  if (error.is_mostly_noise()) warnings.push_back(models_message(error));
  return std::make_unique<const ModelsRelease>(std::move(made), std::move(domain),
                                               std::move(models), std::move(warnings));
}

}  // namespace mollify
