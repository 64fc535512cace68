#include "methods/local/sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/refusal.h"
#include "kernel/search.h"
#include "methods/local/mechanism.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The one shape of every local sampler.

void LocalSampler::draw_rows(std::span<const double> weights, SecureRandom& random,
                             std::span<std::uint32_t> released) const {
  const std::size_t k = outcome_count();
  std::vector<std::uint32_t> outcomes(k);
  std::iota(outcomes.begin(), outcomes.end(), std::uint32_t{0});
  for (std::size_t row = 0; row < released.size(); ++row) {
    draw({outcomes, weights.subspan(row * k, k)}, random, released.subspan(row, 1));
  }
}

void LocalSampler::draw_rows(std::span<const float> weights, SecureRandom& random,
                             std::span<std::uint32_t> released) const {
  const std::size_t k = outcome_count();
  std::vector<double> wide(k);
  for (std::size_t row = 0; row < released.size(); ++row) {
    const auto narrow = weights.subspan(row * k, k);
    wide.assign(narrow.begin(), narrow.end());
    draw_rows(std::span<const double>(wide), random, released.subspan(row, 1));
  }
}

// -----------------------------------------------------------------------------------------------
// The local sampler of a band.

namespace {

template <class Weight>
void draw_each(const Band& band, Spare<Table>& spare, std::span<const Weight> weights,
               SecureRandom& random, std::span<std::uint32_t> released) {
  const std::size_t k = band.outcome_count();
  std::unique_ptr<Table> table = spare.take();
  for (std::size_t row = 0; row < released.size(); ++row) {
    const auto scores = weights.subspan(row * k, k);
    if (table == nullptr) {
      table = std::make_unique<Table>(projected(band, scores));
    } else {
      project(*table, scores);
    }
    released[row] = static_cast<std::uint32_t>(table->draw(random));
  }
  spare.leave(std::move(table));
}

}  // namespace

void BandSampler::draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                              std::span<std::uint32_t> released) const {
  draw_from_band(band_, p.outcomes, p.weights, words, released);
}

void BandSampler::draw_rows(std::span<const double> weights, SecureRandom& random,
                            std::span<std::uint32_t> released) const {
  draw_each(band_, spare_, weights, random, released);
}

void BandSampler::draw_rows(std::span<const float> weights, SecureRandom& random,
                            std::span<std::uint32_t> released) const {
  draw_each(band_, spare_, weights, random, released);
}

Law BandSampler::law(const ScoredOutcomes& p) const {
  if (outcome_count() <= kDense)
    return law_of(projected(band_, dense_scores(p.outcomes, p.weights, outcome_count())));
  SparseTable table(band_);
  project(table, p.outcomes, p.weights);
  return law_of(table);
}

double BandSampler::epsilon_realised_up() const {
  if (outcome_count() > kDense) {
    return ln_ratio_up(band_.bound().mantissa(), std::uint64_t{1} << band_.bound().shift());
  }
  if (band_.is_uniform()) return ln_ratio_up(band_.upper(0), band_.lower(0));
  std::uint64_t greatest = 1;
  std::uint64_t least = 1;
  for (std::size_t i = 0; i < outcome_count(); ++i) {
    if (band_.lower(i) == 0) continue;  // a structural zero is never released
    if (static_cast<uint128>(band_.upper(i)) * least >
        static_cast<uint128>(greatest) * band_.lower(i)) {
      greatest = band_.upper(i);
      least = band_.lower(i);
    }
  }
  return ln_ratio_up(greatest, least);
}

void BandSampler::for_each_public_integer(const std::function<void(uint128)>& take) const {
  take(band_.total());
  for (std::size_t i = 0; i < outcome_count(); ++i) {
    take(static_cast<uint128>(band_.upper(i)) << 64 | band_.lower(i));
  }
}

// -----------------------------------------------------------------------------------------------
// The linear local samplers.

namespace {

/// An integer for each input, in proportion to the law that represents an empty P: the one that the
/// channel leaves in place, if it is made for one.
std::uint64_t stationary(const MatrixChannel&, std::size_t) { return 1; }
std::uint64_t stationary(const RandomizedResponse&, std::size_t) { return 1; }
std::uint64_t stationary(const MixtureChannel& channel, std::size_t j) {
  return channel.reference(j);
}
std::uint64_t stationary(const StaircaseChannel& channel, std::size_t j) {
  return channel.reference(j);
}

template <class Channel>
std::vector<std::uint64_t> stationary_weights(const Channel& channel) {
  std::vector<std::uint64_t> weights(channel.input_count());
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = stationary(channel, j);
  return weights;
}

void for_each_integer(const MatrixChannel& channel, const std::function<void(uint128)>& take) {
  for (std::size_t x = 0; x < channel.input_count(); ++x) {
    for (std::size_t j = 0; j < channel.outcome_count(); ++j) take(channel.entry(x, j));
  }
}
void for_each_integer(const RandomizedResponse& channel, const std::function<void(uint128)>& take) {
  take(channel.outcome_count());
  take(channel.kept());
  take(channel.other());
}
void for_each_integer(const MixtureChannel& channel, const std::function<void(uint128)>& take) {
  take(channel.keep());
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) take(channel.reference(j));
}
void for_each_integer(const StaircaseChannel& channel, const std::function<void(uint128)>& take) {
  for (std::size_t rank = 0; rank < channel.outcome_count(); ++rank) {
    take(channel.outcome_at_rank(rank));
    take(channel.reference(channel.outcome_at_rank(rank)));
    take(channel.stop_entry(rank));
    take(channel.stay_entry(rank));
    take(channel.move_factor(rank));
  }
}

std::size_t draw_stationary(const MatrixChannel& channel, SecureRandom& random) {
  return random.below(channel.input_count());
}
std::size_t draw_stationary(const RandomizedResponse& channel, SecureRandom& random) {
  return random.below(channel.outcome_count());
}
template <class Channel>
std::size_t draw_stationary(const Channel& channel, SecureRandom& random) {
  return channel.draw_reference(random);
}

}  // namespace

template <class Channel>
void ChannelSampler<Channel>::draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                                          std::span<std::uint32_t> released) const {
  const InputWeights input(p, channel_.input_count());
  SecureRandom& random = words(input.integers());
  for (std::uint32_t& outcome : released) {
    const std::size_t value =
        input.empty() ? draw_stationary(channel_, random) : input.draw(random);
    outcome = static_cast<std::uint32_t>(channel_.draw(value, random));
  }
}

template <class Channel>
Law ChannelSampler<Channel>::law(const ScoredOutcomes& p) const {
  const InputWeights input(p, channel_.input_count());
  return law_of(channel_, input.empty() ? stationary_weights(channel_) : input.dense());
}

template <class Channel>
double ChannelSampler<Channel>::epsilon_realised_up() const {
  return greatest_column_ratio_up(channel_);
}

template <class Channel>
bool ChannelSampler<Channel>::guarantee_holds() const {
  if (guarantee_.notion == Privacy::Notion::kPure) {
    return channel_.satisfies(ExpBound(guarantee_.parameter()));
  }
  if constexpr (std::is_same_v<Channel, MixtureChannel>) {
    return is_gaussian_private(channel_, guarantee_.parameter());
  }
  return false;
}

template <class Channel>
void ChannelSampler<Channel>::for_each_public_integer(
    const std::function<void(uint128)>& take) const {
  for_each_integer(channel_, take);
}

template class ChannelSampler<MatrixChannel>;
template class ChannelSampler<RandomizedResponse>;
template class ChannelSampler<MixtureChannel>;
template class ChannelSampler<StaircaseChannel>;

// -----------------------------------------------------------------------------------------------
// The law of one release over public points, from a scorer's estimate.

void score_against_reference(const Scorer& scorer, const MixedPoints& rows,
                             std::span<const float> densities, std::span<float> scores) {
  refuse_if(!densities.empty() && densities.size() != scores.size(), "wrong-shape", "densities",
            "{} outcomes need as many densities, but there are {}", scores.size(),
            densities.size());
  scorer.score(rows, scores);
  if (!densities.empty() && !scorer.scores_are_ratios()) {
    std::transform(scores.begin(), scores.end(), densities.begin(), scores.begin(),
                   std::divides<>());
  }
}

ScoredTable::ScoredTable(const Band& band) : table_(band), scores_(band.outcome_count()) {}

void ScoredTable::assign(const Scorer& scorer, const MixedPoints& rows,
                         std::span<const float> densities) {
  score_against_reference(scorer, rows, densities, scores_);
  project(table_, scores_);
}

// -----------------------------------------------------------------------------------------------
// Where to put the band, told from public examples.

namespace {

/// Applies `combine` to each of the four divergences.
template <class Combine>
DivergenceReport combined(const DivergenceReport& a, const DivergenceReport& b, Combine combine) {
  return {combine(a.kl, b.kl), combine(a.tv, b.tv), combine(a.hellinger2, b.hellinger2),
          combine(a.chi2, b.chi2)};
}

}  // namespace

BandTuning::BandTuning(std::span<const double> floors, std::size_t outcome_count,
                       std::span<const double> reference, double epsilon)
    : sums_(floors.size()), p_(outcome_count), q_(outcome_count) {
  for (const double floor : floors) {
    bands_.push_back(make_band({.outcome_count = outcome_count,
                                .reference = reference,
                                .floor = floor,
                                .epsilon = epsilon}));
    tables_.emplace_back(bands_.back());
  }
}

void BandTuning::add(std::span<const float> scores) {
  std::transform(scores.begin(), scores.end(), p_.begin(), [](float score) {
    return score > 0 && std::isfinite(score) ? static_cast<double>(score) : 0.0;
  });
  const double sum = std::accumulate(p_.begin(), p_.end(), 0.0);
  if (!(sum > 0)) return;
  for (double& mass : p_) mass /= sum;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    project(tables_[i], p_);
    const auto numerators = tables_[i].numerators();
    const double total = static_cast<double>(bands_[i].total());
    std::transform(numerators.begin(), numerators.end(), q_.begin(),
                   [total](std::uint64_t n) { return static_cast<double>(n) / total; });
    const DivergenceReport found = divergence_report(p_, q_);
    sums_[i].mean = combined(sums_[i].mean, found, std::plus<>());
    sums_[i].worst =
        combined(sums_[i].worst, found, [](double a, double b) { return std::max(a, b); });
  }
  ++units_;
}

std::vector<BandTuning::Result> BandTuning::results() const {
  std::vector<Result> results = sums_;
  const double units = static_cast<double>(std::max<std::uint64_t>(units_, 1));
  for (Result& result : results) {
    result.mean = combined(result.mean, {}, [units](double sum, double) { return sum / units; });
  }
  return results;
}

}  // namespace mollify
