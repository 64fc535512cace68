#include "methods/local/tokens.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/invalid_input.h"
#include "core/lanes.h"
#include "core/ranges.h"
#include "kernel/logits_lanes.h"
#include "kernel/search.h"
#include "methods/local/bands.h"

namespace mollify {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The least logarithm of a mass, against the greatest.
constexpr float kLeastPublic = -40;

const detail::LogitLanes& lanes() { return detail::fastest<detail::LogitLanes>(); }

/// The greatest and the least number, and whether there is NaN.
template <class Real>
struct LogitEnds {
  Real greatest;
  Real least;
  bool has_nan;
};

LogitEnds<float> range_of(std::span<const float> logits) {
  const detail::LogitRange found = lanes().range(logits.data(), logits.size());
  return {found.greatest, found.least, found.has_nan};
}
LogitEnds<double> range_of(std::span<const double> logits) {
  LogitEnds<double> found{-kInfinity, kInfinity, false};
  for (const double logit : logits) {
    found.greatest = logit > found.greatest ? logit : found.greatest;
    found.least = logit < found.least ? logit : found.least;
    found.has_nan = found.has_nan || std::isnan(logit);
  }
  return found;
}

void masses_of(std::span<const float> logits, float greatest, float* to) {
  lanes().exponentials(logits.data(), logits.size(), greatest, kLeastPublic, true, to);
}
void masses_of(std::span<const double> logits, double greatest, double* to) {
  std::transform(logits.begin(), logits.end(), to, [&](double logit) {
    return std::exp(std::max(logit - greatest, double{kLeastPublic}));
  });
}

void scores_of(std::span<const float> logits, float greatest, float* to) {
  lanes().exponentials(logits.data(), logits.size(), greatest, detail::kLeastExponent, false, to);
}
void scores_of(std::span<const double> logits, double greatest, double* to) {
  std::transform(logits.begin(), logits.end(), to,
                 [&](double logit) { return std::exp(logit - greatest); });
}

/// The logits as they are if they are reals of this kind, else widened into `memory`.
template <class Real>
std::span<const Real> widened(const LogitRow& row, std::vector<Real>& memory) {
  const auto* const halves = static_cast<const std::uint16_t*>(row.first);
  const auto* const floats = static_cast<const float*>(row.first);
  if (std::is_same_v<Real, double> ? row.kind == LogitKind::kFloat64
                                   : row.kind == LogitKind::kFloat32) {
    return {static_cast<const Real*>(row.first), row.size};
  }
  memory.resize(row.size);
  if constexpr (std::is_same_v<Real, float>) {
    const auto widen =
        row.kind == LogitKind::kFloat16 ? lanes().widen_float16 : lanes().widen_bfloat16;
    widen(halves, row.size, memory.data());
  } else if (row.kind == LogitKind::kFloat32) {
    std::copy_n(floats, row.size, memory.begin());
  } else {
    std::vector<float> narrow;
    const std::span<const float> once = widened(row, narrow);
    std::copy(once.begin(), once.end(), memory.begin());
  }
  return memory;
}

/// Of logits that a reference can be made of; InvalidInput otherwise.
template <class Real>
LogitEnds<Real> public_range(std::span<const Real> open) {
  require_between({"the number of tokens", "public"}, open.size(), 1, Band::kMostOutcomes);
  const LogitEnds<Real> found = range_of(open);
  if (!found.has_nan && std::isfinite(found.greatest)) return found;
  throw InvalidInput(
      "out-of-range",
      "public logits must be numbers or -inf, and not all -inf, but a row is otherwise", "public");
}

template <class Real>
BandSpec spec_of(std::span<const Real> masses, double floor, double epsilon) {
  BandSpec spec{.floor = floor, .epsilon = epsilon};
  if constexpr (std::is_same_v<Real, float>) {
    spec.float_reference = masses;
  } else {
    spec.reference = masses;
  }
  return spec;
}

}  // namespace

TokenDraw::TokenDraw(double epsilon, std::size_t top)
    : epsilon_(epsilon), floor_(relative_floor(epsilon)), top_(top) {}

void TokenDraw::require_public(const LogitRow& open) {
  if (open.kind == LogitKind::kFloat64) {
    static_cast<void>(public_range(widened(open, double_.masses)));
  } else {
    static_cast<void>(public_range(widened(open, single_.masses)));
  }
}

template <class Real>
void TokenDraw::choose(std::span<const Real> open, bool is_finite, std::vector<Real>& chosen) {
  const Real none = -std::numeric_limits<Real>::infinity();
  const auto finite = is_finite
                          ? open.size()
                          : open.size() - static_cast<std::size_t>(std::ranges::count(open, none));
  const std::size_t count = top_ == 0 ? finite : std::min(top_, finite);
  // Not far below the least of them, as some evenly spread logits tell; all if there are too few.
  constexpr std::size_t kSample = 1024;
  Real least = none;
  if (count < finite && open.size() > 4 * kSample) {
    const std::size_t step = open.size() / kSample;
    chosen.clear();
    for (std::size_t i = 0; i < kSample; ++i) chosen.push_back(open[i * step]);
    const std::size_t rank = count * kSample / open.size() * 5 / 4 + 16;
    if (rank < kSample) {
      const auto at = chosen.begin() + static_cast<std::ptrdiff_t>(rank);
      std::nth_element(chosen.begin(), at, chosen.end(), std::greater<>());
      least = *at;
    }
  }
  for (;; least = none) {
    allowed_.clear();
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i] >= least && open[i] != none) allowed_.push_back(static_cast<std::uint32_t>(i));
    }
    if (allowed_.size() >= count) break;
  }
  if (allowed_.size() == count) return;
  chosen.clear();
  for (const std::uint32_t token : allowed_) chosen.push_back(open[token]);
  const auto last = chosen.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(chosen.begin(), last, chosen.end(), std::greater<>());
  least = *last;
  // Of those that are equal to the last one, the first ones.
  auto equal = std::count(chosen.begin(), last + 1, least);
  std::size_t kept = 0;
  for (const std::uint32_t token : allowed_) {
    if (open[token] < least || (open[token] == least && equal == 0)) continue;
    if (open[token] == least) --equal;
    allowed_[kept++] = token;
  }
  allowed_.resize(kept);
}

template <class Real>
const Table& TokenDraw::table_of(const LogitRow& secret, const LogitRow& open,
                                 Buffers<Real>& buffers) {
  std::span<const Real> references = widened(open, buffers.masses);
  std::span<const Real> estimates = widened(secret, buffers.scores);
  const LogitEnds<Real> range = public_range(references);
  allowed_.clear();
  const bool is_finite = std::isfinite(range.least);
  if (!is_finite || (top_ != 0 && top_ < open.size)) choose(references, is_finite, buffers.chosen);
  const std::size_t count = allowed_.empty() ? open.size : allowed_.size();
  buffers.masses.resize(std::max(buffers.masses.size(), count));
  buffers.scores.resize(std::max(buffers.scores.size(), count));
  // A place is never before where its number is written.
  const auto take_allowed = [&](std::span<const Real> from, std::vector<Real>& to) {
    if (allowed_.empty()) return from;
    for (std::size_t i = 0; i < count; ++i) to[i] = from[allowed_[i]];
    return std::span<const Real>(to.data(), count);
  };
  references = take_allowed(references, buffers.masses);
  estimates = take_allowed(estimates, buffers.scores);
  masses_of(references, range.greatest, buffers.masses.data());
  const Real greatest = range_of(estimates).greatest;
  if (std::isfinite(greatest)) {
    scores_of(estimates, greatest, buffers.scores.data());
  } else {
    std::ranges::transform(estimates, buffers.scores.begin(), [](Real logit) {
      return Real{logit > 0 && std::isinf(logit) ? 1.F : 0.F};
    });
  }
  const std::span<const Real> masses(buffers.masses.data(), count);
  const std::span<const Real> scores(buffers.scores.data(), count);
  std::vector<std::uint64_t> memory;
  if (band_ != nullptr) memory = std::move(*band_).take_lowers();
  auto band = std::unique_ptr<Band>(
      new Band(make_band(spec_of(masses, floor_, epsilon_), std::move(memory))));
  if (table_ == nullptr) {
    table_ = std::make_unique<Table>(projected(*band, scores));
  } else {
    project(*table_, *band, scores);
  }
  band_ = std::move(band);
  return *table_;
}

const Table& TokenDraw::table(const LogitRow& secret, const LogitRow& open) {
  const bool is_double = secret.kind == LogitKind::kFloat64 || open.kind == LogitKind::kFloat64;
  return is_double ? table_of(secret, open, double_) : table_of(secret, open, single_);
}

std::uint32_t TokenDraw::draw(const LogitRow& secret, const LogitRow& open, SecureRandom& random) {
  const std::size_t chosen = table(secret, open).draw(random);
  return allowed_.empty() ? static_cast<std::uint32_t>(chosen) : allowed_[chosen];
}

}  // namespace mollify
