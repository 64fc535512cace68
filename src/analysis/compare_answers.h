// Questions about a table, answered from its own rows. NOT PRIVATE.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/answer.h"
#include "domain/domain.h"
#include "methods/answers/questions.h"
#include "methods/graphical/measurements.h"
#include "records/source.h"
#include "records/units.h"
#include "release/spec.h"

namespace mollify {

/// A table that questions are asked about, by the definitions of answer_question. Rules between
/// columns are not applied.
struct AskedTable {
  const Source* rows = nullptr;
  UnitColumns unit{};  ///< whose rows count as one together, in a table of units
  const Roster* roster = nullptr;
};

/// The questions that a holder asks of both tables, and the noisy counts of a release, if there are
/// some.
struct HolderQuestions {
  std::vector<TableQuestion> questions{};
  std::optional<Measurements> model{};
};

/// Each question once. Throws InvalidInput for another text.
[[nodiscard]] HolderQuestions holder_questions(const std::vector<std::string>& texts);

/// Adds "questions": for each question its numbers in rows, each from the real rows, the released
/// ones and the model, with the model's interval. A mean is of the rows' own numbers, nearly. Throws
/// InvalidInput for a question that the domain cannot answer.
void add_answers(Answer& answer, const HolderQuestions& asked, const Domain& domain,
                 const AskedTable& real, const AskedTable& released);

}  // namespace mollify
