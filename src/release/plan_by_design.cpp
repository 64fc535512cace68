// Plans and advice of methods that have none of their own: a release is designed for each number
// that is tried.
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "base/named.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/domain.h"
#include "release/design.h"
#include "release/method.h"
#include "release/plan.h"

namespace mollify {

namespace {

/// The question of such a plan.
struct DesignQuestion {
  Held spec{};                             ///< a spec's parts of the method
  std::shared_ptr<const Domain> domain{};  ///< none: the one that the question names

  friend bool operator==(const DesignQuestion&, const DesignQuestion&) = default;
};

/// The spec's parts where none are given.
Held usual_parts(const ReleaseMethod& method) {
  const Json none{{"method", name_of(method.word())}};
  const std::string flags;
  return method.read(PartReader(plan_parts(), none, flags, "a plan's question"));
}

class PlanByDesign final : public PlanModel {
 public:
  [[nodiscard]] PlanWay at(std::size_t, const PlanQuestion& question) const override {
    const ReleaseMethod& method = release_method(question.method);
    const Domain& domain = *own_of<DesignQuestion>(question).domain;
    PlanWay way{.mechanism = std::string(name_of(question.method)),
                .alpha = std::numeric_limits<double>::infinity(),
                .spent = question.budget,
                .independent_outputs = !kModelMethods.has(question.method)};
    try {
      const Certificate certificate =
          design_release(spec_for(question), facts_for(question, domain), domain).certificate;
      const ReleaseError error = method.error(certificate, domain);
      const ReleaseReport report = method.report(certificate, error, domain);
      way.mechanism = certificate.mechanism();
      way.alpha = report.total_variation.value_or(error.error);
      way.noise = error;
      way.spent = certificate.total;
      way.why = report.why;
    } catch (const InvalidInput& refused) {
      way.why = refused;
    }
    return way;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion&) const override {
    if (unknown == PlanUnknown::kRecords) return {static_cast<double>(kMostPlannedRecords), 1};
    if (unknown == PlanUnknown::kEpsilon) return {30, 1e-6};
    if (unknown == PlanUnknown::kDelta) return {0.5, 0};
    return {1, 1e8};
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    const bool of_rows = kRowMethods.has(question.method);
    const bool is_known =
        unknown == PlanUnknown::kAlpha || unknown == PlanUnknown::kEpsilon ||
        (unknown == PlanUnknown::kOutputs && !kModelMethods.has(question.method)) ||
        (of_rows && (unknown == PlanUnknown::kRecords || unknown == PlanUnknown::kDelta));
    if (!is_known) refuse_unknown(question.method, unknown);
    if (of_rows && unknown != PlanUnknown::kRecords)
      require_in({.least = 1}, {"n", "n", "records"}, question.records);
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    answer.facts["outcomes"] = whole.outcomes;
  }

 private:
  static ReleaseSpec spec_for(const PlanQuestion& question) {
    const Privacy& budget = question.budget;
    return {.method = question.method,
            .domain = question.domain.value_or(SpecDomain()),
            .count = question.outputs,
            .privacy =
                ExactPrivacy::of(budget.notion, Decimal(budget.parameter()), Decimal(budget.delta)),
            .own = own_of<DesignQuestion>(question).spec};
  }

  static PublicFacts facts_for(const PlanQuestion& question, const Domain& domain) {
    PublicFacts facts;
    if (kRowMethods.has(question.method) && !spec_for(question).hides_count()) {
      facts.records = question.records;
    }
    if (domain.is_enumerable()) facts.outcomes = question.outcomes;
    return facts;
  }
};

class AdviceByDesign final : public MethodAdvice {
 public:
  bool needs_domain() const override { return true; }
  std::vector<TableWay> table_ways(const Domain*, double) const override {
    return {{WayChoice::kNamed, "as its releases are designed"}};
  }
};

}  // namespace

PlanQuantities MethodPlans::read_question(const PartReader& reader, PlanQuestion& question) const {
  using enum PlanUnknown;
  reader.require_given("/domain");
  own_of<DesignQuestion>(question).spec = release_method(question.method).read(reader);
  PlanQuantities found{
      {{kEpsilon, reader.has("/privacy/epsilon")}, {kAlpha, reader.has("/alpha")}}, {}, false};
  if (!kModelMethods.has(question.method)) found.others.push_back({kOutputs, reader.has("/count")});
  if (kRowMethods.has(question.method)) {
    found.either.insert(found.either.begin(), {kRecords, reader.has("/n")});
    found.others.push_back({kDelta, reader.has("/privacy/delta")});
  }
  return found;
}

std::unique_ptr<const PlanModel> MethodPlans::plan_model(PlanQuestion& question,
                                                         const PublicInputs* inputs) const {
  auto& own = own_of<DesignQuestion>(question);
  if (question.domain && inputs != nullptr) {
    own.domain = std::make_shared<const Domain>(inputs->domain(*question.domain));
    if (own.domain->is_enumerable()) question.outcomes = own.domain->size();
  }
  if (own.domain == nullptr) refuse_missing("domain", "a plan designs releases for it");
  if (own.spec.has_type_of(Held())) own.spec = usual_parts(release_method(question.method));
  return std::make_unique<const PlanByDesign>();
}

void MethodPlans::ask(const Certificate& certificate, const Domain& domain,
                      PlanQuestion& question) const {
  question.own = DesignQuestion{certificate.spec.own, std::make_shared<const Domain>(domain)};
}

const MethodAdvice& MethodPlans::advice() const {
  static const AdviceByDesign advice;
  return advice;
}

}  // namespace mollify
