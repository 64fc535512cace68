#include "release/parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "accounting/names.h"
#include "accounting/nearest_name.h"
#include "kernel/core/invalid_input.h"
#include "release/spec_json.h"

namespace mollify {

using enum PartKind;

PartReader::PartReader(std::span<const Part> parts, const Json& json, const std::string& name,
                       const char* what)
    : parts_(parts), json_(json), name_(name), what_(what) {
  if (!json.is_object()) {
    throw InvalidInput(fmt::format("{} must be {}, a JSON object", name, what));
  }
  require_known(json, "");
  for (const Part& part : parts) {
    if (has(part.place)) require_kind(part);
  }
}

bool PartReader::has(const char* place) const { return json_.contains(Json::json_pointer(place)); }

const Json& PartReader::at(const char* place) const { return json_.at(Json::json_pointer(place)); }

std::optional<PublicFile> PartReader::find_file(const char* place) const {
  if (!has(place)) return std::nullopt;
  return PublicFile{at(place)["file"].get<std::string>(), at(place).value("sha256", "")};
}

std::optional<SpecDomain> PartReader::find_domain(const char* place) const {
  if (!has(place)) return std::nullopt;
  const Json& domain = at(place);
  return SpecDomain{domain.value("file", ""), domain.value("text", ""), domain.value("sha256", "")};
}

void PartReader::require_given(const char* place) const {
  if (has(place)) return;
  // In a file the part, and the flag that people know it by.
  const std::string flag = name_.empty() ? "" : flag_of(place);
  throw InvalidInput(fmt::format("{}{} is needed, but is not given", called(place),
                                 flag.empty() ? "" : fmt::format(" ({})", flag)));
}

void PartReader::refuse_strangers(Model model, Family family) const {
  for (const Part& part : parts_) {
    // Flags name no group of parts, only its members.
    if (!has(part.place) || called(part.place).empty()) continue;
    const std::string reason = stranger(part.scope, model, family);
    if (!reason.empty()) throw InvalidInput(called(part.place) + reason);
  }
}

std::optional<Decimal> PartReader::find_decimal(const char* place) const {
  if (!has(place)) return std::nullopt;
  const Json& json = at(place);
  const std::string_view name = std::string_view(place).substr(sizeof("/privacy/") - 1);
  const std::string text =
      json.is_string() ? json.get<std::string>() : fmt::format("{}", json.get<double>());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InvalidInput(fmt::format("{} must be a number, but is \"{}\"", name, text));
  }
  if (name == "delta" && !(value >= 0 && value < 1)) {
    throw InvalidInput(fmt::format("delta must be at least 0 and below 1, but is {}", value));
  }
  if (name != "delta" && !(std::isfinite(value) && value > 0)) {
    throw InvalidInput(fmt::format("{} must be finite and positive, but is {}", name, value));
  }
  return Decimal::parse(text, name);
}

std::string PartReader::called(const std::string& place) const {
  return name_.empty() ? flag_of(place) : fmt::format("{} in {}", place, name_);
}

std::string PartReader::flag_of(const std::string& place) const {
  return std::find_if(parts_.begin(), parts_.end(),
                      [&](const Part& part) { return place == part.place; })
      ->flag;
}

std::string PartReader::stranger(PartScope scope, Model model, Family family) const {
  const bool central = model == Model::kCentral;
  const auto other_model = [&](const char* models) {
    return fmt::format(" is for {}, but the model is {}", models, name_of(model));
  };
  switch (scope) {
    case PartScope::kAll:
      break;
    case PartScope::kLocal:
      return central ? other_model("models local and integral") : "";
    case PartScope::kReference:
      return central && family != Family::kMarginals
                 ? " is for models local and integral and for family marginals, but this is neither"
                 : "";
    case PartScope::kCentral:
      return central ? "" : other_model("model central");
    case PartScope::kFinite:
      if (!central) return other_model("model central");
      [[fallthrough]];
    case PartScope::kNoFamily:
      return family == Family::kNone
                 ? ""
                 : fmt::format(" is for finite domains, but the family is {}", name_of(family));
    case PartScope::kFamily:
      return family == Family::kNone ? fmt::format(" is for {}, but none is given",
                                                   name_.empty() ? "a --family" : "a family")
                                     : "";
    case PartScope::kGaussian:
      return stranger_of(Family::kGaussian, family);
    case PartScope::kMarginals:
      return stranger_of(Family::kMarginals, family);
  }
  return "";
}

std::string PartReader::stranger_of(Family of, Family family) const {
  if (family == of) return "";
  return fmt::format(" is for {} {}, but {}", name_.empty() ? "--family" : "family", name_of(of),
                     family == Family::kNone ? "no family is given"
                                             : fmt::format("the family is {}", name_of(family)));
}

void PartReader::require_known(const Json& object, const std::string& place) const {
  for (const auto& [key, member] : object.items()) {
    const std::string whole = place + "/" + key;
    const auto part = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const Part& one) { return whole == one.place; });
    if (part == parts_.end()) {
      throw InvalidInput(fmt::format("{} in {} is no part of {}", whole, name_, what_));
    }
    if (part->kind == kObject && member.is_object()) require_known(member, whole);
  }
}

void PartReader::require_kind(const Part& part) const {
  const Json& json = at(part.place);
  const auto require = [&](bool holds, const char* expected) {
    if (!holds) {
      throw InvalidInput(fmt::format("{} must have {} at {}", name_, expected, part.place));
    }
  };
  const auto of_texts = [&](std::initializer_list<const char*> keys) {
    return json.is_object() &&
           std::all_of(json.items().begin(), json.items().end(), [&](const auto& item) {
             return item.value().is_string() &&
                    std::find(keys.begin(), keys.end(), item.key()) != keys.end();
           });
  };
  switch (part.kind) {
    case kObject:
      return require(json.is_object(), "an object");
    case kText:
      return require(json.is_string(), "a text");
    case kWhole:
      return require(json.is_number_unsigned(), "a whole number");
    case kNumber:
      return require(json.is_number(), "a number");
    case kDecimal:
      return require(json.is_number() || json.is_string(), "a number, or one in quotes");
    case kTruth:
      return require(json.is_boolean(), "true or false");
    case kTexts:
      return require(
          json.is_array() && std::all_of(json.begin(), json.end(),
                                         [](const Json& one) { return one.is_string(); }),
          "a list of texts");
    case kFile:
      return require(of_texts({"file", "sha256"}) && json.contains("file"),
                     "a file, and at most its sha256");
    case kDomain:
      return require(
          of_texts({"file", "text", "sha256"}) && json.contains("file") != json.contains("text"),
          "a file or a text, and at most its sha256");
  }
}

Model model_of(const PartReader& reader) {
  const auto name = reader.find<std::string>("/model");
  if (name) return known_value<Model>("model", *name);
  return reader.has("/family") ? Model::kCentral : Model::kLocal;  // the only one with families
}

Family family_of(const PartReader& reader, Model model) {
  const auto name = reader.find<std::string>("/family");
  // Of a family that there is not, what it would have is not asked.
  const Family family = name ? named<Family>(*name).value_or(Family::kGaussian) : Family::kNone;
  reader.refuse_strangers(model, family);
  return name ? known_value<Family>("family", *name) : family;
}

LocalSpec local_spec(const PartReader& reader) {
  LocalSpec spec;
  if (const auto name = reader.find<std::string>("/mechanism")) {
    spec.mechanism = named<Mechanism>(*name);
    if (!spec.mechanism || *spec.mechanism == Mechanism::kLocation) {
      refuse_mechanism(*name, Model::kLocal);
    }
  }
  if (const auto band = reader.find<std::string>("/band")) spec.band = parse_band(*band);
  spec.c1 = reader.find<double>("/c1");
  spec.c2 = reader.find<double>("/c2");
  spec.gamma = reader.find<double>("/gamma");
  spec.reference = reader.find_file("/reference");
  SpaceSpec& space = spec.space;
  if (const auto kind = reader.find<std::string>("/space/kind")) {
    space.kind = known_value<SpaceKind>("space", *kind);
  }
  space.cells = reader.find<std::uint64_t>("/space/cells");
  space.candidates = reader.find<std::uint64_t>("/space/candidates");
  space.fresh = reader.find<bool>("/space/fresh").value_or(false);
  space.trees = reader.find<bool>("/space/trees").value_or(false);
  space.list = reader.find_file("/space/list");
  if (const auto scorer = reader.find<std::string>("/space/scorer")) {
    space.scorer = known_value<ScorerKind>("score", *scorer);
  }
  return spec;
}

}  // namespace mollify
