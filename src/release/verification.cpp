#include "release/verification.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "domain/candidates.h"
#include "domain/domain.h"
#include "release/acceptance.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/method.h"
#include "release/methods.h"
#include "release/release_error.h"
#include "release/released_model.h"

namespace mollify {

bool ReleasedCheck::values_match() const noexcept {
  return std::none_of(faults.begin(), faults.end(),
                      [](const Fault& fault) { return fault.rule.empty(); });
}

std::optional<bool> ReleasedCheck::rules_hold() const noexcept {
  if (!has_rules) return std::nullopt;
  return std::all_of(faults.begin(), faults.end(),
                     [](const Fault& fault) { return fault.rule.empty(); });
}

namespace {

/// A certificate is its spec and its facts: whatever else it says must be what follows from them,
/// so that nobody reads a promise that has not been seen to hold.
void require_implied(const nlohmann::json& implied, const nlohmann::json& stated,
                     const std::string& name) {
  const auto changes = nlohmann::json::diff(implied, stated);
  if (changes.empty()) return;
  refuse_input("certificate-altered", {},
               "{} was altered: its part {} does not follow from its numbers", name,
               changes.front().at("path").get<std::string>());
}

}  // namespace

KnownInputs known_inputs(const StatedCertificate& stated, const Domain& domain,
                         const PublicInputs& inputs, const std::optional<std::string>& list,
                         const std::optional<std::string>& reference) {
  KnownInputs known;
  const SpecDomain& declared = stated.spec.domain;
  refuse_if(declared.file.empty() && inputs.domain(declared).hash() != declared.sha256,
            "certificate-altered", {},
            "the certificate was altered: its part /spec/domain/text is of another domain than "
            "/spec/domain/sha256");
  // Outcomes that are no list are counted in the certificate itself.
  const bool is_counted = kDrawMethods.has(stated.spec.method) && stated.facts.list_sha256.empty();
  const bool has_list = !is_counted && spec_json(stated.spec).contains("/space/list"_json_pointer);
  const auto refuse = [](const char* flag, const char* reason) {
    refuse_input("certificate-mismatch", flag, "{} is not for this certificate: {}",
                 flag_words(flag), reason);
  };
  if (list) {
    if (!has_list) refuse("candidates-file", "its release had no file of candidates");
    known.list = inputs.candidates(*list, domain);
  }
  if (reference) {
    if (!stated.spec.reference()) refuse("reference", "its release had no reference");
    if (is_counted || has_list) {
      refuse("reference", "its candidates were not made of public records");
    }
    known.reference = inputs.records(*reference, domain);
    known.reference_sha256 = inputs.sha256(*reference);
  }
  return known;
}

namespace {

const nlohmann::json::json_pointer kModelHash("/measured/model_sha256");

/// The hash of its model is an output, as stated.
void imply_model(const nlohmann::json& said, const std::string& name, Method method,
                 nlohmann::json& implied) {
  if (!kPublishedModels.has(method)) return;
  refuse_if(said.contains("/measured/pairs"_json_pointer), "unsupported-version", {},
            "{} was made before models held their measurements, because it lists pairs at "
            "/measured/pairs: verify it with the version that wrote it",
            name);
  if (said.contains(kModelHash) && said[kModelHash].is_string()) {
    implied[kModelHash] = said[kModelHash];
  }
}

/// Whether the certificate names this model, which has what the release can have measured.
bool names_model(const KnownInputs& known, const nlohmann::json& said,
                 const Certificate& certificate, const Domain& domain) {
  const std::string& text = *known.model;
  const std::string name = known.model_file.empty() ? "the model" : known.model_file;
  const ReleasedModel released = parse_released_model(text, name);
  refuse_if(!said.contains(kModelHash), "certificate-mismatch", "model",
            "{} is not for this certificate: the certificate names no model", flag_words("model"));
  if (!is_model_of(released, domain) || said[kModelHash] != model_sha256(text)) return false;
  const auto made = released_measurements(Json::parse(text), domain, name);
  return release_method(certificate.spec.method)
      .can_have_measured(certificate, made ? &*made : nullptr);
}

}  // namespace

CertificateCheck verify_certificate(const StatedCertificate& stated, const std::string& name,
                                    const Domain& domain, const KnownInputs& known) {
  CertificateCheck check;
  check.domain_matches = stated.spec.domain.sha256 == domain.hash();
  if (!check.domain_matches) return check;
  const ReleaseMethod& method = release_method(stated.spec.method);
  DesignedRelease made;
  const auto said = nlohmann::json::parse(stated.text);
  try {
    method.look_at_space(stated, domain, known, check);
    made = stated_release(stated, domain);
  } catch (const InvalidInput&) {
    return check;  // numbers that no release can have had
  }
  check.is_designed = true;
  // The draws keep the total because each spends its share.
  const KeptPromise kept = method.keeps_promise(made);
  check.guarantee_holds = kept.holds;
  check.epsilon_realised_up = kept.epsilon_realised_up;

  auto implied = nlohmann::json::parse(certificate_text(made.certificate));
  // For people, and told by other parts in numbers: another version may use other words, and
  // another machine finds other last digits.
  const nlohmann::json::json_pointer why("/design/why");
  if (implied.contains(why) && said.contains(why) && said[why].is_string()) {
    check.why_matches = implied[why] == said[why];
    implied[why] = said[why];
  }
  const auto is_same = [&](const char* part) {
    return implied.contains(part) == said.contains(part) &&
           (!implied.contains(part) || implied[part] == said[part]);
  };
  check.design_matches = is_same("design") && is_same("mechanism");
  check.accuracy_matches = is_same("accuracy");
  // The checks cover the stated promise only if it is the same promise.
  check.guarantee_holds = check.guarantee_holds && is_same("draw");
  check.total_holds = is_same("privacy");
  if (check.holds()) {
    method.imply_outputs(said, made.certificate, domain, name, implied);
    imply_model(said, name, stated.spec.method, implied);
    if (known.model) {
      check.model_matches = naming_part("model", [&] {
        return naming_file(known.model_file,
                           [&] { return names_model(known, said, made.certificate, domain); });
      });
    }
    require_implied(implied, said, name);
    const ReleaseError error = method.error(made.certificate, domain);
    check.warnings = warnings(made.certificate, error, domain);
    if (auto noise = method.noise_condition(made.certificate, error, domain)) {
      add_message(check.warnings, std::move(*noise));
    }
    add_messages(check.warnings, domain.warnings());
  }
  return check;
}

namespace {

/// Of a band: its integers are compared, its file's name is not.
bool names_a_file(const std::string& place, const nlohmann::json& value) {
  return place == "/spec/band" && value.get_ref<const std::string&>().starts_with("file=");
}

/// The places of a certificate that no check compares with anything: a release of another name,
/// say, has the same integers.
std::vector<std::string> declared_places(const StatedCertificate& stated,
                                         const CertificateCheck& check) {
  static constexpr std::array kAlways = {
      "/version",     "/spec/unit",     "/spec/units_column",       "/spec/accept_error",
      "/facts/units", "/facts/records", "/spec/accept_large_delta", "/spec/logarithms"};
  // What was drawn: whether it is possible is checked, and not whether it was.
  static constexpr std::array kDrawn = {"/measured/model_sha256", "/measured/support"};
  const Method method = stated.spec.method;
  const auto said = nlohmann::json::parse(stated.text);
  std::vector<std::string> places;
  for (const char* place : kAlways) {
    if (said.contains(nlohmann::json::json_pointer(place))) places.emplace_back(place);
  }
  if (!check.why_matches) places.emplace_back("/design/why");
  if (kModelMethods.has(method)) places.emplace_back("/spec/count");
  // Any budget from the promise on is one of these designs.
  if (method == Method::kGaussian) places.emplace_back("/spec/privacy");
  if (!stated.facts.mean_ranges.empty() && !check.ranges_match) {
    places.emplace_back("/facts/mean_ranges");
  }
  const auto flat = said["spec"].flatten();
  for (const auto& [part, value] : flat.items()) {
    const std::string place = "/spec" + part;
    const bool is_compared =
        place == "/spec/domain/sha256" ||
        (method == Method::kMarginals && place == "/spec/reference/sha256" && check.list_matches);
    if (place.ends_with("/file") || names_a_file(place, value) ||
        (place.ends_with("/sha256") && !is_compared)) {
      places.push_back(place);
    }
  }
  for (const char* place : kDrawn) {
    const nlohmann::json::json_pointer at(place);
    if (said.contains(at) && !(at == kModelHash && check.model_matches)) {
      places.emplace_back(place);
    }
  }
  return places;
}

/// The public things that it was chosen from or began at; mostly none.
const char* begun_at(const StatedCertificate& stated) {
  if (!kDrawMethods.has(stated.spec.method)) return stated.spec.reference() ? "public records" : "";
  const bool is_fresh = spec_json(stated.spec).contains("/space/fresh"_json_pointer);
  return is_fresh || !stated.facts.list_sha256.empty() ? "candidates" : "";
}

/// The rows that are not as they must be, for programs.
Json released_json(const ReleasedCheck& released) {
  Json faults = Json::array();
  for (const ReleasedCheck::Fault& fault : released.faults) {
    Json one = {{"rows", fault.rows},
                {released.is_in_memory ? "row" : "line",
                 static_cast<std::int64_t>(fault.line) - (released.is_in_memory ? 2 : 0)},
                {"expectation", fault.expectation}};
    if (!fault.column.empty()) {
      one["column"] = fault.column;
      one["value"] = fault.value;
    }
    if (!fault.rule.empty()) one["rule"] = fault.rule;
    faults.push_back(std::move(one));
  }
  return {{"rows", released.rows},
          {"certified", released.certified ? Json(*released.certified) : Json(nullptr)},
          {"faults", std::move(faults)}};
}

/// For people, a line each.
std::string released_lines(const ReleasedCheck& released) {
  std::string lines;
  if (released.rows_match() == false) {
    lines += fmt::format("    {} has {}, but the certificate is of {}\n", released.name,
                         counted(released.rows, "row"), *released.certified);
  }
  for (const ReleasedCheck::Fault& fault : released.faults) {
    const std::string what = !fault.rule.empty()     ? fmt::format("rule \"{}\"", fault.rule)
                             : !fault.column.empty() ? fmt::format("column \"{}\"", fault.column)
                                                     : std::string("lines");
    const std::string value =
        fault.column.empty() ? std::string() : fmt::format(", but is \"{}\"", fault.value);
    lines += printable(fmt::format("    {}: {}; {} {} {}{}", what, counted(fault.rows, "row"),
                                   released.name, line_words(fault.line, released.is_in_memory),
                                   fault.expectation, value)) +
             "\n";
  }
  return wrapped(lines, kLineWidth, 2);
}

}  // namespace

Answer check_answer(const StatedCertificate& stated, const CertificateCheck& check,
                    const std::string& name) {
  const bool of_draws = kDrawMethods.has(stated.spec.method);
  Answer answer;
  answer.add("promised", privacy_json(stated.total),
             fmt::format(
                 "certificate {}: {}{}\n", name, stated.total.text(),
                 stated.facts.records
                     ? ", from " + counted(*stated.facts.records, stated.spec.unit ? "unit" : "row")
                 : stated.spec.hides_count() ? ", from a protected number of records"
                                             : " in all"));
  const auto add = [&](const char* fact, std::optional<bool> holds, std::string_view what,
                       std::string_view unknown = "") {
    const std::string_view found = !holds ? unknown : *holds ? "yes" : "NO";
    const bool is_told = !what.empty() && !found.empty();
    answer.add(fact, holds ? Json(*holds) : Json(nullptr),
               is_told ? fmt::format("  {:<46}{}\n", what, found) : "");
  };
  add("domain_matches", check.domain_matches, "the domain is the one of the release");
  const std::string begun = begun_at(stated);
  add("list_matches", check.list_matches,
      begun.empty() ? "" : fmt::format("the {} are those of the release", begun), "cannot be told");
  add("ranges_match", check.ranges_match, "the ranges of the mean are the domain's",
      stated.facts.mean_ranges.empty() || !check.domain_matches
          ? ""
          : "cannot be told without the covariance");
  if (check.domain_matches && !check.is_designed) {
    answer.say("  no release can have had these numbers, so nothing else was looked at\n");
  }
  const auto seen = [&](bool holds) {
    return check.is_designed ? std::optional(holds) : std::nullopt;
  };
  add("design_matches", seen(check.design_matches), "the mechanism, designed again, is this one");
  add("guarantee_holds", seen(check.guarantee_holds), "the integers keep what each draw promises");
  if (of_draws) {
    const double realised = check.epsilon_realised_up;
    answer.add("epsilon_realised", check.is_designed ? number(realised) : Json(nullptr),
               check.is_designed
                   ? fmt::format("  {:<46}epsilon {:.15g}\n", "a draw realises", realised)
                   : "");
  }
  add("total_holds", seen(check.total_holds), "the draws together keep the total");
  add("accuracy_matches", seen(check.accuracy_matches),
      of_draws ? "" : "it is as accurate as stated");
  add("model_matches", check.model_matches, "the model is the release's");
  const auto& released = check.released;
  add("rows_match", released ? released->rows_match() : std::nullopt,
      released ? "the released rows are as many as certified" : "", "cannot be told");
  add("values_match", released ? std::optional(released->values_match()) : std::nullopt,
      "each released value is one of its column's");
  add("rules_hold", released ? released->rules_hold() : std::nullopt,
      "each released row keeps every rule");
  answer.add("released", released ? released_json(*released) : Json(nullptr),
             released ? released_lines(*released) : "");
  const std::vector<std::string> places = declared_places(stated, check);
  answer.add("as_declared", check.is_designed ? Json(places) : Json(nullptr),
             check.is_designed
                 ? wrapped(fmt::format("  as declared, not checked: {}\n", fmt::join(places, ", ")),
                           kLineWidth, 4)
                 : "");
  if (check.is_designed) {
    answer.say(released ? "  that the rows were drawn for this certificate is not checked\n"
                        : "  that any records are of this certificate is not checked\n");
  }
  std::string warned;
  for (const Message& warning : check.warnings) {
    warned += fmt::format("WARNING: {}\n", printable(warning.text()));
  }
  answer.add("warnings", json_of(check.warnings), warned);
  answer.add("holds", check.holds());
  answer.add("verdict", check.verdict(), fmt::format("{}\n", check.verdict()));
  return answer;
}

}  // namespace mollify
