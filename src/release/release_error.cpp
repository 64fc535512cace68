#include "release/release_error.h"

#include <utility>

#include <fmt/format.h>

#include "domain/domain.h"
#include "release/certificate.h"
#include "release/method.h"

namespace mollify {

ReleaseError replacement_error(std::uint64_t outcomes, double total_variation) {
  return {total_variation, 1 - 1 / static_cast<double>(outcomes), kWorstCaseError};
}

ReleaseError estimate_error(double standard_error) {
  return {.error = standard_error,
          .reference = 0.5,
          .kind = "standard error of a share of one half",
          .of_reference = "the error of saying that each share is 0",
          .subject = "the estimate",
          .measure = ""};
}

ReleaseError model_error(double expected, ReleaseError::Pair deciding) {
  return {
      .error = expected,
      .reference = 1,
      .kind = "greatest expected error of the shared model",
      .of_reference = "the greatest total variation, between distributions with nothing in common,",
      .deciding = std::move(deciding)};
}

ReleaseError release_error(const Certificate& certificate, const Domain& domain) {
  return release_method(certificate.spec.method).error(certificate, domain);
}

std::vector<Quantity> ReleaseError::quantities() const {
  const std::string unit = *measure == '\0' ? "" : "total variation";
  std::vector<Quantity> all = {{"error", error, unit}, {"reference", reference, unit}};
  if (deciding) {
    all.push_back({"deciding", deciding->error, unit});
    all.push_back({"limit", limit() * deciding->reference, unit});
  }
  return all;
}

std::string error_words(const ReleaseError& error) {
  return fmt::format("the {} is {:.3g}{}, and {} is {:.3g}", error.kind, error.error, error.measure,
                     error.of_reference, error.reference);
}

std::string deciding_words(const ReleaseError& error) {
  const auto& [value, reference, kind, of_reference] = *error.deciding;
  const double limit = error.is_mostly_noise() ? error.limit() : ReleaseError::kIndistinct;
  return fmt::format(
      "{} is {:.3g} in total variation, and the limit is {:.3g}{}", kind, value, limit * reference,
      of_reference.empty() ? ""
                           : fmt::format(" ({:g} of {:.3g}, {})", limit, reference, of_reference));
}

std::optional<Message> noise_message(const ReleaseError& error) {
  if (!error.is_indistinct() && !error.is_mostly_noise()) return std::nullopt;
  const bool is_indistinct = error.is_indistinct();
  return Message{.code = is_indistinct ? Code("indistinct-from-noise") : Code("mostly-noise"),
                 .verdict = fmt::format(
                     "{} {}", error.subject,
                     is_indistinct ? "cannot be told apart from public noise" : "is mostly noise"),
                 .reason = error.deciding ? deciding_words(error) : error_words(error),
                 .severity = Severity::kNoise,
                 .quantities = error.quantities()};
}

Json divergence_json(const DivergenceReport& divergence) {
  Json json = Json::object();
  for (const DivergenceName& one : kDivergenceNames) {
    json[one.key] = number(divergence.*one.value);
  }
  return json;
}

}  // namespace mollify
