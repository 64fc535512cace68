#include "ledger_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "accounting/decimal.h"

namespace mollify::cli {

namespace {

constexpr int kReadableDigits = 6;
constexpr int kDigitsLeft = 4;

/// What releases themselves took of the total's delta, up to all of it.
Decimal taken_delta(const DataSetSummary& summary) {
  const ExactPrivacy& total = summary.total->cost;
  return minus_or_zero(total.delta, summary.account.remaining_delta(total));
}

}  // namespace

ExactPrivacy readable(const ExactPrivacy& cost) {
  return ExactPrivacy::of(cost.notion, cost.parameter().with_digits_up(kReadableDigits),
                          cost.delta.with_digits_up(kReadableDigits));
}

Json cost_json(const ExactPrivacy& cost) {
  Json json{{parameter_name(cost.notion), cost.parameter().text()}};
  if (cost.notion == ExactPrivacy::Notion::kApproximate) json["delta"] = cost.delta.text();
  return json;
}

ExactPrivacy remaining(const DataSetSummary& summary) {
  const ExactPrivacy& total = summary.total->cost;
  if (summary.account.releases() == 0) return total;
  // A total with delta may leave room for a pure release above its epsilon, by another rule of
  // composition; nobody expects that of what is left.
  const Decimal left = std::min(summary.account.remaining(total), total.parameter());
  return summary.total->cost.notion == ExactPrivacy::Notion::kConcentrated
             ? ExactPrivacy::concentrated(left)
             : ExactPrivacy::pure(left);
}

std::string remaining_text(const DataSetSummary& summary) {
  const ExactPrivacy& total = summary.total->cost;
  ExactPrivacy left = remaining(summary);
  if (total.notion != ExactPrivacy::Notion::kApproximate || summary.account.releases() == 0) {
    return left.text();
  }
  // Composition with a delta leaves room for odd numbers, of which a few digits say enough.
  left = ExactPrivacy::pure(left.parameter().with_digits_down(kDigitsLeft));
  return fmt::format("{}, and delta {} that no release has taken", left.text(),
                     words_of(summary.account.remaining_delta(total)));
}

std::string spent_text(const DataSetSummary& summary, const Spending& spent) {
  const ExactPrivacy& total = summary.total->cost;
  const std::string cost = readable(spent.cost).text();
  if (total.notion != ExactPrivacy::Notion::kApproximate || spent.rule == CompositionRule::kBasic) {
    return cost;
  }
  return fmt::format("{}: at all of the total's delta, of which releases took {} themselves", cost,
                     words_of(taken_delta(summary)));
}

Json balance_json(const DataSetSummary& summary) {
  Json json{{"data_set", summary.data_set},
            {"scope", nullptr},
            {"total", nullptr},
            {"spent", nullptr},
            {"rule", nullptr},
            {"remaining", nullptr},
            {"releases", summary.account.releases()}};
  if (summary.total) {
    json["scope"] = summary.total->scope.text();
    json["total"] = cost_json(summary.total->cost);
    if (const auto spent = summary.account.spent(summary.total->cost)) {
      json["spent"] = cost_json(spent->cost);
      json["rule"] = name_of(spent->rule);
      if (summary.total->cost.notion == ExactPrivacy::Notion::kApproximate) {
        json["delta_taken"] = taken_delta(summary).text();
      }
    }
    json["remaining"] = cost_json(remaining(summary));
  } else if (const auto sum = summary.account.plain_sum()) {
    json["spent"] = cost_json(*sum);
    json["rule"] = name_of(CompositionRule::kBasic);
  }
  return json;
}

}  // namespace mollify::cli
