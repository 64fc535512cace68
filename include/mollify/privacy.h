// The promise, budget or cost of a release; the cost of releases together; the ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mollify/handle.h"
#include "mollify/message.h"
#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// A privacy notion and its parameters. The parameters that the notion does not have are 0 and say
/// nothing. Which inputs are neighbours, the release says: rows, units or whole tables.
struct Privacy {
  enum class Notion {
    kPure,          ///< epsilon-DP: no event is more than e^epsilon times as likely by another
    kApproximate,   ///< (epsilon, delta)-DP: the same, except with probability delta
    kConcentrated,  ///< rho-zCDP [Bun, Steinke 2016]
    kGaussian,      ///< mu-Gaussian-DP [Dong et al. 2022]
  };
  Notion notion = Notion::kPure;
  double epsilon = 0;
  double delta = 0;
  double rho = 0;
  double mu = 0;

  [[nodiscard]] static Privacy pure(double epsilon) noexcept {
    return {Notion::kPure, epsilon, 0, 0, 0};
  }
  /// Pure where delta is 0.
  [[nodiscard]] static Privacy approximate(double epsilon, double delta) noexcept {
    return {delta > 0 ? Notion::kApproximate : Notion::kPure, epsilon, delta, 0, 0};
  }
  [[nodiscard]] static Privacy concentrated(double rho) noexcept {
    return {Notion::kConcentrated, 0, 0, rho, 0};
  }
  [[nodiscard]] static Privacy gaussian(double mu) noexcept {
    return {Notion::kGaussian, 0, 0, 0, mu};
  }

  /// "epsilon 0.5", "epsilon 1 and delta 1e-06", "rho 0.1" or "mu 1", to six digits.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Privacy&, const Privacy&) = default;
};

// -----------------------------------------------------------------------------------------------
// The cost of releases together, conversions between notions, and shuffling.
//
// Every bound is rounded to the safe side. Parameters out of range throw InvalidInput.

/// What all releases, made from the same data, promise together: the sum of epsilon and delta, or
/// of rho, where a pure release counts epsilon^2/2 and a Gaussian one mu^2/2. An approximate one
/// and one in rho or mu have no sum: InvalidInput.
[[nodiscard]] Privacy composed_up(std::span<const Privacy> releases);

/// The worth of a promise against adding or removing one record (neighbours add-remove) against
/// replacing it, which removes one and adds another; a ledger is charged this.
[[nodiscard]] Privacy replacing_up(const Privacy& add_remove);

/// A total epsilon for `releases` releases at `epsilon` each that are allowed a total `delta`: by
/// optimal composition [Kairouz et al. 2015], least except for rounding, and never above the sum.
/// `epsilon` up to 700, up to 2^20 releases, delta from 0 to 1. O(60 releases).
[[nodiscard]] double composed_epsilon_up(double epsilon, std::uint64_t releases, double delta);

/// The greatest epsilon of each of `releases` releases that together keep the total by the sum.
[[nodiscard]] double epsilon_per_release_down(double total, std::uint64_t releases);

/// The release as (epsilon, delta)-DP at this epsilon: the least delta that is proved for it (zCDP:
/// Canonne et al. 2020, Corollary 13; Gaussian-DP: its exact curve).
[[nodiscard]] double delta_up(const Privacy& release, double epsilon);
/// The least epsilon at this delta, or infinity.
[[nodiscard]] double epsilon_up(const Privacy& release, double delta);
/// The rho of a pure, concentrated or Gaussian release. An approximate one has none: InvalidInput.
[[nodiscard]] double rho_up(const Privacy& release);

/// An epsilon for which `steps` steps of Gaussian noise are certainly (epsilon, delta)-DP together.
/// Each step chooses every record with probability `rate` and adds noise of `deviation` times what
/// one record contributes at most [Mironov et al. 2019]; infinite where none is found. Rate and
/// delta are in (0, 1).
[[nodiscard]] double sampled_gaussian_epsilon_up(double rate, double deviation, std::uint64_t steps,
                                                 double delta);

/// The meaning of one draw's promise if its epsilon is 10 or more: the odds that it allows, and
/// above 30 that a draw counts no more. A sentence each, none for less. Rho and mu are explained by
/// their epsilon at a delta of 1e-6. A PreparedRelease reports the same of all its draws
/// (mollify/release.h).
[[nodiscard]] std::vector<Message> epsilon_warnings(const Privacy& draw);

/// Reports of n people, each through k-ary randomized response at epsilon0, each kept with
/// probability `rate`, in random order. n is at most 2^40, and k at most 2^24.
struct ShuffledReports {
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  double epsilon0 = 0;
  double rate = 1;
};

/// A delta for which they are certainly (epsilon, delta)-DP. Mostly milliseconds.
[[nodiscard]] double shuffled_delta_up(const ShuffledReports& reports, double epsilon);
/// An epsilon for which they certainly are, least except for 1e-9 of it; at most epsilon0. Up to
/// some seconds where epsilon0 and k are large.
[[nodiscard]] double shuffled_epsilon_up(const ShuffledReports& reports, double delta);
/// The greatest epsilon0, except for 1e-9 of it, with which they certainly are.
[[nodiscard]] double shuffled_epsilon0_down(std::uint64_t n, std::uint64_t k, double epsilon,
                                            double delta, double rate = 1);

// -----------------------------------------------------------------------------------------------
// The budgets that data sets have spent: every release is charged before it is drawn.

/// A data set's entry in a ledger. A number means its shortest decimal form, as when it was typed,
/// and is rounded to the safe side where doubles have none that means the same.
struct LedgerBalance {
  std::string data_set;
  std::uint64_t releases = 0;  ///< how many were charged
  /// What they may cost together, if that was declared, and for whom: "row", "unit=COLUMN" or
  /// "table".
  std::optional<Privacy> total{};
  std::string scope{};
  /// The releases' cost, in the total's notion; none if no rule applies.
  std::optional<Privacy> spent{};
  /// The budget of one more release: pure, or in rho if the total is. None without a total.
  std::optional<Privacy> remaining{};
};

/// A ledger file: entries are added, and none is ever taken away.
///
/// `release` charges it. Threads may share an object, a forked process may use its parent's, and
/// several processes on one computer may use one file at once. A charge stays whatever happens to
/// the program. Links and bind mounts of the file lead to one ledger. An operation is refused if
/// the file was moved or replaced after the object was made.
class Ledger : public Handle<class LedgerInside> {
 public:
  using Handle::Handle;

  /// Opens the file, or makes an empty ledger. Throws InvalidInput, one sentence naming the file,
  /// if it cannot be opened, is damaged or is something else.
  explicit Ledger(const std::string& path);
  /// Opens a file that must be there.
  [[nodiscard]] static Ledger existing(const std::string& path);

  /// Declares what the releases of a data set may cost together, those charged already included:
  /// pure, approximate or concentrated, each number meaning its shortest decimal form; for whom:
  /// "row", "unit=COLUMN" or "table"; empty: those of the total that is replaced, or rows. The
  /// total that is declared already changes nothing. Throws InvalidInput if there is another one
  /// and `replace` is false, or if the releases so far do not keep it.
  void declare(const std::string& data_set, const Privacy& total, const std::string& scope = "",
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
