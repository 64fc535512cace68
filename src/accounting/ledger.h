// What every release is charged to before it is drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/ledger_account.h"
#include "accounting/privacy.h"
#include "accounting/protection_scope.h"

namespace mollify {

/// A file of data, as a ledger recognises it again: by its full path, or by what hard links and
/// renamed files share.
struct DataFile {
  std::string path;
  /// Device and inode; none of a file that is not there.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> identity{};
};

/// What a data set's releases may cost together, and for whom.
struct LedgerTotal {
  ProtectionScope scope;
  ExactPrivacy cost;
};

/// What a ledger says about one data set.
struct DataSetSummary {
  std::string data_set;
  std::optional<LedgerTotal> total;
  LedgerAccount account;  ///< of the releases whose scope counts: all, if there is no total
};

/// What is charged for a release. All of it is public.
struct ReleaseCharge {
  /// The name under which releases of the same data are counted. Empty: the one under which the
  /// ledger knows `file`, or else the file's path.
  std::string data_set{};
  std::optional<DataFile> file{};  ///< where the data is, if it is a file
  ProtectionScope scope;           ///< whose data the promise is about
  ExactPrivacy cost;               ///< of all that is released together
  std::string model;               ///< "local", "integral" or "central"
  std::string mechanism;
  std::uint64_t count = 0;         ///< records asked for, for each unit
  std::string certificate_sha256;  ///< of the certificate's bytes
  /// Without it a data set must have a total that the charge is held against.
  bool without_total = false;
  /// Without it a file that the ledger knows under other names only is not charged under a new one.
  bool another_data_set = false;
};

/// What a charge left in the ledger.
struct ChargeReceipt {
  DataSetSummary data_set;
  /// Other names under which the ledger knows the same file: what was charged there is not counted
  /// here.
  std::vector<std::string> other_names{};
};

/// Keeps account of releases (io/ledger_file.h).
class Ledger {
 public:
  Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  virtual ~Ledger() = default;

  /// Records a release that is about to be drawn, so that the charge stays whatever happens then;
  /// or refuses it (InvalidInput) and records nothing.
  virtual ChargeReceipt charge(const ReleaseCharge& release) = 0;
};

}  // namespace mollify
