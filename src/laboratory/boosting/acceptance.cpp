#include "laboratory/boosting/acceptance.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernel/core/invalid_input.h"
#include "kernel/core/uniform_below.h"
#include "kernel/core/wide.h"

namespace mollify {
namespace {

/// Half of an epsilon that is in the range of two ExpBounds; refuses others under their own name.
double half_of(double epsilon) {
  if (!std::isfinite(epsilon) || epsilon < 2 * ExpBound::kLeastEpsilon) {
    throw InvalidInput(
        "epsilon of one draw by rejection must be finite and at least 2e-06, but is " +
        detail::shortest(epsilon));
  }
  return epsilon / 2;
}

/// One integer for every proposal, accepted or not.
template <WordSource Source>
std::size_t first_accepted(const Acceptance& acceptance, std::span<const double> scores,
                           Source& random) {
  if (scores.size() != acceptance.proposals()) {
    throw InvalidInput("rejection among " + std::to_string(acceptance.proposals()) +
                       " proposals needs as many scores, but has " + std::to_string(scores.size()));
  }
  std::size_t chosen = scores.size();
  const UniformBelow uniform(acceptance.upper());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool accepted = uniform(random) < acceptance.numerator(scores[i]);
    chosen = std::min(chosen, accepted ? i : scores.size());
  }
  return chosen;
}

}  // namespace

Acceptance::Acceptance(double epsilon, std::size_t proposals, std::uint64_t total)
    : bound_(half_of(epsilon)),
      epsilon_(std::min(epsilon, 2 * ExpBound::kGreatestEpsilon)),
      proposals_(proposals),
      lower_(0),
      upper_(0) {
  require_between("the number of proposals", proposals, 1, kMostProposals);
  if (total < 1 || total > kGreatestTotal) {
    throw InvalidInput("the total must be from 1 to 2^62, but is " + std::to_string(total));
  }
  const uint128 share = (static_cast<uint128>(total) << bound_.shift()) / bound_.mantissa();
  lower_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  upper_ = bound_.times_floor(lower_, total);
}

std::uint64_t Acceptance::numerator(double score) const {
  if (!(score > 0)) return lower_;
  if (score >= 1) return upper_;
  const double scaled = score * static_cast<double>(upper_);
  return std::clamp(static_cast<std::uint64_t>(scaled), lower_, upper_);
}

std::size_t Acceptance::draw(std::span<const double> scores, SecureRandom& random) const {
  return first_accepted(*this, scores, random);
}

std::size_t Acceptance::simulate(std::span<const double> scores, SeededRandom& random) const {
  return first_accepted(*this, scores, random);
}

}  // namespace mollify
