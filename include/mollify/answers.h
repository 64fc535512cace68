// Questions and their answers: before there is data, of released records, and, NOT PRIVATE, of the
// data themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mollify/domain.h"
#include "mollify/message.h"
#include "mollify/namespace.h"
#include "mollify/release.h"
#include "mollify/sampler.h"

namespace MOLLIFY_NAMESPACE {

/// An answer to a question: facts, and the words for them.
struct Answer {
  std::string json{};               ///< all facts by their names, like --json
  std::string text{};               ///< the words that commands print
  std::vector<Message> warnings{};  ///< the warnings that commands print

  /// The fact at a place of `json`, if it is a number: "/estimates/0/lower".
  [[nodiscard]] std::optional<double> number(std::string_view place) const;
};

// -----------------------------------------------------------------------------------------------
// Questions. Each is a JSON object of parts that docs/reference/spec.md tells; sentences name
// `name`, or parameters if it is empty. All functions throw InvalidInput, one sentence, for a part
// that the question does not have or that is out of range, and for parts that contradict each other
// or leave too much open.

/// All that a question may hold, with the names of the command's flags: of "advise", "amplify",
/// "check", "estimate", "plan" and "tune".
[[nodiscard]] std::vector<SpecPart> request_parts(std::string_view request);

// -----------------------------------------------------------------------------------------------
// Before there is data: the needs and the error of a release, and which one to take.

/// The plan for a question, in JSON: parts of a release's spec, "n", "k" or "dimension", "alpha"
/// and others that docs/reference/spec.md tells. One is left out, or named as the "unknown", and
/// found:
///
///     {"method": "central", "k": 100, "count": 10, "privacy": {"epsilon": 1, "delta": 1e-9},
///      "alpha": 0.1}
///
/// Milliseconds to some seconds. Throws InvalidInput, one sentence naming `name` (or parameters, if
/// it is empty), for a question without exactly one unknown, or with parts or numbers that no
/// release can have.
[[nodiscard]] Answer plan(std::string_view question, const std::string& name = "the question",
                          const PublicTexts& texts = {});
/// The plans for several questions, which differ in their budgets alone: all answers, in their
/// order, and one list and one table of them. At least one. `unit` is the columns that name units,
/// if the release will have any: all answers are then about units, and say so.
[[nodiscard]] Answer plans(std::span<const std::string> questions,
                           const std::string& name = "the question", const PublicTexts& texts = {},
                           const std::vector<std::string>& unit = {});
/// The plan for a question that names no domain, about this one.
[[nodiscard]] Answer plan(std::string_view question, const Domain& domain,
                          const PublicTexts& texts = {});

/// Method, mechanism and budget, the expected error, and the commands to run. Some seconds at most.
///
///     {"purpose": "records", "protect": "person", "n": 500, "domain": {"file": "people.yaml"}}
[[nodiscard]] Answer advise(std::string_view question, const std::string& name = "the question",
                            const PublicTexts& texts = {});

/// Proved bounds on how private shuffled reports of randomized response are together, for three of
/// n, epsilon0, epsilon and delta. Some seconds at most.
///
///     {"n": 1000, "k": 10, "epsilon0": 2, "delta": 1e-6}
[[nodiscard]] Answer amplify(std::string_view question, const std::string& name = "the question");

/// How far the law of one draw can be from the data, at worst. Throws InvalidInput for parameters
/// that no sampler has.
[[nodiscard]] Answer risk(const SamplerParameters& parameters);

// -----------------------------------------------------------------------------------------------
// The collector's side: the population that released records come from.

/// How often each value or cell of each column of the domain occurs in released records, for
/// charts:
/// [{"name": "age", "levels": ["0..9", ...], "counts": [3, ...]}, ...], columns of many values in
/// 16 groups. "others" counts all words beyond the 1000 most frequent.
[[nodiscard]] std::string level_counts(const Domain& domain, const Source& rows);

/// The distribution of the population that `released` was drawn from, by its certificate and
/// nothing else: no private data is read. Unbiased, with exact intervals for the probabilities, for
/// randomized response, mixture and the Gaussian curve, shuffled or not; for a band, valid bounds
/// (docs/guides/estimate-a-population.md). Of the facts `estimates` has the outcomes, `marginals`,
/// `pairs` and `means` the rest. A question: {"confidence": 0.99, "pairs": true}.
///
/// Throws InvalidInput for a certificate that does not hold, a domain, a number of records or a
/// value that is not the release's, and a release that has nothing to estimate: Gaussian samples,
/// candidates, a support that was found privately.
[[nodiscard]] Answer estimate(const Certificate& certificate, const Domain& domain,
                              const Source& released, std::string_view question = "{}",
                              const std::string& name = "the question");

/// The records of one release, with its certificate and domain.
struct ReleasedRecords {
  const Certificate& certificate;
  const Domain& domain;
  const Source& released;
};

/// An estimate from several releases together: of the same columns and values, which may differ in
/// their budgets and mechanisms: versions of a question. Records of one mechanism and budget count
/// as one release. The estimate is otherwise the mean of the releases' populations, weighted by
/// their public variances, or by their records ({"weighting": "reports"}), with intervals that hold
/// whatever the populations are. If these are alike, it is of each of them.
///
/// Throws InvalidInput also for releases of other columns or values, and for several mechanisms or
/// budgets that are not all mixtures: randomized response, mixture, Gaussian curve, shuffled or not.
[[nodiscard]] Answer estimate(std::span<const ReleasedRecords> releases,
                              std::string_view question = "{}",
                              const std::string& name = "the question");

// -----------------------------------------------------------------------------------------------
// The table that a synthetic one was released for, from the noisy counts of the release's model.

/// Answers with standard errors and 95 % intervals, for the table and for the population that its
/// rows are a random sample of, in the questions' order. They are made of the model's noisy counts,
/// so they cost nothing. Each says one of these (docs/reference/answers.md):
///
///     share(happy = very) by attend    mean(income) by region    quantile(income, .9)
///     table(happy, attend)    income ~ age + region    happy = very ~ attend + race
///
/// Facts: "answers" and "differences" of groups, each with "estimate", "table" and "population". If
/// one of several questions needs counts that were not measured, it has the fact "refused" instead.
/// Throws InvalidInput for another text, a column or a value that the domain does not have, one
/// question alone that needs other counts, and a model without measurements.
[[nodiscard]] std::vector<Answer> answer(const Model& model,
                                         const std::vector<std::string>& questions);

// -----------------------------------------------------------------------------------------------
// For the data holder, NOT PRIVATE: what private data have that their domain does not declare, and
// how close a release is to them. And where a band lies best, from public units. All of these throw
// InvalidInput for a wrong public input.

/// Every value of a CSV file, or of a text of that name, that the domain does not declare, by line
/// and column, and the value that it becomes. The fact "findings" is their number. A question:
/// {"unit": "who", "roster": {"file": "units.csv"}}.
[[nodiscard]] Answer check(const Domain& domain, const std::string& data,
                           std::string_view question = "{}",
                           const std::string& name = "the question", const PublicTexts& texts = {});

/// How close the law of a release to come is to the data, and how close its reference is. Each spec
/// is a JSON object, without a count for 1; with several, which differ in their budget, or with the
/// mechanism "all", a table of distances. Nothing is released or charged.
[[nodiscard]] Answer compare(std::span<const std::string> specs, const Source& data,
                             const PublicTexts& texts = {});

/// How close rows that are released already are to the data, by whatever method they were made. Of
/// a spec, a JSON object, it takes domain, unit, roster, units_column, weights and logarithms.
/// `name` names the released rows. With questions, as of `answer`, the fact "questions" has for each
/// its numbers from the real rows, "truth", from the "released" ones, and, if there is a model, from
/// the "model", with "lower" and "upper".
[[nodiscard]] Answer compare_released(std::string_view spec, const Source& data,
                                      const Source& released, const std::string& name,
                                      const PublicTexts& texts = {},
                                      const std::vector<std::string>& questions = {},
                                      const Model* model = nullptr);

/// An answer, and with `best` what a file for "band": "file=..." holds.
struct Tuning {
  Answer answer;
  std::string band{};
};

/// The best band of a release by method local, from PUBLIC units: {"public_units": {"file":
/// "units.csv"}, "best": true}. With "data", the private file, units from it are refused.
[[nodiscard]] Tuning tune(const ReleaseSpec& spec, std::string_view question,
                          const std::string& name = "the question", const PublicTexts& texts = {});

}  // namespace MOLLIFY_NAMESPACE
