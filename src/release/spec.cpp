#include "release/spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "release/method.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// All that is public about a release.

namespace {

constexpr const char* kSpecFormat = "mollify release 1";

using enum PartKind;

/// Parts that methods share, in the order in which they are written; their own parts come before
/// the last two.
constexpr Part kCommonParts[] = {
    {{"/format", "", kText}, kEveryMethod},
    {{"/method", "", kText}, kEveryMethod},
    {{"/domain", "--domain", kDomain, "the public domain, YAML"}, kEveryMethod},
    {{"/unit", "--unit", kColumns, "column that names the unit of each row, or several",
      "COLUMN,..."},
     kUnitMethods},
    {{"/roster", "--units", kFile, "public CSV of all units; protects who is in the data"},
     kUnitMethods},
    {{"/units_column", "--units-column", kColumns,
      "columns of --units that name them (default: as --unit)", "COLUMN,..."},
     kUnitMethods},
    {{"/weights", "", kObject}, kWeightMethods},
    {{"/weights/column", "--weights", kText,
      "column with the weight of each row\nA row counts as its weight instead of as one. Weights "
      "and their total stay private",
      "COLUMN"},
     kWeightMethods},
    {{"/weights/greatest", "--greatest-weight", kDecimal,
      "greatest weight of a row, or of all rows of a unit\nMore counts as this. In methods central "
      "and marginals the noise grows with it"},
     kWeightMethods},
    {{"/weights/step", "--weight-step", kDecimal,
      "weights count in multiples of it (default: by the greatest)\nBy default the greatest power "
      "of ten that is at most a thousandth of the greatest weight"},
     kWeightMethods},
    {{"/weights/invalid", "--invalid-weight", kDecimal,
      "weight of a row without a valid one (default: 0)\nA missing or negative weight, or one that "
      "is not a number"},
     kWeightMethods},
    {{"/weights/mean", "--mean-weight", kDecimal,
      "mean weight that stated errors assume (default: 1)\nOr half of the greatest weight, if that "
      "is less. It changes nothing that is released"},
     kWeightMethods},
    {{.place = "/count",
      .flag = "--count",
      .kind = kWhole,
      .help =
          "how many records to release\nMethod local releases them for each unit. By default one "
          "in methods local, integral and integral-model; the others need a count",
      .least = 1,
      .below = kMostReleased + 1},
     kEveryMethod},
    {{"/privacy", "", kObject}, kEveryMethod},
    {{"/privacy/epsilon", "--epsilon", kDecimal,
      "privacy budget: the total of a unit, row or table\n1e-6 or more. All draws of a unit, or of "
      "a "
      "table, share it. One draw counts 30 at most"},
     kEveryMethod},
    {{"/privacy/delta", "--delta", kDecimal,
      "probability that epsilon may fail (default: 0)\nMust be below 1/n"},
     kRowMethods},
    {{"/privacy/rho", "--rho", kDecimal,
      "zCDP budget, instead of epsilon and delta\nIn method central only mechanism product "
      "takes it"},
     kRowMethods},
    {{"/privacy/mu", "--mu", kDecimal,
      "Gaussian-DP budget, instead of epsilon\nFrom 0.001 to 20 for each draw; makes "
      "gaussian-curve the default mechanism"},
     kDrawMethods},
    {{"/accept_large_delta", "--accept-large-delta", kTruth,
      "accept a delta of 1/n or more\nWith so large a delta, whole records can be published "
      "unchanged"},
     kRowMethods},
    {{"/accept_error", "--accept-error", kTruth, "release even records that are mostly noise"},
     kEveryMethod},
};

/// The flag of a part, or its place if none gives it: "privacy" of "/privacy".
std::string_view key_of(const Part& part) {
  return *part.flag != '\0' ? parameter_of(part.flag) : std::string_view(part.place);
}

Range range_of(const OwnPart& part) {
  const bool is_open_above = std::isfinite(part.below);
  if (is_open_above && (part.kind == kWhole || part.kind == kWholes))
    return {part.least, part.below - 1};
  return {part.least, is_open_above ? part.below : part.most, part.is_open, is_open_above};
}

/// Or a number so great that JSON reads it as a double.
bool is_whole_number(const Json& json) {
  return json.is_number_integer() || (json.is_number() && std::fabs(json.get<double>()) >= 0x1p63);
}

/// A whole number that no uint64 is, such as -1 and 1e26, is out of range like any other.
void require_fitting(const Part& part, const Json& json, const std::string& words) {
  if (json.is_number_unsigned()) return;
  Range range{.least = 0, .most = 0x1p64, .is_open_above = true};
  if (std::isfinite(part.least)) range = range_of(part);
  throw out_of_range({words, key_of(part)}, json.dump(), json.get<double>(), range.words(true),
                     range);
}

/// A value as a sentence shows it: of a long one, and of a group, its kind.
std::string brief_json(const Json& json) {
  constexpr std::size_t kMostBytes = 60;
  if (json.is_object()) return "an object";
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kMostBytes) return text;
  return json.is_array() ? "a list" : "a long text";
}

}  // namespace

std::string range_words(const OwnPart& part) {
  return range_of(part).words(part.kind == kWhole || part.kind == kWholes);
}

std::span<const Part> spec_parts() {
  static const std::vector<Part> parts = [] {
    const Part* const end = std::end(kCommonParts) - 2;
    std::vector<Part> all(std::begin(kCommonParts), end);
    for (const auto& [method, name] : names<Method>()) {
      add_own_parts(release_method(method).profile().parts, method, all);
    }
    all.insert(all.end(), end, std::end(kCommonParts));
    return all;
  }();
  return parts;
}

void add_own_parts(std::span<const OwnPart> own, Method method, std::vector<Part>& parts) {
  for (const OwnPart& one : own) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return std::string_view(part.place) == one.place;
    });
    if (same == parts.end()) {
      parts.push_back({one, Methods{method}});
    } else {
      same->methods = same->methods.with(method);
      if (*same->help == '\0') static_cast<OwnPart&>(*same) = one;
    }
  }
}

const OwnPart& part_of(Method method, const Part& part) {
  if (part.is_of_request()) return part;
  const auto is_same = [&](const OwnPart& one) {
    return std::string_view(one.place) == part.place && *one.help != '\0';
  };
  const MethodProfile& profile = release_method(method).profile();
  for (const auto own : {profile.parts, profile.question_parts}) {
    const auto found = std::find_if(own.begin(), own.end(), is_same);
    if (found != own.end()) return *found;
  }
  for (const auto all : {spec_parts(), plan_parts()}) {
    const auto found = std::find_if(all.begin(), all.end(), is_same);
    if (found != all.end()) return *found;
  }
  return part;
}

void SpecWriter::put(const char* place, const std::optional<PublicFile>& file) {
  if (!file) return;
  Json& json = json_[Json::json_pointer(place)];
  json["file"] = file->name;
  if (!file->sha256.empty()) json["sha256"] = file->sha256;
}

Json SpecWriter::take() const {
  Json ordered = Json::object();
  for (const Part& part : spec_parts()) {
    const Json::json_pointer place(part.place);
    if (part.kind != kObject && json_.contains(place)) ordered[place] = json_[place];
  }
  return ordered;
}

void refuse_own(Method method) {
  refuse_input("internal-error", {}, "{} must have the parts of its own, but has others",
               method_words(name_of(method)));
}

ProtectionScope ReleaseSpec::scope() const {
  if (unit) return ProtectionScope::of_unit(unit.text());
  return kRowMethods.has(method) ? ProtectionScope::row() : ProtectionScope::table();
}

std::optional<PublicFile> ReleaseSpec::reference() const {
  return release_method(method).own_facts(*this).reference;
}

bool ReleaseSpec::hides_count() const {
  return release_method(method).own_facts(*this).hides_count;
}

Privacy ReleaseSpec::budget() const {
  return Privacy::of(privacy.notion, privacy.parameter().down(), privacy.delta.down());
}

void validate_spec(const ReleaseSpec& spec) {
  const ReleaseMethod& method = release_method(spec.method);
  method.validate(spec);
  if (spec.unit && !kUnitMethods.has(spec.method)) {
    refuse_input("not-for-this-method", "unit", {WayOut::leave("unit"), WayOut::use("local")},
                 "{} protects the whole table and has no units: leave {} out, or use {} to protect "
                 "each unit",
                 method_words(name_of(spec.method)), flag_words("unit"), method_words("local"));
  }
  if (spec.roster && !spec.unit) refuse_without("units", "unit");
  if (spec.units_column && !spec.roster) refuse_without("units-column", "units");
  if (spec.units_column && spec.units_column.size() != spec.unit.size()) {
    refuse_input("wrong-shape", "units-column", {WayOut::set("units-column")},
                 "{} must name {}, like {}, but names {}", flag_words("units-column"),
                 counted(spec.unit.size(), "column"), flag_words("unit"),
                 counted(spec.units_column.size(), "column"));
  }
  if (spec.weights) {
    spec.weights->validate();
    if (spec.unit.has(spec.weights->column)) {
      Concern concern("weights");
      concern.column = spec.weights->column;
      refuse_input("duplicate-column", concern, {WayOut::set("weights"), WayOut::set("unit")},
                   "the weights column must not be the unit column, but \"{}\" is both",
                   spec.weights->column);
    }
  }
  if (!spec.count && !method.own_facts(spec).needs_no_count) {
    refuse_missing("count", "how many records to release");
  }
  if (spec.count) require_between("count", *spec.count, 1, kMostReleased);
}

ReleaseSpec spec_of(const Json& json, const std::string& name) {
  const PartReader reader(spec_parts(), json, name, "a release's spec");
  if (const auto format = reader.find<std::string>("/format"); format && *format != kSpecFormat) {
    refuse_input("unsupported-version", {}, "{} must have the format \"{}\", but has \"{}\"", name,
                 kSpecFormat, *format);
  }
  ReleaseSpec spec;
  spec.method = method_of(reader);
  reader.require_given("/domain");
  spec.domain = *reader.find_domain("/domain");
  spec.unit = reader.columns("/unit");
  spec.roster = reader.find_file("/roster");
  spec.units_column = reader.columns("/units_column");
  spec.weights = reader.find_weights();
  spec.count = reader.find<std::uint64_t>("/count");
  spec.own = release_method(spec.method).read(reader);
  spec.accept_large_delta = reader.is_true("/accept_large_delta");
  spec.accept_error = reader.is_true("/accept_error");
  const ReleaseMethod& method = release_method(spec.method);
  if (!spec.count && kDrawMethods.has(spec.method)) spec.count = 1;
  if (!spec.count && !method.own_facts(spec).needs_no_count) reader.require_given("/count");
  spec.privacy = method.read_privacy(reader, spec);
  reader.in_file([&] { validate_spec(spec); });
  return spec;
}

Json spec_json(const ReleaseSpec& spec) {
  SpecWriter writer;
  writer.put("/format", kSpecFormat);
  writer.put("/method", name_of(spec.method));
  const SpecDomain& domain = spec.domain;
  if (domain.file.empty()) {
    writer.put("/domain/text", domain.text);
  } else {
    writer.put("/domain/file", domain.file);
  }
  if (!domain.sha256.empty()) writer.put("/domain/sha256", domain.sha256);
  writer.put("/unit", spec.unit);
  writer.put("/roster", spec.roster);
  writer.put("/units_column", spec.units_column);
  if (const auto& weights = spec.weights) {
    writer.put("/weights/column", weights->column);
    writer.put("/weights/greatest", weights->greatest.text());
    for (const auto& [place, value] : {std::pair{"/weights/step", &weights->step},
                                       std::pair{"/weights/invalid", &weights->invalid},
                                       std::pair{"/weights/mean", &weights->mean}}) {
      if (!value->is_zero()) writer.put(place, value->text());
    }
  }
  writer.put("/count", spec.count);
  for (const auto& [place, value] :
       {std::pair{"/privacy/epsilon", &spec.privacy.epsilon},
        std::pair{"/privacy/delta", &spec.privacy.delta},
        std::pair{"/privacy/rho", &spec.privacy.rho}, std::pair{"/privacy/mu", &spec.privacy.mu}}) {
    if (!value->is_zero()) writer.put(place, value->text());
  }
  release_method(spec.method).write(spec, writer);
  writer.put_truth("/accept_large_delta", spec.accept_large_delta);
  writer.put_truth("/accept_error", spec.accept_error);
  return writer.take();
}

std::vector<std::pair<const char*, std::string>> files_of(const ReleaseSpec& spec) {
  std::vector<std::pair<const char*, std::string>> files;
  if (!spec.domain.file.empty()) files.emplace_back("--domain", spec.domain.file);
  const Json parts = spec_json(spec);
  for (const Part& part : spec_parts()) {
    const Json::json_pointer place(part.place);
    if (part.kind != PartKind::kFile || !parts.contains(place)) continue;
    files.emplace_back(part.flag, parts[place]["file"].get<std::string>());
  }
  return files;
}

ReleaseSpec parse_spec(const std::string& text, const std::string& name) {
  require_json(text, name);
  return spec_of(Json::parse(text), name);
}

std::string spec_text(const ReleaseSpec& spec) {
  // Names of files and columns may hold any bytes; JSON holds text.
  try {
    return spec_json(spec).dump(2) + "\n";
  } catch (const Json::type_error&) {
    throw InvalidInput("malformed-text",
                       "a spec holds names in UTF-8, but one of this release's names is not");
  }
}

// -----------------------------------------------------------------------------------------------
// The parts of a JSON object that says what is asked for.

using enum PartKind;

void speak_of_parts(std::span<const Part> parts) {
  Places places;
  for (const auto all : {parts, spec_parts()}) {
    for (const Part& part : all) {
      if (*part.flag != '\0') places.emplace_back(parameter_of(part.flag), part.place + 1);
    }
  }
  speak_of(std::move(places));
}

void refuse_without(std::string_view given, std::string_view missing, bool is_truth) {
  refuse_input("missing-parameter", missing,
               {is_truth ? WayOut::add(missing) : WayOut::set(missing), WayOut::leave(given)},
               "{} is missing: {} needs it", flag_words(missing), flag_words(given));
}

PartReader::PartReader(std::span<const Part> parts, const Json& json, const std::string& name,
                       const char* what)
    : parts_(parts), json_(json), name_(name), what_(what) {
  if (!json.is_object()) {
    refuse_input("malformed-file", {}, "{} must be {}, a JSON object, but is {}", name, what,
                 brief_json(json));
  }
  speak_of_parts(parts);
  require_known(json, "");
  for (const Part& part : parts) {
    if (!has(part.place)) continue;
    require_kind(part);
    if (!part.is_of_request()) continue;
    require_range(part);
    require_needed(part);
  }
}

bool PartReader::has(const char* place) const { return json_.contains(Json::json_pointer(place)); }

const Json& PartReader::at(const char* place) const { return json_.at(Json::json_pointer(place)); }

UnitColumns PartReader::columns(const char* place) const {
  return has(place) ? in_file([&] { return UnitColumns::of(at(place)); }) : UnitColumns();
}

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
  const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) {
    return std::string_view(one.place) == place;
  });
  refuse_missing(called(place), part_of(part->methods.first(), *part).help, key_of(*part));
}

void PartReader::require_budget(Method method) const {
  std::vector<std::string> kinds;
  std::vector<WayOut> ways;
  for (const Part& part : parts_) {
    if (!std::string_view(part.place).starts_with("/privacy/") || !part.methods.has(method))
      continue;
    if (std::string_view(part.place) == "/privacy/delta") continue;
    if (has(part.place)) return;
    kinds.push_back(called(part.place));
    ways.push_back(WayOut::set(key_of(part)));
  }
  refuse_input("missing-parameter", "epsilon", std::move(ways), "the budget is missing: give {}",
               fmt::join(kinds, " or "));
}

void PartReader::refuse_strangers(Method method) const {
  for (const Part& part : parts_) {
    // Flags name no group of parts, only its members.
    if (part.methods.has(method) || !has(part.place) || called(part.place).empty()) continue;
    const std::string_view place = part.place;
    // A spec of a method that knows units has this part, so what lacks it is a plan.
    const char* const way = place != "/unit" ? ""
                            : kRowMethods.has(method) || kUnitDraws.has(method)
                                ? ", whose plan holds for every unit: leave it out"
                                : ", which protects the whole table: leave it out";
    std::vector<WayOut> ways{WayOut::leave(parameter_of(part.flag))};
    const bool is_left_out = place == "/privacy/delta" || *way != '\0';
    for (const auto& [other, word] : names<Method>()) {
      if (!is_left_out && part.methods.has(other)) ways.push_back(WayOut::use(word));
    }
    refuse_input("not-for-this-method", key_of(part), ways, "{} is for {}, but the method is {}{}",
                 called(part.place), part.methods.text(), bare_method_words(name_of(method)),
                 place == "/privacy/delta" ? ", whose guarantee never fails: leave it out" : way);
  }
}

std::optional<Decimal> PartReader::find_decimal(const char* place) const {
  if (!has(place)) return std::nullopt;
  const Json& json = at(place);
  const std::string_view name = key_of(part_at(place));
  const bool is_budget = std::string_view(place).starts_with("/privacy/");
  const std::string words = name_.empty() && is_budget ? std::string(name) : this->called(place);
  const std::string text =
      json.is_string() ? json.get<std::string>() : fmt::format("{}", json.get<double>());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    if (error == std::errc::result_out_of_range) {
      constexpr Range kNormal{std::numeric_limits<double>::min(),
                              std::numeric_limits<double>::max()};
      refuse_input("out-of-range", name, {},
                   quantities_of(std::strtod(text.c_str(), nullptr), kNormal),
                   "{} must be a number of at most {:g} and at least {:g}, or 0, but is \"{}\"",
                   words, kNormal.most, kNormal.least, text);
    }
    refuse_input("wrong-type", name, "{} must be a number, but is \"{}\"{}", words, text,
                 number_hint(text));
  }
  const Called called(words, name);
  require_in(name == "delta"            ? kBelowOne
             : name == "invalid-weight" ? kNotNegative
                                        : kPositive,
             called, value);
  return Decimal::parse(text, called);
}

std::optional<WeightColumn> PartReader::find_weights(bool with_column) const {
  constexpr const char* kColumn = "/weights/column";
  constexpr const char* kGreatest = "/weights/greatest";
  const bool is_given = with_column ? has(kColumn) : has(kGreatest);
  for (const char* place : {kGreatest, "/weights/step", "/weights/invalid", "/weights/mean"}) {
    if (!is_given && has(place))
      refuse_without(key_of(part_at(place)), with_column ? "weights" : "greatest-weight");
  }
  if (!is_given && with_column && has("/weights")) require_given(kColumn);
  if (!is_given) return std::nullopt;
  require_given(kGreatest);
  WeightColumn weights{.column = find<std::string>(kColumn).value_or(""),
                       .greatest = *find_decimal(kGreatest),
                       .step = find_decimal("/weights/step").value_or(Decimal()),
                       .invalid = find_decimal("/weights/invalid").value_or(Decimal()),
                       .mean = find_decimal("/weights/mean").value_or(Decimal())};
  in_file([&] { weights.validate(); });
  return weights;
}

void PartReader::require_needed(const Part& part) const {
  if (*part.needs == '\0' || has(part.needs)) return;
  const auto needed = std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) {
    return std::string_view(one.place) == part.needs;
  });
  refuse_without(key_of(part), key_of(*needed), needed->kind == kTruth);
}

std::string PartReader::called(const std::string& place) const {
  return name_.empty() ? flag_of(place) : fmt::format("{} in {}", place.substr(1), name_);
}

const Part& PartReader::part_at(std::string_view place) const {
  return *std::find_if(parts_.begin(), parts_.end(),
                       [&](const Part& part) { return place == part.place; });
}

std::string PartReader::flag_of(const std::string& place) const {
  const std::string_view flag = part_at(place).flag;
  return flag.empty() ? "" : flag_words(parameter_of(flag));
}

void PartReader::require_known(const Json& object, const std::string& place) const {
  for (const auto& [key, member] : object.items()) {
    const std::string whole = place + "/" + key;
    const auto part = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const Part& one) { return whole == one.place; });
    if (part == parts_.end()) refuse_key(key, whole);
    if (part->kind == kObject && member.is_object()) require_known(member, whole);
  }
}

void PartReader::refuse_key(const std::string& key, const std::string& whole) const {
  const std::string group = whole.substr(0, whole.size() - key.size());
  std::vector<std::string> beside, elsewhere, flags, of_request;  // a request has few
  std::string meant;
  for (const Part& part : parts_) {
    const std::string place = part.place;
    const std::string last = place.substr(place.rfind('/') + 1);
    if (part.is_of_request()) of_request.push_back(last);
    (place == group + last ? beside : elsewhere).push_back(last);
    flags.push_back("--" + std::string(key_of(part)));
    // At another place, or by its flag.
    std::string flag(key_of(part));
    std::replace(flag.begin(), flag.end(), '-', '_');
    if (meant.empty() && (key == last || key == flag)) meant = place;
  }
  if (meant.empty()) {
    meant = nearest_name(key, beside);
    if (!meant.empty()) meant = group + meant;
  }
  if (const std::string last = meant.empty() ? nearest_name(key, elsewhere) : ""; !last.empty()) {
    meant = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
              return std::string_view(part.place).ends_with("/" + last);
            })->place;
  }
  if (meant.empty() && key.size() > 1) {  // by a former name, or by another program's
    const auto flag = std::find(flags.begin(), flags.end(), nearest_name("--" + key, flags));
    if (flag != flags.end()) meant = parts_[static_cast<std::size_t>(flag - flags.begin())].place;
  }
  std::vector<WayOut> ways;
  for (const Part& part : parts_) {
    if (part.place == meant) ways.push_back(WayOut::set(key_of(part)));
  }
  ways.push_back(WayOut::leave(whole));
  refuse_input("unknown-key", whole, std::move(ways), "{} in {} is no part of {}{}{}{}",
               whole.substr(1), name_.empty() ? "the question" : name_, what_,
               of_request.empty() ? "" : "; its parts are ", fmt::join(of_request, ", "),
               meant.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", meant.substr(1)));
}

void PartReader::require_kind(const Part& part) const {
  const Json& json = at(part.place);
  const std::string words = name_.empty() ? parameter_name_of(key_of(part)) : called(part.place);
  const auto require = [&](bool holds, const char* expected) {
    if (holds) return;
    const std::string name = called(part.place);
    refuse_input("wrong-type", key_of(part), "{} must be {}, but is {}",
                 name.empty() ? part.place + 1 : name, expected, brief_json(json));
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
      require(is_whole_number(json), "a whole number");
      return require_fitting(part, json, words);
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
    case kColumns:
      return require(
          json.is_string() ||
              (json.is_array() && std::all_of(json.begin(), json.end(),
                                              [](const Json& one) { return one.is_string(); })),
          "a text or a list of texts");
    case kWholes:
      require(json.is_array() && std::all_of(json.begin(), json.end(), is_whole_number),
              "a list of whole numbers");
      for (const Json& one : json) require_fitting(part, one, words);
      return;
    case kFile:
      return require(of_texts({"file", "sha256"}) && json.contains("file"),
                     "a file, and at most its sha256");
    case kDomain:
      return require(
          of_texts({"file", "text", "sha256"}) && json.contains("file") != json.contains("text"),
          "a file or a text, and at most its sha256");
  }
}

void PartReader::require_range(const Part& part) const {
  const Json& json = at(part.place);
  for (const Json& one : json.is_array() ? json : Json::array({json})) {
    if (!one.is_number()) continue;
    const std::string words =
        (json.is_array() ? "each number of " : "") +
        (json.is_array() ? flag_words(key_of(part)) : parameter_name_of(key_of(part)));
    const Called what(words, key_of(part));
    if (one.is_number_unsigned()) {
      require_in(range_of(part), what, one.get<std::uint64_t>());
    } else {
      require_in(range_of(part), what, one.get<double>());
    }
  }
}

Method method_of(const PartReader& reader) {
  const auto name = reader.find<std::string>("/method");
  if (!name) {
    refuse_missing(
        words_of_speech("the method", "method"),
        fmt::format("{}; {} helps to choose", all_names<Method>(" or "), command_words("advise")),
        "method");
  }
  const auto method = reader.in_file([&] { return known_value<Method>("method", *name); });
  reader.refuse_strangers(method);
  return method;
}

}  // namespace mollify
