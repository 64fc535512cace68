#include "mollify/sampler.h"

#include <algorithm>

#include <fmt/format.h>

#include "front/entropy.h"
#include "front/privacy.h"
#include "kernel/core/invalid_input.h"
#include "local/mechanism.h"

namespace mollify::front {

class Sampler::Inside {
 public:
  std::unique_ptr<const inside::LocalSampler> sampler;
};

namespace {

inside::Mechanism mechanism_of(const std::string& name) {
  if (const auto mechanism = inside::named<inside::Mechanism>(name)) return *mechanism;
  throw InvalidInput(fmt::format("mechanism must be one of {}, but is \"{}\"",
                                 inside::all_names<inside::Mechanism>(), name));
}

template <class Score>
void draw_rows(const inside::LocalSampler& sampler, std::span<const Score> scores,
               std::span<std::uint32_t> released) {
  if (scores.size() / sampler.outcome_count() != released.size() ||
      scores.size() % sampler.outcome_count() != 0) {
    throw InvalidInput(
        fmt::format("{} draws over {} outcomes need as many rows of scores, but "
                    "there are {} scores",
                    released.size(), sampler.outcome_count(), scores.size()));
  }
  sampler.draw_rows(scores, entropy(), released);
}

template <class Score>
std::uint32_t draw_one(const inside::LocalSampler& sampler, std::span<const Score> scores) {
  std::uint32_t released = 0;
  draw_rows(sampler, scores, {&released, 1});
  return released;
}

}  // namespace

Sampler::Sampler(const SamplerParameters& parameters)
    : inside_(std::make_shared<const Inside>(
          Inside{inside::make_sampler({.mechanism = mechanism_of(parameters.mechanism),
                                       .outcome_count = parameters.outcomes,
                                       .reference = parameters.reference,
                                       .epsilon = parameters.epsilon,
                                       .mu = parameters.mu,
                                       .c1 = parameters.c1,
                                       .c2 = parameters.c2,
                                       .gamma = parameters.gamma,
                                       .location = parameters.location})})) {}

std::size_t Sampler::outcomes() const noexcept { return inside_->sampler->outcome_count(); }
Privacy Sampler::guarantee() const { return outward(inside_->sampler->guarantee()); }
double Sampler::epsilon_realised_up() const { return inside_->sampler->epsilon_realised_up(); }

std::uint32_t Sampler::draw(std::span<const double> scores) const {
  return draw_one(*inside_->sampler, scores);
}

std::uint32_t Sampler::draw(std::span<const float> scores) const {
  return draw_one(*inside_->sampler, scores);
}

void Sampler::draw(std::span<const double> scores, std::span<std::uint32_t> released) const {
  draw_rows(*inside_->sampler, scores, released);
}

void Sampler::draw(std::span<const float> scores, std::span<std::uint32_t> released) const {
  draw_rows(*inside_->sampler, scores, released);
}

void Sampler::draw_units(std::span<const std::uint32_t> outcomes,
                         std::span<const std::uint64_t> offsets, std::span<const double> weights,
                         std::span<std::uint32_t> released) const {
  if (offsets.size() != released.size() + 1) {
    throw InvalidInput(fmt::format("{} units need one offset more, but there are {} offsets",
                                   released.size(), offsets.size()));
  }
  if (!weights.empty() && weights.size() != outcomes.size()) {
    throw InvalidInput(fmt::format("{} outcomes need as many weights, but there are {}",
                                   outcomes.size(), weights.size()));
  }
  std::vector<double> ones;
  for (std::size_t unit = 0; unit < released.size(); ++unit) {
    const std::size_t begin = std::min<std::uint64_t>(offsets[unit], outcomes.size());
    const std::size_t end = std::clamp<std::uint64_t>(offsets[unit + 1], begin, outcomes.size());
    const std::size_t count = end - begin;
    if (weights.empty() && ones.size() < count) ones.resize(count, 1.0);
    const std::span<const double> counted = weights.empty()
                                                ? std::span<const double>(ones).first(count)
                                                : weights.subspan(begin, count);
    inside_->sampler->draw({outcomes.subspan(begin, count), counted}, entropy(),
                           released.subspan(unit, 1));
  }
}

}  // namespace mollify::front
