#include "release/advice.h"

#include <fmt/format.h>

#include "base/words.h"

namespace mollify {

bool by_person(const AdviceQuestion& question) { return question.protect == Protected::kPerson; }

std::string person_of(const AdviceQuestion& question) { return question.unit ? "unit" : "person"; }

std::string MethodAdvice::protection(const AdviceQuestion& question,
                                     const std::string& factor) const {
  return fmt::format(
      "one who holds all rows releases from them together; replacing {} makes no output more "
      "than {} times likelier, but with a probability of delta",
      by_person(question) ? "all rows of one " + person_of(question) : "any one row", factor);
}

std::string MethodAdvice::mechanism_why(const AdviceQuestion&, const AdvisedBudget& chosen) const {
  return chosen.why.text.empty() ? "the least error of all mechanisms at this budget"
                                 : chosen.why.text;
}

std::string MethodAdvice::error_words(const AdviceQuestion&, const AdvisedBudget& chosen,
                                      const Domain*) const {
  return fmt::format("a record is as good as a new row of the same population, except {}",
                     times_words(*chosen.error));
}

}  // namespace mollify
