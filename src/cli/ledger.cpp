// mollify ledger: what has been spent of which data set, and what remains.
#include <fmt/format.h>

#include "command.h"
#include "io/ledger_file.h"
#include "kernel/core/invalid_input.h"
#include "ledger_options.h"

namespace mollify::cli {
namespace {

using Notion = ExactPrivacy::Notion;

constexpr int kDigits = 6;

struct LedgerCommandOptions {
  std::optional<std::string> ledger, data_set, data, epsilon, delta, rho, scope;
  bool declare = false;
  bool replace = false;
  bool json = false;
};

/// The total that the options declare.
LedgerTotal total_of(const LedgerCommandOptions& options) {
  LedgerTotal total;
  if (options.scope) {
    const auto scope = ProtectionScope::parse(*options.scope);
    if (!scope) {
      throw InvalidInput(
          fmt::format("scope must be row, unit=COLUMN or table, but is \"{}\"", *options.scope));
    }
    total.scope = *scope;
  }
  if (options.rho) {
    if (options.epsilon || options.delta) {
      throw InvalidInput("a total is in rho or in epsilon and delta, but both are given");
    }
    total.cost = ExactPrivacy::concentrated(Decimal::parse(*options.rho, "rho"));
    return total;
  }
  total.cost = ExactPrivacy::approximate(
      Decimal::parse(needed(options.epsilon, "--epsilon"), "epsilon"),
      options.delta ? Decimal::parse(*options.delta, "delta") : Decimal());
  return total;
}

/// The data set named, by --data-set or by its file.
std::optional<std::string> chosen_data_set(const LedgerCommandOptions& options) {
  if (options.data_set && options.data) {
    throw InvalidInput("--data-set and --data name the same thing, but both are given");
  }
  return options.data ? data_set_of(*options.data) : options.data_set;
}

/// The cost with numbers that people can read, rounded up.
ExactPrivacy readable(const ExactPrivacy& cost) {
  return ExactPrivacy::of(cost.notion, cost.parameter().with_digits_up(kDigits),
                          cost.delta.with_digits_up(kDigits));
}

Json cost_json(const ExactPrivacy& cost) {
  Json json{{parameter_name(cost.notion), cost.parameter().text()}};
  if (cost.notion == Notion::kApproximate) json["delta"] = cost.delta.text();
  return json;
}

/// What one more release may cost, as a cost in the total's terms.
ExactPrivacy remaining(const DataSetSummary& summary) {
  const Decimal left = summary.account.remaining(summary.total->cost);
  return summary.total->cost.notion == Notion::kConcentrated ? ExactPrivacy::concentrated(left)
                                                             : ExactPrivacy::pure(left);
}

Json summary_json(const DataSetSummary& summary) {
  Json json{{"data_set", summary.data_set},
            {"scope", nullptr},
            {"total", nullptr},
            {"spent", nullptr},
            {"rule", nullptr},
            {"remaining", nullptr},
            {"releases", summary.account.releases()}};
  if (summary.total) {
    json["scope"] = summary.total->scope.text();
    json["total"] = cost_json(summary.total->cost);
    if (const auto spent = summary.account.spent(summary.total->cost)) {
      json["spent"] = cost_json(spent->cost);
      json["rule"] = name_of(spent->rule);
    }
    json["remaining"] = cost_json(remaining(summary));
  } else if (const auto sum = summary.account.plain_sum()) {
    json["spent"] = cost_json(*sum);
    json["rule"] = name_of(CompositionRule::kBasic);
  }
  return json;
}

Json entry_json(const LedgerEntry& entry) {
  Json json{{"number", entry.number},
            {"time", entry.time},
            {"kind", entry.is_total ? "total" : "release"},
            {"data_set", entry.data_set},
            {"scope", entry.scope.text()}};
  json["cost"] = cost_json(entry.cost);
  if (!entry.is_total) {
    json["model"] = entry.model;
    json["mechanism"] = entry.mechanism;
    json["count"] = entry.count;
    json["certificate_sha256"] = entry.certificate_sha256;
  }
  json["version"] = entry.version;
  return json;
}

void print_summary(const DataSetSummary& summary) {
  const LedgerAccount& account = summary.account;
  fmt::print("{}\n", printable(summary.data_set));
  if (!summary.total) {
    fmt::print("  total      none declared\n");
    if (const auto sum = account.plain_sum()) {
      fmt::print("  spent      {} ({})\n", readable(*sum).text(), name_of(CompositionRule::kBasic));
    } else {
      fmt::print("  spent      in notions that only a total in epsilon and delta puts together\n");
    }
    return;
  }
  const auto& [scope, total] = *summary.total;
  fmt::print("  total      {}, for {}\n", total.text(), printable(scope.words()));
  if (const auto spent = account.spent(total)) {
    fmt::print("  spent      {} ({})\n", readable(spent->cost).text(), name_of(spent->rule));
  }
  fmt::print("  remaining  {}\n", remaining(summary).text());
}

void print_entry(const LedgerEntry& entry) {
  const std::string scope = printable(entry.scope.words());
  if (entry.is_total) {
    fmt::print("  {:>4}  {}  {}: total {}, for {}\n", entry.number, entry.time,
               printable(entry.data_set), entry.cost.text(), scope);
    return;
  }
  fmt::print("  {:>4}  {}  {}: {} by {} ({}), {} drawn, for {}, certificate {:.12}\n", entry.number,
             entry.time, printable(entry.data_set), readable(entry.cost).text(), entry.mechanism,
             entry.model, entry.count, scope, entry.certificate_sha256);
}

int show(const std::string& path, const std::optional<std::string>& data_set, bool json) {
  std::vector<LedgerEntry> history = LedgerFile(path, LedgerFile::Opening::kExisting).history();
  if (data_set) {
    std::erase_if(history, [&](const LedgerEntry& entry) { return entry.data_set != *data_set; });
    if (history.empty()) {
      throw InvalidInput(fmt::format("the ledger {} has no data set named {}", path, *data_set));
    }
  }
  const std::vector<DataSetSummary> summaries = summarise(history);
  if (json) {
    Json answer{{"ledger", path}, {"data_sets", Json::array()}, {"history", Json::array()}};
    for (const auto& summary : summaries) answer["data_sets"].push_back(summary_json(summary));
    for (const auto& entry : history) answer["history"].push_back(entry_json(entry));
    print_json(answer);
    return kSuccess;
  }
  for (const DataSetSummary& summary : summaries) print_summary(summary);
  fmt::print("{}\n", history.empty() ? "nothing is recorded" : "history");
  for (const LedgerEntry& entry : history) print_entry(entry);
  return kSuccess;
}

int run(const LedgerCommandOptions& options) {
  const std::string& path = needed(options.ledger, "--ledger");
  const std::optional<std::string> data_set = chosen_data_set(options);
  if (options.declare && options.replace) {
    throw InvalidInput(
        "--declare is for a first total and --replace for another, but both are given");
  }
  if (!options.declare && !options.replace) {
    if (options.epsilon || options.delta || options.rho || options.scope) {
      throw InvalidInput(
          "a total is only changed by --declare or --replace, but neither is given beside it");
    }
    return show(path, data_set, options.json);
  }
  // Before the file, which is not made for what is refused.
  const std::string& name = needed(data_set, "--data-set");
  const LedgerTotal total = total_of(options);
  LedgerFile(path, LedgerFile::Opening::kOrMakeNew).declare(name, total, options.replace);
  return show(path, data_set, options.json);
}

}  // namespace

void add_ledger(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "ledger",
      "Show or declare what releases of a data set may cost together\n\n"
      "Releases made with sample --ledger are recorded before they are drawn, and refused if they\n"
      "would pass the total declared for their data set. Without --declare and --replace: what is\n"
      "spent, what remains, and the history. Numbers are exact decimal numbers, as they were "
      "typed.");
  const auto options = std::make_shared<LedgerCommandOptions>();
  const auto text = [&](const char* flag, std::optional<std::string>& value, const char* help,
                        const char* type) {
    command.add_option(flag, value, help)->type_name(type);
  };
  text("--ledger", options->ledger, "the ledger", "FILE");
  text("--data-set", options->data_set, "one data set, by its name in the ledger", "NAME");
  text("--data", options->data, "one data set, by the file that releases without a name were from",
       "FILE");
  command.add_flag("--declare", options->declare, "declare the data set's total");
  command.add_flag("--replace", options->replace,
                   "replace its total by another; history keeps both");
  text("--epsilon", options->epsilon, "the total: epsilon of everything together", "NUMBER");
  text("--delta", options->delta, "its delta (default: 0, so that only pure releases fit)",
       "NUMBER");
  text("--rho", options->rho, "the total in zCDP, instead of epsilon", "NUMBER");
  text("--scope", options->scope,
       "what the total protects: row, unit=COLUMN or table (default: row); releases that protect "
       "less "
       "are refused",
       "SCOPE");
  command.add_flag("--json", options->json, "print as JSON, numbers as exact texts");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
