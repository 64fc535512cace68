#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "analysis/estimate.h"
#include "base/refusal.h"
#include "methods/central/samplers.h"
#include "methods/local/sampler.h"

namespace mollify {

LinearLaw::LinearLaw(const RandomizedResponse& response)
    : kept_(static_cast<double>(response.kept() - response.other()) /
            static_cast<double>(response.total())),
      replaced_(response.outcome_count(),
                static_cast<double>(response.other()) / static_cast<double>(response.total())) {
  settle();
}

std::optional<LinearLaw> LinearLaw::of(const LocalSampler& sampler) {
  if (const auto* response = dynamic_cast<const ChannelSampler<RandomizedResponse>*>(&sampler)) {
    return LinearLaw(response->channel());
  }
  LinearLaw law;
  law.replaced_.resize(sampler.outcome_count());
  if (const auto* mixture = dynamic_cast<const ChannelSampler<MixtureChannel>*>(&sampler)) {
    const MixtureChannel& channel = mixture->channel();
    law.kept_ =
        static_cast<double>(channel.keep()) / static_cast<double>(MixtureChannel::kKeepTotal);
    const auto whole = static_cast<double>(channel.reference_total());
    for (std::size_t j = 0; j < law.replaced_.size(); ++j) {
      law.replaced_[j] = (1 - law.kept_) * (static_cast<double>(channel.reference(j)) / whole);
    }
  } else if (const auto* staircase =
                 dynamic_cast<const ChannelSampler<StaircaseChannel>*>(&sampler)) {
    const StaircaseChannel& channel = staircase->channel();
    const auto whole = static_cast<double>(channel.total());
    for (std::size_t rank = 0; rank < law.replaced_.size(); ++rank) {
      const std::size_t outcome = channel.outcome_at_rank(rank);
      law.steps_.push_back({.outcome = outcome,
                            .stop = static_cast<double>(channel.stop_entry(rank)) / whole,
                            .stay = static_cast<double>(channel.stay_entry(rank)) / whole,
                            .move = static_cast<double>(channel.move_factor(rank)) / whole,
                            .weight = static_cast<double>(channel.reference(outcome))});
    }
  } else {
    return std::nullopt;
  }
  law.settle();
  return law;
}

void LinearLaw::settle() {
  // The only outcome there is: the matrix is 1 whatever its parts are.
  if (replaced_.size() == 1) {
    kept_ = 1;
    replaced_[0] = 0;
    steps_.clear();
  }
  constexpr double kLeast = 1e-12;
  const bool keeps =
      is_mixture() ? kept_ > kLeast
                   : std::all_of(steps_.begin(), steps_.end() - 1,
                                 [](const Step& s) { return s.stay - s.stop > kLeast * s.stay; });
  refuse_if(!keeps, "not-for-this-release", {},
            "the mechanism keeps less than 1e-12 of the private data, so nothing can be estimated");
}

std::vector<double> LinearLaw::released(std::span<const double> p) const {
  std::vector<double> q(p.size());
  if (is_mixture()) {
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (std::size_t j = 0; j < q.size(); ++j) q[j] = kept_ * p[j] + replaced_[j] * sum;
    return q;
  }
  double beyond = std::accumulate(p.begin(), p.end(), 0.0);
  double moved = 0;
  double all = 0;
  for (const Step& s : steps_) {
    beyond -= p[s.outcome];
    q[s.outcome] = s.stop * std::max(beyond, 0.0) + s.stay * p[s.outcome] + s.weight * moved;
    moved += s.move * p[s.outcome];
    all += q[s.outcome];
  }
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  q[steps_.back().outcome] += sum - all;
  return q;
}

std::vector<double> LinearLaw::expected(std::span<const double> u) const {
  std::vector<double> result(u.size());
  if (is_mixture()) {
    const double replaced = std::inner_product(u.begin(), u.end(), replaced_.begin(), 0.0);
    for (std::size_t j = 0; j < u.size(); ++j) result[j] = kept_ * u[j] + replaced;
    return result;
  }
  double after = 0;   // sum of g u over the ranks after
  double weight = 0;  // and of g
  for (auto s = steps_.rbegin(); s != steps_.rend(); ++s) {
    // The rest of the row goes to the last rank, as in `released`.
    const double own = s->stay * u[s->outcome] + s->move * after;
    result[s->outcome] = own;
    after += s->weight * u[s->outcome];
    weight += s->weight;
  }
  double stopped = 0;
  double given = 0;
  double left = weight;
  const double last = u[steps_.back().outcome];
  for (const Step& s : steps_) {
    left -= s.weight;
    const double row = given + s.stay + s.move * std::max(left, 0.0);
    result[s.outcome] += stopped + (1 - row) * last;
    stopped += s.stop * u[s.outcome];
    given += s.stop;
  }
  return result;
}

std::vector<double> LinearLaw::unbiased(std::span<const double> q) const {
  std::vector<double> p(q.size());
  if (is_mixture()) {
    for (std::size_t j = 0; j < p.size(); ++j) p[j] = (q[j] - replaced_[j]) / kept_;
    return p;
  }
  double before = 0;
  double moved = 0;
  for (std::size_t rank = 0; rank + 1 < steps_.size(); ++rank) {
    const Step& s = steps_[rank];
    const double own =
        (q[s.outcome] - s.stop * (1 - before) - s.weight * moved) / (s.stay - s.stop);
    p[s.outcome] = own;
    before += own;
    moved += s.move * own;
  }
  p[steps_.back().outcome] = 1 - before;
  return p;
}

std::vector<double> LinearLaw::report_weights(std::span<const double> v) const {
  std::vector<double> w(v.size());
  if (is_mixture()) {
    const double offset = std::inner_product(v.begin(), v.end(), replaced_.begin(), 0.0);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = (v[j] - offset) / kept_;
    return w;
  }
  // `unbiased` backwards: how much the sum moves with each q, and with what stood before each rank.
  double by_before = -v[steps_.back().outcome];
  double by_moved = 0;
  double constant = v[steps_.back().outcome];
  for (std::size_t rank = steps_.size() - 1; rank-- > 0;) {
    const Step& s = steps_[rank];
    const double by_own = (v[s.outcome] + by_before + s.move * by_moved) / (s.stay - s.stop);
    w[s.outcome] = by_own;
    constant -= by_own * s.stop;
    by_before += by_own * s.stop;
    by_moved -= by_own * s.weight;
  }
  // A constant is one that every report counts.
  for (double& weight : w) weight += constant;
  return w;
}

void LinearLaw::rename(std::span<const std::uint32_t> outcomes) {
  std::vector<double> renamed(replaced_.size());
  for (std::size_t j = 0; j < renamed.size(); ++j) renamed[outcomes[j]] = replaced_[j];
  replaced_ = std::move(renamed);
  for (Step& step : steps_) step.outcome = outcomes[step.outcome];
}

// -----------------------------------------------------------------------------------------------
// Estimates that are distributions.

namespace {

/// max(r_j, s_j / t) summing to one: outcomes by descending s / r are above their r, as many as
/// that leaves consistent.
std::vector<double> filled(const LinearLaw& law, std::span<const double> shares) {
  const std::size_t k = shares.size();
  std::vector<std::size_t> order(k);
  for (std::size_t j = 0; j < k; ++j) order[j] = j;
  // By s_a r_b > s_b r_a, which no zero r spoils.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return shares[a] * law.replaced(b) > shares[b] * law.replaced(a);
  });
  double share = 0;
  double floor = 0;  // r of those that are not above it
  for (std::size_t j = 0; j < k; ++j) floor += law.replaced(j);
  double t = 1;
  for (const std::size_t j : order) {
    const double next_share = share + shares[j];
    const double next_floor = floor - law.replaced(j);
    const double next_t = next_share / (1 - next_floor);
    if (!(shares[j] > next_t * law.replaced(j))) break;
    share = next_share;
    floor = next_floor;
    t = next_t;
  }
  std::vector<double> q(k);
  for (std::size_t j = 0; j < k; ++j) q[j] = std::max(law.replaced(j), shares[j] / t);
  return q;
}

}  // namespace

std::vector<double> projected_on_simplex(std::vector<double> masses) {
  std::vector<double> sorted = masses;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double shift = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const double next = (sum - 1) / static_cast<double>(j + 1);
    if (!(sorted[j] > next)) break;
    shift = next;
  }
  for (double& mass : masses) mass = std::max(0.0, mass - shift);
  return masses;
}

LikelihoodFit maximum_likelihood(const LinearLaw& law, std::span<const double> shares,
                                 double draws) {
  const std::size_t k = shares.size();
  if (law.is_mixture()) {
    std::vector<double> p = filled(law, shares);
    for (std::size_t j = 0; j < k; ++j) {
      p[j] = std::max(0.0, (p[j] - law.replaced(j)) / law.kept());
    }
    return {std::move(p), 0};
  }
  constexpr int kMostSteps = 100'000;
  constexpr double kGap = 1e-6;
  LikelihoodFit fit{std::vector<double>(k, 1 / static_cast<double>(k)), 0};
  std::vector<double> u(k);
  for (int step = 0;; ++step) {
    const std::vector<double> q = law.released(fit.p);
    for (std::size_t j = 0; j < k; ++j) u[j] = shares[j] > 0 ? shares[j] / q[j] : 0;
    const std::vector<double> factor = law.expected(u);
    fit.gap_up = draws * std::max(0.0, *std::max_element(factor.begin(), factor.end()) - 1);
    if (fit.gap_up < kGap || step == kMostSteps) return fit;
    double sum = 0;
    for (std::size_t x = 0; x < k; ++x) sum += fit.p[x] *= factor[x];
    for (double& mass : fit.p) mass /= sum;
  }
}

}  // namespace mollify
