#include "release/certificate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/json.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/band.h"
#include "domain/numbers.h"
#include "domain/same_value.h"
#include "records/source.h"
#include "release/method.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What goes out with every release.

namespace {

constexpr const char* kFormat = "mollify certificate 2";
constexpr int kDoubleDigits = std::numeric_limits<double>::digits;

// In the order of the enumeration.
constexpr std::array<const char*, 4> kNotions = {"pure", "approximate", "concentrated", "gaussian"};

Json facts_json(const PublicFacts& facts) {
  Json json = Json::object();
  if (facts.records) json["records"] = *facts.records;
  if (facts.units) json["units"] = *facts.units;
  if (facts.outcomes > 0) json["k"] = facts.outcomes;
  if (!facts.list_sha256.empty()) json["list_sha256"] = facts.list_sha256;
  if (facts.reference) json["reference"] = *facts.reference;
  if (facts.lower_bounds) json["lower_bounds"] = *facts.lower_bounds;
  if (facts.channel) json["channel"] = *facts.channel;
  if (facts.location) json["location"] = *facts.location;
  if (facts.kept) json["kept"] = std::to_string(*facts.kept);
  if (facts.amount) json["amount"] = dyadic_json(*facts.amount);
  for (const RealRange& range : facts.mean_ranges) {
    json["mean_ranges"].push_back({range.low, range.high});
  }
  return json;
}

using WholeNumbers = std::vector<std::vector<std::uint64_t>>;

/// Reads one member of a certificate, or says which one is not as it must be.
class StatedReader {
 public:
  StatedReader(const Json& json, const std::string& name) : json_(json), name_(name) {}

  template <class Value>
  Value get(const char* place, const char* expected) const {
    try {
      const Json& member = json_.at(Json::json_pointer(place));
      // Any other number would be cast, which is not defined for all of them.
      if constexpr (std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, WholeNumbers>) {
        if (!is_whole(member)) refuse(place, expected);
      }
      return member.template get<Value>();
    } catch (const Json::exception&) {
      refuse(place, expected);
    }
  }

  template <class Value>
  std::optional<Value> find(const char* place, const char* expected) const {
    if (!json_.contains(Json::json_pointer(place))) return std::nullopt;
    return get<Value>(place, expected);
  }

  /// An integer that is written as text.
  std::optional<std::uint64_t> find_text(const char* place) const {
    constexpr const char* kExpected = "a whole number as text";
    const auto text = find<std::string>(place, kExpected);
    if (!text) return std::nullopt;
    std::uint64_t value = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
    if (read.ec != std::errc{} || read.ptr != text->data() + text->size()) {
      refuse(place, kExpected);
    }
    return value;
  }

  [[noreturn]] void refuse(const char* place, const char* expected) const {
    refuse_input("malformed-file", {}, "{} must have {} at {}", name_, expected, place);
  }

 private:
  /// A whole number of at most 64 bits, an outcome where it is the first of a pair, or a list.
  static bool is_whole(const Json& json) {
    if (!json.is_array()) return json.is_number_unsigned();
    return std::all_of(json.begin(), json.end(), is_whole);
  }

  const Json& json_;
  const std::string& name_;
};

/// Every digest that there is must be one: 64 hexadecimal digits. Linear in the text, whose lists
/// may have a number for each of 2^24 outcomes.
void require_digests(const Json& json, const StatedReader& reader, const std::string& place = "") {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    const std::string inner = json.is_array() ? place : fmt::format("{}/{}", place, key);
    if (value.is_structured() && !value.empty()) {
      require_digests(value, reader, inner);
      continue;
    }
    if (!key.ends_with("sha256")) continue;
    const auto* const text = value.get_ptr<const std::string*>();
    if (text == nullptr || text->size() != 64 ||
        text->find_first_not_of("0123456789abcdef") != std::string::npos) {
      reader.refuse(inner.c_str(), "a SHA-256, 64 hexadecimal digits,");
    }
  }
}

PublicFacts parse_facts(const StatedReader& reader) {
  PublicFacts facts;
  facts.records = reader.find<std::uint64_t>("/facts/records", "a whole number");
  if (facts.records && (*facts.records < 1 || *facts.records > CountedSource::kMostOfARow)) {
    reader.refuse("/facts/records", "from 1 to 1099511627776 records");
  }
  facts.units = reader.find<std::uint64_t>("/facts/units", "a whole number");
  if (facts.units && (*facts.units < 1 || *facts.units > StringIndex::kAbsent)) {
    reader.refuse("/facts/units", "from 1 to 4294967295 units");
  }
  facts.outcomes = reader.find<std::uint64_t>("/facts/k", "a whole number").value_or(0);
  if (facts.outcomes > Band::kMostOutcomes) reader.refuse("/facts/k", "at most 16777216");
  facts.list_sha256 = reader.find<std::string>("/facts/list_sha256", "a hash").value_or("");
  // Pairs are read whole, so that none of their numbers is cast to fewer bits.
  if (const auto pairs = reader.find<WholeNumbers>("/facts/reference",
                                                   "pairs of an outcome and a number of records")) {
    facts.reference.emplace();
    for (const auto& pair : *pairs) {
      if (pair.size() != 2 || pair[0] > std::numeric_limits<std::uint32_t>::max()) {
        reader.refuse("/facts/reference", "pairs of an outcome and a number of records");
      }
      facts.reference->emplace_back(static_cast<std::uint32_t>(pair[0]), pair[1]);
    }
  }
  facts.lower_bounds = reader.find<std::vector<double>>("/facts/lower_bounds", "a list of numbers");
  facts.channel = reader.find<std::vector<double>>("/facts/channel", "a list of numbers");
  facts.location = reader.find<double>("/facts/location", "a number");
  facts.kept = reader.find_text("/facts/kept");
  if (const auto mantissa = reader.find_text("/facts/amount/mantissa")) {
    const auto shift = reader.get<std::uint64_t>("/facts/amount/shift", "a whole number");
    if (*mantissa < 1 || *mantissa >> kDoubleDigits != 0 || shift > 1000) {
      reader.refuse("/facts/amount", "a mantissa from 1 to 2^53 - 1 and a shift up to 1000");
    }
    facts.amount = std::ldexp(static_cast<double>(*mantissa), -static_cast<int>(shift));
  }
  if (const auto ranges = reader.find<std::vector<std::vector<double>>>("/facts/mean_ranges",
                                                                        "a list of intervals")) {
    for (const auto& ends : *ranges) {
      if (ends.size() != 2) reader.refuse("/facts/mean_ranges", "a list of intervals");
      facts.mean_ranges.push_back({ends[0], ends[1]});
    }
  }
  return facts;
}

Privacy parse_privacy(const StatedReader& reader) {
  const auto notion = reader.get<std::string>("/privacy/notion", "a privacy notion");
  const auto* const known = std::find(kNotions.begin(), kNotions.end(), notion);
  if (known == kNotions.end()) reader.refuse("/privacy/notion", "a privacy notion");
  const auto number = [&](const std::string& part) {
    return reader.get<double>(("/privacy/" + part).c_str(), "a number");
  };
  const auto which = static_cast<PrivacyNotion>(known - kNotions.begin());
  return Privacy::of(which, number(parameter_name(which)),
                     which == PrivacyNotion::kApproximate ? number("delta") : 0);
}

}  // namespace

Json privacy_json(const Privacy& privacy) {
  Json json{{"notion", kNotions[static_cast<std::size_t>(privacy.notion)]},
            {parameter_name(privacy.notion), privacy.parameter()}};
  if (privacy.notion == PrivacyNotion::kApproximate) json["delta"] = privacy.delta;
  return json;
}

std::string Certificate::mechanism() const { return release_method(spec.method).mechanism(*this); }

std::string certificate_text(const Certificate& certificate) {
  // The bytes are the same wherever a certificate is made.
  const Speaking command(Speech::kCommand);
  Json json;
  json["format"] = kFormat;
  json["version"] = certificate.version;
  json["spec"] = spec_json(certificate.spec);
  json["facts"] = facts_json(certificate.facts);
  json["privacy"] = privacy_json(certificate.total);
  json["draw"] = privacy_json(certificate.draw);
  json["mechanism"] = certificate.mechanism();
  const ReleaseMethod& method = release_method(certificate.spec.method);
  json["design"] = method.design_json(certificate);
  if (Json accuracy = method.accuracy_json(certificate); !accuracy.is_null()) {
    json["accuracy"] = std::move(accuracy);
  }
  json["represents"] = represented(certificate.spec);
  json["promised"] = promises(certificate);
  json["not_promised"] = non_promises(certificate);
  // Names of files and columns may hold any bytes; JSON holds text.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

StatedCertificate parse_certificate(const std::string& text, const std::string& name) {
  const std::string_view written = words_of_speech(
      "mollify sample writes the certificate to OUT.certificate.json, or to the "
      "file of --certificate",
      "release.certificate is the certificate", "release() returns the certificate");
  refuse_if(!text.empty() && !text.starts_with('{') && !Json::accept(text), "wrong-kind-of-file",
            {}, "{} is not a certificate, which is JSON: {}", name, written);
  require_json(text, name);
  const Json json = Json::parse(text);
  refuse_if(!json.is_object(), "wrong-kind-of-file", {},
            "{} must be a certificate, a JSON object, but is not", name);
  refuse_if(!json.contains("format"), "wrong-kind-of-file", {},
            "{} is not a certificate, because it has no format: {}", name, written);
  const StatedReader reader(json, name);
  const auto format = reader.get<std::string>("/format", "the format");
  refuse_if(format.starts_with("mollify model"), "wrong-kind-of-file", {},
            "{} is a model and not a certificate: {}", name, written);
  refuse_if(format != kFormat, "unsupported-version", {},
            "{} must have the format \"{}\", but has \"{}\"", name, kFormat, format);
  if (!json.contains("spec")) reader.refuse("/spec", "a spec");
  require_digests(json, reader);
  const auto version = reader.get<std::string>("/version", "a version");
  if (version.empty() || version.size() > 64 ||
      version.find_first_not_of(
          "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-") !=
          std::string::npos) {
    reader.refuse("/version", "a version of letters, digits, points, plus and minus signs");
  }
  return {.version = version,
          .spec = spec_of(json["spec"], name),
          .facts = parse_facts(reader),
          .total = parse_privacy(reader),
          .text = text};
}

// -----------------------------------------------------------------------------------------------
// Promises.

std::string with_measured(const std::string& certificate, const Json& measured) {
  if (measured.empty()) return certificate;
  Json json = Json::parse(certificate);
  json["measured"] = measured;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> represented(const ReleaseSpec& spec) {
  if (spec.weights && !(spec.unit && kDrawMethods.has(spec.method))) {
    return {fmt::format(
        "Shares among the released records are shares of weight: each {} counts as {}, at most {}. "
        "Released records have no weights, and each stands for an equal share of the weight.",
        spec.unit ? spec.unit.words() : "row", spec.unit ? "its rows weigh together" : "its weight",
        words_of(spec.weights->greatest))};
  }
  if (!spec.unit) {
    return {
        "Shares among the released records are shares of rows: each row counts once, so that "
        "a person with many rows counts many times."};
  }
  std::vector<std::string> sentences = {fmt::format(
      "Shares among the released records are shares of units, not of rows: each {} counts "
      "once, however many rows it has.",
      spec.unit.words())};
  if (spec.weights) {
    sentences.push_back(
        fmt::format("Inside each {}, rows count by their weights.", spec.unit.words()));
  }
  if (!spec.roster) return sentences;
  const StandIn& stand_in = release_method(spec.method).profile().stand_in;
  sentences.push_back(fmt::format(
      "Each {0} of the roster without rows counts too, as {1}. If half of the roster has no rows, "
      "the release lies halfway between the data and {2}.",
      spec.unit.words(), stand_in.record, stand_in.pulled_to));
  return sentences;
}

std::vector<std::string> promises(const Certificate& certificate) {
  return release_method(certificate.spec.method).pledge(certificate).promises;
}

std::vector<std::string> non_promises(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  const bool roster = certificate.spec.roster.has_value();
  auto limits = release_method(certificate.spec.method).pledge(certificate).limits;
  if (kDrawMethods.has(certificate.spec.method)) {
    if (unit && !roster) {
      limits.emplace_back(
          "Who is in the data, and how many units there are, is not protected: no roster was "
          "given.");
    }
    if (unit) {
      limits.push_back(fmt::format(
          "What many units have in common is learned, and is meant to be: each {} is protected, "
          "not what is true of all.",
          unit.words()));
    }
  } else {
    if (certificate.facts.records) {
      limits.push_back(fmt::format("The number of {}, {}, is public and not protected.",
                                   unit ? "units" : "rows", *certificate.facts.records));
    } else {
      limits.emplace_back(
          "What replacing one by another changes may cost twice this epsilon: to replace is to "
          "take out and to put in. A ledger is charged for that.");
    }
    limits.emplace_back(
        "Each line of the file is one row: a value with a line break in it is two of them.");
    if (unit && !roster && !certificate.spec.hides_count()) {
      limits.emplace_back("Who is in the data is not protected: no roster was given.");
    }
    if (!unit) {
      limits.push_back(
          fmt::format("A person with several rows is protected less: give {} for the whole person.",
                      flag_words("unit")));
    }
    limits.emplace_back(
        "What many records have in common is learned, and is meant to be: no single one can change "
        "much, but a group can.");
  }
  limits.emplace_back(
      "Time and memory used while releasing, and other releases from the same data, are outside "
      "this promise; budgets of further releases add to this one.");
  return limits;
}

}  // namespace mollify
