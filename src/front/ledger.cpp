#include "front/ledger.h"

#include <fmt/format.h>

#include "front/privacy.h"
#include "kernel/core/invalid_input.h"

namespace mollify::front {
namespace {

LedgerBalance outward(const inside::DataSetSummary& summary) {
  LedgerBalance balance{.data_set = summary.data_set, .releases = summary.account.releases()};
  if (!summary.total) {
    if (const auto sum = summary.account.plain_sum()) balance.spent = outward_up(*sum);
    return balance;
  }
  const auto& [scope, total] = *summary.total;
  balance.scope = scope.text();
  balance.total = outward_down(total);
  if (const auto spent = summary.account.spent(total)) balance.spent = outward_up(spent->cost);
  const inside::Decimal left = summary.account.remaining(total);
  balance.remaining = outward_down(total.notion == inside::PrivacyNotion::kConcentrated
                                       ? inside::ExactPrivacy::concentrated(left)
                                       : inside::ExactPrivacy::pure(left));
  return balance;
}

}  // namespace

Ledger::Ledger(const std::string& path)
    : inside_(std::make_shared<Inside>(path, inside::LedgerFile::Opening::kOrMakeNew)) {}

Ledger Ledger::existing(const std::string& path) {
  return Ledger(std::make_shared<Inside>(path, inside::LedgerFile::Opening::kExisting));
}

void Ledger::declare(const std::string& data_set, const Privacy& total, const std::string& scope,
                     bool replace) {
  const auto parsed = inside::ProtectionScope::parse(scope);
  if (!parsed) {
    throw InvalidInput(
        fmt::format("scope must be row, unit=COLUMN or table, but is \"{}\"", scope));
  }
  static_cast<void>(inside_->file.declare(data_set, {*parsed, inward_exactly(total)}, replace));
}

LedgerBalance Ledger::balance(const std::string& data_set) const {
  for (LedgerBalance& known : balances()) {
    if (known.data_set == data_set) return std::move(known);
  }
  return {.data_set = data_set};
}

std::vector<LedgerBalance> Ledger::balances() const {
  std::vector<LedgerBalance> all;
  for (const auto& summary : inside::summarise(inside_->file.history())) {
    all.push_back(outward(summary));
  }
  return all;
}

}  // namespace mollify::front
