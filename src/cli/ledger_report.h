// What commands say of a ledger.
#pragma once

#include "accounting/ledger.h"
#include "command.h"

namespace mollify::cli {

/// The cost with numbers that people can read, rounded up.
ExactPrivacy readable(const ExactPrivacy& cost);

/// What one more release may cost, in the total's terms. Requires a total.
ExactPrivacy remaining(const DataSetSummary& summary);

/// What is spent in words: where a rule converts at all of the total's delta, how much of that
/// releases took themselves is told too. Requires a total.
std::string spent_text(const DataSetSummary& summary, const Spending& spent);

/// What remains in words: "epsilon 0.5, and delta 5e-07 that no release has taken".
std::string remaining_text(const DataSetSummary& summary);

/// {"epsilon": "0.1"}, with numbers as exact texts.
Json cost_json(const ExactPrivacy& cost);
Json balance_json(const DataSetSummary& summary);

}  // namespace mollify::cli
