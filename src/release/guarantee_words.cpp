#include "mollify/release/guarantee_words.h"

#include <cmath>

#include <fmt/format.h>

namespace mollify {

using Notion = CentralGuarantee::Notion;

std::string protection_sentence(const CentralGuarantee& guarantee, const std::string& record) {
  if (guarantee.notion == Notion::kConcentrated) {
    return fmt::format(
        "Replacing {} by anything else changes the law of the output by a Rényi "
        "divergence of at most {:.6g} a at every order a > 1 (zCDP).",
        record, guarantee.rho);
  }
  return fmt::format(
      "Replacing {} by anything else changes the probability of no event by more than a factor "
      "e^{:.6g} = {:.4g}{}.",
      record, guarantee.epsilon, std::exp(guarantee.epsilon),
      guarantee.delta > 0 ? fmt::format(" and an addition of {:.6g}", guarantee.delta) : "");
}

std::string record_words(const std::optional<std::string>& unit) {
  return unit ? fmt::format("all records of any one {}", *unit)
              : std::string("any one row of the table");
}

std::string guarantee_words(const CentralGuarantee& guarantee) {
  switch (guarantee.notion) {
    case Notion::kPure:
      return fmt::format("epsilon = {:.6g}", guarantee.epsilon);
    case Notion::kApproximate:
      return fmt::format("epsilon = {:.6g}, delta = {:.6g}", guarantee.epsilon, guarantee.delta);
    case Notion::kConcentrated:
      break;
  }
  return fmt::format("rho = {:.6g}", guarantee.rho);
}

}  // namespace mollify
