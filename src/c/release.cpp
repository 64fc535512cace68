#include "mollify/release.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "c/guarded.h"
#include "kernel/core/invalid_input.h"
#include "mollify/estimate.h"
#include "mollify/model.h"
#include "mollify/plan.h"
#include "mollify/verify.h"

namespace mollify::c {
namespace {

std::optional<front::Charging> charging(const char* ledger, const char* data_set) {
  if ((ledger == nullptr) != (data_set == nullptr)) {
    throw InvalidInput("a ledger and the data set's name in it go together, but one is given");
  }
  if (ledger == nullptr) return std::nullopt;
  return front::Charging{front::Ledger(ledger), data_set};
}

front::EstimateOptions estimate_options(const char* text) {
  front::EstimateOptions options;
  if (text == nullptr) return options;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) throw InvalidInput("the options must be a JSON object, but are none");
  for (const auto& [key, value] : json.items()) {
    if (key == "confidence" && value.is_number()) {
      options.confidence = value.get<double>();
    } else if (key == "method" && value.is_string()) {
      options.method = value.get<std::string>();
    } else if (key == "pairs" && value.is_boolean()) {
      options.pairs = value.get<bool>();
    } else {
      throw InvalidInput(
          "the options must be confidence (a number), method (a text) and pairs (true or false), "
          "but one is " +
          key);
    }
  }
  return options;
}

front::GivenValues given_values(const char* text) {
  front::GivenValues given;
  if (text == nullptr) return given;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  bool is_read = json.is_object();
  if (is_read) {
    for (const auto& [column, value] : json.items()) {
      is_read = is_read && value.is_string();
      if (is_read) given[column] = value.get<std::string>();
    }
  }
  if (!is_read) throw InvalidInput("given must be a JSON object of texts, but is not");
  return given;
}

/// What is to be said of the release, if anybody reads it.
CText said_of(const front::PreparedRelease& prepared, const char* const* read_by) {
  return read_by == nullptr ? CText(nullptr, mollify_free_text)
                            : warnings_for_c(prepared.report().warnings);
}

void hand_over(CText text, char** out) {
  if (out != nullptr) *out = text.release();
}

}  // namespace
}  // namespace mollify::c

using mollify::InvalidInput;
using mollify::c::charging;
using mollify::c::CText;
using mollify::c::estimate_options;
using mollify::c::given_values;
using mollify::c::guarded;
using mollify::c::hand_over;
using mollify::c::said_of;
using mollify::c::text_for_c;
namespace front = mollify::front;

mollify_status mollify_release(const char* spec, struct ArrowArrayStream* data, const char* ledger,
                               const char* data_set, struct ArrowArrayStream* released,
                               char** certificate, char** warnings) {
  return guarded([&] {
    const auto source = front::Source::arrow(data);
    const auto prepared = front::prepare(front::ReleaseSpec::parse(spec), source);
    CText said = said_of(prepared, warnings);
    ArrowArrayStream rows{};
    const auto certified =
        front::release(prepared, source, front::Sink::arrow(&rows), charging(ledger, data_set));
    // Everything that can fail comes before the stream is handed over.
    *certificate = text_for_c(certified.json());
    hand_over(std::move(said), warnings);
    *released = rows;
  });
}

mollify_status mollify_release_model(const char* spec, struct ArrowArrayStream* data,
                                     const char* ledger, const char* data_set,
                                     struct ArrowArrayStream* released, char** certificate,
                                     char** model, char** warnings) {
  return guarded([&] {
    const auto source = front::Source::arrow(data);
    const auto prepared = front::prepare(front::ReleaseSpec::parse(spec), source);
    if (nlohmann::json::parse(prepared.certificate().json())["spec"].value("family", "") !=
        "marginals") {
      throw InvalidInput("a model is released by family \"marginals\" alone");
    }
    CText said = said_of(prepared, warnings);
    std::string drawn_from;
    ArrowArrayStream rows{};
    const auto certified =
        front::release(prepared, source, front::Sink::arrow(&rows).with_model(drawn_from),
                       charging(ledger, data_set));
    CText text(text_for_c(certified.json()), mollify_free_text);
    *model = text_for_c(drawn_from);
    *certificate = text.release();
    hand_over(std::move(said), warnings);
    *released = rows;
  });
}

mollify_status mollify_generate(const char* model, uint64_t count, const char* given,
                                struct ArrowArrayStream* rows) {
  return guarded([&] {
    front::generate(front::Model::parse(model), count, given_values(given),
                    front::Sink::arrow(rows));
  });
}

mollify_status mollify_release_csv(const char* spec, const char* data, const char* ledger,
                                   const char* data_set, const char* released,
                                   const char* certificate, char** warnings) {
  return guarded([&] {
    const auto source = front::Source::csv(data);
    const auto prepared = front::prepare(front::ReleaseSpec::parse(spec), source);
    CText said = said_of(prepared, warnings);
    front::release(prepared, source, front::Sink::csv(released, certificate),
                   charging(ledger, data_set));
    hand_over(std::move(said), warnings);
  });
}

mollify_status mollify_plan(const char* question, char** report) {
  return guarded([&] { *report = text_for_c(front::plan(question, "the question").json); });
}

mollify_status mollify_prepare(const char* spec, uint64_t records, char** certificate) {
  return guarded([&] {
    const auto prepared =
        front::prepare(front::ReleaseSpec::parse(spec),
                       records == 0 ? std::nullopt : std::optional<std::uint64_t>(records));
    *certificate = text_for_c(prepared.certificate().json());
  });
}

mollify_status mollify_release_report(const char* spec, uint64_t records, char** report) {
  return guarded([&] {
    const front::ReleaseReport found =
        front::prepare(front::ReleaseSpec::parse(spec),
                       records == 0 ? std::nullopt : std::optional<std::uint64_t>(records))
            .report();
    nlohmann::ordered_json json;
    json["total_variation"] = nullptr;
    if (found.total_variation) json["total_variation"] = *found.total_variation;
    json["why"] = found.why;
    json["notes"] = found.notes;
    json["warnings"] = found.warnings;
    *report = text_for_c(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  });
}

mollify_status mollify_verify(const char* certificate, const char* domain, char** report) {
  return guarded([&] {
    const auto found =
        front::verify(front::Certificate::parse(certificate), front::Domain::parse(domain));
    const auto known = [](const std::optional<bool>& held) {
      return held ? nlohmann::ordered_json(*held) : nlohmann::ordered_json(nullptr);
    };
    const nlohmann::ordered_json json{{"holds", found.holds()},
                                      {"verdict", found.verdict},
                                      {"domain_matches", found.domain_matches},
                                      {"list_matches", known(found.list_matches)},
                                      {"ranges_match", known(found.ranges_match)},
                                      {"design_matches", known(found.design_matches)},
                                      {"guarantee_holds", known(found.guarantee_holds)},
                                      {"total_holds", known(found.total_holds)},
                                      {"accuracy_matches", known(found.accuracy_matches)},
                                      {"epsilon_realised", found.epsilon_realised_up}};
    *report = text_for_c(json.dump(2) + "\n");
  });
}

mollify_status mollify_estimate(const char* certificate, const char* domain, const char* released,
                                const char* options, char** report) {
  return guarded([&] {
    const auto found =
        front::estimate(front::Certificate::parse(certificate), front::Domain::parse(domain),
                        front::Source::csv(released), estimate_options(options));
    *report = text_for_c(found.json);
  });
}
