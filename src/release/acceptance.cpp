#include "release/acceptance.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/counted.h"
#include "accounting/decimal.h"
#include "central/moment_design.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "marginals/marginal_error.h"
#include "release/plan.h"

namespace mollify {
namespace {

/// From here on epsilon is explained in odds.
constexpr double kLargeEpsilon = 10;
/// Few tables have more, so that a smaller delta than fits them needs no words.
constexpr double kManyRecords = 1e6;
/// Of a release that hides how many records there are.
constexpr double kGreatestDeltaOfHiddenCount = 0.1;

double records_of(const Certificate& certificate) {
  return static_cast<double>(certificate.facts.records.value_or(1));
}

/// Not below what was typed.
double delta_of(const Certificate& certificate) { return certificate.spec.privacy.delta.up(); }

bool has_large_delta(const Certificate& certificate) {
  return certificate.facts.records && delta_of(certificate) * records_of(certificate) >= 1;
}

const char* record_word(const Certificate& certificate) {
  return certificate.spec.unit ? "unit" : "record";
}

/// The total variation of a record, where it is known before.
std::optional<double> error_of(const Certificate& certificate) {
  if (const FiniteDesign* finite = certificate.finite()) {
    return finite->hint ? std::nullopt : std::optional(finite->design.total_variation_up);
  }
  if (const GaussianDesign* gaussian = certificate.gaussian()) {
    return gaussian->total_variation_up();
  }
  return std::nullopt;
}

bool has_large_error(const Certificate& certificate) {
  return error_of(certificate).value_or(0) > kMostError;
}

std::string value_text(PlanUnknown unknown, double value) {
  if (unknown == PlanUnknown::kRecords) return counted(static_cast<std::uint64_t>(value), "record");
  if (unknown == PlanUnknown::kOutcomes)
    return counted(static_cast<std::uint64_t>(value), "outcome");
  // To three digits, upward.
  const double digit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return fmt::format("{} {:.3g}", name_of(unknown), std::ceil(value / digit) * digit);
}

/// The mechanism's own answer to a plan, or the best one where the choice is free.
std::optional<double> solved(PlanUnknown unknown, const Certificate& certificate) {
  PlanQuestion question{
      .model = Model::kCentral,
      .family = certificate.gaussian() != nullptr ? Family::kGaussian : Family::kNone,
      .unknowns = {unknown},
      .budget = certificate.spec.budget(),
      .alpha = kMostError,
      .accept_large_delta = certificate.spec.accept_large_delta};
  if (question.family == Family::kGaussian) {
    const GaussianRequest& request = certificate.gaussian()->request;
    question.records = request.records;
    question.dimension = request.dimension;
    question.outputs = request.outputs;
    question.mean_bound = request.mean_bound;
    question.mean_ranges = certificate.facts.mean_ranges;
    question.covariance_bound = request.covariance_bound;
    question.paper_variance = request.paper_variance;
  } else {
    const CentralDesign& design = certificate.finite()->design;
    question.records = design.records;
    question.outcomes = design.outcomes;
    question.outputs = design.outputs.value_or(1);
  }
  const PlanAnswer answer = plan(question).answers.front();
  const CentralSpec* central = certificate.spec.central();
  if (central == nullptr || !central->mechanism) {
    return answer.best ? answer.ways[*answer.best].value : std::nullopt;
  }
  const auto asked = std::find_if(answer.ways.begin(), answer.ways.end(), [&](const PlanWay& way) {
    return way.mechanism == name_of(*central->mechanism);
  });
  return asked == answer.ways.end() ? std::nullopt : asked->value;
}

[[noreturn]] void refuse_delta(const std::string& limit, const std::string& text) {
  throw InvalidInput(fmt::format(
      "delta must be below {}, but is {}: with so large a one whole records may be released as "
      "they are; to do so all the same, accept it (--accept-large-delta, accept_large_delta in a "
      "spec)",
      limit, text));
}

/// What would do, one thing changed at a time; empty if nothing within the limits does.
std::string what_would_do(const Certificate& certificate) {
  const bool in_rho = certificate.spec.budget().notion == PrivacyNotion::kConcentrated;
  std::vector<std::string> ways;
  for (const PlanUnknown unknown : {PlanUnknown::kRecords, PlanUnknown::kOutcomes,
                                    in_rho ? PlanUnknown::kRho : PlanUnknown::kEpsilon}) {
    try {
      std::optional<double> value;
      if (certificate.gaussian() != nullptr ? unknown != PlanUnknown::kOutcomes
                                            : !in_rho && !certificate.spec.central()->rate) {
        value = solved(unknown, certificate);
      }
      const bool useful = unknown != PlanUnknown::kOutcomes || value.value_or(0) > 1;
      if (value && useful) {
        ways.push_back(value_text(unknown, *value));
      }
    } catch (const InvalidInput&) {
      // No answer by changing this.
    }
  }
  if (ways.empty()) return "";
  const std::string last = ways.back();
  ways.pop_back();
  return fmt::format("{}{}{} would do; ", fmt::join(ways, ", "), ways.empty() ? "" : " or ", last);
}

}  // namespace

std::string odds_words(double epsilon) {
  const double odds = std::exp(epsilon) / 999;
  const double right = 1000 * odds / (1 + odds);
  const std::string times =
      right > 999.5 ? "nearly always" : fmt::format("{:.0f} times in 1000", right);
  return fmt::format(
      "epsilon {:.6g} allows that the output multiplies the odds of a guess by up to {:.4g}: one "
      "that was right once in 1000 times may become right {}",
      epsilon, std::exp(epsilon), times);
}

std::string epsilon_cap_words(double asked, double released) {
  return fmt::format(
      "a draw counts epsilon {} at most, so epsilon {:.6g} is released and not the epsilon {:.6g} "
      "asked for",
      ExpBound::kGreatestEpsilon, released, asked);
}

std::vector<std::string> epsilon_warnings(double asked, double released, std::uint64_t draws) {
  std::vector<std::string> said;
  if (draws > 0 && asked > ExpBound::kGreatestEpsilon * static_cast<double>(draws)) {
    said.push_back(epsilon_cap_words(asked, released));
  }
  if (released >= kLargeEpsilon) said.push_back(odds_words(released));
  return said;
}

void require_small_delta(double delta, const std::string& text, double records, const char* thing) {
  if (delta * records < 1) return;
  refuse_delta(fmt::format("1/n = {:.4g} for {}", 1 / records,
                           counted(static_cast<std::uint64_t>(records), thing)),
               text);
}

void require_acceptable(const Certificate& certificate) {
  const ReleaseSpec& spec = certificate.spec;
  if (certificate.facts.records && !spec.accept_large_delta) {
    require_small_delta(delta_of(certificate), words_of(spec.privacy.delta),
                        records_of(certificate), record_word(certificate));
  }
  // Where n is protected, so much is too much for any.
  if (spec.hides_count() && !spec.accept_large_delta &&
      delta_of(certificate) >= kGreatestDeltaOfHiddenCount) {
    refuse_delta(fmt::format("{}", kGreatestDeltaOfHiddenCount), words_of(spec.privacy.delta));
  }
  if (has_large_error(certificate) && !spec.accept_error) {
    throw InvalidInput(fmt::format(
        "each released record must be within {} of the data's distribution in total variation, "
        "but is within {:.3g} only, so that it may be mostly noise: {}to release all the same, "
        "accept it (--accept-error, accept_error in a spec)",
        kMostError, *error_of(certificate), what_would_do(certificate)));
  }
}

std::optional<std::string> moments_warning(double total_variation) {
  if (total_variation <= kMostError) return std::nullopt;
  return fmt::format(
      "the noise of the mean and the covariance is expected to take the model about {:.3g} in "
      "total variation from the data's Gaussian, {}: all records share it and may be mostly noise",
      total_variation, spread_condition());
}

std::optional<std::string> marginals_warning(double error) {
  if (error <= kMostError) return std::nullopt;
  return fmt::format(
      "the released rows can be {:.3g} in total variation from the table in two columns together, "
      "on average: all rows share one model, and much of it may be noise. Fewer bins, more records "
      "or a larger budget lessen it",
      error);
}

std::vector<std::string> warnings(const Certificate& certificate) {
  std::vector<std::string> said;
  const Privacy& total = certificate.total;
  const Privacy budget = certificate.spec.budget();
  const bool in_epsilon =
      total.notion == PrivacyNotion::kPure || total.notion == PrivacyNotion::kApproximate;
  if (in_epsilon) {
    said = epsilon_warnings(budget.epsilon, total.epsilon,
                            certificate.local() != nullptr ? *certificate.spec.count : 0);
  }
  if (certificate.facts.records && delta_of(certificate) * records_of(certificate) > 0.1) {
    said.push_back(fmt::format(
        "delta {} is more than a tenth of 1/n = {:.4g} for {}: the guarantee may fail for one "
        "of them with {} probability",
        words_of(certificate.spec.privacy.delta), 1 / records_of(certificate),
        counted(*certificate.facts.records, record_word(certificate)),
        has_large_delta(certificate) ? "high" : "noticeable"));
  }
  // Nothing may depend on how many records there are where that is protected.
  if (const double delta = delta_of(certificate);
      certificate.spec.hides_count() && delta * kManyRecords > 0.1) {
    // The quotient may lie above a whole number by its rounding alone.
    const double too_many = std::ceil(0.1 / delta * (1 - 0x1p-40));
    said.push_back(fmt::format(
        "delta {} is not held against 1/n, because the number of {}s is protected: it is below a "
        "tenth of 1/n for {}",
        words_of(certificate.spec.privacy.delta), record_word(certificate),
        too_many > 1 ? fmt::format("fewer than {:.0f} of them only", too_many)
                     : "no number of them"));
  }
  if (has_large_error(certificate)) {
    said.push_back(fmt::format(
        "each released record is within {:.3g} of the data's distribution in total variation only, "
        "and may be mostly noise",
        *error_of(certificate)));
  }
  const MomentDesign* moments = certificate.moments();
  if (moments != nullptr) {
    if (auto noise = moments_warning(moments->expected_total_variation)) {
      said.push_back(*std::move(noise));
    }
  }
  const MarginalDesign* marginals = certificate.marginals();
  if (marginals != nullptr && certificate.facts.records) {
    if (auto noise =
            marginals_warning(marginal_error(*marginals, *certificate.facts.records).expected())) {
      said.push_back(*std::move(noise));
    }
  }
  return said;
}

}  // namespace mollify
