#include "central/clipped_means.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "central/product_sampler.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/randomized_response.h"
#include "space/same_functions.h"

namespace mollify {
namespace {

double rho_up(unsigned coordinates, std::uint64_t records, std::uint64_t clip) {
  const double t = integer_down(clip);
  // ln(1 + x) of x = n / (t (n - t - 1)), with more than same_log1p can be off.
  const double x = div_up(integer_up(records), -mul_up(-t, integer_down(records - clip - 1)));
  const double eta = mul_up(same_log1p(x), 1 + 0x1p-49);
  return mul_up(mul_up(eta, eta), coordinates / 8.0);
}

}  // namespace

ClippedMeans::ClippedMeans(unsigned coordinates, std::uint64_t records, std::uint64_t clip)
    : coordinates_(coordinates), records_(records), clip_(clip) {
  require_between("the number of coordinates", coordinates, 1, 24);
  require_between("the number of records", records, 4, RandomizedResponse::kMostRecords);
  if (clip < 1 || clip >= (records + 2) / 3) {
    throw InvalidInput(fmt::format(
        "the clipped count must be from 1 to less than a third of the {} records, but is {}",
        records, clip));
  }
}

std::optional<std::uint64_t> ClippedMeans::least_clip(unsigned coordinates, std::uint64_t records,
                                                      double rho) {
  if (records < 4) return std::nullopt;
  std::uint64_t low = 1;
  std::uint64_t high = (records + 2) / 3 - 1;
  if (!(rho_up(coordinates, records, high) <= rho)) return std::nullopt;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (rho_up(coordinates, records, middle) <= rho) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

Privacy ClippedMeans::guarantee() const {
  return Privacy::concentrated(rho_up(coordinates_, records_, clip_));
}

double ClippedMeans::total_variation_up() const {
  const auto n = static_cast<double>(records_);
  const double share = share_up(clip_, records_);
  // The subtractions err by less than 2^-52, the products by a relative 2^-50.
  const double distance = std::fmax(0, 1.0 / 3 - share - 0x1p-52);
  const double exponent = 2 * n * distance * distance * (1 - 0x1p-40);
  const double each = mul_up(share, exp_up(-exponent));
  return std::fmin(1, mul_up(coordinates_, each));
}

std::vector<std::uint32_t> ClippedMeans::draw_of(const OutcomeHistogram& histogram,
                                                 SecureRandom& random) const {
  std::uint32_t output = 0;
  for (unsigned j = 0; j < coordinates_; ++j) {
    const std::uint64_t clipped = std::clamp(ones_of(histogram, j), clip_, records_ - clip_);
    if (random.below(records_) < clipped) output |= std::uint32_t{1} << j;
  }
  return {output};
}

}  // namespace mollify
