#include "central/disjoint_runs.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/subsample.h"

namespace mollify {

DisjointRuns::DisjointRuns(std::unique_ptr<const CentralSampler> single, std::uint64_t records,
                           std::uint64_t runs)
    : single_(std::move(single)), records_(records), runs_(runs) {
  if (single_->output_count() != std::uint64_t{1}) {
    throw InvalidInput(
        "disjoint runs are made of a sampler of one output, but this has another "
        "number of them");
  }
  const std::uint64_t each = single_->record_count();
  if (runs < 1 || records / runs < each) {
    throw InvalidInput(fmt::format("{} disjoint runs on {} records each do not fit into {} records",
                                   runs, each, records));
  }
}

std::vector<std::uint32_t> DisjointRuns::draw_of(const OutcomeHistogram& histogram,
                                                 SecureRandom& random) const {
  RecordsLeft records(histogram.counts);
  std::vector<std::uint32_t> outputs;
  outputs.reserve(runs_);
  for (std::uint64_t run = 0; run < runs_; ++run) {
    Tally<std::uint32_t> part;
    for (std::uint64_t i = 0; i < single_->record_count(); ++i) {
      part.add(histogram.keys[records.take(random)]);
    }
    outputs.push_back(single_->draw(part.take(), random).front());
  }
  return outputs;
}

double strong_total_variation_up(double weak, std::uint64_t outputs) {
  if (!(weak >= 0)) {
    throw InvalidInput(fmt::format("a total variation must be at least 0, but is {}", weak));
  }
  return std::fmin(1, mul_up(weak, integer_up(outputs)));
}

}  // namespace mollify
