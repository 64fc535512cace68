#include "report.h"

#include <fmt/format.h>

#include "accounting/counted.h"

namespace mollify::cli {

Json guarantee_json(const Privacy& guarantee) {
  return {{"notion", guarantee.notion == PrivacyNotion::kPure ? "pure" : "gaussian"},
          {parameter_name(guarantee.notion), guarantee.parameter()}};
}

std::string promise_lines(const std::vector<std::string>& promises,
                          const std::vector<std::string>& limits) {
  std::string text;
  for (const std::string& promise : promises) text += fmt::format("promised: {}\n", promise);
  for (const std::string& limit : limits) text += fmt::format("not promised: {}\n", limit);
  return text;
}

std::string space_text(const Certificate& certificate) {
  const LocalDesign& design = *certificate.local();
  const SpaceSpec& space = certificate.spec.local()->space;
  std::string list;
  if (design.list == CandidateList::kSeeded) list = " of the domain's seed";
  if (design.list == CandidateList::kFresh) list = ", drawn anew for each unit";
  if (design.list == CandidateList::kFile) list = fmt::format(" of {}", space.list->name);
  std::string what = counted(certificate.facts.outcomes, "outcome");
  if (design.space == SpaceKind::kGrid) what = counted(certificate.facts.outcomes, "cell");
  if (design.space == SpaceKind::kCandidates) what = counted(certificate.facts.outcomes, "record");
  if (design.space == SpaceKind::kModels)
    what = fmt::format("{} {} of columns", certificate.facts.outcomes,
                       space.trees ? "products and trees" : "products");
  return fmt::format("{} ({}{}), scored by {}", name_of(design.space), what, list,
                     name_of(design.scorer));
}

}  // namespace mollify::cli
