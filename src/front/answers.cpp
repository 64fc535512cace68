#include "mollify/answers.h"

#include <utility>

#include <fmt/format.h>

#include "analysis/advice.h"
#include "analysis/check.h"
#include "analysis/compare.h"
#include "analysis/estimate.h"
#include "analysis/mechanisms.h"
#include "analysis/requests.h"
#include "analysis/summaries.h"
#include "analysis/tune.h"
#include "base/json.h"
#include "base/refusal.h"
#include "formats/public_files.h"
#include "front/domain.h"
#include "front/message.h"
#include "front/release.h"
#include "methods/answers/answers.h"
#include "methods/answers/questions.h"
#include "release/acceptance.h"
#include "release/plan.h"

namespace mollify::front {

namespace {

Answer outward(inside::Answer found) {
  return {found.facts(), inside::wrapped(found.text, inside::kLineWidth, inside::kHang),
          front::outward(found.warnings)};
}

/// Sentences about what it holds may name parameters.
inside::Json question_of(std::string_view text) {
  inside::require_json(text, "the question");
  return inside::Json::parse(text);
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

std::vector<SpecPart> request_parts(std::string_view request) {
  return outward(inside::request_parts(request));
}

Answer plan(std::string_view question, const std::string& name, const PublicTexts& texts) {
  const std::string one(question);
  return plans({&one, 1}, name, texts);
}

Answer plans(std::span<const std::string> questions, const std::string& name,
             const PublicTexts& texts, const std::vector<std::string>& unit) {
  return in_places([&] {
    refuse_if(questions.empty(), "empty-input", {},
              "there must be a question to plan, but the list is empty");
    const inside::PublicFiles files(std::nullopt, std::nullopt, texts);
    std::vector<inside::PlanReport> reports;
    for (const std::string& question : questions) {
      inside::PlanQuestion asked = inside::parse_plan_question(question, name);
      if (!unit.empty()) asked.unit = inside::UnitColumns(unit);
      inside::tell_what_takes_long(asked, files);
      reports.push_back(inside::plan(asked, files));
    }
    return outward(inside::plan_answer(reports));
  });
}

Answer plan(std::string_view question, const Domain& domain, const PublicTexts& texts) {
  return plan(with_domain(question, domain, "the question"), "the question", texts);
}

Answer advise(std::string_view question, const std::string& name, const PublicTexts& texts) {
  return in_places([&] {
    const inside::PublicFiles files(std::nullopt, std::nullopt, texts);
    return outward(inside::advice_answer(
        inside::advise(inside::advice_question_of(question_of(question), name), files)));
  });
}

Answer amplify(std::string_view question, const std::string& name) {
  return in_places([&] {
    return outward(inside::amplify(inside::amplify_question_of(question_of(question), name)));
  });
}

// -----------------------------------------------------------------------------------------------
// The collector's side.

namespace {

/// A release's law and its counted records.
struct ReadRecords {
  inside::ReleasedLaw law;
  std::string name;
  inside::Empirical records;

  /// Messages call records in memory `called`.
  ReadRecords(const ReleasedRecords& release, const std::string& called,
              const std::optional<std::string>& counts)
      : law(release.certificate.inside().stated, release.certificate.inside().name,
            release.domain.inside().domain),
        name(release.released.inside().path.value_or(called)) {
    // Released records are public, so a value that no release has is refused.
    const bool is_file = release.released.inside().path.has_value();
    const std::string text =
        is_file ? std::string() : release.released.csv_text(law.domain().names());
    records = naming_part("released", [&] {
      return inside::read_counted_outcomes(
          name, law.domain(), counts,
          is_file ? std::nullopt : std::optional<std::string_view>(text));
    });
  }
};

}  // namespace

Answer estimate(const Certificate& certificate, const Domain& domain, const Source& released,
                std::string_view question, const std::string& name) {
  const ReleasedRecords one{certificate, domain, released};
  return estimate({&one, 1}, question, name);
}

Answer estimate(std::span<const ReleasedRecords> releases, std::string_view question,
                const std::string& name) {
  return in_places([&] {
    const auto request = inside::estimate_request_of(question_of(question), name);
    refuse_if(releases.empty(), "empty-input", {},
              "there must be a release to estimate from, but the list is empty");
    std::vector<ReadRecords> read;
    read.reserve(releases.size());
    std::vector<inside::CountedRelease> counted;
    for (const ReleasedRecords& release : releases) {
      const std::string called = releases.size() == 1
                                     ? "released (in memory)"
                                     : fmt::format("release {} (in memory)", read.size() + 1);
      const ReadRecords& one = read.emplace_back(release, called, request.counts_column);
      counted.push_back({&one.law, &one.records, one.name});
    }
    const inside::PopulationEstimate found = inside::estimate_population(counted, request);
    inside::Answer answer =
        inside::estimate_answer(found, releases.front().certificate.inside().stated.spec);
    for (const ReleasedRecords& release : releases) {
      const inside::Privacy total = release.certificate.inside().stated.total;
      for (inside::Message& one : inside::epsilon_warnings(total, total, 0))
        answer.warn(std::move(one));
    }
    return outward(std::move(answer));
  });
}

std::vector<Answer> answer(const Model& model, const std::vector<std::string>& questions) {
  std::vector<inside::TableQuestion> asked;
  for (const std::string& text : questions) asked.push_back(inside::parse_question(text));
  const auto& file = model.inside().file;
  std::vector<Answer> answers;
  for (inside::Answer& one :
       inside::answer_questions(file.measurements, file.domain, asked, model.inside().name)) {
    answers.push_back({one.facts(), std::move(one.text), {}});
  }
  return answers;
}

// -----------------------------------------------------------------------------------------------
// For the data holder.

Answer check(const Domain& domain, const std::string& data, std::string_view question,
             const std::string& name, const PublicTexts& texts) {
  return in_places([&] {
    const auto asked =
        inside::check_question_of(question_of(question), name, domain.inside().domain, data);
    const inside::PublicFiles files(std::nullopt, std::nullopt, texts);
    return naming_part("data", [&] { return outward(inside::check(asked, files)); });
  });
}

Answer compare(std::span<const std::string> specs, const Source& data, const PublicTexts& texts) {
  return in_places([&] {
    std::vector<inside::Json> questions;
    for (const std::string& spec : specs) questions.push_back(question_of(spec));
    const inside::PublicFiles files(data.inside().path, std::nullopt, texts);
    return naming_part(
        "data", [&] { return outward(inside::compare(questions, files, *data.inside().records)); });
  });
}

Answer compare_released(std::string_view spec, const Source& data, const Source& released,
                        const std::string& name, const PublicTexts& texts,
                        const std::vector<std::string>& questions, const Model* model) {
  return in_places([&] {
    const inside::PublicFiles files(data.inside().path, std::nullopt, texts);
    inside::HolderQuestions asked = inside::holder_questions(questions);
    if (model != nullptr) asked.model = model->inside().file.measurements;
    return outward(inside::compare_released(question_of(spec), files, *data.inside().records,
                                            *released.inside().records, name, asked));
  });
}

std::string level_counts(const Domain& domain, const Source& rows) {
  return inside::level_counts(domain.inside().domain, *rows.inside().records).dump();
}

Tuning tune(const ReleaseSpec& spec, std::string_view question, const std::string& name,
            const PublicTexts& texts) {
  return in_places([&] {
    const auto asked = inside::tune_question_of(question_of(question), name, spec.inside().spec);
    std::optional<std::string_view> secret;
    if (asked.data && texts.contains(*asked.data)) secret = texts.at(*asked.data);
    inside::Tuning found = inside::tune(asked, inside::PublicFiles(asked.data, secret, texts));
    return Tuning{outward(std::move(found.answer)), std::move(found.band)};
  });
}

}  // namespace mollify::front
