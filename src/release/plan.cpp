#include "release/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/directed_rounding.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "release/acceptance.h"
#include "release/method.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How many records, outcomes or outputs, how much budget or accuracy.

namespace {

constexpr double kLeastDelta = 1e-100;
/// The greatest share of 1/n for a delta that is looked for: it must be below 1/n.
constexpr double kLargestShare = 0.999999;

/// A budget is rounded down from what was typed; the next double is not below that.
double typed_delta_up(const PlanQuestion& question) {
  const double delta = question.budget.delta;
  return delta > 0 ? std::nextafter(delta, 1) : 0;
}

/// One mechanism's total variation as a function of the unknown.
class PlanSearch {
 public:
  PlanSearch(const PlanModel& model, std::size_t mechanism, PlanUnknown unknown,
             const PlanQuestion& question)
      : model_(model), mechanism_(mechanism), unknown_(unknown), question_(question) {}

  [[nodiscard]] PlanWay solved() const {
    if (unknown_ == PlanUnknown::kAlpha) {
      PlanWay way = model_.at(mechanism_, question_);
      if (std::isfinite(way.alpha)) way.value = way.alpha;
      return way;
    }
    auto [easy, hard] = model_.span(unknown_, question_);
    if (unknown_ == PlanUnknown::kDelta && !question_.accept_large_delta) {
      easy = std::min(easy, kLargestShare / static_cast<double>(question_.records));
    }
    if (serves(hard)) return answer(hard);
    if (hard == 0) {
      hard = kLeastDelta;
      if (serves(hard)) return answer(hard);
    }
    if (unknown_ == PlanUnknown::kRecords) {
      // From few records on, because designs for many cost more.
      const double most = easy;
      for (easy = std::min(2 * hard, most); !serves(easy); easy = std::min(2 * easy, most)) {
        if (easy == most) return answer(most);
        hard = easy;
      }
    } else if (!serves(easy)) {
      return answer(easy);
    }
    return answer(last_that_serves(easy, hard));
  }

 private:
  [[nodiscard]] double measure(double value) const {
    keep_going();
    return model_.measure(mechanism_, with(question_, unknown_, value));
  }
  [[nodiscard]] bool serves(double value) const { return measure(value) <= question_.alpha; }

  /// Between an end that is enough and one that is not: until whole numbers are neighbours, and
  /// others within 1e-7 of themselves.
  [[nodiscard]] double last_that_serves(double easy, double hard) const {
    const bool whole = is_whole(unknown_);
    const auto at = [whole](double logarithm) {
      const double value = std::exp(logarithm);
      return whole ? std::round(value) : value;
    };
    const Crossing found = narrow(
        {std::log(easy), std::log(hard)}, question_.alpha,
        [&](double logarithm) { return measure(at(logarithm)); },
        [&](const Crossing& now) {
          return std::abs(now.above - now.at_most) < 1e-7 ||
                 (whole && std::abs(at(now.above) - at(now.at_most)) <= 1);
        });
    const auto [low, high] = std::minmax(easy, hard);
    const double last = std::clamp(at(found.at_most), low, high);
    if (!whole) return last;
    const double fails = std::clamp(at(found.above), low, high);
    return static_cast<double>(
        halve_whole(static_cast<std::uint64_t>(last), static_cast<std::uint64_t>(fails),
                    [&](std::uint64_t middle) { return serves(static_cast<double>(middle)); }));
  }

  /// The mechanism's result at a value, or why there is none.
  [[nodiscard]] PlanWay answer(double value) const {
    keep_going();
    PlanWay way = model_.at(mechanism_, with(question_, unknown_, value));
    if (!(way.alpha <= question_.alpha)) {
      if (std::isfinite(way.alpha) || way.why.text.empty()) {
        way.why = unknown_ == PlanUnknown::kOutputs && value == 1
                      ? fmt::format("one output has a total variation of {:.4g} already",
                                    stated_alpha(way.alpha))
                      : fmt::format("no {} up to {:.4g} gives a total variation of {:g}",
                                    name_of(unknown_), value, question_.alpha);
      }
      return way;
    }
    switch (unknown_) {
      case PlanUnknown::kEpsilon:
        way.value = way.spent.epsilon;
        break;
      case PlanUnknown::kRho:
        way.value = way.spent.rho;
        break;
      case PlanUnknown::kDelta:
        way.value = way.spent.delta;
        break;
      case PlanUnknown::kRecords:
      case PlanUnknown::kOutcomes:
      case PlanUnknown::kDimension:
      case PlanUnknown::kOutputs:
      case PlanUnknown::kAlpha:
        way.value = value;
        break;
    }
    return way;
  }

  const PlanModel& model_;
  std::size_t mechanism_;
  PlanUnknown unknown_;
  const PlanQuestion& question_;
};

std::optional<std::size_t> best_way(PlanUnknown unknown, const std::vector<PlanWay>& ways) {
  const bool more = unknown == PlanUnknown::kOutcomes || unknown == PlanUnknown::kDimension ||
                    unknown == PlanUnknown::kOutputs;
  // What rounding alone tells apart is equal.
  const double tie = is_whole(unknown) ? 0 : 1e-9;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    // If there is only one way, nothing is chosen.
    if (!ways[i].value || (!ways[i].independent_outputs && ways.size() > 1)) continue;
    if (!best || (more ? *ways[i].value > *ways[*best].value
                       : *ways[i].value < *ways[*best].value * (1 - tie))) {
      best = i;
    }
  }
  return best;
}

/// At n/32, n/16, ..., 32 n, as far as there are at least as many records as outputs.
std::vector<CurvePoint> curve(const PlanModel& model, const PlanQuestion& whole) {
  std::vector<CurvePoint> points;
  for (int power = -5; power <= 5; ++power) {
    const double records = std::round(std::ldexp(static_cast<double>(whole.records), power));
    if (records < static_cast<double>(std::max<std::uint64_t>(whole.outputs, 1)) ||
        records > static_cast<double>(kMostPlannedRecords)) {
      continue;
    }
    const PlanQuestion here = with(whole, PlanUnknown::kRecords, records);
    CurvePoint point{.records = here.records};
    std::vector<PlanWay> ways;
    for (std::size_t i = 0; i < model.mechanisms(); ++i) {
      ways.push_back(PlanSearch(model, i, PlanUnknown::kAlpha, here).solved());
      point.alphas.push_back(ways.back().value);
    }
    point.best = best_way(PlanUnknown::kAlpha, ways);
    for (std::optional<double>& alpha : point.alphas) {
      if (alpha) alpha = stated_alpha(*alpha);
    }
    points.push_back(std::move(point));
  }
  return points;
}

/// With this many records the delta is 1/n or more: no release is made of them.
void refuse_large_delta(const PlanQuestion& question, PlanWay& way) {
  if (!way.value || question.accept_large_delta || *way.value * typed_delta_up(question) < 1)
    return;
  way.why = fmt::format("needs {:.0f} records, and then delta {} is 1/n or more", *way.value,
                        detail::shortest(question.budget.delta));
  way.value.reset();
}

/// Throws InvalidInput for what no plan answers.
void require_answerable(const PlanModel& model, PlanUnknown unknown, const PlanQuestion& question) {
  if (unknown != PlanUnknown::kAlpha) require_in(kInsideOne, "alpha", question.alpha);
  if (kRowMethods.has(question.method) && !question.accept_large_delta &&
      unknown != PlanUnknown::kRecords && unknown != PlanUnknown::kDelta) {
    require_small_delta(typed_delta_up(question), detail::shortest(question.budget.delta),
                        static_cast<double>(question.records));
  }
  model.require_answerable(unknown, question);
}

/// Says of each column how many values noise alone makes null.
void tell_nulls_of_noise(const PlanModel& model, const Domain& domain, const PlanQuestion& whole,
                         PlanAnswer& answer) {
  constexpr double kLeastTold = 0.001;
  constexpr std::size_t kMostNamed = 3;
  const std::vector<double> shares_made =
      model.nulls_of_noise(domain, whole, answer.ways[*answer.best]);
  std::vector<std::pair<double, std::string>> all;
  for (std::size_t i = 0; i < shares_made.size(); ++i) {
    if (shares_made[i] >= kLeastTold) all.emplace_back(shares_made[i], domain.columns()[i].name());
  }
  if (all.empty()) return;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  Json& shares = answer.facts["nulls_of_noise"] = Json::object();
  std::string named;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [share, name] = all[i];
    shares[name] = share;
    if (i >= kMostNamed) continue;
    named += fmt::format("{}{:.2g} % of {}", i == 0 ? "" : ", ", 100 * share, in_quotes(name));
    if (i == 0) named += " null";
  }
  if (all.size() > kMostNamed)
    named += fmt::format(", and less of {} more", counted(all.size() - kMostNamed, "column"));
  answer.lines += fmt::format(
      "noise alone makes about {}: declare null: VALUE where no value is missing\n", named);
}

PlanAnswer answer(const PlanModel& model, PlanUnknown unknown, const PlanQuestion& question,
                  const Domain* domain) {
  require_answerable(model, unknown, question);
  PlanAnswer found{.unknown = unknown};
  for (std::size_t i = 0; i < model.mechanisms(); ++i) {
    found.ways.push_back(PlanSearch(model, i, unknown, question).solved());
    if (unknown == PlanUnknown::kRecords) refuse_large_delta(question, found.ways.back());
  }
  found.best = best_way(unknown, found.ways);
  PlanQuestion whole = question;
  if (found.best) {
    const PlanQuestion one = model.settled(*found.best, question);
    whole = with(one, unknown, *found.ways[*found.best].value);
  }
  // A local one has all of the draw in it, which exists only with an answer.
  if (found.best || kRowMethods.has(question.method)) {
    found.subject = model.subject(unknown, whole);
  }
  if (found.best) {
    model.tell(whole, found);
    if (domain != nullptr) tell_nulls_of_noise(model, *domain, whole, found);
    if (question.curve) found.curve = curve(model, whole);
  }
  for (PlanWay& way : found.ways) {
    if (unknown == PlanUnknown::kAlpha && way.value) way.value = stated_alpha(*way.value);
  }
  return found;
}

}  // namespace

bool is_whole(PlanUnknown unknown) noexcept {
  return unknown == PlanUnknown::kRecords || unknown == PlanUnknown::kOutcomes ||
         unknown == PlanUnknown::kDimension || unknown == PlanUnknown::kOutputs;
}

PlanQuestion with(PlanQuestion question, PlanUnknown unknown, double value) {
  switch (unknown) {
    case PlanUnknown::kRecords:
      question.records = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kOutcomes:
      question.outcomes = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kDimension:
      question.dimension = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kEpsilon:
      question.budget = Privacy::approximate(value, question.budget.delta);
      break;
    case PlanUnknown::kRho:
      question.budget = Privacy::concentrated(value);
      break;
    case PlanUnknown::kDelta:
      question.budget = Privacy::approximate(question.budget.epsilon, value);
      break;
    case PlanUnknown::kOutputs:
      question.outputs = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kAlpha:
      question.alpha = value;
      break;
  }
  return question;
}

std::string PlanModel::subject(PlanUnknown unknown, const PlanQuestion& whole) const {
  std::string text;
  const auto add = [&](PlanUnknown what, std::uint64_t count, const char* thing) {
    if (unknown != what) text += counted(count, thing) + ", ";
  };
  add(PlanUnknown::kRecords, whole.records, "record");
  if (size() == PlanUnknown::kDimension) {
    add(PlanUnknown::kDimension, whole.dimension, "coordinate");
  } else {
    add(PlanUnknown::kOutcomes, whole.outcomes, "outcome");
  }
  if (!shares_noise()) add(PlanUnknown::kOutputs, whole.outputs, "output");
  if (unknown == PlanUnknown::kDelta) {
    text += fmt::format("epsilon {:.6g}", whole.budget.epsilon);
  } else if (unknown == PlanUnknown::kEpsilon) {
    text += "delta " + detail::shortest(whole.budget.delta);
  } else if (unknown != PlanUnknown::kRho) {
    text += whole.budget.text();
  }
  if (text.ends_with(", ")) text.resize(text.size() - 2);
  if (unknown == PlanUnknown::kAlpha) return text + (whole.strong ? ", joint" : "");
  return text + fmt::format(", {} total variation at most {:g}",
                            whole.strong     ? "joint"
                            : shares_noise() ? "expected"
                                             : "each output's",
                            whole.alpha);
}

std::vector<double> PlanModel::nulls_of_noise(const Domain& domain, const PlanQuestion& whole,
                                              const PlanWay& way) const {
  std::vector<double> shares(domain.columns().size());
  if (!way.noise || kModelMethods.has(whole.method)) return shares;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Column& column = domain.columns()[i];
    if (column.mapping().null_is_category) shares[i] = way.noise->share() / column.size();
  }
  return shares;
}

bool PlanReport::is_served() const noexcept {
  return std::any_of(answers.begin(), answers.end(),
                     [](const PlanAnswer& one) { return one.best.has_value(); });
}

namespace {

PlanReport report_for(PlanQuestion question, const PublicInputs* inputs) {
  const auto model = release_method(question.method).plan_model(question, inputs);
  std::optional<Domain> domain;
  if (question.domain) domain.emplace(inputs->domain(*question.domain));
  PlanReport report{.question = question};
  for (const PlanUnknown unknown : question.unknowns) {
    try {
      report.answers.push_back(answer(*model, unknown, question, domain ? &*domain : nullptr));
    } catch (const InvalidInput& refused) {
      if (question.unknowns.size() == 1) throw;
      PlanWay way{.alpha = std::numeric_limits<double>::infinity(), .why = refused};
      report.answers.push_back({.unknown = unknown, .ways = {std::move(way)}});
    }
  }
  return report;
}

}  // namespace

bool is_more_than_noise(const PlanQuestion& question, const std::string& mechanism) {
  try {
    PlanQuestion asked = question;
    const auto model = release_method(asked.method).plan_model(asked, nullptr);
    require_answerable(*model, PlanUnknown::kAlpha, asked);
    if (const auto known = model->is_more_than_noise(asked, mechanism)) return *known;
    const PlanAnswer found = answer(*model, PlanUnknown::kAlpha, asked, nullptr);
    for (std::size_t i = 0; i < found.ways.size(); ++i) {
      const PlanWay& way = found.ways[i];
      if (mechanism.empty() ? found.best != i : way.mechanism != mechanism) continue;
      return way.noise && !way.noise->is_mostly_noise();
    }
  } catch (const InvalidInput&) {
    // No release is made of such numbers.
  }
  return false;
}

void tell_what_takes_long(PlanQuestion question, const PublicInputs& inputs) {
  const auto model = release_method(question.method).plan_model(question, &inputs);
  const std::string what = model->what_takes_long(question);
  if (!what.empty()) tell_takes_long(what);
}

PlanReport plan(const PlanQuestion& question, const PublicInputs& inputs) {
  return report_for(question, &inputs);
}

PlanReport plan(const PlanQuestion& question) { return report_for(question, nullptr); }

}  // namespace mollify
