#include "mollify/plan.h"

#include "c/guarded.h"

mollify_status mollify_plan(const char* question, char** report) {
  return mollify::c::guarded([&] {
    *report = mollify::c::text_for_c(mollify::front::plan(question, "the question").json);
  });
}
