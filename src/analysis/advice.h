// From a question in people's words to a release: method, mechanism, budget, and what to expect.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/answer.h"
#include "release/advice.h"
#include "release/public_inputs.h"
#include "release/spec.h"

namespace mollify {

/// The parts of such a question, and the question of a JSON object of them; sentences as
/// PartReader's.
[[nodiscard]] std::span<const Part> advise_parts();
[[nodiscard]] AdviceQuestion advice_question_of(const Json& json, const std::string& name);

/// The advice, from the numbers of plans (release/plan.h): the one given, or the least budget of
/// the list whose error is good, or a statement that none is enough and which change would help.
/// Throws InvalidInput, in one sentence, for a question that contradicts itself or lacks what
/// nothing can be advised without. Some seconds at most.
[[nodiscard]] Advice advise(const AdviceQuestion& question, const PublicInputs& inputs);

[[nodiscard]] Answer advice_answer(const Advice& advice);

/// Chooses the method that answers a table's questions, and their errors. Throws InvalidInput for
/// questions that have no answer, or no error to reach.
void settle_questions(AdviceQuestion& question);

/// Sets how many fresh answers there are in `days`. Throws InvalidInput for days of anything but
/// estimates from persons' own reports.
void settle_days(AdviceQuestion& question, bool is_estimation);

/// The standard error that a question asks for.
[[nodiscard]] double asked_error(const AdviceQuestion& question, std::size_t at);

/// The number that advice minimises, after its kind: 0 and the budget if the error is good enough,
/// otherwise 1 or 2 and the error.
[[nodiscard]] std::pair<int, double> cost_of(const Advice& advice);

}  // namespace mollify
