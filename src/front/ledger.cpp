#include "front/ledger.h"

#include "accounting/nearest_name.h"
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

inside::ProtectionScope scope_of(const std::string& scope) {
  const auto parsed = inside::ProtectionScope::parse(scope);
  if (parsed) return *parsed;
  inside::refuse_name("scope", "row, unit=COLUMN or table", scope,
                      std::vector<std::string>{"row", "unit", "table"});
}

}  // namespace

Ledger::Ledger(const std::string& path)
    : inside_(std::make_shared<Inside>(path, inside::LedgerFile::Opening::kOrMakeNew)) {}

Ledger Ledger::existing(const std::string& path) {
  return Ledger(std::make_shared<Inside>(path, inside::LedgerFile::Opening::kExisting));
}

void Ledger::declare(const std::string& data_set, const Privacy& total, const std::string& scope,
                     bool replace) {
  static_cast<void>(
      inside_->file.declare(data_set, {scope_of(scope), inward_exactly(total)}, replace));
}

void Ledger::charge(const std::string& data_set, const Privacy& cost, const std::string& scope,
                    const std::string& mechanism, std::uint64_t count) {
  if (data_set.empty()) throw InvalidInput("data_set must be a name, but is empty");
  static_cast<void>(inside_->file.charge({.data_set = data_set,
                                          .scope = scope_of(scope),
                                          .cost = inward_exactly(cost),
                                          .model = "draws",
                                          .mechanism = mechanism,
                                          .count = count,
                                          .certificate_sha256 = {}}));
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
