// What has been spent of which data set: every release is charged before it is drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mollify/handle.h"
#include "mollify/namespace.h"
#include "mollify/privacy.h"

namespace MOLLIFY_NAMESPACE {

/// What a ledger says about one data set. A number means its shortest decimal form, as when it was
/// typed, and is rounded to the safe side where doubles have none that means the same.
struct LedgerBalance {
  std::string data_set;
  std::uint64_t releases = 0;  ///< how many were charged
  /// What they may cost together, if that was declared, and for whom: "row", "unit=COLUMN" or
  /// "table".
  std::optional<Privacy> total{};
  std::string scope{};
  /// What they cost, in the total's notion; none where no rule says so.
  std::optional<Privacy> spent{};
  /// What one more release may cost: pure, or in rho where the total is. None without a total.
  std::optional<Privacy> remaining{};
};

/// A ledger file (SQLite): entries are added, and none is ever taken away.
///
/// `release` charges it. Threads may share an object, a forked process may use its parent's, and
/// several processes on one computer may use one file at once. What was charged stays charged
/// whatever happens to the program. The file must have one name: an operation is refused if the
/// file was moved or replaced after the object was made, or has several hard links.
class Ledger : public Handle<class LedgerInside> {
 public:
  using Handle::Handle;

  /// Opens the file; makes an empty ledger if there is none. Throws InvalidInput, one sentence
  /// naming the file, if it cannot be opened, is damaged or is something else.
  explicit Ledger(const std::string& path);
  /// The same for a file that must be there.
  [[nodiscard]] static Ledger existing(const std::string& path);

  /// Declares what the releases of a data set may cost together, those charged already included:
  /// pure, approximate or concentrated, each number meaning its shortest decimal form; for whom:
  /// "row", "unit=COLUMN" or "table". The total that is declared already changes nothing. Throws
  /// InvalidInput if there is another one and `replace` is false, or if the releases so far do not
  /// keep it.
  void declare(const std::string& data_set, const Privacy& total, const std::string& scope = "row",
               bool replace = false);

  /// Charges `count` draws that no `release` makes, which cost `cost` together, before they are
  /// made. Throws InvalidInput, and charges nothing, where the data set has no total, its total
  /// protects more than `scope`, or would be passed.
  void charge(const std::string& data_set, const Privacy& cost, const std::string& scope,
              const std::string& mechanism, std::uint64_t count);

  /// Of one data set; of one that the ledger does not know, no release.
  [[nodiscard]] LedgerBalance balance(const std::string& data_set) const;
  /// Of all of them, by name.
  [[nodiscard]] std::vector<LedgerBalance> balances() const;
  /// Every entry of a data set, the first one first: a JSON list of objects, numbers as exact
  /// texts. Throws InvalidInput for one that the ledger does not know.
  [[nodiscard]] std::string history(const std::string& data_set) const;
};

}  // namespace MOLLIFY_NAMESPACE
