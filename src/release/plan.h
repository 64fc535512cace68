// Plans: the error that a budget buys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/privacy.h"
#include "base/answer.h"
#include "base/held.h"
#include "base/message.h"
#include "base/named.h"
#include "release/public_inputs.h"
#include "release/release_error.h"
#include "release/spec.h"

namespace mollify {

class Column;

// -----------------------------------------------------------------------------------------------
// How many records, outcomes or outputs, how much budget or accuracy: found before any data.

/// The unknown of a plan; the rest is given.
enum class PlanUnknown {
  kRecords,    ///< the least n, of row methods
  kOutcomes,   ///< the greatest k, of finite domains
  kDimension,  ///< the greatest d, of Gaussian samples
  kEpsilon,    ///< the least epsilon, at the budget's delta
  kRho,        ///< the least rho, of Gaussian samples
  kDelta,      ///< the least delta, at the budget's epsilon
  kOutputs,    ///< the greatest m
  kAlpha,      ///< the least total variation
};

constexpr auto names_of(PlanUnknown) {
  return std::array{Named{PlanUnknown::kRecords, "n"},
                    Named{PlanUnknown::kOutcomes, "k"},
                    Named{PlanUnknown::kDimension, "dimension"},
                    Named{PlanUnknown::kEpsilon, "epsilon"},
                    Named{PlanUnknown::kRho, "rho"},
                    Named{PlanUnknown::kDelta, "delta"},
                    Named{PlanUnknown::kOutputs, "count"},
                    Named{PlanUnknown::kAlpha, "alpha"}};
}

/// Whether it is a number of things.
[[nodiscard]] bool is_whole(PlanUnknown unknown) noexcept;

/// A possible release, and the question about it. What an unknown represents is not read.
struct PlanQuestion {
  Method method = Method::kLocal;
  /// One, or epsilon and rho where the budget of numbers or marginals is unknown: either can be
  /// spent.
  std::vector<PlanUnknown> unknowns{};

  std::optional<SpecDomain> domain{};  ///< instead of `outcomes`
  std::uint64_t records = 1;
  std::uint64_t outcomes = 1;
  std::uint64_t dimension = 1;
  /// Draws of each unit; of row methods records in all, and of a model of no account.
  std::uint64_t outputs = 1;
  bool is_for_one = false;  ///< whether nobody gave `outputs`
  /// The column that names units, if the release will have one: then `records` counts units.
  UnitColumns unit{};
  Privacy budget = Privacy::pure(1);
  /// Total variation of an output's law from the data's, above 0 and below 1: of draw methods at
  /// worst, whatever the data; of a model what is expected.
  double alpha = 0;
  /// Whether alpha bounds the joint law of all outputs (m times the law of one) or each output's.
  bool strong = false;
  /// Whether a delta of 1/n or more is accepted (release/acceptance.h).
  bool accept_large_delta = false;
  /// Whether to tell alpha against the number of records as well.
  bool curve = false;

  /// Whether all mechanisms of the method are asked about; one that is named is not read then.
  bool every_mechanism = false;
  Held own{};  ///< its method's parts of its own: a LocalQuestion, say

  /// Warnings about the plan's domain.
  std::vector<Message> warnings{};
};

/// The question's parts of its method; as they are by themselves where none are given.
template <class Own>
const Own& own_of(const PlanQuestion& question) {
  static const Own kNone{};
  const Own* own = question.own.get<Own>();
  return own == nullptr ? kNone : *own;
}
template <class Own>
Own& own_of(PlanQuestion& question) {
  if (question.own.get<Own>() == nullptr) question.own = Own{};
  return *question.own.get<Own>();
}

/// The needs of one mechanism.
struct PlanWay {
  std::string mechanism{};
  /// The answer: it certainly meets the question. None if no value up to the limits of the library
  /// is found.
  std::optional<double> value{};
  /// Its total variation there, in the sense of the question; infinite where it refuses.
  double alpha = 1;
  /// What noise leaves of a record; none where it refuses.
  std::optional<ReleaseError> noise{};
  /// Whether its release refuses such noise; none: if the noise is indistinct.
  std::optional<bool> is_refused{};
  /// Its cost.
  Privacy spent{};
  bool independent_outputs = true;
  /// In one sentence: how it meets the question, or why it cannot.
  Why why{};
  /// A remark for a choice among several; mostly empty.
  std::string note{};
  Json details = Json::object();
};

/// A bound on total variation as it is printed, which is at most 1. Bounds of single outputs are
/// added up for all together and may pass 1; how far still decides which way is best.
[[nodiscard]] inline double stated_alpha(double alpha) { return std::min(1.0, alpha); }

/// Total variation at some number of records.
struct CurvePoint {
  std::uint64_t records = 0;
  /// Of each mechanism; none where nothing is promised.
  std::vector<std::optional<double>> alphas{};
  /// The index of the least one with independent outputs; none if there is none.
  std::optional<std::size_t> best{};
};

/// The answer for one unknown.
struct PlanAnswer {
  PlanUnknown unknown{};
  std::vector<PlanWay> ways{};
  /// The index of the way with fewest records, most outcomes or outputs, least epsilon, delta or
  /// alpha, among those with independent outputs; the first of equals. None if there is none.
  std::optional<std::size_t> best{};
  /// The question's numbers: "for 10 outputs over 4 outcomes, ...".
  std::string subject{};
  /// What else there is to know, if there is a best way: for programs, and in lines for people.
  Json facts = Json::object();
  std::string lines{};
  std::vector<Message> warnings{};  ///< beside those that every plan has
  std::vector<CurvePoint> curve{};
};

struct PlanReport {
  PlanQuestion question;
  std::vector<PlanAnswer> answers{};

  [[nodiscard]] bool is_served() const noexcept;
};

/// No plan asks for more records.
inline constexpr std::uint64_t kMostPlannedRecords = std::uint64_t{1} << 39U;

/// The answer to each unknown. Numbers come from the very designs that releases are made by, by
/// bisection and secants: whole numbers are the least or greatest that serve next to others that do
/// not, others are so to within 1e-6 of themselves.
///
///  - local and integral: the mechanism that a release would have, or every one. epsilon from 1e-6
///    to 30 a draw, k to 2^24 (65536 for the matrices that a reference makes), count to 10^8.
///  - central: subsampled-rr, subset-rr, poisson-rr and histogram. What is left out has the numbers
///    of subsampled-rr in the worst case (reveal-or-obscure, ds-roo), those of subset-rr
///    (shuffled-rr), or needs independent columns (product). n to 2^39, k to 2^24, epsilon from
///    1e-6 to 30, delta from 1e-100 to 0.5, or 0 where that serves.
///  - Gaussian: within the limits of GaussianRequest.
///  - a table's marginals: alpha is what noise is expected to do to two columns together
///    (methods/marginals/design.h); rows are not independent.
///
/// A delta of 1/n or more answers nothing unless the question accepts it. Throws InvalidInput for
/// that and for a question that is wrong in itself. Milliseconds to some seconds.
[[nodiscard]] PlanReport plan(const PlanQuestion& question, const PublicInputs& inputs);
/// The plan for a question that names neither a domain nor a file.
[[nodiscard]] PlanReport plan(const PlanQuestion& question);

/// Says beforehand what makes that plan take longer than two seconds (base/progress.h), if anything
/// does.
void tell_what_takes_long(PlanQuestion question, const PublicInputs& inputs);

/// Whether a release of these numbers, in which nothing is unknown, is more than noise
/// (ReleaseError::is_mostly_noise): by that mechanism, or by the best one if it is empty. A question
/// that is refused has none.
[[nodiscard]] bool is_more_than_noise(const PlanQuestion& question, const std::string& mechanism);

/// The question of a JSON text (docs/reference/spec.md): parts of a release's spec, n, k or
/// dimension, alpha and others; one is left out. Throws InvalidInput, one sentence naming `name` or
/// what is wrong, for anything else.
[[nodiscard]] PlanQuestion parse_plan_question(const std::string& text, const std::string& name);

/// Its words. Of several, which differ in their budgets alone: a list, and one table with a row for
/// each mechanism. Requires a report.
[[nodiscard]] Answer plan_answer(std::span<const PlanReport> reports);

// -----------------------------------------------------------------------------------------------
// What plans of the methods differ in.

/// Throws InvalidInput: plans of the method cannot find this; `why` ends the sentence.
[[noreturn]] void refuse_unknown(Method method, PlanUnknown unknown, std::string_view why = {});

/// The parts of a plan's question with the flags of `mollify plan`, and the question of a JSON
/// object of them; sentences as PartReader's.
[[nodiscard]] std::span<const Part> plan_parts();
[[nodiscard]] PlanQuestion plan_question_of(const Json& json, const std::string& name);

/// The possible unknowns of a question, and whether each is given.
struct PlanQuantities {
  struct Quantity {
    PlanUnknown unknown;
    bool given;
  };
  /// One of them is missing, or else the first of `others` that is.
  std::vector<Quantity> either, others;
  bool has_rho = false;  ///< epsilon may be rho instead
};

/// The ends between which an unknown is searched: `easy` is likeliest to be enough. Where `hard` is
/// 0, the search ends just above it.
struct PlanSpan {
  double easy;
  double hard;
};

/// The question with a value for an unknown.
[[nodiscard]] PlanQuestion with(PlanQuestion question, PlanUnknown unknown, double value);

/// The mechanisms of one method, as functions of a question in which nothing is unknown.
class PlanModel {
 public:
  PlanModel() = default;
  PlanModel(const PlanModel&) = delete;
  PlanModel& operator=(const PlanModel&) = delete;
  virtual ~PlanModel() = default;

  [[nodiscard]] virtual std::size_t mechanisms() const { return 1; }

  /// The answer of the mechanism of that index; `value` is left open. Its alpha is infinite where
  /// it refuses, and `why` says so.
  [[nodiscard]] virtual PlanWay at(std::size_t mechanism, const PlanQuestion& question) const = 0;

  /// At most the question's alpha only where that of `at` is, and monotone like it: less work where
  /// a design is itself a search.
  [[nodiscard]] virtual double measure(std::size_t mechanism, const PlanQuestion& question) const {
    return at(mechanism, question).alpha;
  }

  /// What makes a plan take longer than two seconds, such as "planning in 30 dimensions"; empty if
  /// nothing does.
  [[nodiscard]] virtual std::string what_takes_long(const PlanQuestion& /*question*/) const {
    return "";
  }

  /// Whether the best way, or the mechanism of that name, releases more than noise: at most half of
  /// the reference's error. None where only the ways themselves tell.
  [[nodiscard]] virtual std::optional<bool> is_more_than_noise(
      const PlanQuestion& /*question*/, const std::string& /*mechanism*/) const {
    return std::nullopt;
  }

  /// The question of that mechanism alone.
  [[nodiscard]] virtual PlanQuestion settled(std::size_t, PlanQuestion question) const {
    return question;
  }

  /// Throws InvalidInput for an unknown that the method does not have.
  [[nodiscard]] virtual PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const = 0;

  /// Throws InvalidInput for faults that do not depend on the unknown.
  virtual void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const = 0;

  /// The given numbers: "2000 records, 4 outcomes, 10 outputs, epsilon 1", except for the unknown;
  /// `whole` is the question with the answer in it.
  [[nodiscard]] virtual std::string subject(PlanUnknown unknown, const PlanQuestion& whole) const;
  /// The unit of a record's size: outcomes, or a dimension.
  [[nodiscard]] virtual PlanUnknown size() const { return PlanUnknown::kOutcomes; }
  /// Whether all outputs share the noise of one model, so that their number does not matter.
  [[nodiscard]] virtual bool shares_noise() const { return false; }

  /// The share of each column's values that `way`, which answers `whole`, makes null in data without
  /// nulls. Unless the method has others, noise is uniform outcomes, and a model that all outputs
  /// share makes none.
  [[nodiscard]] virtual std::vector<double> nulls_of_noise(const Domain& domain,
                                                           const PlanQuestion& whole,
                                                           const PlanWay& way) const;

  /// Adds facts and lines to an answer that has a best way; `whole` is the question with the answer
  /// in it.
  virtual void tell(const PlanQuestion& whole, PlanAnswer& answer) const = 0;
};

}  // namespace mollify
