// The ledger's file.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/ledger.h"
#include "accounting/privacy.h"
#include "base/json.h"

namespace mollify {

/// Digits of the numbers that sentences name: the spent budget is rounded up to them, and the
/// remainder down. JSON has all digits of what was charged.
inline constexpr int kReadableDigits = 6;

/// The cost with numbers that people can read, rounded up.
[[nodiscard]] ExactPrivacy readable(const ExactPrivacy& cost);

// -----------------------------------------------------------------------------------------------
// The file in which every release is charged before it is made.

/// One line of a ledger: a release that was charged, or a total that was declared.
struct LedgerEntry {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... without gaps
  std::string time{};        ///< UTC, as 2026-01-31T23:59:59Z
  std::string data_set{};
  ProtectionScope scope{};
  ExactPrivacy cost{};
  bool is_total = false;
  std::string method{}, mechanism{}, certificate_sha256{};  // of a release
  std::uint64_t count = 0;                                  // of a release
  std::string version{};                                    // of mollify
  std::optional<DataFile> file{};                           // the data, if it was a file
};

/// The file at a path, by whatever link, whether or not it is there; none for a pipe or a device,
/// which are not the same data twice.
[[nodiscard]] std::optional<DataFile> data_file_at(const std::string& path);

/// A ledger: a file to which entries are added and from which none is ever taken.
///
/// The file is text: a header of two lines, and then a line for each entry. A line ends with a
/// SHA-256 digest of itself and of the digest before it, so no entry can be changed, removed or
/// exchanged unnoticed. No other file decides anything, so whatever name leads to the file, all
/// entries are there.
///
/// `charge` returns only when its line is on the disk (one write, then fsync), so a release that is
/// drawn afterwards has its charge whatever happens to the program or the power. A release that
/// fails afterwards keeps its charge, which errs on the safe side. A write that was interrupted
/// leaves a torn last line. Nothing was released for it, and the next entry replaces it. Any other
/// damage is refused.
///
/// The file is open only while an operation runs, and an operation locks it (flock), whatever other
/// code of the process does to the file. So threads may share an object, a process that is forked
/// may use its parent's at any time, and several processes on one computer may use one file at once
/// by any of its names. An operation is refused if the path leads to another file than when the
/// object was made, or to one that has lost the last entry that the object saw (an old copy put
/// back, perhaps with the same inode).
class LedgerFile final : public Ledger {
 public:
  enum class Opening {
    kExisting,   ///< refused if it is missing
    kOrMakeNew,  ///< an empty ledger is made if the file is missing or empty
  };

  /// InvalidInput, one sentence naming the file, if it cannot be opened, is not a ledger, is
  /// damaged or is of another version of this format.
  LedgerFile(const std::string& path, Opening opening);

  /// Records a release that is about to be made. InvalidInput, and nothing is recorded, if the data
  /// set has no total and the release does not say that it needs none, or if the total protects
  /// more than the release does, or would be passed.
  ChargeReceipt charge(const ReleaseCharge& release) override;

  /// Declares what a data set's releases may cost, those recorded already included. The total that
  /// it has already changes nothing. InvalidInput if there is another one and `replace` is false,
  /// or if the releases recorded do not keep the total. With an empty name the data set is the one
  /// that a charge for `file` would go to. With `keeps_scope`, a total that is replaced leaves its
  /// scope to the new one, so that nobody is protected less by oversight. Returns the name.
  std::string declare(const std::string& data_set, LedgerTotal total, bool replace,
                      const std::optional<DataFile>& file = std::nullopt, bool keeps_scope = false);

  /// The data sets as which releases of this file were charged, the surest first: by its path, then
  /// by its device and inode, each with the latest first.
  [[nodiscard]] std::vector<std::string> names_of(const DataFile& file) const;

  /// All entries in their order.
  [[nodiscard]] std::vector<LedgerEntry> history() const;

 private:
  class Operation;

  std::string path_;  // as given, for messages
  std::string file_;  // absolute, because the program may change its folder
  std::pair<std::uint64_t, std::uint64_t> device_and_inode_;
  /// The beginning of the digest of the last entry that was seen; 0 if none was. Atomic rather than
  /// locked: a forked child would inherit a lock that nobody gives up.
  mutable std::atomic<std::uint64_t> last_seen_{0};
};

/// The entries of each data set put together, by name.
std::vector<DataSetSummary> summarise(const std::vector<LedgerEntry>& history);

// -----------------------------------------------------------------------------------------------
// Entries for programs.

/// By the names of its parameters, numbers as exact texts.
[[nodiscard]] Json cost_json(const ExactPrivacy& cost);
[[nodiscard]] Json entry_json(const LedgerEntry& entry);

}  // namespace mollify
