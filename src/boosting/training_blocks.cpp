#include "boosting/training_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "boosting/network_lanes.h"
#include "boosting/network_passes.h"
#include "density/points.h"

namespace mollify::detail {
namespace {

struct Sample {
  bool is_of_p;
  std::size_t index;
};

/// Part `part` of `parts` as equal ones as can be.
std::span<const std::size_t> share(std::span<const std::size_t> all, std::size_t part,
                                   std::size_t parts) {
  const std::size_t begin = all.size() * part / parts;
  return all.subspan(begin, all.size() * (part + 1) / parts - begin);
}

}  // namespace

TrainingBlocks::TrainingBlocks(const Points& p, const Points& q, const SampleChoice& choice,
                               std::size_t minibatches)
    : dimension_(p.dimension()), size_(choice.of_p.size() + choice.of_q.size()) {
  const std::size_t count = std::min(minibatches, std::max(choice.of_p.size(), choice.of_q.size()));
  const auto weight = [&](std::size_t samples) {
    return static_cast<float>(static_cast<double>(size_) / (2 * static_cast<double>(samples)));
  };
  const float weight_of_p = weight(choice.of_p.size());
  const float weight_of_q = weight(choice.of_q.size());
  std::vector<Sample> samples;
  for (std::size_t m = 0; m < count; ++m) {
    samples.clear();
    for (const std::size_t i : share(choice.of_p, m, count)) samples.push_back({true, i});
    for (const std::size_t i : share(choice.of_q, m, count)) samples.push_back({false, i});
    const std::size_t first_block = blocks_.size();
    const std::size_t units = padded(samples.size()) / kSampleUnit;
    const std::size_t blocks = (samples.size() + kBlock - 1) / kBlock;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t begin = kSampleUnit * (units * b / blocks);
      const std::size_t end = std::min(kSampleUnit * (units * (b + 1) / blocks), samples.size());
      const Block block{values_.size(), padded(end - begin)};
      values_.resize(block.begin + (dimension_ + kRowsBesideFeatures) * kRowStride);
      float* row = values_.data() + block.begin;
      for (std::size_t f = 0; f < dimension_; ++f, row += kRowStride) {
        for (std::size_t i = begin; i < end; ++i) {
          row[i - begin] = (samples[i].is_of_p ? p : q).values(f)[samples[i].index];
        }
      }
      std::fill_n(row, kRowStride, 1.0F);
      for (std::size_t i = begin; i < end; ++i) {
        row[kRowStride + i - begin] = samples[i].is_of_p ? 1.0F : 0.0F;
        row[2 * kRowStride + i - begin] = samples[i].is_of_p ? weight_of_p : weight_of_q;
      }
      blocks_.push_back(block);
    }
    minibatches_.push_back({first_block, blocks_.size()});
  }
}

double TrainingBlocks::cross_entropy(const Block& block, std::span<const float> logits) const {
  const float* const targets = values(block) + (dimension_ + 1) * kRowStride;
  const float* const weights = targets + kRowStride;
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double against = static_cast<double>(targets[i] > 0 ? -logits[i] : logits[i]);
    const double softplus = std::fmax(against, 0.0) + std::log1p(std::exp(-std::abs(against)));
    sum += static_cast<double>(weights[i]) * softplus;
  }
  return sum;
}

}  // namespace mollify::detail
