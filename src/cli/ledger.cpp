#include "cli/ledger.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/decimals.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "cli/help.h"
#include "cli/main.h"
#include "cli/output.h"
#include "core/invalid_input.h"
#include "formats/ledger.h"
#include "formats/text_files.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// The options that charge a release to a ledger, the same for every command that releases.

void LedgerOptions::add_to(CLI::App& command) {
  const std::string group = "Ledger";
  command
      .add_option(
          "--ledger", ledger,
          "file that adds up the cost, and refuses too much\n"
          "The release is charged before anything is drawn. Only --no-total makes a missing file")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option(
          "--data-set", data_set,
          "public name of the data in the ledger\nBy default the name by which the ledger knows "
          "the file, or else the full path of --data")
      ->type_name("NAME")
      ->group(group);
  command
      .add_flag("--another-data-set", another_data_set,
                "charge --data-set, though the file has other names\nWhat was charged to the "
                "other names is not counted")
      ->group(group);
  command.add_flag("--no-total", no_total, "charge the release even if no total is declared")
      ->group(group);
}

void LedgerOptions::validate(const std::string& data_file) const {
  if (!ledger) {
    for (const auto& [is_given, flag] :
         {std::pair{data_set.has_value(), "--data-set"}, std::pair{no_total, "--no-total"},
          std::pair{another_data_set, "--another-data-set"}}) {
      if (is_given) refuse_missing("ledger", fmt::format("{} needs it", flag));
    }
    return;
  }
  if (another_data_set && !data_set) {
    refuse_missing("data-set", "--another-data-set needs the name of that data set");
  }
  refuse_if(data_set && data_set->empty(), "malformed-text", "data-set",
            "--data-set must be the name of a data set, but is empty");
  if (!data_set && is_stream(data_file)) {
    refuse_missing("data-set", fmt::format("{} is a pipe or a device, and the ledger needs a name "
                                           "that lasts",
                                           data_file));
  }
}

ChargeReceipt ChargedLedger::charge(const ReleaseCharge& release) {
  // A release without a total may begin a ledger. For others, a path without one is misspelt.
  const auto opening =
      release.without_total ? LedgerFile::Opening::kOrMakeNew : LedgerFile::Opening::kExisting;
  receipt_ = LedgerFile(path_, opening).charge(release);
  cost_ = release.cost;
  named_ = !release.data_set.empty();
  file_ = release.file;
  say_when_ended(
      fmt::format("mollify: ended by a signal; {} stays charged for this release of {}: {}\n",
                  path_, printable(receipt_->data_set.data_set), readable(cost_).text()));
  return *receipt_;
}

std::string ChargedLedger::text(const std::string& why) const {
  const DataSetSummary& known = receipt_->data_set;
  std::string text = fmt::format("charged: {}{} to {} in {}\n", readable(cost_).text(), why,
                                 printable(known.data_set), path_);
  if (known.total) {
    text += fmt::format("left: {}; the total is {}\n", remaining(known).text(),
                        known.total->cost.text());
  } else {
    text += "left: not known, because no total is declared\n";
  }
  if (!named_ && file_ && known.data_set != file_->path) {
    text += fmt::format("the ledger knows {} as \"{}\", so it was charged there\n",
                        printable(file_->path), printable(known.data_set));
  }
  for (const std::string& name : receipt_->other_names) {
    text += fmt::format(
        "WARNING: the ledger knows the same file as \"{}\" too; charges there are not counted "
        "here\n",
        printable(name));
  }
  return text;
}

std::string ChargedLedger::brief(const std::string& why) const {
  const DataSetSummary& known = receipt_->data_set;
  std::string text =
      wrapped(fmt::format("charged: {}{} to {}; left: {}", readable(cost_).text(), why,
                          printable(known.data_set),
                          known.total ? remaining(known).text() : "unknown, no total declared"),
              kLineWidth, kHang);
  if (!receipt_->other_names.empty()) {
    text += fmt::format("WARNING: not counted here: charges to {}\n",
                        printable(fmt::format("{}", fmt::join(receipt_->other_names, ", "))));
  }
  return text;
}

Json ChargedLedger::json() const {
  Json json = balance_json(receipt_->data_set);
  json["charged"] = cost_json(readable(cost_));
  json["other_names"] = receipt_->other_names;
  return json;
}

// -----------------------------------------------------------------------------------------------
// What commands say of a ledger.

namespace {

constexpr int kDigitsLeft = 4;

}  // namespace

ExactPrivacy remaining(const DataSetSummary& summary) {
  const ExactPrivacy& total = summary.total->cost;
  if (summary.account.releases() == 0) return total;
  // A total with delta may leave room for a pure release above its epsilon, by another rule of
  // composition; nobody expects that of the remainder.
  const Decimal left = std::min(summary.account.remaining(total), total.parameter());
  // Composition with a delta leaves room for odd numbers; a few digits of them are enough.
  const bool has_delta = total.notion == ExactPrivacy::Notion::kApproximate;
  return ExactPrivacy::of(
      total.notion, left.with_digits_down(has_delta ? kDigitsLeft : kReadableDigits),
      has_delta ? summary.account.remaining_delta(total).with_digits_down(kReadableDigits)
                : Decimal());
}

std::string spent_text(const DataSetSummary& summary, const Spending& spent) {
  const ExactPrivacy& total = summary.total->cost;
  const std::string cost = readable(spent.cost).text();
  if (total.notion != ExactPrivacy::Notion::kApproximate || spent.rule == CompositionRule::kBasic) {
    return cost;
  }
  return fmt::format("{}: at all of the total's delta; releases took {} of it", cost,
                     words_of(minus_or_zero(total.delta, summary.account.remaining_delta(total))));
}

Json balance_json(const DataSetSummary& summary) {
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
      json["spent"] = cost_json(readable(spent->cost));
      json["rule"] = name_of(spent->rule);
    }
    json["remaining"] = cost_json(remaining(summary));
  } else if (const auto sum = summary.account.plain_sum()) {
    json["spent"] = cost_json(readable(*sum));
    json["rule"] = name_of(CompositionRule::kBasic);
  }
  return json;
}

// -----------------------------------------------------------------------------------------------
// mollify ledger.

namespace {

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
      refuse_name("scope", "row, unit=COLUMN or table", *options.scope,
                  std::vector<std::string>{"row", "unit", "table"});
    }
    total.scope = *scope;
  }
  if (options.rho) {
    if (options.epsilon || options.delta) {
      throw InvalidInput("contradicting-parameters",
                         "give --rho, or --epsilon and --delta, not both", "rho",
                         {WayOut::leave("rho"), WayOut::leave("epsilon")});
    }
    total.cost = ExactPrivacy::concentrated(Decimal::parse(*options.rho, "rho"));
    return total;
  }
  if (!options.epsilon) {
    refuse_input("missing-parameter", "epsilon", {WayOut::set("epsilon"), WayOut::set("rho")},
                 "the total is missing: give --epsilon, with --delta or without, or --rho");
  }
  total.cost = ExactPrivacy::approximate(
      Decimal::parse(*options.epsilon, "epsilon"),
      options.delta ? Decimal::parse(*options.delta, "delta") : Decimal());
  return total;
}

/// The file that names the data set.
std::optional<DataFile> chosen_file(const LedgerCommandOptions& options) {
  if (!options.data) return std::nullopt;
  if (options.data_set) refuse_both("data-set", "data");
  auto file = data_file_at(*options.data);
  if (!file) {
    refuse_input("not-repeatable", "data", {WayOut::set("data-set")},
                 "--data must be a file, but {} is a pipe or a device: name the data set",
                 *options.data);
  }
  return file;
}

std::string summary_text(const DataSetSummary& summary) {
  const LedgerAccount& account = summary.account;
  std::string text = printable(summary.data_set) + "\n";
  if (!summary.total) {
    const auto sum = account.plain_sum();
    return text + "  total      none declared\n  spent      " +
           (sum ? fmt::format("{} ({})\n", readable(*sum).text(), name_of(CompositionRule::kBasic))
                : "in notions that only a total in epsilon and delta puts together\n");
  }
  const auto& [scope, total] = *summary.total;
  text += fmt::format("  total      {}, for {}\n", total.text(), printable(scope.words()));
  if (const auto spent = account.spent(total)) {
    text +=
        fmt::format("  spent      {} ({})\n", spent_text(summary, *spent), name_of(spent->rule));
  }
  return text + fmt::format("  remaining  {}\n", remaining(summary).text());
}

std::string entry_text(const LedgerEntry& entry) {
  const std::string scope = printable(entry.scope.words());
  const std::string first =
      fmt::format("  {:>4}  {}  {}: ", entry.number, entry.time, printable(entry.data_set));
  if (entry.is_total) return fmt::format("{}total {}, for {}\n", first, entry.cost.text(), scope);
  return fmt::format("{}{} by {} ({}), --count {}, for {}, certificate {:.12}\n", first,
                     readable(entry.cost).text(), entry.mechanism, entry.method, entry.count, scope,
                     entry.certificate_sha256);
}

/// Refuses a data set that a ledger does not have, by its name or by its file.
[[noreturn]] void refuse_unknown(const std::string& path, const std::string& data_set,
                                 const std::optional<std::string>& data,
                                 const std::vector<LedgerEntry>& history) {
  std::vector<std::string> known;
  for (const DataSetSummary& one : summarise(history)) known.push_back(one.data_set);
  const std::string all = known.empty() ? "it is empty" : "it has " + list_words(known);
  const WayOut declare = WayOut::run("ledger --declare");
  if (!data) {
    std::vector<WayOut> ways = ways_to_mean("data-set", data_set, known);
    ways.push_back(declare);
    refuse_input("unknown-data-set", concern_of("data-set", path), std::move(ways),
                 "the ledger {} has no data set named \"{}\"{}; {}", path, data_set,
                 did_you_mean(data_set, known), all);
  }
  const std::string nearest = nearest_name(data_set, known);
  refuse_input("unknown-data-set", concern_of("data", path),
               {WayOut::set("data", nearest.starts_with('/') ? nearest : ""),
                WayOut::set("data-set", known.size() == 1 ? known.front() : ""), declare},
               "the ledger {} knows no data set by the file {}; {}", path, *data, all);
}

int show(const std::string& path, std::optional<std::string> data_set,
         const std::optional<DataFile>& file, const std::optional<std::string>& data, bool json) {
  const LedgerFile ledger(path, LedgerFile::Opening::kExisting);
  if (file) {
    const auto names = ledger.names_of(*file);
    data_set = names.empty() ? file->path : names.front();
  }
  std::vector<LedgerEntry> history = ledger.history();
  if (data_set) {
    std::erase_if(history, [&](const LedgerEntry& entry) { return entry.data_set != *data_set; });
    if (history.empty()) refuse_unknown(path, *data_set, data, ledger.history());
  }
  const std::vector<DataSetSummary> summaries = summarise(history);
  if (json) {
    Json answer{{"ledger", path}, {"data_sets", Json::array()}, {"history", Json::array()}};
    for (const auto& summary : summaries) answer["data_sets"].push_back(balance_json(summary));
    for (const auto& entry : history) answer["history"].push_back(entry_json(entry));
    print_json(answer);
    return kSuccess;
  }
  std::string text;
  for (const DataSetSummary& summary : summaries) text += summary_text(summary);
  text += history.empty() ? "nothing is recorded\n" : "history\n";
  for (const LedgerEntry& entry : history) text += entry_text(entry);
  print_lines(text);
  return kSuccess;
}

int run(const LedgerCommandOptions& options) {
  const std::string& path = needed(options.ledger, "--ledger");
  const std::optional<DataFile> file = chosen_file(options);
  if (!options.declare && !options.replace) {
    if (options.epsilon || options.delta || options.rho || options.scope) {
      throw InvalidInput("missing-parameter",
                         "--declare or --replace is missing: only they change a total", "declare",
                         {WayOut::add("declare"), WayOut::add("replace")});
    }
    return show(path, options.data_set, file, options.data, options.json);
  }
  // Before the file, which is not made for a refused release.
  const std::string name = file ? "" : needed(options.data_set, "--data-set");
  if (file && !file->identity) {
    Concern concern("data");
    concern.file = *options.data;
    refuse_input("unreadable-file", concern,
                 "--data must be a file that is there, so that releases from it find its total, "
                 "but {} is not",
                 *options.data);
  }
  const LedgerTotal total = total_of(options);
  const std::string declared = LedgerFile(path, LedgerFile::Opening::kOrMakeNew)
                                   .declare(name, total, options.replace, file, !options.scope);
  return show(path, declared, std::nullopt, std::nullopt, options.json);
}

}  // namespace

void add_ledger(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "ledger",
      "Show or declare what releases of a data set may cost together\n\n"
      "sample --ledger records a release before it is drawn, and refuses it if it would pass the "
      "total declared for its data set. Without --declare and --replace, ledger prints what is "
      "spent, what remains, and the history. Numbers are exact decimals, as they were typed.");
  const auto options = std::make_shared<LedgerCommandOptions>();
  const auto text = [&](const char* flag, std::optional<std::string>& value, const char* help,
                        const char* type) {
    command.add_option(flag, value, help)->type_name(type);
  };
  text("--ledger", options->ledger, "file of the ledger", "FILE");
  text("--data-set", options->data_set, "one data set, by its name in the ledger", "NAME");
  text("--data", options->data, "one data set, by its file", "FILE");
  command.add_flag("--declare", options->declare, "declare the data set's total");
  command.add_flag("--replace", options->replace,
                   "declare its total though it has another; history keeps both");
  text("--epsilon", options->epsilon, "the total: epsilon of everything together", "NUMBER");
  text("--delta", options->delta, "its delta (default: 0, so that only pure releases fit)",
       "NUMBER");
  text("--rho", options->rho, "the total in zCDP, instead of epsilon", "NUMBER");
  text("--scope", options->scope,
       "scope of the total: row, unit=COLUMN or table (default: as before, or row)\n"
       "Releases that protect less are refused",
       "SCOPE");
  command.add_flag("--json", options->json, "print as JSON, numbers as texts");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
