#include "release/guarantee_words.h"

#include <cmath>

#include <fmt/format.h>

namespace mollify {

namespace {

using Notion = Privacy::Notion;

}  // namespace

std::string protection_sentence(const Privacy& guarantee, const std::string& record) {
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

std::vector<std::string> central_limits(std::uint64_t records,
                                        const std::optional<std::string>& unit, bool has_roster) {
  std::vector<std::string> limits;
  limits.push_back(fmt::format("The number of {}, {}, is public and not protected.",
                               unit ? "units" : "rows", records));
  limits.emplace_back(
      "Each line of the file is one row: a value with a line break in it is two of them.");
  if (unit && !has_roster) {
    limits.emplace_back("Who is in the data is not protected: no roster was given.");
  }
  if (!unit) {
    limits.emplace_back(
        "A person with several rows is protected less: give --unit for the whole person.");
  }
  limits.emplace_back(
      "What many records have in common is learned, and is meant to be: no single one can change "
      "much, but a group can.");
  limits.emplace_back(
      "Time and memory used while releasing, and other releases from the same data, are outside "
      "this promise; budgets of further releases add to this one.");
  return limits;
}

}  // namespace mollify
