#include "analysis/requests.h"

#include <string>
#include <vector>

#include "analysis/advice.h"
#include "analysis/check.h"
#include "analysis/estimate.h"
#include "analysis/mechanisms.h"
#include "analysis/tune.h"
#include "base/names.h"
#include "release/plan.h"

namespace mollify {

std::span<const Request> requests() {
  static constexpr Request kRequests[] = {{"advise", advise_parts}, {"amplify", amplify_parts},
                                          {"check", check_parts},   {"estimate", estimate_parts},
                                          {"plan", plan_parts},     {"tune", tune_parts}};
  return kRequests;
}

std::span<const Part> request_parts(std::string_view name) {
  std::vector<std::string> known;
  for (const Request& one : requests()) {
    if (one.name == name) return one.parts();
    known.emplace_back(one.name);
  }
  refuse_name("request", name, known);
}

}  // namespace mollify
