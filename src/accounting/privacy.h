// The cost of a release, its notion, and its scope.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/decimals.h"
#include "base/named.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What a release promises, may spend or costs: a privacy notion and its parameters.

/// How two neighbouring inputs' output laws P and Q may differ. Which inputs are neighbours, a
/// ProtectionScope says.
enum class PrivacyNotion {
  kPure,          ///< epsilon-DP: P(A) ≤ e^epsilon Q(A) for every event A
  kApproximate,   ///< (epsilon, delta)-DP: P(A) ≤ e^epsilon Q(A) + delta
  kConcentrated,  ///< rho-zCDP: a Rényi divergence of at most rho a at every order a > 1 [Bun,
                  ///< Steinke 2016]
  kGaussian,      ///< mu-Gaussian-DP: no easier to tell apart than N(0,1) and N(mu,1) [Dong et al.
                  ///< 2022]
};

/// The name of the number that adds up: "epsilon", "epsilon", "rho" or "mu".
[[nodiscard]] const char* parameter_name(PrivacyNotion notion);

/// One promise, budget or cost, made by naming its notion. The parameters that the notion does not
/// have are 0 and say nothing.
template <class Number>
struct BasicPrivacy {
  using Notion = PrivacyNotion;

  Notion notion = Notion::kPure;
  Number epsilon{};
  Number delta{};
  Number rho{};
  Number mu{};

  /// A pure 0: the privacy of a text that reveals nothing.
  BasicPrivacy() = default;

  [[nodiscard]] static constexpr BasicPrivacy pure(Number epsilon) {
    return {Notion::kPure, std::move(epsilon), {}, {}, {}};
  }
  /// Pure where delta is 0.
  [[nodiscard]] static constexpr BasicPrivacy approximate(Number epsilon, Number delta) {
    if (delta == Number{}) return pure(std::move(epsilon));
    return {Notion::kApproximate, std::move(epsilon), std::move(delta), {}, {}};
  }
  [[nodiscard]] static constexpr BasicPrivacy concentrated(Number rho) {
    return {Notion::kConcentrated, {}, {}, std::move(rho), {}};
  }
  [[nodiscard]] static constexpr BasicPrivacy gaussian(Number mu) {
    return {Notion::kGaussian, {}, {}, {}, std::move(mu)};
  }

  /// Of a notion known by name: its parameter(), and delta where it has one.
  [[nodiscard]] static constexpr BasicPrivacy of(Notion notion, Number parameter,
                                                 Number delta = {}) {
    switch (notion) {
      case Notion::kPure:
        return pure(std::move(parameter));
      case Notion::kApproximate:
        return approximate(std::move(parameter), std::move(delta));
      case Notion::kConcentrated:
        return concentrated(std::move(parameter));
      case Notion::kGaussian:
        break;
    }
    return gaussian(std::move(parameter));
  }

  /// The one of that name.
  [[nodiscard]] constexpr const Number& parameter() const {
    if (notion == Notion::kConcentrated) return rho;
    return notion == Notion::kGaussian ? mu : epsilon;
  }

  /// "epsilon 0.5", "epsilon 1 and delta 1e-6", "rho 0.1", "mu 1": six digits of a double, all of
  /// a Decimal.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const BasicPrivacy&, const BasicPrivacy&) = default;

 private:
  constexpr BasicPrivacy(Notion notion_, Number epsilon_, Number delta_, Number rho_, Number mu_)
      : notion(notion_),
        epsilon(std::move(epsilon_)),
        delta(std::move(delta_)),
        rho(std::move(rho_)),
        mu(std::move(mu_)) {}
};

/// Of what is computed: rounded to the safe side by anyone who makes it.
using Privacy = BasicPrivacy<double>;
/// Of what people typed, without rounding: a ledger's.
using ExactPrivacy = BasicPrivacy<Decimal>;

// -----------------------------------------------------------------------------------------------
// Which tables are neighbours: a promise of the central model compares them.

/// Replace: one row (or unit) holds anything else; how many there are is public. Add-remove: one
/// row (or unit) is there or is not, and how many there are is protected too. An epsilon of
/// add-remove is up to 2 epsilon of replace, because to replace is to remove and to add.
enum class Neighbours { kReplace, kAddRemove };

constexpr auto names_of(Neighbours) {
  return std::array{Named{Neighbours::kReplace, "replace"},
                    Named{Neighbours::kAddRemove, "add-remove"}};
}

// -----------------------------------------------------------------------------------------------
// Whose data a promise is about.

/// The part of a table whose replacement a promise hides.
///
/// Row: the declared values of one row, in any release of the central model. Unit: all rows of one
/// unit together, named by a column, in releases of the local model and of the central model with a
/// unit. Table: the whole table, and so any group of its rows, in the integral model.
struct ProtectionScope {
  enum class Kind { kRow, kUnit, kTable };
  Kind kind = Kind::kRow;
  std::string unit;  ///< the column, for kUnit

  [[nodiscard]] static ProtectionScope row() { return {}; }
  [[nodiscard]] static ProtectionScope of_unit(std::string column) {
    return {Kind::kUnit, std::move(column)};
  }
  [[nodiscard]] static ProtectionScope table() { return {Kind::kTable, {}}; }

  /// "row", "unit=COLUMN" or "table".
  [[nodiscard]] std::string text() const;
  /// In words: "each row", "each unit of COLUMN", "the whole table".
  [[nodiscard]] std::string words() const;
  /// The reverse of text(); none for any other text.
  [[nodiscard]] static std::optional<ProtectionScope> parse(std::string_view text);

  friend bool operator==(const ProtectionScope&, const ProtectionScope&) = default;
};

/// Whether a promise about `promised` holds for `wanted` with the same parameters: two tables that
/// differ in one row differ in one unit, and in one table; units of different columns have nothing
/// to do with each other.
[[nodiscard]] bool protects(const ProtectionScope& promised, const ProtectionScope& wanted);

}  // namespace mollify
