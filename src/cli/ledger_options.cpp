#include "ledger_options.h"

#include <fmt/format.h>

#include "command.h"
#include "io/ledger_file.h"
#include "kernel/core/invalid_input.h"
#include "ledger_report.h"
#include "output_files.h"

namespace mollify::cli {

void LedgerOptions::add_to(CLI::App& command) {
  const std::string group = "Ledger";
  command
      .add_option(
          "--ledger", ledger,
          "file in which the release is charged before anything is drawn, and refused if it "
          "would pass the data set's total; made if there is none")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--data-set", data_set,
                  "public name of the data in the ledger (default: the one by which the ledger "
                  "knows the file, or else the full path of --data)")
      ->type_name("NAME")
      ->group(group);
  command
      .add_flag("--another-data-set", another_data_set,
                "charge the release to --data-set even if the ledger knows the file by other names "
                "only: what was charged there is not counted")
      ->group(group);
  command
      .add_flag("--no-total", no_total,
                "charge the release even if the data set has no total to be held against")
      ->group(group);
}

void LedgerOptions::validate(const std::string& data_file) const {
  if (!ledger) {
    if (data_set) throw InvalidInput("--data-set is a name in a ledger, but no --ledger is given");
    if (no_total) throw InvalidInput("--no-total is about a ledger, but no --ledger is given");
    if (another_data_set) {
      throw InvalidInput("--another-data-set is about a ledger, but no --ledger is given");
    }
    return;
  }
  if (another_data_set && !data_set) {
    throw InvalidInput("--another-data-set needs --data-set, the name of it, but none is given");
  }
  if (data_set && data_set->empty()) {
    throw InvalidInput("--data-set must be the name of a data set, but is empty");
  }
  if (!data_set && is_stream(data_file)) {
    throw InvalidInput(
        fmt::format("--data-set is needed beside --ledger, because {} is a pipe or a device and "
                    "has no name that lasts, but is not given",
                    data_file));
  }
}

ChargeReceipt ChargedLedger::charge(const ReleaseCharge& release) {
  receipt_ = LedgerFile(path_, LedgerFile::Opening::kOrMakeNew).charge(release);
  cost_ = release.cost;
  named_ = !release.data_set.empty();
  file_ = release.file;
  return *receipt_;
}

std::string ChargedLedger::text() const {
  const DataSetSummary& known = receipt_->data_set;
  std::string text = fmt::format("charged: {} to {} in {}\n", readable(cost_).text(),
                                 printable(known.data_set), path_);
  if (known.total) {
    text +=
        fmt::format("left: {}; the total is {}\n", remaining_text(known), known.total->cost.text());
  } else {
    text += "left: not known, because no total is declared\n";
  }
  if (!named_ && file_ && known.data_set != file_->path) {
    text += fmt::format("the ledger knows {} as {}, so it was charged there\n",
                        printable(file_->path), printable(known.data_set));
  }
  for (const std::string& name : receipt_->other_names) {
    text += fmt::format(
        "WARNING: the ledger knows the same file as {} too; what was charged there is not counted "
        "here\n",
        printable(name));
  }
  return text;
}

Json ChargedLedger::json() const {
  Json json = balance_json(receipt_->data_set);
  json["charged"] = cost_json(cost_);
  json["other_names"] = receipt_->other_names;
  return json;
}

}  // namespace mollify::cli
