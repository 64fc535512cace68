#include <algorithm>
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

}  // namespace mollify
