#include "local/gaussian_curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

double phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// The z >= 0 with erfc(z) = q, for q in (0, 1].
///
/// Newton's method on ln erfc from z0 = sqrt(-ln q). As erfc(z) <= e^(-z^2) for z >= 0, the root is
/// not beyond z0; as ln erfc falls and is concave, each step goes left and not past the root. So
/// the steps end where rounding ends their descent.
double inverse_erfc(double q) {
  using std::numbers::inv_sqrtpi_v;
  const long double wanted = q;
  long double z = std::sqrt(-std::log(wanted));
  for (;;) {
    const long double found = std::erfc(z);
    const long double slope = 2 * inv_sqrtpi_v<long double> * std::exp(-z * z) / found;
    const long double next = z + std::log(found / wanted) / slope;
    if (!(next < z)) return static_cast<double>(z);
    z = next;
  }
}

/// The least over B >= 0 of delta(B) + (e^B - 1) mass.
double room_under_curve(double nu, double mass) {
  const double quantile = -inverse_erfc(2 * mass) * std::numbers::sqrt2;
  const double b = std::max(0.0, -nu * nu / 2 - nu * quantile);
  return gaussian_curve(nu, b) + std::expm1(b) * mass;
}

/// h_min as the channel's integers have it.
double least_mass_of(const MixtureChannel& channel) {
  std::uint64_t least = channel.reference(0);
  for (std::size_t j = 1; j < channel.outcome_count(); ++j) {
    least = std::min(least, channel.reference(j));
  }
  return static_cast<double>(least) / static_cast<double>(channel.reference_total());
}

}  // namespace

double gaussian_curve(double nu, double b) {
  return phi(nu / 2 - b / nu) - std::exp(b) * phi(-nu / 2 - b / nu);
}

double gaussian_curve_weight_down(double nu, double least_mass) {
  require_between("mu", nu, 0.001, 20);
  double allowed = 0;
  double refused = 1;
  for (int step = 0; step < 100 && allowed < std::nextafter(refused, 0.0); ++step) {
    const double lambda = (allowed + refused) / 2;
    const bool fits = lambda <= room_under_curve(nu, (1 - lambda) * least_mass);
    (fits ? allowed : refused) = lambda;
  }
  return allowed * (1 - 0x1p-30);
}

MixtureChannel gaussian_curve_channel(std::span<const double> reference, double nu) {
  const double least = least_mass_of(MixtureChannel::with_weight(reference, 0));
  // A single outcome may be kept always: any mass in range serves.
  return MixtureChannel::with_weight(reference,
                                     gaussian_curve_weight_down(nu, std::min(least, 0.5)));
}

bool is_gaussian_private(const MixtureChannel& channel, double nu) {
  if (channel.outcome_count() == 1) return true;
  const double whole = static_cast<double>(MixtureChannel::kKeepTotal);
  const double kept = static_cast<double>(channel.keep()) / whole;
  const double replaced = static_cast<double>(MixtureChannel::kKeepTotal - channel.keep()) / whole;
  return kept * (1 + 0x1p-40) <= room_under_curve(nu, replaced * least_mass_of(channel));
}

}  // namespace mollify
