#include "c/interface.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/invalid_input.h"
#include "core/ranges.h"
#include "mollify/answers.h"
#include "mollify/privacy.h"
#include "mollify/program.h"
#include "mollify/release.h"
#include "mollify/sampler.h"
#include "mollify/verify.h"
#include "mollify/version.h"

// -----------------------------------------------------------------------------------------------
// Nothing is thrown across the C interface.

namespace mollify::c {
namespace {

// If memory is exhausted, no more is requested.
thread_local char last_error[4096] = "";
thread_local char last_code[64] = "";
thread_local std::string last_facts;  // empty: {}

void keep(const char* sentence, std::string_view code, std::string facts) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s", sentence);
  std::snprintf(last_code, sizeof last_code, "%.*s", static_cast<int>(code.size()), code.data());
  last_facts = std::move(facts);
}

}  // namespace

void remember(const char* sentence) noexcept { keep(sentence, "failure", {}); }

void remember(const InvalidInput& refused) noexcept {
  std::string facts;
  try {
    facts = front::refusal_json(refused);
  } catch (...) {  // the sentence and the code must do
    facts.clear();
  }
  keep(refused.what(), refused.code().name, std::move(facts));
}

char* text_for_c(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

CText warnings_for_c(const std::vector<front::Message>& messages) {
  return {text_for_c(front::messages_json(messages)), mollify_free_text};
}

}  // namespace mollify::c

const char* mollify_last_error() { return mollify::c::last_error; }
const char* mollify_last_error_code() { return mollify::c::last_code; }
const char* mollify_last_error_facts() {
  return mollify::c::last_facts.empty() ? "{}" : mollify::c::last_facts.c_str();
}
const char* mollify_version() { return mollify::kVersion; }
void mollify_free_text(char* text) { std::free(text); }

// -----------------------------------------------------------------------------------------------
// Texts that hold parameters.

namespace mollify::c {
namespace {

using nlohmann::json;

/// Throws InvalidInput for NULL.
const char* needed(const char* name, const char* text) {
  if (text == nullptr)
    throw InvalidInput("missing-parameter", std::string(name) + " must be a text, but is NULL",
                       name);
  return text;
}
const char* const* needed(const char* name, const char* const* texts) {
  if (texts == nullptr)
    throw InvalidInput("missing-parameter", std::string(name) + " must be texts, but is NULL",
                       name);
  return texts;
}

/// What is made of a text, or of the file that it names. A refusal that is about nothing nearer is
/// about this parameter.
template <class Make>
auto read(const char* name, const char* text, const Make& make) {
  needed(name, text);
  try {
    return make(text);
  } catch (const InvalidInput& refused) {
    const bool is_nearer = !refused.parameter().empty() && refused.parameter() != name;
    if (is_nearer || (!refused.file().empty() && refused.file() != text)) throw;
    Concern concern = Concern::in_file(refused.file(), refused.line(), refused.column());
    concern.parameter = std::string("/") + name;
    std::vector<WayOut> ways = refused.ways_out();
    if (ways.empty()) ways.push_back(WayOut::set(concern.parameter));
    throw InvalidInput(refused.code(), refused.what(), concern, ways, refused.quantities());
  }
}

front::ReleaseSpec spec_of(const char* text) {
  return read("spec", text, [](const char* spec) { return front::ReleaseSpec::parse(spec); });
}
front::Domain domain_of(const char* text) {
  return read("domain", text, [](const char* domain) { return front::Domain::parse(domain); });
}
front::Certificate certificate_of(const char* text) {
  return read("certificate", text, [](const char* one) { return front::Certificate::parse(one); });
}
front::Model model_of(const char* text) {
  return read("model", text, [](const char* model) { return front::Model::parse(model); });
}

/// A JSON object with known keys alone. Everything here throws InvalidInput for another one.
class Keys {
 public:
  /// The object is called `words` in sentences, and is the parameters of `owner`.
  Keys(const char* parameter, const char* text, const std::string& words, const std::string& owner,
       const std::vector<std::string>& known)
      : object_(json::parse(text, nullptr, false)) {
    if (!object_.is_object())
      throw InvalidInput("wrong-type", words + " must be a JSON object", parameter);
    for (const auto& item : object_.items()) {
      if (std::find(known.begin(), known.end(), item.key()) == known.end())
        refuse_key(item.key(), owner, known);
    }
  }

  /// The value of a key, or NULL.
  [[nodiscard]] const json* find(const std::string& key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  void require(bool fits, const std::string& key, const char* what) const {
    if (fits) return;
    throw InvalidInput("wrong-type",
                       key + " must be " + what + ", but is " + object_.at(key).dump(), "/" + key);
  }

  [[nodiscard]] std::optional<std::string> text(const std::string& key, const char* what) const {
    return value<std::string>(key, &json::is_string, what);
  }
  [[nodiscard]] std::optional<double> number(const std::string& key) const {
    return value<double>(key, &json::is_number, "a number");
  }
  [[nodiscard]] bool truth(const std::string& key) const {
    return value<bool>(key, &json::is_boolean, "true or false").value_or(false);
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& key) const {
    const json* const list = find(key);
    if (list == nullptr) return {};
    const auto is_number = [](const json& one) { return one.is_number(); };
    require(list->is_array() && std::all_of(list->begin(), list->end(), is_number), key,
            "an array of numbers");
    return list->get<std::vector<double>>();
  }

 private:
  template <class Value>
  [[nodiscard]] std::optional<Value> value(const std::string& key, bool (json::*fits)() const,
                                           const char* what) const {
    const json* const found = find(key);
    if (found == nullptr) return std::nullopt;
    require((found->*fits)(), key, what);
    return found->get<Value>();
  }

  [[noreturn]] static void refuse_key(const std::string& key, const std::string& owner,
                                      const std::vector<std::string>& known) {
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    const std::string nearest = front::nearest_parameter(key, known);
    std::vector<WayOut> ways{WayOut::leave("/" + key)};
    if (!nearest.empty()) ways.push_back(WayOut::set("/" + nearest));
    throw InvalidInput("unknown-key",
                       owner + " has no key \"" + key + "\"; it has " + list +
                           (nearest.empty() ? "" : " (did you mean \"" + nearest + "\"?)"),
                       "/" + key, std::move(ways));
  }

  json object_;
};

}  // namespace
}  // namespace mollify::c

// -----------------------------------------------------------------------------------------------
// Release.

namespace mollify::c {
namespace {

std::optional<front::Charging> charging(const char* ledger, const char* data_set) {
  if ((ledger == nullptr) != (data_set == nullptr)) {
    const char* const missing = ledger == nullptr ? "ledger" : "data_set";
    throw InvalidInput(
        "missing-parameter",
        std::string(missing) + " is missing: a ledger and the data set's name in it go together",
        missing, {WayOut::set(missing)});
  }
  if (ledger == nullptr) return std::nullopt;
  return front::Charging{front::Ledger(ledger), data_set};
}

/// The values of columns, each a text.
front::GivenValues given_values(const char* text) {
  front::GivenValues given;
  if (text == nullptr) return given;
  const json object = json::parse(text, nullptr, false);
  const auto is_text = [](const json& value) { return value.is_string(); };
  if (!object.is_object() || !std::all_of(object.begin(), object.end(), is_text))
    throw InvalidInput("wrong-type", "given must be a JSON object of texts, but is not", "given");
  for (const auto& [column, value] : object.items()) given[column] = value.get<std::string>();
  return given;
}

front::Privacy total_of(const Keys& keys) {
  const auto epsilon = keys.number("epsilon"), delta = keys.number("delta"),
             rho = keys.number("rho");
  if (!epsilon && !rho)
    throw InvalidInput("missing-parameter", "the total is missing: give epsilon and delta, or rho",
                       "/epsilon", {WayOut::set("/epsilon"), WayOut::set("/rho")});
  if (rho && (epsilon || delta))
    throw InvalidInput("contradicting-parameters", "give rho, or epsilon and delta, not both",
                       "/rho", {WayOut::leave("/rho")});
  return rho ? front::Privacy::concentrated(*rho)
             : front::Privacy{delta.value_or(0) == 0 ? front::Privacy::Notion::kPure
                                                     : front::Privacy::Notion::kApproximate,
                              *epsilon, delta.value_or(0)};
}

/// The warnings of the release, if anybody reads them.
CText said_of(const front::PreparedRelease& prepared, const char* const* read_by) {
  return read_by == nullptr ? CText(nullptr, mollify_free_text)
                            : warnings_for_c(prepared.report().warnings);
}

void hand_over(CText text, char** out) {
  if (out != nullptr) *out = text.release();
}

}  // namespace
}  // namespace mollify::c

using mollify::c::charging;
using mollify::c::CText;
using mollify::c::given_values;
using mollify::c::guarded;
using mollify::c::hand_over;
using mollify::c::needed;
using mollify::c::said_of;
using mollify::c::text_for_c;
namespace front = mollify::front;

mollify_status mollify_release(const char* spec, struct ArrowArrayStream* data, const char* ledger,
                               const char* data_set, struct ArrowArrayStream* released,
                               char** certificate, char** warnings) {
  return guarded([&] {
    const auto source = front::Source::arrow(data);
    const auto prepared = front::prepare(mollify::c::spec_of(spec), source);
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
    const auto prepared = front::prepare(mollify::c::spec_of(spec), source);
    prepared.require_model();
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
    front::generate(mollify::c::model_of(model), count, given_values(given),
                    front::Sink::arrow(rows));
  });
}

mollify_status mollify_release_csv(const char* spec, const char* data, const char* ledger,
                                   const char* data_set, const char* released,
                                   const char* certificate, char** warnings) {
  return guarded([&] {
    const auto source = front::Source::csv(needed("data", data));
    const auto prepared = front::prepare(mollify::c::spec_of(spec), source);
    CText said = said_of(prepared, warnings);
    front::release(
        prepared, source,
        front::Sink::csv(needed("released", released), needed("certificate", certificate)),
        charging(ledger, data_set));
    hand_over(std::move(said), warnings);
  });
}

mollify_status mollify_prepare(const char* spec, uint64_t records, char** certificate) {
  return guarded([&] {
    const auto prepared =
        front::prepare(mollify::c::spec_of(spec),
                       records == 0 ? std::nullopt : std::optional<std::uint64_t>(records));
    *certificate = text_for_c(prepared.certificate().json());
  });
}

mollify_status mollify_release_report(const char* spec, uint64_t records, char** report) {
  return guarded([&] {
    const front::ReleaseReport found =
        front::prepare(mollify::c::spec_of(spec),
                       records == 0 ? std::nullopt : std::optional<std::uint64_t>(records))
            .report();
    nlohmann::ordered_json json;
    json["total_variation"] = nullptr;
    if (found.total_variation) json["total_variation"] = *found.total_variation;
    json["why"] = found.why;
    json["notes"] = found.notes;
    json["warnings"] = nlohmann::ordered_json::parse(front::messages_json(found.warnings));
    *report = text_for_c(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  });
}

mollify_status mollify_declare(const char* ledger, const char* data_set, const char* total) {
  return guarded([&] {
    const mollify::c::Keys keys("total", needed("total", total), "the total", "a total",
                                {"epsilon", "delta", "rho", "scope", "replace"});
    const front::Privacy declared = mollify::c::total_of(keys);
    const std::string scope = keys.text("scope", "a text").value_or("");
    const bool replace = keys.truth("replace");
    front::Ledger(needed("ledger", ledger))
        .declare(needed("data_set", data_set), declared, scope, replace);
  });
}

mollify_status mollify_verify(const char* certificate, const char* domain, char** report) {
  return guarded([&] {
    const auto found =
        front::verify(mollify::c::certificate_of(certificate), mollify::c::domain_of(domain));
    *report = text_for_c(found.json);
  });
}

// -----------------------------------------------------------------------------------------------
// Questions and answers.

namespace mollify::c {
namespace {

/// What `ask` answers, as a report.
template <class Ask>
mollify_status answered(char** report, const Ask& ask) {
  return guarded([&] { *report = text_for_c(ask().json); });
}

const char* or_empty(const char* question) { return question == nullptr ? "{}" : question; }

}  // namespace
}  // namespace mollify::c

mollify_status mollify_plan(const char* question, char** report) {
  return mollify::c::answered(report, [&] { return front::plan(needed("question", question)); });
}

mollify_status mollify_advise(const char* question, char** report) {
  return mollify::c::answered(report, [&] { return front::advise(needed("question", question)); });
}

mollify_status mollify_amplify(const char* question, char** report) {
  return mollify::c::answered(report, [&] { return front::amplify(needed("question", question)); });
}

mollify_status mollify_estimate(const char* certificate, const char* domain, const char* released,
                                const char* question, char** report) {
  return mollify::c::answered(report, [&] {
    return front::estimate(mollify::c::certificate_of(certificate), mollify::c::domain_of(domain),
                           front::Source::csv(needed("released", released)),
                           mollify::c::or_empty(question));
  });
}

mollify_status mollify_estimate_together(const char* const* certificates,
                                         const char* const* domains, const char* const* released,
                                         size_t count, const char* question, char** report) {
  return mollify::c::answered(report, [&] {
    mollify::c::needed("certificates", certificates);
    mollify::c::needed("domains", domains);
    mollify::c::needed("released", released);
    std::vector<front::Certificate> stated;
    std::vector<front::Domain> declared;
    std::vector<front::Source> records;
    for (std::size_t i = 0; i < count; ++i) {
      stated.push_back(mollify::c::certificate_of(certificates[i]));
      declared.push_back(mollify::c::domain_of(domains[i]));
      records.push_back(front::Source::csv(mollify::c::needed("released", released[i])));
    }
    std::vector<front::ReleasedRecords> releases;
    for (std::size_t i = 0; i < count; ++i)
      releases.push_back({stated[i], declared[i], records[i]});
    return front::estimate(releases, mollify::c::or_empty(question));
  });
}

mollify_status mollify_check(const char* domain, const char* data, const char* question,
                             char** report) {
  return mollify::c::answered(report, [&] {
    const front::Domain declared = mollify::c::domain_of(domain);
    return mollify::c::read("data", data, [&](const char* file) {
      return front::check(declared, file, mollify::c::or_empty(question));
    });
  });
}

// -----------------------------------------------------------------------------------------------
// Sampler.

struct mollify_sampler {
  mollify::front::Sampler sampler;
};

namespace mollify::c {
namespace {

front::SamplerParameters sampler_parameters(const char* text) {
  std::vector<std::string> known = {"mechanism", "k", "epsilon", "mu", "reference", "channel"};
  const auto names = front::SamplerParameters::names_of_numbers();
  known.insert(known.end(), names.begin(), names.end());
  const Keys keys("parameters", text, "the sampler's parameters", "a sampler", known);
  front::SamplerParameters parameters;
  if (const auto name = keys.text("mechanism", "a name")) parameters.mechanism = *name;
  if (const json* k = keys.find("k")) {
    const double whole = k->is_number() ? k->get<double>() : 0;
    keys.require(k->is_number_integer() || std::fabs(whole) >= 0x1p63, "k", "a whole number");
    require_between({"k", "/k", "outcomes"}, whole, 1, 0x1p24);
    parameters.k = k->get<std::size_t>();
  }
  parameters.epsilon = keys.number("epsilon");
  parameters.mu = keys.number("mu");
  parameters.reference = keys.numbers("reference");
  parameters.channel = keys.numbers("channel");
  for (const std::string& name : names) {
    if (const auto number = keys.number(name)) parameters.numbers[name] = *number;
  }
  if (keys.find("k") == nullptr)
    throw InvalidInput("missing-parameter", "k is missing", "/k", {WayOut::set("/k")});
  return parameters;
}

template <class Score>
mollify_status draw(const mollify_sampler* sampler, const Score* scores, std::uint64_t rows,
                    std::uint32_t* released) {
  return guarded([&] {
    sampler->sampler.draw(std::span<const Score>(scores, rows * sampler->sampler.k()),
                          std::span<std::uint32_t>(released, rows));
  });
}

}  // namespace
}  // namespace mollify::c

using mollify::c::guarded;

mollify_status mollify_new_sampler(const char* parameters, mollify_sampler** sampler,
                                   char** warnings) {
  return guarded([&] {
    const auto parsed = mollify::c::sampler_parameters(needed("parameters", parameters));
    auto made = std::make_unique<mollify_sampler>(mollify_sampler{mollify::front::Sampler(parsed)});
    if (warnings != nullptr) {
      *warnings = mollify::c::warnings_for_c(mollify::front::draw_warnings(parsed)).release();
    }
    *sampler = made.release();
  });
}

void mollify_free_sampler(mollify_sampler* sampler) { delete sampler; }

uint64_t mollify_sampler_k(const mollify_sampler* sampler) { return sampler->sampler.k(); }

double mollify_sampler_epsilon_realised_up(const mollify_sampler* sampler) {
  return sampler->sampler.epsilon_realised_up();
}

mollify_status mollify_draw(const mollify_sampler* sampler, const double* scores, uint64_t rows,
                            uint32_t* released) {
  return mollify::c::draw(sampler, scores, rows, released);
}

mollify_status mollify_draw_float(const mollify_sampler* sampler, const float* scores,
                                  uint64_t rows, uint32_t* released) {
  return mollify::c::draw(sampler, scores, rows, released);
}

mollify_status mollify_draw_units(const mollify_sampler* sampler, const uint32_t* outcomes,
                                  const uint64_t* offsets, const double* weights, uint64_t units,
                                  uint32_t* released) {
  return guarded([&] {
    const std::size_t records = offsets[units];
    sampler->sampler.draw_units(
        {outcomes, records}, {offsets, units + 1},
        weights == nullptr ? std::span<const double>() : std::span(weights, records),
        {released, units});
  });
}
