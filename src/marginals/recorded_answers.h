// Which tables a learner had measured, and how well: public, like the answers themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "marginals/private_marginals.h"

namespace mollify {

/// A measurement that was made: of a column or a pair of columns, in so many cells, with so many
/// parts of the budget.
struct Measurement {
  std::vector<std::size_t> columns;
  std::vector<std::uint32_t> cells;  ///< one for each of the columns
  std::uint32_t parts = 0;
};

/// Hands all questions on, and keeps what was measured.
class RecordedAnswers final : public MarginalAnswers {
 public:
  /// `answers` must outlive it.
  explicit RecordedAnswers(MarginalAnswers& answers) : answers_(answers) {}

  [[nodiscard]] const std::vector<Measurement>& measured() const noexcept { return measured_; }

  [[nodiscard]] std::uint32_t left() const override { return answers_.left(); }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    Measurement one{table.columns, {}, parts};
    for (const CellGroups& groups : table.groups) one.cells.push_back(groups.count);
    measured_.push_back(std::move(one));
    return answers_.measure(table, parts);
  }
  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override {
    return answers_.products(scores, parts);
  }
  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override {
    return answers_.choose(candidates, parts);
  }

 private:
  MarginalAnswers& answers_;
  std::vector<Measurement> measured_;
};

}  // namespace mollify
