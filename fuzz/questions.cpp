// Any bytes as questions about a table: refused in one sentence, or answered for without a number
// that is not finite.

#include "methods/answers/questions.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json.h"
#include "core/invalid_input.h"
#include "formats/domain_yaml.h"
#include "methods/answers/answers.h"
#include "methods/marginals/counts.h"

namespace {

using mollify::single_cells;

const mollify::Domain& domain() {
  static const mollify::Domain kDomain = mollify::parse_domain(
      "columns:\n"
      "  a: {type: categorical, values: [x, y, z], null: category}\n"
      "  b: {type: integer, min: 0, max: 3, null: category}\n"
      "  c: {type: boolean, null: false}\n",
      "");
  return kDomain;
}

/// Some counts are negative; a and b are measured with values together.
const mollify::Measurements& measurements() {
  static const mollify::Measurements kMeasured{
      .noise = "none",
      .records = 100,
      .tables = {
          {{0}, {single_cells(4)}, {60, 30, 12, -4}, 9, 1},
          {{1}, {single_cells(5)}, {20, 30, 40, 11, 1}, 9, 1},
          {{0, 1}, {{{0, 1, 1, 1}, 2}, {{0, 0, 1, 1, 1}, 2}}, {30, 29, 22, 18}, 16, 1},
          {{0, 2}, {single_cells(4), single_cells(2)}, {30, 30, 20, 9, 9, -3, 2, 1}, 16, 1}}};
  return kMeasured;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const mollify::TableQuestion& question : mollify::parse_questions(text, "file")) {
      const mollify::Answer answer = mollify::answer_question(measurements(), domain(), question);
      // JSON writes what is not finite as null, so it must be null already.
      if (mollify::Json::parse(answer.facts()) != answer.json) std::abort();
    }
  } catch (const mollify::InvalidInput& refusal) {
    if (std::string_view(refusal.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
