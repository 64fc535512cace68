// How much of a release is public noise: its expected error beside that of the public reference
// alone, or beside the greatest error there is, from public facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/message.h"
#include "methods/divergence/f_divergence.h"
#include "release/spec.h"

namespace mollify {

struct Certificate;
class Domain;

/// Few tables have more records.
inline constexpr std::uint64_t kManyRecords = 1'000'000;

/// The error of a release, and the error of releasing the public reference instead, which needs no
/// data at all. Both are measured alike: as total variations from the data's distribution, or of
/// estimates as standard errors.
///
/// A release from outcomes has the uniform distribution or the public records as its reference. How
/// far the data are from it is private, so both errors are taken where that cancels or over a
/// public class of data:
///  - bands of scorers that count records: the mean over data that are drawn from the Dirichlet
///    distribution with the reference as its mean and a total concentration of kConcentration, or
///    of the number of outcomes if that is less. A unit has few records, so its data lie on few of
///    many outcomes, however many these are;
///  - bands of other scorers, which spread records over what is near them: the mean over smooth
///    data, whose density against the reference is drawn from the flat Dirichlet distribution;
///  - matrices and samples of outcomes, which replace a record by noise with a public probability:
///    the worst case, whose share of the reference's is that of all data;
///  - independent Gaussian samples: the worst case over the declared means;
///  - estimates from released records: the standard error of a share of one half. The reference
///    says that each share is 0, which is wrong by one half then;
///  - what all rows share, marginals or a mean and a covariance: the stated error, which is an
///    upper end. Such a model has no reference whose error public facts give. Beside it stands 1,
///    the greatest total variation, which only distributions with nothing in common have. Such an
///    error never decides: what noise does to single columns does, and the error at the most
///    favourable range.
///
/// An error that depends on what is private is the least that public facts allow: of a support that
/// is yet to be found the smallest, and of rows whose number is protected kManyRecords.
struct ReleaseError {
  double error = 0;
  double reference = 0;
  const char* kind = "";  ///< "expected error of a record"
  const char* of_reference = "the error of the public reference alone";  ///< what `reference` is
  bool is_least = false;  ///< that public facts allow, and the release may err more
  const char* subject = "the release";
  const char* measure = " in total variation";
  /// Two total variations and what they are, in words; the reference has none if it is 1.
  struct Pair {
    double error;
    double reference;
    std::string kind;
    std::string of_reference;
  };
  /// Where `error` is an upper end, or the middle of a range: what decides in its place.
  std::optional<Pair> deciding{};
  /// Whether nobody is meant to look at the records one by one, because mollify estimate finds the
  /// population from all of them.
  bool is_for_estimates = false;

  /// From here on a release cannot be told apart from the reference: 19 parts in 20 of the
  /// reference's error are left, so the data change less than a twentieth of what they could.
  static constexpr double kIndistinct = 0.95;
  /// Above this a release is mostly noise: more than half of the reference's error is left.
  static constexpr double kMostlyNoise = 0.5;

  /// 0 where the reference cannot err.
  [[nodiscard]] double share() const { return reference > 0 ? error / reference : 0; }
  /// The share that decides: of what an upper end leaves to decide, if the error is one.
  [[nodiscard]] double deciding_share() const {
    if (!deciding) return share();
    return deciding->reference > 0 ? deciding->error / deciding->reference : 0;
  }
  [[nodiscard]] bool is_indistinct() const { return deciding_share() >= kIndistinct; }
  [[nodiscard]] bool is_mostly_noise() const { return deciding_share() > kMostlyNoise; }
  /// The limit that the share has met: kIndistinct, or else kMostlyNoise.
  [[nodiscard]] double limit() const { return is_indistinct() ? kIndistinct : kMostlyNoise; }
  /// For messages: the error, the reference's, and what decides with its limit.
  [[nodiscard]] std::vector<Quantity> quantities() const;
};

/// When the greatest error of marginals is the one to expect.
inline constexpr const char* kIfClose = "if columns of many values depend closely on each other";
inline constexpr const char* kWorstCaseError = "worst-case error of a record";

/// A record that is replaced by a uniform one with a public probability, so that its worst-case
/// total variation is this.
[[nodiscard]] ReleaseError replacement_error(std::uint64_t outcomes, double total_variation);

/// Shares that are estimated with this standard error of one half.
[[nodiscard]] ReleaseError estimate_error(double standard_error);

/// A model that all rows share, of this stated error, an upper end.
[[nodiscard]] ReleaseError model_error(double expected, ReleaseError::Pair deciding);
/// The release's.
[[nodiscard]] ReleaseError release_error(const Certificate& certificate, const Domain& domain);

/// "the expected error of a record is 0.361 in total variation, and that of the public reference
/// alone is 0.368".
[[nodiscard]] std::string error_words(const ReleaseError& error);

/// "the average noise of single columns is 0.277 in total variation, and the limit is 0.237 (0.95 of
/// 0.25, the average distance of columns from equal shares)": the limit of a refusal, or the one of a
/// warning if that is met. Requires `deciding`.
[[nodiscard]] std::string deciding_words(const ReleaseError& error);

/// What is said of a release that cannot be told apart from the reference, or of one that is mostly
/// noise: "the release is mostly noise: ..."; nothing if it is neither.
[[nodiscard]] std::optional<Message> noise_message(const ReleaseError& error);

/// {"kl": ..., "tv": ..., "hellinger2": ..., "chi2": ...}
[[nodiscard]] Json divergence_json(const DivergenceReport& divergence);

}  // namespace mollify
