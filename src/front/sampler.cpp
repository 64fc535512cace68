#include "front/sampler.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "analysis/mechanisms.h"
#include "base/json.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/spare.h"
#include "base/speech.h"
#include "base/threads.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/same_value.h"
#include "front/message.h"
#include "front/numbers.h"
#include "front/privacy.h"
#include "front/release.h"
#include "kernel/channels.h"
#include "methods/local/mechanism.h"
#include "methods/local/method.h"
#include "methods/local/tokens.h"
#include "methods/local/unit_draws.h"
#include "mollify/answers.h"
#include "mollify/distributed.h"
#include "mollify/sampler.h"
#include "records/keyed_units.h"
#include "records/tallies.h"
#include "records/units.h"
#include "release/acceptance.h"
#include "release/design.h"

namespace mollify::front {

// -----------------------------------------------------------------------------------------------
// Sampler.

class SamplerInside {
 public:
  explicit SamplerInside(const inside::MechanismParameters& parameters)
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
  mutable inside::Spare<NumberReader> readers{};

 private:
  std::string kind_;
  mutable std::once_flag hashed_{};
  mutable std::string context_{};
};

namespace {

template <class Score>
void draw_rows(const inside::LocalSampler& sampler, std::span<const Score> scores,
               std::span<std::uint32_t> released) {
  refuse_if(scores.size() / sampler.outcome_count() != released.size() ||
                scores.size() % sampler.outcome_count() != 0,
            "wrong-shape", "scores",
            "{} draws over {} outcomes need as many rows of scores, but there are {} scores",
            released.size(), sampler.outcome_count(), scores.size());
  constexpr std::size_t kScoresAtOnce = std::size_t{1} << 16U;
  const std::size_t k = sampler.outcome_count();
  const std::size_t at_once = std::max<std::size_t>(kScoresAtOnce / k, 1);
  for (std::size_t begin = 0; begin < released.size(); begin += at_once) {
    inside::keep_going();
    const std::size_t rows = std::min(at_once, released.size() - begin);
    sampler.draw_rows(scores.subspan(begin * k, rows * k), entropy(),
                      released.subspan(begin, rows));
  }
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
    refuse_if(offsets.size() != units + 1, "wrong-shape", "offsets",
              "{} units need one offset more, but there are {} offsets", units, offsets.size());
    refuse_if(!weights.empty() && weights.size() != outcomes.size(), "wrong-shape", "weights",
              "{} outcomes need as many weights, but there are {}", outcomes.size(),
              weights.size());
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
  /// The beginning and number of the unit's records.
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

/// A thread's part of draws by a key.
struct KeyedDraws {
  KeyedDraws(const inside::ReleaseKey& key, std::string_view context, std::size_t outcome_count)
      : words(key, context), tallied(outcome_count) {}
  inside::KeyedUnits words;
  Tallied tallied;
};

/// Two units of one identity and of the same records would be released alike, which reveals that
/// they are alike.
void require_distinct(std::span<const std::string_view> units) {
  inside::StringIndex known;
  inside::TextBuffer buffer;
  for (const std::string_view unit : units) known.insert(inside::id_text(unit, buffer));
  if (known.size() == units.size()) return;
  refuse_input("duplicate-value", "identities",
               "the identities of units must be distinct, but of {} only {} are", units.size(),
               known.size());
}

}  // namespace

std::vector<std::string> SamplerParameters::names_of_numbers() { return front::names_of_numbers(); }

Sampler::Sampler(const SamplerParameters& parameters)
    : Handle(std::make_shared<const Inside>(inward(parameters))) {}

std::vector<Message> draw_warnings(const SamplerParameters& parameters) {
  return outward(inside::draw_warnings(inward(parameters)));
}

Answer risk(const SamplerParameters& parameters) {
  const inside::MechanismParameters asked = inward(parameters);
  const inside::Answer found = inside::risk_answer(asked, inside::mechanism_risk(asked));
  return {inside::json_text(found.json), found.text, outward(inside::draw_warnings(asked))};
}

std::size_t Sampler::k() const noexcept { return inside_->sampler->outcome_count(); }
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

void Sampler::draw(const Numbers& scores, std::span<std::uint32_t> released) const {
  const std::size_t k = this->k();
  refuse_if(scores.width != k || scores.rows != released.size(), "wrong-shape", "scores",
            "{} draws over {} outcomes need scores of that shape, but they have the shape ({}, {})",
            released.size(), k, scores.rows, scores.width);
  if (scores.kind == Numbers::Kind::kFloat64) {
    return draw(std::span(static_cast<const double*>(scores.first), k * scores.rows), released);
  }
  if (scores.kind == Numbers::Kind::kFloat32) {
    return draw(std::span(static_cast<const float*>(scores.first), k * scores.rows), released);
  }
  std::unique_ptr<NumberReader> reader = inside_->readers.take();
  if (reader == nullptr) reader = std::make_unique<NumberReader>();
  // So many become floats at once that these stay in the processor's cache.
  constexpr std::size_t kScoresAtOnce = 8192;
  const std::size_t at_once = std::max<std::size_t>(kScoresAtOnce / k, 1);
  for (std::size_t row = 0; row < scores.rows; row += at_once) {
    const std::size_t rows = std::min(at_once, scores.rows - row);
    reader->read(scores, row, rows, [&](auto some) { draw(some, released.subspan(row, rows)); });
  }
  inside_->readers.leave(std::move(reader));
}

void Sampler::draw_units(std::span<const std::uint32_t> outcomes,
                         std::span<const std::uint64_t> offsets, std::span<const double> weights,
                         std::span<std::uint32_t> released, std::size_t threads) const {
  const UnitsOfRecords records(outcomes, offsets, weights, released.size());
  const auto make_work = [&]() -> inside::RangeWork {
    return [&, &random = entropy()](std::size_t begin, std::size_t end) {
      for (std::size_t unit = begin; unit < end; ++unit) {
        inside_->sampler->draw(records[unit], random, released.subspan(unit, 1));
      }
    };
  };
  inside::in_threads(released.size(), inside::thread_count(threads), make_work, "units");
}

void Sampler::draw_units(std::span<const std::uint32_t> outcomes,
                         std::span<const std::uint64_t> offsets, std::span<const double> weights,
                         std::span<std::uint32_t> released, const ReleaseKey& key,
                         std::span<const std::string_view> identities, std::size_t threads) const {
  refuse_if(identities.size() != released.size(), "wrong-shape", "identities",
            "{} units need as many identities, but there are {}", released.size(),
            identities.size());
  require_distinct(identities);
  const UnitsOfRecords records(outcomes, offsets, weights, released.size());
  const auto make_work = [&]() -> inside::RangeWork {
    const auto own = std::make_shared<KeyedDraws>(key.inside().key, inside_->context(),
                                                  inside_->sampler->outcome_count());
    return [&, own](std::size_t begin, std::size_t end) {
      for (std::size_t unit = begin; unit < end; ++unit) {
        const inside::ScoredOutcomes counted = own->tallied.of(records[unit]);
        inside::TextBuffer buffer;
        own->words.begin(inside::id_text(identities[unit], buffer), counted.outcomes,
                         counted.weights);
        const auto words = [&](const inside::LawIntegers& law) -> SecureRandom& {
          return own->words.of_law(law, 1);
        };
        inside_->sampler->draw_by_law(counted, words, released.subspan(unit, 1));
      }
    };
  };
  inside::in_threads(released.size(), inside::thread_count(threads), make_work, "units");
}

// -----------------------------------------------------------------------------------------------
// TokenSampler.

class TokenSamplerInside {
 public:
  /// One of those that other calls left, or a new one.
  [[nodiscard]] std::unique_ptr<inside::TokenDraw> draws() const {
    std::unique_ptr<inside::TokenDraw> left = spare.take();
    return left != nullptr ? std::move(left) : std::make_unique<inside::TokenDraw>(epsilon, top);
  }

  double epsilon;
  std::size_t top;
  mutable inside::Spare<inside::TokenDraw> spare{};
};

namespace {

/// The rows of a view as the draws take them, each valid until the next one.
class LogitRows {
 public:
  explicit LogitRows(const Numbers& numbers) : numbers_(numbers) {}

  [[nodiscard]] inside::LogitRow operator[](std::size_t row) {
    using Kind = Numbers::Kind;
    const auto* const halves =
        static_cast<const std::uint16_t*>(numbers_.first) + row * numbers_.width;
    if (numbers_.kind == Kind::kFloat16) {
      return {inside::LogitKind::kFloat16, halves, numbers_.width};
    }
    if (numbers_.kind == Kind::kBfloat16) {
      return {inside::LogitKind::kBfloat16, halves, numbers_.width};
    }
    inside::LogitRow read;
    reader_.read(numbers_, row, 1, [&](auto reals) {
      using Real = std::remove_cv_t<typename decltype(reals)::element_type>;
      constexpr auto kKind =
          std::is_same_v<Real, double> ? inside::LogitKind::kFloat64 : inside::LogitKind::kFloat32;
      read = {kKind, reals.data(), reals.size()};
    });
    return read;
  }

 private:
  Numbers numbers_;
  NumberReader reader_;
};

void require_rows(inside::TokenDraw& draws, const Numbers& open) {
  LogitRows rows(open);
  for (std::size_t row = 0; row < open.rows; ++row) draws.require_public(rows[row]);
}

}  // namespace

TokenSampler::TokenSampler(double epsilon, std::size_t top)
    : Handle(std::shared_ptr<Inside>(new Inside{epsilon, top})) {
  inside_->spare.leave(inside_->draws());  // refuses a wrong epsilon
}

void TokenSampler::check(const Numbers& open) const {
  auto draws = inside_->draws();
  require_rows(*draws, open);
  inside_->spare.leave(std::move(draws));
}

void TokenSampler::draw(const Numbers& secret, const Numbers& open,
                        std::span<std::uint32_t> released) const {
  refuse_if(secret.rows != open.rows || secret.width != open.width || released.size() != open.rows,
            "wrong-shape", "private",
            "private and public logits of {} tokens must be of one shape, but have shapes ({}, {}) "
            "and ({}, {})",
            released.size(), secret.rows, secret.width, open.rows, open.width);
  auto draws = inside_->draws();
  if (open.rows > 1) require_rows(*draws, open);  // of one alone the draw does
  LogitRows secrets(secret), opens(open);
  for (std::size_t row = 0; row < open.rows; ++row) {
    inside::keep_going();
    released[row] = draws->draw(secrets[row], opens[row], entropy());
  }
  inside_->spare.leave(std::move(draws));
}

// -----------------------------------------------------------------------------------------------
// RandomizedResponse.

class RandomizedResponseInside {
 public:
  inside::RandomizedResponse response;
};

namespace {

/// Flattened, because a draw otherwise spends half of its time on calls.
template <class Value>
[[gnu::flatten]] void draw_all(const inside::RandomizedResponse& response,
                               std::span<const Value> values, SecureRandom& random,
                               std::span<std::uint32_t> released) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    // A negative value becomes one that is greater than any k.
    const auto value = static_cast<std::size_t>(values[i]);
    released[i] = static_cast<std::uint32_t>(response.draw(value, random));
  }
}

template <class Value>
void report(const inside::RandomizedResponse& response, std::span<const Value> values,
            std::span<std::uint32_t> released) {
  refuse_if(values.size() != released.size(), "wrong-shape", "values",
            "{} reports need as many values, but there are {}", released.size(), values.size());
  constexpr std::size_t kReportsAtOnce = std::size_t{1} << 16U;
  SecureRandom& random = entropy();
  for (std::size_t begin = 0; begin < values.size(); begin += kReportsAtOnce) {
    inside::keep_going();
    const std::size_t count = std::min(kReportsAtOnce, values.size() - begin);
    draw_all(response, values.subspan(begin, count), random, released.subspan(begin, count));
  }
}

}  // namespace

RandomizedResponse::RandomizedResponse(std::size_t k, double epsilon)
    : Handle((require_outcomes(k),
              std::shared_ptr<Inside>(new Inside{inside::RandomizedResponse(k, epsilon)}))) {}

std::size_t RandomizedResponse::k() const noexcept { return inside_->response.outcome_count(); }
double RandomizedResponse::epsilon() const noexcept { return inside_->response.epsilon(); }
std::uint64_t RandomizedResponse::kept() const noexcept { return inside_->response.kept(); }
std::uint64_t RandomizedResponse::other() const noexcept { return inside_->response.other(); }
std::uint64_t RandomizedResponse::total() const noexcept { return inside_->response.total(); }

void RandomizedResponse::draw(std::span<const std::int64_t> values,
                              std::span<std::uint32_t> released) const {
  report(inside_->response, values, released);
}
void RandomizedResponse::draw(std::span<const std::int32_t> values,
                              std::span<std::uint32_t> released) const {
  report(inside_->response, values, released);
}
void RandomizedResponse::draw(std::span<const std::uint32_t> values,
                              std::span<std::uint32_t> released) const {
  report(inside_->response, values, released);
}
void RandomizedResponse::draw(std::span<const std::uint8_t> values,
                              std::span<std::uint32_t> released) const {
  report(inside_->response, values, released);
}

// -----------------------------------------------------------------------------------------------
// Distributed.

std::optional<CountedRecords> roster_counts(const PreparedRelease& prepared) {
  const inside::RecordCounting counting = prepared.inside().release->counting();
  if (counting.roster == nullptr) return std::nullopt;
  CountedRecords counted{.width = counting.by_outcome ? 1 : counting.domain->columns().size()};
  for (std::size_t unit = 0; unit < counting.roster->size(); ++unit) {
    counted.units += (*counting.roster)[unit];
    counted.unit_ends.push_back(counted.units.size());
  }
  counted.record_ends.resize(counting.roster->size());
  return counted;
}

class RecordCounterInside {
 public:
  PreparedRelease prepared;  // which the counter points into
  inside::RecordCounter counter;
};

RecordCounter::RecordCounter(const PreparedRelease& prepared)
    : Handle(std::shared_ptr<Inside>(
          new Inside{prepared, inside::RecordCounter(prepared.inside().release->counting())})) {}

void RecordCounter::add(const Source& part) { inside_->counter.add(*part.inside().records); }
bool RecordCounter::is_full() const noexcept { return inside_->counter.is_full(); }
CountedRecords RecordCounter::take() {
  inside::CountedRecords counted = inside_->counter.take();
  return {counted.width,
          std::move(counted.units),
          std::move(counted.unit_ends),
          std::move(counted.record_ends),
          std::move(counted.records),
          std::move(counted.counts)};
}

Source counted_table(const PreparedRelease& prepared, const CountedRecords& counted) {
  const inside::RecordCounting counting = prepared.inside().release->counting();
  refuse_if(static_cast<bool>(counting.unit), "not-available-here", {},
            "the counts of a table have no units");
  auto table = inside::counted_table(
      *counting.domain,
      inside::CountedRecords{.records = counted.records, .counts = counted.counts});
  const std::string column = table->columns().back();
  return Source(std::make_shared<const Source::Inside>(std::move(table))).with_counts(column);
}

namespace {

const inside::SummedRelease* summed_of(const PreparedRelease& prepared) {
  return dynamic_cast<const inside::SummedRelease*>(prepared.inside().release.get());
}

const inside::SummedRelease& required_sums(const PreparedRelease& prepared) {
  if (is_summed(prepared)) return *summed_of(prepared);
  throw InvalidInput("not-available-here",
                     "only Gaussian samples and marginals are drawn from sums over all records");
}

}  // namespace

bool is_summed(const PreparedRelease& prepared) {
  const inside::SummedRelease* const summed = summed_of(prepared);
  if (summed != nullptr) summed->require_sums();
  return summed != nullptr;
}

bool needs_order(const PreparedRelease& prepared) { return required_sums(prepared).needs_order(); }

class RecordSumsInside {
 public:
  PreparedRelease prepared;  // which the part points into
  std::unique_ptr<inside::SummedPart> part;
};

RecordSums::RecordSums(const PreparedRelease& prepared, const std::string& pass, std::uint64_t part)
    : Handle(
          std::shared_ptr<Inside>(new Inside{prepared, required_sums(prepared).part(pass, part)})) {
}

void RecordSums::add(const Source& records) { inside_->part->add(*records.inside().records); }

RecordSums::Sums RecordSums::take() {
  inside::PartSums taken = inside_->part->take();
  return {taken.begin, std::move(taken.sums)};
}

Certificate release_by_sums(
    const PreparedRelease& prepared,
    const std::function<std::vector<std::int64_t>(const std::string& pass)>& sum_up,
    const Sink& sink, const std::optional<Charging>& charging) {
  static_cast<void>(required_sums(prepared));
  std::optional<inside::Charging> charged;
  if (charging) charged.emplace(charging_of(*charging, std::nullopt));
  return finished(
      prepared,
      inside::release_by_sums(*prepared.inside().release, sum_up, sink.inside().rows(), charged),
      sink);
}

class UnitDrawsInside {
 public:
  PreparedRelease prepared;
  inside::UnitDraws draws;
};

namespace {

const inside::LocalRelease& local_of(const PreparedRelease& prepared) {
  const auto* local = dynamic_cast<const inside::LocalRelease*>(prepared.inside().release.get());
  if (local != nullptr && local->certificate().spec.unit) return *local;
  throw InvalidInput("not-available-here", "only a release of " + inside::method_words("local") +
                                               " is drawn unit by unit");
}

const std::string& same_text(const PreparedRelease& prepared, const std::string& certificate) {
  if (prepared.certificate().json() == certificate) return certificate;
  throw InvalidInput(
      "certificate-mismatch",
      "a worker must prepare the very release that it draws for, but its certificate is another "
      "one: is mollify the same version on all machines?");
}

}  // namespace

UnitDraws::UnitDraws(const PreparedRelease& prepared, const ReleaseKey& key,
                     const std::string& certificate)
    : Handle(std::shared_ptr<Inside>(
          new Inside{prepared, inside::UnitDraws(local_of(prepared), key.inside().key,
                                                 same_text(prepared, certificate))})) {}

void UnitDraws::draw(const Source& counted, bool is_last, const Sink& sink) {
  inside_->draws.draw(*counted.inside().records, is_last, sink.inside().rows());
  sink.inside().finish({});
}

std::span<const std::array<std::uint64_t, 2>> UnitDraws::places() const noexcept {
  return inside_->draws.places();
}

}  // namespace mollify::front
