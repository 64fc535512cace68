// Proved facts about mechanisms before there is data: the gain from shuffling, and how far a draw
// can be from its data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/answer.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What shuffling adds to the privacy of randomized reports.

/// Every record goes through randomized response over k outcomes, and all reports leave shuffled.
/// Three of n, epsilon0, epsilon and delta; the fourth is found. All of it public.
struct AmplifyQuestion {
  std::optional<std::uint64_t> n{}, k{};
  std::optional<double> epsilon0{};          ///< of one report, up to 100
  std::optional<double> epsilon{}, delta{};  ///< of all reports together
  /// Each record is first kept with this probability, or some of the n are first chosen.
  std::optional<double> rate{};
  std::optional<std::uint64_t> chosen{};
  bool accept_large_delta = false;  ///< a delta of 1/n or more is looked at too
};

/// The parts of such a question, and the question of a JSON object of them; sentences as
/// PartReader's.
[[nodiscard]] std::span<const Part> amplify_parts();
[[nodiscard]] AmplifyQuestion amplify_question_of(const Json& json, const std::string& name);

/// Proved bounds, what two data sets attain, and the papers' closed form in its regime. Warnings
/// are facts too. Throws InvalidInput for a question that is out of range, contradicts itself or
/// leaves more open. Neighbouring data sets replace one record, so n is public. Some seconds at
/// most.
[[nodiscard]] Answer amplify(const AmplifyQuestion& question);

// -----------------------------------------------------------------------------------------------
// How far the law of one draw can be from the data, at worst.

/// Of the answer `risk` has the divergences, as far as they are known for the mechanism.
[[nodiscard]] Answer risk_answer(const MechanismParameters& parameters, const WorstCaseRisk& risk);

}  // namespace mollify
