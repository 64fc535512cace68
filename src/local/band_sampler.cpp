#include "local/band_sampler.h"

#include <algorithm>
#include <vector>

#include "accounting/directed_rounding.h"
#include "kernel/channel/alias_table.h"
#include "kernel/search/projection.h"

namespace mollify {
namespace {

/// The weights as k scores; outcomes out of range are passed over, repeated ones added.
std::vector<double> dense_scores(const ScoredOutcomes& p, std::size_t outcome_count) {
  std::vector<double> scores(outcome_count);
  const std::size_t count = std::min(p.outcomes.size(), p.weights.size());
  for (std::size_t j = 0; j < count; ++j) {
    if (p.outcomes[j] < outcome_count) scores[p.outcomes[j]] += p.weights[j];
  }
  return scores;
}

template <class Weight>
void draw_each(const Band& band, std::span<const Weight> weights, SecureRandom& random,
               std::span<std::uint32_t> released) {
  const std::size_t k = band.outcome_count();
  Table table(band);
  for (std::size_t row = 0; row < released.size(); ++row) {
    project(table, weights.subspan(row * k, k));
    released[row] = static_cast<std::uint32_t>(table.draw(random));
  }
}

}  // namespace

void draw_all(const Table& table, SecureRandom& random, std::span<std::uint32_t> released) {
  if (released.size() > table.band().outcome_count()) {
    const AliasTable many(table);
    for (std::uint32_t& outcome : released) {
      outcome = static_cast<std::uint32_t>(many.draw(random));
    }
    return;
  }
  for (std::uint32_t& outcome : released) outcome = static_cast<std::uint32_t>(table.draw(random));
}

void BandSampler::draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                              std::span<std::uint32_t> released) const {
  if (outcome_count() <= kDense) {
    const Table table = projected(band_, dense_scores(p, outcome_count()));
    draw_all(table, words(integers_of(table)), released);
    return;
  }
  SparseTable table(band_);
  project(table, p.outcomes, p.weights);
  SecureRandom& random = words({.outcomes = table.outcomes(), .numerators = table.numerators()});
  for (std::uint32_t& outcome : released) outcome = static_cast<std::uint32_t>(table.draw(random));
}

void BandSampler::draw_rows(std::span<const double> weights, SecureRandom& random,
                            std::span<std::uint32_t> released) const {
  draw_each(band_, weights, random, released);
}

void BandSampler::draw_rows(std::span<const float> weights, SecureRandom& random,
                            std::span<std::uint32_t> released) const {
  draw_each(band_, weights, random, released);
}

Law BandSampler::law(const ScoredOutcomes& p) const {
  if (outcome_count() <= kDense) return law_of(projected(band_, dense_scores(p, outcome_count())));
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

}  // namespace mollify
