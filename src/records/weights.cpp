#include "records/weights.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What is public about weights.

namespace {

/// The nearest double, so that a step of 0.01 is the number that tables hold.
double number_of(const Decimal& decimal) {
  const std::string text = decimal.text();
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void require_at_most(const char* flag, const Decimal& value, const Decimal& greatest) {
  if (value <= greatest) return;
  refuse_input("out-of-range", flag, {WayOut::set(flag), WayOut::set("greatest-weight")},
               quantities_of(number_of(value), {.most = number_of(greatest)}),
               "{} must be at most the greatest weight, {}, but is {}", flag_words(flag),
               words_of(greatest), words_of(value));
}

}  // namespace

void WeightColumn::validate() const {
  constexpr double kLeast = 1e-9;
  constexpr double kMost = 1e12;
  require_in({.least = kLeast, .most = kMost}, {flag_words("greatest-weight"), "greatest-weight"},
             most());
  require_at_most("invalid-weight", invalid, greatest);
  require_at_most("mean-weight", mean, greatest);
  require_at_most("weight-step", step, greatest);
  if (!step.is_zero() && step * Decimal(static_cast<double>(kMostSteps)) < greatest) {
    const double least = most() / static_cast<double>(kMostSteps);
    refuse_input("out-of-range", "weight-step", {WayOut::set("weight-step")},
                 quantities_of(number_of(step), {.least = least}),
                 "{} must be at least the greatest weight over {}, {:g}, but is {}",
                 flag_words("weight-step"), kMostSteps, least, words_of(step));
  }
  const Decimal whole = exact_step() * Decimal(static_cast<double>(steps()));
  if ((whole <=> greatest) == 0) return;
  refuse_input("out-of-range", "greatest-weight",
               {WayOut::set("greatest-weight"), WayOut::set("weight-step")},
               "{} must be a multiple of the step of weights, {}, but is {}: {} would be one",
               flag_words("greatest-weight"), words_of(exact_step()), words_of(greatest),
               words_of(whole));
}

double WeightColumn::most() const { return number_of(greatest); }

Decimal WeightColumn::exact_step() const {
  if (!step.is_zero()) return step;
  // By comparisons of decimals, so that every machine finds the same power.
  constexpr int kMostPower = 12;
  for (int power = kMostPower;; --power) {
    Decimal one = Decimal::parse(fmt::format("1e{}", power), "step");
    if (one * Decimal(1000) <= greatest || power == -kMostPower) return one;
  }
}

double WeightColumn::grid() const { return number_of(exact_step()); }

std::uint64_t WeightColumn::steps() const {
  const double steps = std::round(most() / grid());
  return static_cast<std::uint64_t>(std::clamp(steps, 1.0, static_cast<double>(kMostSteps)));
}

double WeightColumn::supposed_mean() const {
  return mean.is_zero() ? std::fmin(1, most() / 2) : number_of(mean);
}

std::string WeightColumn::supposition() const {
  return fmt::format(", if the mean weight is {:g}", supposed_mean());
}

std::uint64_t WeightColumn::effective(std::uint64_t rows) const {
  const double of_greatest = static_cast<double>(rows) * std::fmin(1, supposed_mean() / most());
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(of_greatest));
}

std::optional<double> read_weight(const Value& value) noexcept {
  const std::optional<double> number = read_nonnegative(value);
  if (!number || std::isfinite(*number)) return number;
  // Digits state a finite number, which no double holds: 1e999.
  const auto* const text = std::get_if<std::string_view>(&value);
  if (text == nullptr || text->find_first_of("123456789") == std::string_view::npos)
    return std::nullopt;
  return std::numeric_limits<double>::max();
}

// -----------------------------------------------------------------------------------------------
// A table whose rows have weights.

WeightedSource::WeightedSource(const Source& table, WeightColumn weights)
    : AmountSource(table),
      weights_(std::move(weights)),
      place_(table.position(weights_.column, kStatesWeights)),
      most_(weights_.steps()),
      grid_(weights_.grid()),
      invalid_(number_of(weights_.invalid)) {
  if (table.holds_lists(place_)) {
    throw InvalidInput(
        "unsupported-type",
        fmt::format("column \"{}\" of {} must hold the weight of each row, but holds "
                    "lists, so that a row counts several times",
                    weights_.column, table.name()),
        Concern::of_column(weights_.column));
  }
  if (!table.has_counts()) return;
  refuse_both("weights", "counts-column",
              ": a row with a weight is one record, and a row with a count is several");
}

std::uint64_t WeightedSource::steps_of(const Value& value) const noexcept {
  const double weight = read_weight(value).value_or(invalid_);
  const double steps = std::round(weight / grid_);
  return steps < static_cast<double>(most_) ? static_cast<std::uint64_t>(steps) : most_;
}

std::vector<std::size_t> WeightedSource::with_weights(std::span<const std::size_t> wanted) const {
  std::vector<std::size_t> all(wanted.begin(), wanted.end());
  all.push_back(place_);
  return all;
}

namespace {

/// Hands blocks on with the weights of their rows.
class Weigher {
 public:
  explicit Weigher(const WeightedSource& source) : source_(source) {}

  [[nodiscard]] Block weigh(const Block& block) {
    const Values& said = block.columns.back();
    weights_.resize(block.rows);
    for (std::size_t row = 0; row < block.rows; ++row) weights_[row] = source_.steps_of(said[row]);
    return {block.rows, block.columns.first(block.columns.size() - 1), {}, weights_};
  }
  /// The block that was weighed last, again.
  [[nodiscard]] Block again(const Block& block) const {
    return {block.rows, block.columns.first(block.columns.size() - 1), {}, weights_};
  }

 private:
  const WeightedSource& source_;
  std::vector<std::uint64_t> weights_;
};

class WeighingWorker final : public BlockWorker {
 public:
  WeighingWorker(const WeightedSource& source, std::unique_ptr<BlockWorker> worker)
      : weigher_(source), worker_(std::move(worker)) {}
  void work(const Block& block) override { worker_->work(weigher_.weigh(block)); }
  [[nodiscard]] bool takes() const noexcept override { return worker_->takes(); }
  void take(const Block& block) override { worker_->take(weigher_.again(block)); }

 private:
  Weigher weigher_;
  std::unique_ptr<BlockWorker> worker_;
};

}  // namespace

void WeightedSource::visit(std::span<const std::size_t> wanted,
                           const std::function<void(const Block&)>& take) const {
  Weigher weigher(*this);
  table().visit(with_weights(wanted), [&](const Block& block) { take(weigher.weigh(block)); });
}

void WeightedSource::visit_by(
    std::span<const std::size_t> wanted,
    const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const {
  table().visit_by(with_weights(wanted), [&]() -> std::unique_ptr<BlockWorker> {
    return std::make_unique<WeighingWorker>(*this, make_worker());
  });
}

CountedTable::CountedTable(const Source& table, const std::optional<WeightColumn>& weights)
    : table_(table) {
  if (weights && !table.weights()) weighted_.emplace(table, *weights);
}

std::vector<std::uint64_t> bounded_weights(std::span<const std::uint64_t> weights,
                                           std::uint64_t most) {
  std::vector<std::uint64_t> bounded(weights.begin(), weights.end());
  uint128 sum = 0;
  for (const std::uint64_t weight : weights) sum += weight;
  if (sum <= most) return bounded;
  uint128 so_far = 0;
  std::uint64_t before = 0;
  for (std::uint64_t& weight : bounded) {
    so_far += weight;
    const auto now = static_cast<std::uint64_t>(so_far * most / sum);
    weight = now - before;
    before = now;
  }
  return bounded;
}

}  // namespace mollify
