// Method central, for who asks which one to take.
#include "release/advice.h"

#include "base/named.h"
#include "core/band.h"
#include "domain/domain.h"
#include "methods/central/method.h"
#include "methods/central/samplers.h"

namespace mollify {
namespace {

class CentralAdvice final : public MethodAdvice {
 public:
  // A custodian of all rows can protect each person too.
  bool is_usual(Protected what, Purpose) const override { return what != Protected::kTable; }

  std::vector<TableWay> table_ways(const Domain*, double outcomes) const override {
    return {{outcomes <= static_cast<double>(Band::kMostOutcomes) ? WayChoice::kUsual
                                                                  : WayChoice::kNamed,
             "independent records: each is as good as a new row by itself, and shares no noise "
             "with others; many cost much"}};
  }

  bool counts_outcomes() const override { return true; }

  std::optional<std::uint64_t> outcomes(const Domain& domain) const override {
    require_countable(domain);
    return domain.size();
  }

  bool can_be_estimated_from(const std::string& mechanism) const override {
    const auto known = named<CentralMechanism>(mechanism);
    return known && row_of(*known).is_randomized_response;
  }

  void add_notes(const Domain* domain, Advice& advice) const override {
    if (domain == nullptr || !are_numbers(*domain)) return;
    advice.notes.emplace_back(
        "all columns are numbers: if rows or their logarithms are roughly Gaussian, methods "
        "gaussian and gaussian-model release numbers that are not cut");
  }
};

}  // namespace

const MethodAdvice& central_advice() {
  static const CentralAdvice advice;
  return advice;
}

}  // namespace mollify
