// The options that charge a release to a ledger, the same for every command that releases.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "accounting/decimal.h"
#include "accounting/privacy.h"
#include "accounting/protection_scope.h"

namespace mollify::cli {

/// The name of a data set that was given none: the file's full path, so that it is the same from
/// every folder and by every link.
std::string data_set_of(const std::string& data_file);

struct LedgerOptions {
  std::optional<std::string> ledger, data_set;

  /// Adds --ledger and --data-set.
  void add_to(CLI::App& command);

  /// The budget to make a release with: what was given for a flag of the command, and with a ledger
  /// never above the decimal number typed, which is what is charged (the double nearest to 0.1 is).
  /// Always the same side of a choice of the user's: nothing given, nothing returned.
  std::optional<double> budget(const std::string& flag, std::optional<double> given) const;

  /// The cost of what a release promises: the numbers typed for --epsilon, --delta, --rho and --mu
  /// where the release promises the doubles of `budget` for them, otherwise the promise's own,
  /// exactly.
  ExactPrivacy cost_of(const Privacy& promised) const;

  /// What a release is, for the ledger.
  struct Release {
    std::string data;  ///< the private file
    ProtectionScope scope;
    std::string model;
    std::string mechanism;
    ExactPrivacy cost;
    std::uint64_t count = 0;
    std::string certificate;  ///< its text
  };

  /// Charges a release, or refuses it (InvalidInput); nothing without --ledger. To be called
  /// between the last refusal and the first draw.
  void charge(const Release& release) const;

 private:
  Decimal exactly(const std::string& flag, double promised) const;

  const CLI::App* command_ = nullptr;
};

}  // namespace mollify::cli
