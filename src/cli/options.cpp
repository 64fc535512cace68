#include "cli/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "cli/main.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/same_value.h"
#include "formats/csv.h"
#include "formats/text_files.h"
#include "kernel/channels.h"
#include "methods/answers/questions.h"
#include "methods/local/bands.h"
#include "methods/local/method.h"
#include "methods/local/mollifiers.h"
#include "methods/local/sampler.h"
#include "methods/local/space.h"
#include "release/design.h"
#include "release/method.h"
#include "release/spec.h"
#include "scores/network.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// Numbers between commas, one question each.

std::vector<std::string> number_list(const std::string& text, const std::string& name) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.push_back(text.substr(begin, end - begin));
    refuse_if(list.back().empty(), "wrong-type", parameter_of(name),
              "{} must be a number, or several between commas, but is \"{}\"", name, text);
    begin = end + 1;
  }
  return list;
}

double number_of(const std::string& text, const std::string& name) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) {
    refuse_input("wrong-type", parameter_of(name), "{} must be a number, but is \"{}\"{}", name,
                 text, number_hint(text));
  }
  return value;
}

void take_epsilon_list(CLI::App& command, std::optional<std::string>& epsilons) {
  CLI::Option* const one = command.get_option("--epsilon");
  const std::string help = one->get_description();
  const std::string group = one->get_group();
  command.remove_option(one);
  command.add_option("--epsilon", epsilons, help.substr(0, help.find('\n')) + "; several: 0.5,1,2")
      ->type_name("NUMBER,...")
      ->group(group);
}

std::vector<Json> for_each_epsilon(const Json& parts) {
  const Json::json_pointer place("/privacy/epsilon");
  if (!parts.contains(place)) return {parts};
  std::vector<Json> each;
  for (const std::string& epsilon : number_list(parts[place].get<std::string>(), "epsilon")) {
    each.push_back(parts);
    each.back()[place] = epsilon;
  }
  return each;
}

// -----------------------------------------------------------------------------------------------
// Distributions in files, for the commands that take one directly.

namespace {

void add(NamedDistribution& distribution, const std::string& outcome, double mass,
         const std::string& place, const Concern& concern) {
  refuse_if(!(mass >= 0) || !std::isfinite(mass), "not-a-distribution", concern,
            "the mass at {} must be finite and not negative, but is {:g}", place, mass);
  distribution.outcomes.push_back(outcome);
  distribution.masses.push_back(mass);
}

NamedDistribution read_json(const std::string& path) {
  const Json json = parsed_file(path, [](const auto& text, const auto& name) {
    require_json(text, name);
    return Json::parse(text);
  });
  if (!json.is_array()) {
    refuse_input("malformed-file", Concern::in_file(path),
                 "{} must be a JSON array of numbers, but is not", path);
  }
  NamedDistribution distribution;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string place = fmt::format("position {} of {}", i, path);
    if (!json[i].is_number()) {
      refuse_input("wrong-type", Concern::in_file(path),
                   "the mass at {} must be a number, but is {}", place, json[i].type_name());
    }
    add(distribution, std::to_string(i), json[i].get<double>(), place, Concern::in_file(path));
  }
  return distribution;
}

NamedDistribution read_csv(const std::string& path) {
  CsvReader csv(path);
  const std::size_t outcome = csv.position("outcome", "which names the outcomes");
  const std::size_t p = csv.position("p", "which holds their masses");
  NamedDistribution distribution;
  StringIndex seen;
  while (csv.next()) {
    const std::string place = fmt::format("{} line {}", path, csv.line_number());
    csv.require_well_formed();
    const std::string_view name = csv.fields()[outcome];
    const std::string_view text = csv.fields()[p];
    double mass = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mass);
    if (error != std::errc() || end != text.data() + text.size()) {
      refuse_input("wrong-type", csv.here("p"), "the mass at {} must be a number, but is \"{}\"",
                   place, text);
    }
    if (seen.find(name) != StringIndex::kAbsent) {
      refuse_input("duplicate-value", csv.here("outcome"),
                   "{} must name a new outcome, but \"{}\" is already listed", place, name);
    }
    seen.insert(name);
    add(distribution, std::string(name), mass, place, csv.here("p"));
  }
  return distribution;
}

}  // namespace

NamedDistribution read_distribution(const std::string& path) {
  NamedDistribution distribution = path.ends_with(".csv") ? read_csv(path) : read_json(path);
  double sum = 0;
  for (const double mass : distribution.masses) sum += mass;
  if (!(sum > 0) || !std::isfinite(sum)) {
    refuse_input("not-a-distribution", Concern::in_file(path),
                 "the masses of {} must have a positive, finite sum, but their sum is {:g}", path,
                 sum);
  }
  distribution.sum = sum;
  for (double& mass : distribution.masses) mass /= sum;
  return distribution;
}

std::vector<double> masses_in_order(const NamedDistribution& given, const NamedDistribution& like,
                                    const std::string& path) {
  StringIndex positions;
  for (const std::string& outcome : given.outcomes) positions.insert(outcome);
  if (given.outcomes.size() != like.outcomes.size()) {
    refuse_input("wrong-shape", Concern::in_file(path),
                 "{} must have the {} outcomes of P, but has {}", path, like.outcomes.size(),
                 given.outcomes.size());
  }
  std::vector<double> masses;
  for (const std::string& outcome : like.outcomes) {
    const std::uint32_t position = positions.find(outcome);
    if (position == StringIndex::kAbsent) {
      refuse_input("wrong-shape", Concern::in_file(path),
                   "{} must have the outcomes of P, but has no \"{}\"", path, outcome);
    }
    masses.push_back(given.masses[position]);
  }
  return masses;
}

// -----------------------------------------------------------------------------------------------
// The options that say which mechanism, the same for every command.

void MechanismOptions::add_to(CLI::App& command, const std::string& reference_help,
                              std::string_view spent_on) {
  describe(command.add_option("--mechanism", mechanism));
  describe(add_number(command, "--epsilon", epsilon))
      ->description(fmt::format("privacy budget of {}, 1e-6 or more", spent_on));
  describe(add_number(command, "--mu", mu));
  for (const MechanismNumber& number : mechanism_numbers()) {
    if (*number.flag == '\0') continue;
    describe(add_number(command, number.flag, numbers.*number.value));
  }
  describe(command.add_option("--reference", reference))->description(reference_help);
  describe(command.add_option("--channel", channel));
}

void MechanismOptions::add_band_to(CLI::App& command) {
  describe(command.add_option("--band", band))
      ->description("instead of --mechanism: minimax (for --c2), relative or location=B");
}

std::optional<Mechanism> MechanismOptions::named() const {
  if (!mechanism) return std::nullopt;
  for (const auto& known : named_mechanisms()) {
    if (known.name == *mechanism) return known.value;
  }
  refuse_mechanism(*mechanism, kDrawMethods.first(), takes_all);
}

void MechanismOptions::require_budget() const {
  if (epsilon && mu) refuse_two_budgets(named());
  if (epsilon || mu) return;
  if (mechanism) throw MissingFlag{row_of(*named()).in_mu ? "--mu" : "--epsilon"};
  refuse_input("missing-parameter", "epsilon", {WayOut::set("epsilon"), WayOut::set("mu")},
               "the budget is missing: give --epsilon or --mu");
}

LocalSpec MechanismOptions::spec() const {
  LocalSpec spec{.mechanism = named(), .numbers = numbers};
  if (band) spec.band = parse_fixed_band(*band);
  if (reference) spec.reference = PublicFile{*reference};
  if (channel) spec.channel = PublicFile{*channel};
  return spec;
}

std::vector<double> MechanismOptions::channel_rows(std::size_t outcome_count) const {
  if (!channel) return {};
  return parsed_file(*channel, [&](const auto& text, const auto& name) {
    return parse_channel(text, name, outcome_count);
  });
}

Mechanism MechanismOptions::chosen() const { return chosen_mechanism(spec(), mu.has_value()); }

MechanismParameters MechanismOptions::parameters(std::size_t outcome_count,
                                                 std::span<const double> reference_masses,
                                                 std::span<const double> rows) const {
  MechanismParameters parameters = mechanism_parameters(
      spec(), mu.has_value(), SpaceKind::kCategories, outcome_count, reference_masses);
  parameters.channel = rows;
  parameters.epsilon = epsilon;
  parameters.mu = mu;
  return parameters;
}

// -----------------------------------------------------------------------------------------------
// The flags that say what to release, or what to plan.

namespace {

/// What --help calls the value of a part.
const char* value_of(const OwnPart& part) {
  if (*part.value != '\0') return part.value;
  return part.kind == PartKind::kFile || part.kind == PartKind::kDomain ? "FILE" : "NUMBER";
}

const char* group_of(const Part& part) {
  if (part.is_of_request()) return "";
  const std::string_view place = part.place;
  const auto draws = release_method(kDrawMethods.first()).profile().parts;
  if (place.starts_with("/space")) return "Space (public)";
  if (place.starts_with("/privacy") ||
      std::any_of(draws.begin(), draws.end(),
                  [&](const OwnPart& own) { return place == own.place; })) {
    return "Budget and mechanism (public)";
  }
  return part.methods.intersects(kDrawMethods) ? "" : "Table (public)";
}

/// "; --covariance takes a file" for --covariance-bound; empty without such a flag.
std::string file_words(std::string_view flag, std::span<const Part> parts) {
  const std::string_view other = flag.substr(0, flag.rfind('-'));
  for (const Part& part : parts) {
    if (part.flag != other || part.kind != PartKind::kFile) continue;
    return fmt::format("; {} takes a file", other);
  }
  return "";
}

/// The number of a part.
template <class Value>
Value number_part(const std::string& text, const Part& part, std::span<const Part> parts,
                  std::string_view expected) {
  try {
    return parsed<Value>(text, part.flag, expected);
  } catch (const InvalidInput& refused) {
    throw InvalidInput(refused, refused.what() + file_words(part.flag, parts));
  }
}

/// Those between the commas.
std::vector<std::uint64_t> whole_numbers(const std::string& text, const Part& part) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& one : number_list(text, part.flag + 2)) {
    try {
      numbers.push_back(parsed<std::uint64_t>(one, part.flag, "a whole number"));
    } catch (const InvalidInput& refused) {
      throw InvalidInput(refused, fmt::format("each number of {} must be whole and {}, but one is "
                                              "\"{}\"",
                                              part.flag, range_words(part), one));
    }
  }
  return numbers;
}

/// The columns that a flag names: with commas between them, or the flag once for each.
Json columns_of(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& one : given) {
    const UnitColumns some = UnitColumns::parse(one);
    names.insert(names.end(), some.names().begin(), some.names().end());
  }
  return UnitColumns(std::move(names)).json();
}

/// What --help says of a part, of all these methods.
std::string help_of(const Part& part, Methods methods) {
  std::vector<std::string> said, more;
  for (const auto& [method, name] : names<Method>()) {
    if (!methods.has(method) && !part.is_of_request()) continue;
    const OwnPart& own = part_of(method, part);
    std::string help = own.help;
    const std::size_t at = help.find("{}");
    if (at != help.npos) help.replace(at, 2, fmt::format("{}", fmt::join(own.words(), ", ")));
    const std::size_t end = std::min(help.find('\n'), help.size());
    const auto add = [](std::vector<std::string>& all, std::string one) {
      if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    };
    add(said, help.substr(0, end));
    add(more, help.substr(std::min(end + 1, help.size())));
  }
  return fmt::format("{}{}{}", fmt::join(said, "; or "), more.empty() ? "" : "\n",
                     fmt::join(more, ". "));
}

const CLI::Option* given_option(const CLI::App& command, const char* flag) {
  if (*flag == '\0') return nullptr;
  const CLI::Option* option = command.get_option_no_throw(flag);
  return option == nullptr || option->count() == 0 ? nullptr : option;
}

constexpr std::string_view kQuestionsPlace = "/questions";
constexpr const char* kQuestionsFile = "--questions-file";

/// The questions of a file come after those of flags.
std::vector<std::string> questions_of(const CLI::App& command, const Part& part) {
  std::vector<std::string> all;
  if (const CLI::Option* flags = given_option(command, part.flag)) all = flags->results();
  if (const CLI::Option* file = given_option(command, kQuestionsFile)) {
    naming_part(kQuestionsFile + 2, [&] {
      for (const TableQuestion& one : parsed_file(file->results().back(), parse_questions)) {
        all.push_back(text_with_wishes(one));
      }
    });
  }
  return all;
}

}  // namespace

std::string methods_help() {
  std::string text;
  for (const auto& [method, name] : names<Method>()) {
    const std::string_view help = release_method(method).profile().help;
    text += fmt::format("  {:<16}{}\n", name, help.substr(0, help.find('\n')));
  }
  return text;
}

std::string method_help(Method method) {
  const std::string_view help = release_method(method).profile().help;
  return std::string(help.substr(help.find('\n') + 1));
}

void take_every_mechanism(CLI::App& command) {
  CLI::Option* const option = command.get_option_no_throw("--mechanism");
  if (option == nullptr) return;
  std::string help = option->get_description();
  if (const std::size_t end = help.find(" (default"); end != help.npos) help.insert(end, ", all");
  option->description(help);
}

CLI::Option* describe(CLI::Option* option, Methods methods, std::span<const Part> parts) {
  const std::string flag = option->get_name();
  const auto part =
      std::find_if(parts.begin(), parts.end(), [&](const Part& one) { return one.flag == flag; });
  const Methods told = part->is_of_request() ? methods : part->methods.both(methods);
  if (part->kind != PartKind::kTruth) option->type_name(value_of(part_of(told.first(), *part)));
  const std::string_view group = group_of(*part);
  if (!group.empty()) option->group(std::string(group));
  return option->description(help_of(*part, told));
}

void add_part_flags(CLI::App& command, std::span<const Part> parts, Methods methods) {
  for (const Part& part : parts) {
    if (*part.flag == '\0') continue;
    CLI::Option* option = nullptr;
    if (part.kind == PartKind::kTruth) {
      option = command.add_flag(part.flag);
    } else if (part.kind == PartKind::kTexts || part.kind == PartKind::kColumns) {
      option = command.add_option_function<std::vector<std::string>>(
          part.flag, [](const std::vector<std::string>&) {});
      const OwnPart& own = part.is_of_request() ? part : part_of(part.methods.first(), part);
      if (part.kind == PartKind::kTexts && std::string_view(value_of(own)).ends_with(",...")) {
        option->delimiter(',');
      }
    } else {
      option = command.add_option_function<std::string>(part.flag, [](const std::string&) {});
    }
    const bool is_told = part.is_of_request() || part.methods.intersects(methods);
    describe(option, is_told ? methods : kEveryMethod, parts);
    if (!is_told) option->group("");
    if (part.place == kQuestionsPlace) {
      command
          .add_option_function<std::string>(
              kQuestionsFile, [](const std::string&) {}, "more of them, one a line")
          ->type_name("FILE")
          ->group(option->get_group());
    }
  }
}

Json given_parts(const CLI::App& command, std::span<const Part> parts,
                 std::optional<Method> method) {
  Json json = Json::object();
  if (method) json["method"] = name_of(*method);
  for (const Part& part : parts) {
    if (part.place == kQuestionsPlace) {
      std::vector<std::string> questions = questions_of(command, part);
      if (!questions.empty()) json[Json::json_pointer(part.place)] = std::move(questions);
      continue;
    }
    const CLI::Option* option = given_option(command, part.flag);
    if (option == nullptr) continue;
    Json& place = json[Json::json_pointer(part.place)];
    const std::string text = option->results().back();
    switch (part.kind) {
      case PartKind::kTruth:
        place = true;
        break;
      case PartKind::kTexts:
        place = option->results();
        break;
      case PartKind::kColumns:
        place = columns_of(option->results());
        break;
      case PartKind::kFile:
      case PartKind::kDomain:
        place["file"] = text;
        break;
      case PartKind::kWhole:
        place = number_part<std::uint64_t>(text, part, parts, "a whole number");
        break;
      case PartKind::kNumber:
        place = number_part<double>(text, part, parts, "a number");
        break;
      case PartKind::kWholes:
        place = whole_numbers(text, part);
        break;
      case PartKind::kObject:
      case PartKind::kText:
      case PartKind::kDecimal:
        place = text;
        break;
    }
  }
  return json;
}

std::string first_given_part(const CLI::App& command, std::span<const Part> parts) {
  for (const Part& part : parts) {
    if (given_option(command, part.flag) != nullptr) return part.flag;
  }
  return {};
}

}  // namespace mollify::cli
