// mollify ledger.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "accounting/ledger.h"
#include "cli/main.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// The options that charge a release to a ledger, the same for every command that releases.

struct LedgerOptions {
  std::optional<std::string> ledger, data_set;
  bool no_total = false;
  bool another_data_set = false;

  /// Adds --ledger, --data-set, --another-data-set and --no-total.
  void add_to(CLI::App& command);

  /// Refuses (InvalidInput) the others without --ledger, an empty name, and data that has no name
  /// of its own where none is given: a pipe.
  void validate(const std::string& data_file) const;
};

/// The ledger of a command's options. Its file is opened, or made, when something is charged, and
/// its answer is kept.
class ChargedLedger final : public Ledger {
 public:
  explicit ChargedLedger(std::string path) : path_(std::move(path)) {}
  ChargeReceipt charge(const ReleaseCharge& release) override;

  /// The charge and the remainder, and whether the ledger knows the file by other names. Requires
  /// that something was charged.
  [[nodiscard]] std::string text(const std::string& why) const;
  /// The charge in a line, or two if the ledger knows the file by other names.
  [[nodiscard]] std::string brief(const std::string& why) const;
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  std::string path_;
  ExactPrivacy cost_;
  std::optional<ChargeReceipt> receipt_;
  bool named_ = false;
  std::optional<DataFile> file_;
};

// -----------------------------------------------------------------------------------------------
// What commands say of a ledger.

/// The budget of one more release, in the total's terms, with numbers that people can read, rounded
/// down. Requires a total.
ExactPrivacy remaining(const DataSetSummary& summary);

/// The spent budget in words: if a rule converts at all of the total's delta, also how much of it
/// releases took themselves. Requires a total.
std::string spent_text(const DataSetSummary& summary, const Spending& spent);

Json balance_json(const DataSetSummary& summary);

}  // namespace mollify::cli
