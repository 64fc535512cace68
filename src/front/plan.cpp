#include "mollify/plan.h"

#include "front/domain.h"
#include "io/public_files.h"
#include "release/plan.h"

namespace mollify::front {

Plan plan(std::string_view question, const std::string& name, const PublicTexts& texts) {
  const inside::PlanReport report =
      inside::plan(inside::parse_plan_question(std::string(question), name),
                   inside::PublicFiles(std::nullopt, std::nullopt, texts));
  Plan found{.answers = {}, .json = inside::plan_json(report), .text = inside::plan_text(report)};
  for (const inside::PlanAnswer& answer : report.answers) {
    PlanAnswer& told = found.answers.emplace_back(PlanAnswer{
        .unknown = std::string(inside::name_of(answer.unknown)), .ways = {}, .best = answer.best});
    for (const inside::PlanWay& way : answer.ways) {
      told.ways.push_back({way.mechanism, way.value, way.alpha, way.independent_outputs, way.why});
    }
    for (const inside::CurvePoint& point : answer.curve) {
      told.curve.push_back({point.records, point.alphas});
    }
  }
  return found;
}

Plan plan(std::string_view question, const Domain& domain, const PublicTexts& texts) {
  return plan(with_domain(question, domain, "the question"), "the question", texts);
}

}  // namespace mollify::front
