// Checking a certificate: everything is computed again, in integers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mollify/domain.h"
#include "mollify/message.h"
#include "mollify/namespace.h"
#include "mollify/release.h"

namespace MOLLIFY_NAMESPACE {

/// What checking a certificate found.
struct Verification {
  bool domain_matches = false;  ///< the domain is the one of the release
  /// For releases from candidates, models or around public records: whether these are the
  /// release's; none if that cannot be checked, because the list is fresh, or a file is not given.
  std::optional<bool> list_matches{};
  /// Of Gaussian samples whose mean is found: whether the ranges it is sought in are the domain's;
  /// none where they follow from a covariance in a file.
  std::optional<bool> ranges_match{};
  /// The other members are empty if they were not looked at: with another domain, or for numbers
  /// that no release can have had.
  std::optional<bool> design_matches{};    ///< designed again, the release is this one
  std::optional<bool> guarantee_holds{};   ///< its integers keep what each draw promises
  std::optional<bool> total_holds{};       ///< the draws together keep the total
  std::optional<bool> accuracy_matches{};  ///< it is as accurate as stated
  /// Of released rows, if they are given: whether their number is as certified (none if that is not
  /// public), each value is one that its column's releases can have, and each row keeps every rule
  /// (none without rules).
  std::optional<bool> rows_match{};
  std::optional<bool> values_match{};
  std::optional<bool> rules_hold{};
  /// Of the model's file, if it is given: whether it is the one that the certificate names, with
  /// measurements that the release can have paid for.
  std::optional<bool> model_matches{};
  /// ln of the greatest ratio of any outcome's probabilities under any two inputs, of one draw,
  /// from the integers and rounded up; 0 in the central model.
  double epsilon_realised_up = 0;
  /// Warnings about the release and its domain, if all holds, a sentence each.
  std::vector<Message> warnings{};
  /// "holds", "DOES NOT HOLD", or "not checked: this is not the release's domain".
  std::string verdict{};
  std::string json{};  ///< all facts by their names: what `mollify verify --json` prints
  std::string text{};  ///< the words that it prints

  /// All of it, as far as it can be told.
  [[nodiscard]] bool holds() const noexcept {
    return domain_matches && list_matches.value_or(true) && ranges_match.value_or(true) &&
           design_matches.value_or(false) && guarantee_holds.value_or(false) &&
           total_holds.value_or(false) && accuracy_matches.value_or(false) &&
           model_matches.value_or(true) && rows_match.value_or(true) &&
           values_match.value_or(true) && rules_hold.value_or(true);
  }
};

/// The files that a release was made with, as far as they are at hand.
struct ReleaseFiles {
  std::optional<std::string> list{};       ///< of candidates
  std::optional<std::string> reference{};  ///< the public records that it began at
  PublicTexts texts{};                     ///< texts of the two that are in memory
  std::optional<Source> released{};        ///< its rows
  std::optional<std::string> model{};      ///< the text of its model
};

/// The certificate's statements about its data (unit, roster, number of records) are not checked.
/// Throws InvalidInput where its words say something else than its numbers, and for released rows
/// with other columns than the release's.
[[nodiscard]] Verification verify(const Certificate& certificate, const Domain& domain,
                                  const ReleaseFiles& files = {});

}  // namespace MOLLIFY_NAMESPACE
