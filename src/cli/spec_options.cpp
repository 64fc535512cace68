#include "spec_options.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "release/spec_json.h"

namespace mollify::cli {
namespace {

constexpr const char* kMechanismFlags = "Mechanism, all of it public";
constexpr const char* kSpaceFlags = "Space, all of it public";
constexpr const char* kCentralFlags = "Model central, all of it public";
constexpr const char* kGaussianFlags = "Model central, family gaussian, all of it public";
constexpr const char* kMarginalsFlags = "Model central, family marginals, all of it public";

/// What --help says of a flag.
struct FlagHelp {
  const char* flag;
  const char* value;
  const char* group;
  const char* help;
};

constexpr FlagHelp kHelp[] = {
    {"--model", "MODEL", "", "local, integral or central"},
    {"--domain", "FILE", "", "the public domain, YAML"},
    {"--count", "NUMBER", "", "records to release: for each unit, or in model central in all"},
    {"--alpha", "NUMBER", "",
     "total variation of an output's law from the data's: at worst, or in model central for any "
     "data"},
    {"--k", "NUMBER", "", "number of outcomes, when there is no domain"},
    {"--region", "REGION", "",
     "COLUMN=VALUE[,VALUE]; several narrow it. Without a domain: its reference mass"},
    {"--unit", "COLUMN", "", "column that names the unit of each row"},
    {"--units", "FILE", "", "public CSV of all units; protects who is in the data"},
    {"--units-column", "COLUMN", "", "column of --units that names them (default: as --unit)"},
    {"--accept-error", "", "", "release even what cannot be told apart from public noise"},
    {"--mechanism", "NAME", kMechanismFlags, ""},  // its help lists names
    {"--epsilon", "NUMBER", kMechanismFlags,
     "privacy budget of the whole release, of a unit all draws together, from 1e-06; a draw counts "
     "30 at most"},
    {"--mu", "NUMBER", kMechanismFlags,
     "Gaussian privacy in place of epsilon, from 0.001 to 20 for each draw; makes "
     "gaussian-curve the default"},
    {"--c1", "NUMBER", kMechanismFlags,
     "least density of the private distribution P against the reference; makes class the default"},
    {"--c2", "NUMBER", kMechanismFlags,
     "greatest density of P against the reference; makes class the default"},
    {"--gamma", "NUMBER", kMechanismFlags,
     "P is within this factor of the reference; makes neighbourhood the default"},
    {"--reference", "FILE", kMechanismFlags,
     "public CSV of records in the domain; makes relative the default; of family marginals what "
     "the model begins at"},
    {"--band", "CHOICE", kMechanismFlags,
     "where the band lies, instead of a mechanism: minimax (for --c2), relative, location=B, "
     "typical or typical=STRENGTH,RECORDS (for a Dirichlet prior), file=F (from tune --best)"},
    {"--delta", "NUMBER", kCentralFlags,
     "privacy budget beside epsilon (default: 0, which is pure)"},
    {"--n", "NUMBER", kCentralFlags, "number of records; it is public"},
    {"--strong", "", kCentralFlags, "alpha bounds all outputs together"},
    {"--curve", "", kCentralFlags, "print total variation against n as well"},
    {"--rho", "NUMBER", kCentralFlags,
     "budget in zCDP, instead of epsilon and delta; for mechanism product and for families"},
    {"--accept-large-delta", "", kCentralFlags,
     "release even where delta is 1/n or more, so that whole records may be released as they are"},
    {"--rate", "NUMBER", kCentralFlags,
     "looks at each record with this probability and releases as many as come, instead of "
     "--count; for mechanism poisson-rr"},
    {"--support", "HINT", kCentralFlags,
     "what is known of where the records lie in a large domain of integers: contiguous, bounded, "
     "heavy, width=W or subgaussian=S; half of the budget finds it"},
    {"--family", "NAME", kCentralFlags,
     "marginals: a table of many columns; all rows are drawn from one model, learned from noisy "
     "counts. gaussian: every column of the domain is a number, the rows are taken for draws from "
     "one Gaussian, and so are the records released; how near they come rests on that, privacy "
     "rests on nothing about the data"},
    {"--neighbours", "RELATION", kMarginalsFlags,
     "replace: a row (or unit) may be any other, and how many there are is public (default); "
     "add-remove: it may be missing, so that their number is protected too"},
    {"--copula", "", kMarginalsFlags,
     "columns are joined by their rank correlations alone: for numbers, ordered columns and "
     "columns of two values, few rows or a small budget"},
    {"--dimension", "NUMBER", kGaussianFlags, "number of coordinates d, 1 to 1024"},
    {"--mean-range", "NUMBER", kGaussianFlags,
     "each coordinate of the mean lies in a range this many standard deviations wide; a part of "
     "the records finds where"},
    {"--shared", "", kGaussianFlags,
     "learns one noisy mean and one noisy covariance and draws all rows from them, any number at "
     "the same cost; for those who have no public covariance. Rows are cut to the domain's ranges"},
    {"--covariance", "FILE", kGaussianFlags,
     "public CSV of the covariance matrix, columns named in the header; of logarithms where --log "
     "says so"},
    {"--covariance-bound", "NUMBER", kGaussianFlags,
     "the covariance lies between that of --covariance (default: 1 for each column, and "
     "independent) and this many times it; with --rho, or with --delta"},
    {"--mean-bound", "NUMBER", kGaussianFlags,
     "the mean lies within so many standard deviations of the middle of the declared ranges "
     "(default: it is found first, by a part of the rows)"},
    {"--log", "COLUMN,...", kGaussianFlags,
     "columns whose logarithms are Gaussian, separated by commas"},
    {"--paper-variance", "", kGaussianFlags,
     "with --epsilon alone: the published variance of the noise, not the corrected one"},
    {"--space", "KIND", kSpaceFlags,
     "categories, grid or candidates (default: what the domain suggests); or models: one of many "
     "public distributions is released, with as many of its rows as asked for"},
    {"--cells", "NUMBER", kSpaceFlags, "cells of a grid, in all (default: 65536)"},
    {"--candidates", "NUMBER", kSpaceFlags,
     "how many public records to choose from (default: 65536), or models (default: 20000)"},
    {"--fresh", "", kSpaceFlags, "new candidates for each unit, instead of one shared list"},
    {"--trees", "", kSpaceFlags,
     "with --space models: every second one is a tree of columns, not a product; best with a "
     "--reference, whose tree it is"},
    {"--candidates-file", "FILE", kSpaceFlags, "a list made by mollify candidates"},
    {"--score", "NAME", kSpaceFlags,
     "kernel, empirical, histogram, gaussian-mixture, ratio or mbde: how rows become an estimate "
     "(default: empirical for categories, kernel otherwise)"},
};

const CLI::Option* given_option(const CLI::App& command, const Part& part) {
  if (*part.flag == '\0') return nullptr;
  const CLI::Option* option = command.get_option_no_throw(part.flag);
  return option == nullptr || option->count() == 0 ? nullptr : option;
}

template <class Value>
Value parsed(const std::string& text, const char* flag, const char* expected) {
  Value value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end) return value;
  throw InvalidInput(fmt::format("{} must be {}, but is \"{}\"", flag + 2, expected, text));
}

}  // namespace

CLI::Option* describe(CLI::Option* option) {
  const std::string flag = option->get_name();
  const auto help = std::find_if(std::begin(kHelp), std::end(kHelp),
                                 [&](const FlagHelp& one) { return one.flag == flag; });
  if (*help->value != '\0') option->type_name(help->value);
  if (*help->group != '\0') option->group(help->group);
  return option->description(help->help);
}

void add_part_flags(CLI::App& command, std::span<const Part> parts) {
  bool central_mechanism = false;
  for (const FlagHelp& help : kHelp) {
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& one) {
      return one.flag == std::string_view(help.flag);
    });
    if (found == parts.end()) continue;
    const Part& part = *found;
    central_mechanism |=
        part.place == std::string_view("/mechanism") && part.scope != PartScope::kLocal;
    CLI::Option* option = nullptr;
    if (part.kind == PartKind::kTruth) {
      option = command.add_flag(help.flag);
    } else if (part.kind == PartKind::kTexts) {
      option = command.add_option_function<std::vector<std::string>>(
          help.flag, [](const std::vector<std::string>&) {});
      if (std::string_view(help.value).ends_with(",...")) option->delimiter(',');
    } else {
      option = command.add_option_function<std::string>(help.flag, [](const std::string&) {});
    }
    describe(option);
  }
  std::string mechanisms = fmt::format("one of {} (default: minimax)", local_mechanisms_text());
  if (central_mechanism) {
    mechanisms += fmt::format(
        "; in model central one of {} (default: auto, the one with the least total variation)",
        central_mechanisms_text());
  }
  command.get_option("--mechanism")->description(mechanisms);
}

Json given_parts(const CLI::App& command, std::span<const Part> parts) {
  Json json = Json::object();
  for (const Part& part : parts) {
    const CLI::Option* option = given_option(command, part);
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
      case PartKind::kFile:
      case PartKind::kDomain:
        place["file"] = text;
        break;
      case PartKind::kWhole:
        place = parsed<std::uint64_t>(text, part.flag, "a whole number");
        break;
      case PartKind::kNumber:
        place = parsed<double>(text, part.flag, "a number");
        break;
      default:
        place = text;
    }
  }
  return json;
}

std::string first_given_part(const CLI::App& command, std::span<const Part> parts) {
  for (const Part& part : parts) {
    if (given_option(command, part) != nullptr) return part.flag;
  }
  return {};
}

}  // namespace mollify::cli
