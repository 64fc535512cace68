// The file in which every release is charged before it is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accounting/ledger.h"
#include "accounting/privacy.h"
#include "accounting/protection_scope.h"
#include "io/ledger_identity.h"

namespace mollify {

/// One line of a ledger: a release that was charged, or a total that was declared.
struct LedgerEntry {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... without gaps
  std::string time;          ///< UTC, as 2026-01-31T23:59:59Z
  std::string data_set;
  ProtectionScope scope;
  ExactPrivacy cost;
  bool is_total = false;
  std::string model, mechanism, certificate_sha256;  // of a release
  std::uint64_t count = 0;                           // of a release
  std::string version;                               // of mollify
};

/// The file at a path, by whatever link, whether or not it is there; none for a pipe or a device,
/// which are not the same data twice.
[[nodiscard]] std::optional<DataFile> data_file_at(const std::string& path);

/// A ledger: a SQLite file to which entries are added and from which none is ever taken.
///
/// `charge` returns only when the entry is on disk (SQLite's rollback journal, synchronised at
/// every commit), so a release that is drawn afterwards has its charge whatever happens to the
/// program; a release that fails afterwards keeps it, which errs on the safe side. The check
/// against the total and the entry are one transaction. Whatever happens to the program, the file
/// stays in order (SQLite's own recovery).
///
/// The file is open only while an operation runs. An operation locks it, whatever other code of the
/// process does to the file, and a process runs one operation at a time. So threads may share an
/// object, a process that is forked may use its parent's, and several processes on one computer may
/// use one file at once. An operation is refused if the path leads to
/// another file than when the object was made, to one that has lost the last entry that the object
/// saw (an old copy put back, perhaps with the same inode), or to a file with several hard links.
class LedgerFile final : public Ledger {
 public:
  enum class Opening {
    kExisting,   ///< refused if there is none
    kOrMakeNew,  ///< an empty ledger is made if there is none, or an empty file
  };

  /// InvalidInput, one sentence naming the file, if it cannot be opened, is not a ledger, is
  /// damaged or is of another version of this format.
  LedgerFile(const std::string& path, Opening opening);

  /// Records a release that is about to be made. InvalidInput, and nothing is recorded, if the data
  /// set has no total and the release does not say that it needs none, or if the total protects
  /// more than the release does, or would be passed.
  ChargeReceipt charge(const ReleaseCharge& release) override;

  /// Declares what a data set's releases may cost, those recorded already included. InvalidInput if
  /// there is a total already and `replace` does not say that it is meant to be replaced, if there
  /// is none and it says so, or if the releases recorded do not keep the total. With an empty name
  /// the data set is the one that a charge for `file` would go to. Returns the name.
  std::string declare(const std::string& data_set, const LedgerTotal& total, bool replace,
                      const std::optional<DataFile>& file = std::nullopt);

  /// The data sets as which releases of this file were charged, the surest first: those of its
  /// path, then those of its device and inode, each with the latest first.
  [[nodiscard]] std::vector<std::string> names_of(const DataFile& file) const;

  /// All entries in their order.
  [[nodiscard]] std::vector<LedgerEntry> history() const;

 private:
  class Database;
  class Operation;
  mutable LedgerIdentity identity_;  // changed by one operation at a time
};

/// The entries of each data set put together, by name.
std::vector<DataSetSummary> summarise(const std::vector<LedgerEntry>& history);

}  // namespace mollify
