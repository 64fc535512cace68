// The total cost of a ledger's entries.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/privacy.h"
#include "base/named.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What all releases of one data set cost together, and whether another one fits a total.

/// How a sum of costs was found.
enum class CompositionRule {
  kBasic,         ///< Σ epsilon and Σ delta, or Σ rho
  kConcentrated,  ///< rho of everything, converted to (epsilon, delta)
  kOptimal,       ///< the optimal composition of equal releases
  kGaussian,      ///< mu² of everything, converted to (epsilon, delta)
};

[[nodiscard]] constexpr auto names_of(CompositionRule) {
  return std::array{Named{CompositionRule::kBasic, "basic composition"},
                    Named{CompositionRule::kConcentrated, "zCDP composition"},
                    Named{CompositionRule::kOptimal, "optimal composition"},
                    Named{CompositionRule::kGaussian, "Gaussian-DP composition"}};
}

/// The spent budget, in the terms of a total.
struct Spending {
  ExactPrivacy cost;
  CompositionRule rule = CompositionRule::kBasic;
};

/// The costs of releases made from the same data, in any order.
///
/// A total is a pure epsilon, an (epsilon, delta) or a rho. Costs add up in it by every rule that
/// is valid for them, and the least result counts:
/// - pure epsilon: Σ epsilon of pure releases. Others promise no pure epsilon, so they never fit.
/// - rho: Σ rho, where epsilon counts epsilon²/2 and mu counts mu²/2. An (epsilon, delta) release
/// promises no rho and never fits.
/// - (epsilon, delta): Σ epsilon and Σ delta; or each (epsilon_i, delta_i) is epsilon_i-DP except
///   for an event of probability delta_i (the pair
///   that dominates it, Kairouz et al. 2015), so that Σ delta_i is split off and the pure rest
///   composes: the releases with epsilon_i up to some threshold by zCDP, or raised to the threshold
///   and composed optimally, or those equal to it composed optimally; the others by adding
///   epsilon_i. Every threshold is valid, and the best one of about 32 is taken. Releases in
///   Gaussian-DP alone are converted by their exact curve.
/// Sums and comparisons are exact in decimal numbers, so that no spend that fits by Σ is refused
/// for rounding; conversions between notions are rounded up.
///
/// For an (epsilon, delta) total the rules hold for releases whose parameters were not chosen by
/// looking at the outputs before them; the sums Σ epsilon and Σ rho hold for these too [Rogers et
/// al. 2016; Feldman, Zrnic 2021].
class LedgerAccount {
 public:
  /// Counts one release. InvalidInput for delta above 1.
  void add(const ExactPrivacy& cost);

  /// This account with one release more.
  [[nodiscard]] LedgerAccount with(const ExactPrivacy& cost) const;

  [[nodiscard]] std::uint64_t releases() const { return releases_; }

  /// Whether all that is counted keeps the total. Immediate if Σ does; otherwise some microseconds
  /// for each distinct epsilon, and for each release of a threshold that is composed optimally.
  [[nodiscard]] bool fits(const ExactPrivacy& total) const;

  /// The spent budget, in the notion of the total; empty if no rule applies. For an (epsilon,
  /// delta) total epsilon is the least one that goes with the total's delta, or with Σ delta where
  /// that is by Σ epsilon.
  [[nodiscard]] std::optional<Spending> spent(const ExactPrivacy& total) const;

  /// The spent budget without a total: the weakest notion that all costs have, by addition; empty
  /// if there are (epsilon, delta) releases and releases in rho or mu.
  [[nodiscard]] std::optional<ExactPrivacy> plain_sum() const;

  /// The budget of one more release: epsilon of a pure one, or rho where the total is in rho, in
  /// the total's notion. Exact where addition is the best rule, otherwise rounded down to 6 digits;
  /// 0 where the total is passed.
  [[nodiscard]] Decimal remaining(const ExactPrivacy& total) const;

  /// How much of the delta of an (epsilon, delta) total no release has taken yet. One more may take
  /// less if `spent` converts by all of it.
  [[nodiscard]] Decimal remaining_delta(const ExactPrivacy& total) const {
    return minus_or_zero(total.delta, delta_);
  }

 private:
  struct Conversion;

  [[nodiscard]] Decimal rho_of_all() const;
  template <class Visit>
  void for_each_conversion(const ExactPrivacy& total, Visit visit) const;

  std::uint64_t releases_ = 0;
  std::map<Decimal, std::uint64_t> epsilons_;  // of pure and approximate releases, how many
  Decimal epsilon_;                            // their sum
  Decimal delta_;                              // of approximate ones
  Decimal rho_;                                // of concentrated ones
  Decimal mu_squared_;                         // of Gaussian ones
};

// -----------------------------------------------------------------------------------------------
// What every release is charged to before it is drawn.

/// A file of data, as a ledger recognises it again: by its full path, or by what hard links and
/// renamed files share.
struct DataFile {
  std::string path;
  /// Device and inode; none of a file that is not there.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> identity{};
};

/// The total of a data set's releases, and whom it protects.
struct LedgerTotal {
  ProtectionScope scope;
  ExactPrivacy cost;
};

/// A data set's entry in a ledger.
struct DataSetSummary {
  std::string data_set;
  std::optional<LedgerTotal> total;
  LedgerAccount account;  ///< of the releases whose scope counts: all, if there is no total
};

/// The charge for a release. All of it is public.
struct ReleaseCharge {
  /// The name under which releases of the same data are counted. Empty: the one under which the
  /// ledger knows `file`, or else the file's path.
  std::string data_set{};
  std::optional<DataFile> file{};  ///< where the data is, if it is a file
  ProtectionScope scope;           ///< whose data the promise is about
  ExactPrivacy cost;               ///< of all that is released together
  std::string method;              ///< "local", "marginals", ...
  std::string mechanism;
  std::uint64_t count = 0;         ///< records asked for, for each unit
  std::string certificate_sha256;  ///< of the certificate's bytes
  /// Without it a data set must have a total that the charge is held against.
  bool without_total = false;
  /// Without it a file that the ledger knows under other names only is not charged under a new one.
  bool another_data_set = false;
};

/// The ledger after a charge.
struct ChargeReceipt {
  DataSetSummary data_set;
  /// Other names under which the ledger knows the file: charges there are not counted
  /// here.
  std::vector<std::string> other_names{};
};

/// Keeps account of releases (formats/ledger.h).
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
