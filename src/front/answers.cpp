#include "mollify/answers.h"

#include <utility>

#include "analysis/advice.h"
#include "analysis/check.h"
#include "analysis/compare.h"
#include "analysis/estimate.h"
#include "analysis/mechanisms.h"
#include "analysis/summaries.h"
#include "analysis/tune.h"
#include "base/json.h"
#include "base/names.h"
#include "formats/public_files.h"
#include "front/domain.h"
#include "front/message.h"
#include "front/release.h"
#include "methods/local/space.h"
#include "release/plan.h"

namespace mollify::front {

namespace {

Answer outward(inside::Answer found) {
  return {found.facts(), inside::wrapped(found.text, inside::kLineWidth, inside::kHang),
          front::outward(found.warnings)};
}

/// Sentences about it name parameters.
inside::Json question_of(std::string_view spec) {
  inside::require_json(spec, "the question");
  return inside::Json::parse(spec);
}

}  // namespace

std::optional<double> Answer::number(std::string_view place) const {
  const auto facts = inside::Json::parse(json);
  const inside::Json::json_pointer at{std::string(place)};
  if (!facts.contains(at) || !facts[at].is_number()) return std::nullopt;
  return facts[at].get<double>();
}

// -----------------------------------------------------------------------------------------------
// Before there is data.

std::vector<SpecPart> plan_parts() { return outward(inside::plan_parts()); }

Answer plan(std::string_view question, const std::string& name, const PublicTexts& texts) {
  const std::string one(question);
  return plans({&one, 1}, name, texts);
}

Answer plans(std::span<const std::string> questions, const std::string& name,
             const PublicTexts& texts, const std::optional<std::string>& unit) {
  if (questions.empty())
    throw InvalidInput("empty-input", "there must be a question to plan, but the list is empty");
  const inside::PublicFiles files(std::nullopt, std::nullopt, texts);
  std::vector<inside::PlanReport> reports;
  for (const std::string& question : questions) {
    inside::PlanQuestion asked = inside::parse_plan_question(question, name);
    asked.unit = unit;
    reports.push_back(inside::plan(asked, files));
  }
  return outward(inside::plan_answer(reports));
}

Answer plan(std::string_view question, const Domain& domain, const PublicTexts& texts) {
  return plan(with_domain(question, domain, "the question"), "the question", texts);
}

Answer advise(const AdviceQuestion& question, const PublicTexts& texts) {
  inside::AdviceQuestion asked{
      .purpose = inside::known_value<inside::Purpose>("purpose", question.purpose),
      .records = question.n,
      .column_sizes = question.columns,
      .outputs = question.count,
      .unit = question.unit,
      .epsilon = question.epsilon,
      .delta = question.delta,
      .accept_large_delta = question.accept_large_delta,
      .error = question.alpha,
      .logarithms = question.logarithms};
  if (question.protect) {
    asked.protect = inside::known_value<inside::Protected>("protect", *question.protect);
  }
  if (question.method) {
    asked.method = inside::known_value<inside::Method>("method", *question.method);
  }
  if (question.domain) asked.domain = inside::SpecDomain{.file = *question.domain};
  if (question.covariance) asked.covariance = inside::PublicFile{.name = *question.covariance};
  const inside::PublicFiles files(std::nullopt, std::nullopt, texts);
  return outward(inside::advice_answer(inside::advise(asked, files)));
}

Answer amplify(const AmplifyQuestion& question) {
  return outward(inside::amplify({.n = question.n,
                                  .k = question.k,
                                  .epsilon0 = question.epsilon0,
                                  .epsilon = question.epsilon,
                                  .delta = question.delta,
                                  .rate = question.rate,
                                  .chosen = question.chosen,
                                  .accept_large_delta = question.accept_large_delta}));
}

// -----------------------------------------------------------------------------------------------
// The collector's side.

Answer estimate(const Certificate& certificate, const Domain& domain, const Source& released,
                const EstimateOptions& options) {
  const inside::EstimateRequest request{
      .confidence = options.confidence,
      .method = inside::known_value<inside::EstimateMethod>("method", options.method),
      .pairs = options.pairs};
  const auto& [name, stated] = certificate.inside();
  const inside::ReleasedLaw law(stated, name, domain.inside().domain);
  // Released records are public, so a value that no release has is refused.
  const std::optional<std::string>& path = released.inside().path;
  const std::string name_of_records = path.value_or("released (in memory)");
  const std::string text = path ? std::string() : released.csv_text();
  const std::vector<std::uint32_t> digits = inside::read_public_digits(
      name_of_records, law.domain(), path ? std::nullopt : std::optional<std::string_view>(text));
  const inside::PopulationEstimate found = inside::estimate_population(
      law, inside::counted_outcomes(digits, law.domain()), request, name_of_records);
  return outward(inside::estimate_answer(found, stated.spec));
}

// -----------------------------------------------------------------------------------------------
// For the data holder.

Answer check(const Domain& domain, const std::string& data, const CheckOptions& options,
             const PublicTexts& texts) {
  return outward(inside::check({.domain = domain.inside().domain,
                                .data = data,
                                .unit = options.unit,
                                .units = options.units,
                                .units_column = options.units_column,
                                .counts_column = options.counts_column,
                                .references = options.references,
                                .most = options.most},
                               inside::PublicFiles(std::nullopt, std::nullopt, texts)));
}

Answer compare(std::span<const std::string> specs, const Source& data, const PublicTexts& texts) {
  std::vector<inside::Json> questions;
  for (const std::string& spec : specs) questions.push_back(question_of(spec));
  const inside::PublicFiles files(data.inside().path, std::nullopt, texts);
  return outward(inside::compare(questions, files, *data.inside().records));
}

Answer compare_released(std::string_view spec, const Source& data, const Source& released,
                        const std::string& name, const PublicTexts& texts) {
  const inside::PublicFiles files(data.inside().path, std::nullopt, texts);
  return outward(inside::compare_released(question_of(spec), files, *data.inside().records,
                                          *released.inside().records, name));
}

std::string level_counts(const Domain& domain, const Source& rows) {
  return inside::level_counts(domain.inside().domain, *rows.inside().records).dump();
}

Tuning tune(const ReleaseSpec& spec, const std::string& public_units, const TuneOptions& options,
            const PublicTexts& texts) {
  std::optional<std::string_view> secret;
  if (options.data && texts.contains(*options.data)) secret = texts.at(*options.data);
  inside::Tuning found = inside::tune({.spec = spec.inside().spec,
                                       .public_units = public_units,
                                       .divergence = options.divergence,
                                       .best = options.best,
                                       .out = options.out},
                                      inside::PublicFiles(options.data, secret, texts));
  return {outward(std::move(found.answer)), std::move(found.band)};
}

}  // namespace mollify::front
