#include "release/acceptance.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/gaussian.h"
#include "accounting/privacy.h"
#include "base/decimals.h"
#include "base/directed_rounding.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "release/design.h"
#include "release/method.h"
#include "release/plan.h"

namespace mollify {

namespace {

/// From here on epsilon is explained in odds.
constexpr double kLargeEpsilon = 10;
/// At which rho and mu are explained as an epsilon.
constexpr double kDeltaOfOdds = 1e-6;

double epsilon_of_odds(const Privacy& promise) {
  switch (promise.notion) {
    case PrivacyNotion::kConcentrated:
      return concentrated_epsilon_up(promise.rho, kDeltaOfOdds);
    case PrivacyNotion::kGaussian:
      // The exact curve is known up to mu 1000, which many draws exceed together.
      return promise.mu <= 1000 ? gaussian_epsilon_up(promise.mu, kDeltaOfOdds)
                                : concentrated_epsilon_up(
                                      concentrated_rho_of_gaussian_up(promise.mu), kDeltaOfOdds);
    case PrivacyNotion::kPure:
    case PrivacyNotion::kApproximate:
      break;
  }
  return promise.epsilon;
}

/// Of a release that hides how many records there are.
constexpr double kGreatestDeltaOfHiddenCount = 0.1;

double records_of(const Certificate& certificate) {
  return static_cast<double>(certificate.facts.records.value_or(1));
}

/// Not below what was typed.
double delta_of(const Certificate& certificate) { return certificate.spec.privacy.delta.up(); }

const char* record_word(const Certificate& certificate) {
  return certificate.spec.unit ? "unit" : "record";
}

/// The mechanism that the release is bound to; empty where it may have another for other numbers.
std::string bound_mechanism(const Certificate& certificate) {
  const bool is_free = release_method(certificate.spec.method).profile().chooses_mechanism &&
                       !spec_json(certificate.spec).contains("mechanism");
  return is_free ? "" : certificate.mechanism();
}

/// One number of a question that is searched for the nearest value that brings the error down.
struct Search {
  PlanUnknown unknown;
  double now;
  double easy;  ///< the limit, beyond which nothing is looked for
};

WayOut way_of(PlanUnknown unknown, double value, const char* things) {
  const std::string whole = std::to_string(static_cast<std::uint64_t>(value));
  if (unknown == PlanUnknown::kRecords) return WayOut::have(things, whole);
  if (unknown == PlanUnknown::kOutcomes) return WayOut::have("outcomes", whole);
  if (unknown == PlanUnknown::kOutputs) return WayOut::set("count", whole);
  // To three digits, upward.
  const double digit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return WayOut::set(name_of(unknown), fmt::format("{:.6g}", std::ceil(value / digit) * digit));
}

/// The nearest value that is enough, by bisection; whole numbers exactly, others to a hundredth.
std::optional<double> nearest(const PlanQuestion& question, const std::string& mechanism,
                              const Search& search) {
  const bool whole = is_whole(search.unknown);
  const auto serves = [&](double value) {
    return is_more_than_noise(with(question, search.unknown, value), mechanism);
  };
  double fails = search.now;
  double good = search.easy;
  if (good > fails) {
    // From near values on, because far ones cost more.
    for (good = std::min(2 * fails, search.easy); !serves(good);) {
      if (good == search.easy) return std::nullopt;
      fails = good;
      good = std::min(2 * good, search.easy);
    }
  } else if (good == fails || !serves(good)) {
    return std::nullopt;
  }
  if (!whole) return halve_ratio({.serves = good, .fails = fails}, 1.005, serves);
  return static_cast<double>(
      halve_whole(static_cast<std::uint64_t>(good), static_cast<std::uint64_t>(fails),
                  [&](std::uint64_t middle) { return serves(static_cast<double>(middle)); }));
}

std::vector<Search> searches(const PlanQuestion& question) {
  const auto outputs = static_cast<double>(question.outputs);
  std::vector<Search> all;
  if (kRowMethods.has(question.method)) {
    constexpr double kMostRecords = static_cast<double>(kMostPlannedRecords);
    all.push_back({PlanUnknown::kRecords, static_cast<double>(question.records), kMostRecords});
  }
  if (question.outcomes > 1) {
    all.push_back({PlanUnknown::kOutcomes, static_cast<double>(question.outcomes), 2});
  }
  if (!kModelMethods.has(question.method) && question.outputs > 1)
    all.push_back({PlanUnknown::kOutputs, outputs, 1});
  if (question.budget.notion == PrivacyNotion::kConcentrated) {
    all.push_back({PlanUnknown::kRho, question.budget.rho, 1000});
  } else if (question.budget.notion != PrivacyNotion::kGaussian) {
    // No epsilon is named that would be warned of itself.
    if (question.budget.epsilon < kLargeEpsilon) {
      all.push_back({PlanUnknown::kEpsilon, question.budget.epsilon, kLargeEpsilon});
    }
  }
  return all;
}

[[noreturn]] void refuse_delta(const std::string& limit, const std::string& text,
                               std::vector<Quantity> quantities) {
  refuse_input("delta-too-large", "delta",
               {WayOut::set("delta"), WayOut::add("accept-large-delta")}, std::move(quantities),
               "{} must be below {}, but is {}: with a delta this large, whole records can be "
               "published unchanged. Use a smaller delta, or add {} to release anyway",
               parameter_name_of("delta"), limit, text, added_words("accept-large-delta"));
}

Remedy would_do(const Certificate& certificate, const Domain& domain) {
  return release_method(certificate.spec.method).remedy(certificate, domain);
}

/// What a promise means in odds.
Message odds_message(const Privacy& promise) {
  const double epsilon = epsilon_of_odds(promise);
  const std::string parameter(parameter_name(promise.notion));
  const std::string subject =
      parameter == "epsilon" ? fmt::format("epsilon {:.6g}", epsilon)
                             : fmt::format("{} is epsilon {:.6g} at delta {} and", promise.text(),
                                           epsilon, detail::shortest(kDeltaOfOdds));
  const double right = 1000 / (1 + 999 * std::exp(-epsilon));
  const double factor = std::exp(epsilon);
  const std::string times =
      right > 999.5 ? "nearly always" : fmt::format("{:.0f} times in 1000", right);
  return {
      .code = "large-epsilon",
      .verdict = fmt::format(
          "{} allows that the output multiplies the odds of a guess by up to {}", subject,
          std::isfinite(factor) ? fmt::format("{:.4g}", factor) : fmt::format("e^{:g}", epsilon)),
      .reason = fmt::format("one that was right once in 1000 times may become right {}", times),
      .quantities = {{"epsilon", epsilon}, {"odds", factor}}};
}

}  // namespace

std::string for_estimates() {
  return fmt::format("{} finds the population from many such records", command_words("estimate"));
}

std::string odds_words(const Privacy& promise) { return odds_message(promise).text(); }

std::string epsilon_cap_words(double asked, double released) {
  return fmt::format(
      "a draw counts epsilon {} at most, so epsilon {:.6g} is released and not the epsilon {:.6g} "
      "asked for",
      ExpBound::kGreatestEpsilon, released, asked);
}

std::vector<Message> epsilon_warnings(const Privacy& asked, const Privacy& released,
                                      std::uint64_t draws) {
  std::vector<Message> said;
  if (draws > 0 && asked.epsilon > ExpBound::kGreatestEpsilon * static_cast<double>(draws)) {
    said.push_back(
        {.code = "epsilon-capped",
         .verdict = epsilon_cap_words(asked.epsilon, released.epsilon),
         .remedy = {.told = {WayOut::set("epsilon", fmt::format("{:.6g}", released.epsilon))}},
         .quantities = {{"given", asked.epsilon}, {"epsilon", released.epsilon}}});
  }
  if (epsilon_of_odds(released) >= kLargeEpsilon) {
    said.push_back(odds_message(released));
  }
  return said;
}

void require_small_delta(double delta, const std::string& text, double records, const char* thing) {
  if (delta * records < 1) return;
  refuse_delta(fmt::format("1/n = {:.4g} for {}", 1 / records,
                           counted(static_cast<std::uint64_t>(records), thing)),
               text, {{"given", delta}, {"below", 1 / records}, {"n", records, "records"}});
}

PlanQuestion question_of(const Certificate& certificate, const Domain& domain) {
  const ReleaseSpec& spec = certificate.spec;
  PlanQuestion question{
      .method = spec.method,
      .unknowns = {PlanUnknown::kAlpha},
      .records = certificate.facts.records.value_or(spec.hides_count() ? kManyRecords : 1),
      .outcomes = std::max<std::uint64_t>(certificate.facts.outcomes, 1),
      .outputs = spec.count.value_or(1),
      .budget = spec.budget(),
      .accept_large_delta = spec.accept_large_delta};
  release_method(spec.method).ask(certificate, domain, question);
  return question;
}

std::vector<WayOut> noise_remedy(const PlanQuestion& question, const std::string& mechanism,
                                 const char* things) {
  PlanQuestion asked = question;
  asked.unknowns = {PlanUnknown::kAlpha};
  asked.curve = asked.strong = asked.every_mechanism = false;
  asked.domain.reset();
  release_method(asked.method).settle(asked, mechanism);
  std::vector<WayOut> ways;
  for (const Search& search : searches(asked)) {
    if (const auto value = nearest(asked, mechanism, search)) {
      ways.push_back(way_of(search.unknown, *value, things));
    }
  }
  return ways;
}

std::vector<WayOut> noise_remedy(const Certificate& certificate, const Domain& domain) {
  return noise_remedy(question_of(certificate, domain), bound_mechanism(certificate),
                      certificate.spec.unit ? "units" : "records");
}

ReleaseError require_acceptable(const Certificate& certificate, const Domain& domain) {
  const ReleaseSpec& spec = certificate.spec;
  if (certificate.facts.records && !spec.accept_large_delta) {
    require_small_delta(delta_of(certificate), words_of(spec.privacy.delta),
                        records_of(certificate), record_word(certificate));
  }
  // If n is protected, this much is too much for any n.
  if (spec.hides_count() && !spec.accept_large_delta &&
      delta_of(certificate) >= kGreatestDeltaOfHiddenCount) {
    refuse_delta(fmt::format("{}", kGreatestDeltaOfHiddenCount), words_of(spec.privacy.delta),
                 {{"given", delta_of(certificate)}, {"below", kGreatestDeltaOfHiddenCount}});
  }
  const ReleaseError error = release_error(certificate, domain);
  if (error.is_indistinct() && !spec.accept_error && !error.is_for_estimates) {
    Message noise = *noise_message(error);
    noise.remedy = would_do(certificate, domain);
    std::vector<WayOut> ways = noise.remedy.all();
    const bool names_count = std::any_of(ways.begin(), ways.end(),
                                         [](const WayOut& way) { return way.part == "count"; });
    if (kDrawMethods.has(spec.method) && spec.count.value_or(1) > 1 && !names_count) {
      noise.remedy.others.push_back(
          fmt::format("a smaller {} leaves more of the budget to each draw", flag_words("count")));
      ways.push_back(WayOut::set("count"));
    }
    const std::string remedy = noise.remedy.words();
    const std::string sentence =
        fmt::format("{}{}add {} to release anyway", noise.text(), remedy.empty() ? "; " : ", or ",
                    added_words("accept-error"));
    ways.push_back(WayOut::add("accept-error"));
    throw InvalidInput(noise.code, sentence, "epsilon", std::move(ways), noise.quantities);
  }
  return error;
}

Message noise_if(const std::string& condition) {
  return {.code = "noise-if",
          .verdict = "the release is mostly noise " + condition,
          .severity = Severity::kNoise};
}

std::optional<Message> records_warning(double total_variation) {
  if (total_variation <= kUsualError) return std::nullopt;
  return Message{.code = "large-error",
                 .verdict = fmt::format("each released record is within {:.3g} of the data's "
                                        "distribution in total variation only",
                                        total_variation),
                 .clauses = {"more records or a larger budget lessen it"},
                 .remedy = {.told = {WayOut::have("records", ""), WayOut::set("epsilon")}},
                 .quantities = {{"error", total_variation, "total variation"}}};
}

std::optional<Message> delta_warning(double delta, const std::string& text, double records,
                                     const std::string& things) {
  if (!(delta * records > 0.1)) return std::nullopt;
  std::string good = fmt::format("{:.4g}", 0.1 / records);
  // A delta that is taken as told must be told of no more.
  if (std::stod(good) > 0.1 / records) good = fmt::format("{:.4g}", 0.1 / records * (1 - 5e-4));
  // A refused number has the code of that refusal.
  const bool is_refused = delta * records >= 1;
  return Message{
      .code = is_refused ? Code("delta-too-large") : Code("delta-large"),
      .verdict = fmt::format("delta {} is more than a tenth of 1/n = {:.4g} for {}", text,
                             1 / records, things),
      .reason = fmt::format("the guarantee may fail for one of them with {} probability",
                            delta * records >= 1 ? "high" : "noticeable"),
      .clauses = {fmt::format("take {} or less", good)},
      .remedy = {.told = {WayOut::set("delta", good)}},
      .quantities = {{"given", delta},
                     is_refused ? Quantity{"below", 1 / records} : Quantity{"most", 0.1 / records},
                     {"n", records, "records"}}};
}

std::vector<Message> warnings(const Certificate& certificate, const ReleaseError& error,
                              const Domain& domain) {
  const ReleaseMethod& method = release_method(certificate.spec.method);
  std::vector<Message> said =
      epsilon_warnings(certificate.spec.budget(), certificate.total,
                       kDrawMethods.has(certificate.spec.method) ? *certificate.spec.count : 0);
  if (const auto& records = certificate.facts.records) {
    const auto large =
        delta_warning(delta_of(certificate), words_of(certificate.spec.privacy.delta),
                      records_of(certificate), counted(*records, record_word(certificate)));
    if (large) said.push_back(*large);
  }
  // Nothing may depend on how many records there are where that is protected.
  if (const double delta = delta_of(certificate);
      certificate.spec.hides_count() && delta * static_cast<double>(kManyRecords) > 0.1) {
    // The quotient may lie above a whole number by its rounding alone.
    const double too_many = std::ceil(0.1 / delta * (1 - 0x1p-40));
    said.push_back(
        {.code = "delta-not-compared",
         .verdict = fmt::format(
             "delta {} is below a tenth of 1/n for {}", words_of(certificate.spec.privacy.delta),
             too_many > 1
                 ? fmt::format("fewer than {:.0f} {}s only", too_many, record_word(certificate))
                 : fmt::format("no number of {}s", record_word(certificate))),
         .reason = "it is not held against 1/n, because their number is protected",
         .clauses = {"take less if there may be more"},
         .remedy = {.told = {WayOut::set("delta")}},
         .quantities = {{"given", delta}}});
  }
  if (error.is_least) {
    if (auto when = method.noise_condition(certificate, error, domain)) {
      said.push_back(std::move(*when));
    }
  } else if (error.is_for_estimates ? error.is_indistinct() : error.is_mostly_noise()) {
    Message noise = *noise_message(error);
    if (error.is_for_estimates) noise.clauses.push_back(for_estimates());
    noise.remedy = would_do(certificate, domain);
    said.push_back(std::move(noise));
  } else if (auto large = method.error_warning(error)) {
    said.push_back(std::move(*large));
  }
  return said;
}

}  // namespace mollify
