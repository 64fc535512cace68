#include "mollify/sampler.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "accounting/nearest_name.h"
#include "front/entropy.h"
#include "front/privacy.h"
#include "front/release_key.h"
#include "kernel/core/invalid_input.h"
#include "local/mechanism.h"
#include "records/in_threads.h"
#include "records/keyed_units.h"
#include "release/design.h"
#include "space/string_index.h"

namespace mollify::front {

class Sampler::Inside {
 public:
  explicit Inside(const inside::MechanismParameters& parameters)
      : sampler(inside::make_sampler(parameters)),
        kind_(sampler->band() != nullptr ? "band" : inside::name_of(parameters.mechanism)) {}

  /// What keyed draws hash of the sampler: the integers that it draws by, and what these are
  /// integers of. Parameters that make the same integers are the same here. O(k), once.
  [[nodiscard]] const std::string& context() const {
    std::call_once(hashed_, [&] {
      context_ = fmt::format("sampler {} {}", kind_, inside::integers_sha256(*sampler));
    });
    return context_;
  }

  const std::unique_ptr<const inside::LocalSampler> sampler;

 private:
  std::string kind_;
  mutable std::once_flag hashed_{};
  mutable std::string context_{};
};

namespace {

inside::Mechanism mechanism_of(const std::string& name) {
  if (const auto mechanism = inside::named<inside::Mechanism>(name)) return *mechanism;
  std::vector<std::string> known;
  for (const auto& one : inside::names<inside::Mechanism>()) known.emplace_back(one.name);
  inside::refuse_name("mechanism", "one of " + inside::all_names<inside::Mechanism>(), name, known);
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

/// The records of each unit, of arrays that may be out of order.
class UnitsOfRecords {
 public:
  UnitsOfRecords(std::span<const std::uint32_t> outcomes, std::span<const std::uint64_t> offsets,
                 std::span<const double> weights, std::size_t units)
      : outcomes_(outcomes), offsets_(offsets), weights_(weights) {
    if (offsets.size() != units + 1) {
      throw InvalidInput(fmt::format("{} units need one offset more, but there are {} offsets",
                                     units, offsets.size()));
    }
    if (!weights.empty() && weights.size() != outcomes.size()) {
      throw InvalidInput(fmt::format("{} outcomes need as many weights, but there are {}",
                                     outcomes.size(), weights.size()));
    }
    if (!weights.empty()) return;
    std::size_t most = 0;
    for (std::size_t unit = 0; unit < units; ++unit) most = std::max(most, range(unit).second);
    ones_.assign(most, 1.0);
  }

  [[nodiscard]] inside::ScoredOutcomes operator[](std::size_t unit) const {
    const auto [begin, count] = range(unit);
    return {outcomes_.subspan(begin, count), weights_.empty()
                                                 ? std::span<const double>(ones_).first(count)
                                                 : weights_.subspan(begin, count)};
  }

 private:
  /// Where the unit's records begin, and how many there are.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(std::size_t unit) const {
    const std::size_t begin = std::min<std::uint64_t>(offsets_[unit], outcomes_.size());
    const std::size_t end = std::clamp<std::uint64_t>(offsets_[unit + 1], begin, outcomes_.size());
    return {begin, end - begin};
  }

  std::span<const std::uint32_t> outcomes_;
  std::span<const std::uint64_t> offsets_;
  std::span<const double> weights_;
  std::vector<double> ones_;  // as many as a unit has records, where none has a weight
};

/// A unit's records in the one form that all ways to list them have: distinct outcomes, ascending,
/// each with a positive weight.
class Tallied {
 public:
  explicit Tallied(std::size_t outcome_count) : outcome_count_(outcome_count) {}

  /// Valid until the next call.
  [[nodiscard]] inside::ScoredOutcomes of(const inside::ScoredOutcomes& records) {
    sorted_.clear();
    for (std::size_t i = 0; i < records.outcomes.size(); ++i) {
      if (records.outcomes[i] < outcome_count_ && records.weights[i] > 0) {
        sorted_.emplace_back(records.outcomes[i], records.weights[i]);
      }
    }
    // Weights of one outcome are added in one order, for sums of doubles depend on it.
    if (!std::is_sorted(sorted_.begin(), sorted_.end())) std::sort(sorted_.begin(), sorted_.end());
    outcomes_.clear();
    weights_.clear();
    for (const auto& [outcome, weight] : sorted_) {
      if (outcomes_.empty() || outcomes_.back() != outcome) {
        outcomes_.push_back(outcome);
        weights_.push_back(weight);
      } else {
        weights_.back() += weight;
      }
    }
    return {outcomes_, weights_};
  }

 private:
  std::size_t outcome_count_;
  std::vector<std::pair<std::uint32_t, double>> sorted_;
  std::vector<std::uint32_t> outcomes_;
  std::vector<double> weights_;
};

/// What a thread needs to draw by a key.
struct KeyedDraws {
  KeyedDraws(const inside::ReleaseKey& key, std::string_view context, std::size_t outcome_count)
      : words(key, context), tallied(outcome_count) {}
  inside::KeyedUnits words;
  Tallied tallied;
};

/// Two units of one identity and of the same records would be released alike, which tells that
/// they are alike.
void require_distinct(std::span<const std::string_view> units) {
  inside::StringIndex known;
  for (const std::string_view unit : units) known.insert(unit);
  if (known.size() == units.size()) return;
  throw InvalidInput(fmt::format("the identities of units must be distinct, but of {} only {} are",
                                 units.size(), known.size()));
}

}  // namespace

Sampler::Sampler(const SamplerParameters& parameters)
    : inside_(std::make_shared<const Inside>(
          inside::MechanismParameters{.mechanism = mechanism_of(parameters.mechanism),
                                      .outcome_count = parameters.outcomes,
                                      .reference = parameters.reference,
                                      .epsilon = parameters.epsilon,
                                      .mu = parameters.mu,
                                      .c1 = parameters.c1,
                                      .c2 = parameters.c2,
                                      .gamma = parameters.gamma,
                                      .location = parameters.location})) {}

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
                         std::span<std::uint32_t> released, std::size_t threads) const {
  const UnitsOfRecords records(outcomes, offsets, weights, released.size());
  inside::in_threads(released.size(), inside::thread_count(threads), [&]() -> inside::RangeWork {
    return [&, &random = entropy()](std::size_t begin, std::size_t end) {
      for (std::size_t unit = begin; unit < end; ++unit) {
        inside_->sampler->draw(records[unit], random, released.subspan(unit, 1));
      }
    };
  });
}

void Sampler::draw_units(std::span<const std::uint32_t> outcomes,
                         std::span<const std::uint64_t> offsets, std::span<const double> weights,
                         std::span<std::uint32_t> released, const ReleaseKey& key,
                         std::span<const std::string_view> units, std::size_t threads) const {
  if (units.size() != released.size()) {
    throw InvalidInput(fmt::format("{} units need as many identities, but there are {}",
                                   released.size(), units.size()));
  }
  require_distinct(units);
  const UnitsOfRecords records(outcomes, offsets, weights, released.size());
  inside::in_threads(released.size(), inside::thread_count(threads), [&]() -> inside::RangeWork {
    const auto own = std::make_shared<KeyedDraws>(key.inside().key, inside_->context(),
                                                  inside_->sampler->outcome_count());
    return [&, own](std::size_t begin, std::size_t end) {
      for (std::size_t unit = begin; unit < end; ++unit) {
        const inside::ScoredOutcomes counted = own->tallied.of(records[unit]);
        own->words.begin(units[unit], counted.outcomes, counted.weights);
        const auto words = [&](const inside::LawIntegers& law) -> SecureRandom& {
          return own->words.of_law(law, 1);
        };
        inside_->sampler->draw_by_law(counted, words, released.subspan(unit, 1));
      }
    };
  });
}

}  // namespace mollify::front
