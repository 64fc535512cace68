#include "methods/local/tokens.h"

#include <algorithm>
#include <array>
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

constexpr double kInfiniteLogit = std::numeric_limits<double>::infinity();
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
  LogitEnds<double> found{-kInfiniteLogit, kInfiniteLogit, false};
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

/// Room for that many, and for what passes write beyond.
template <class Value>
void make_room(std::vector<Value>& memory, std::size_t size) {
  if (memory.size() < size + detail::kRoomBeyond) memory.resize(size + detail::kRoomBeyond);
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
  make_room(memory, row.size);
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
  return std::span<const Real>(memory).first(row.size);
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

// -----------------------------------------------------------------------------------------------
// The greatest logits.

detail::Between between(std::span<const float> logits, float least, float greatest, float* to) {
  return lanes().between(logits.data(), logits.size(), least, greatest, to);
}
/// Calls step(i) for the logits from `least` on, and perhaps some next to them.
template <class Step>
void for_each_near(std::span<const double> logits, double least, Step step) {
  constexpr std::size_t kGroup = 8;
  std::size_t i = 0;
  for (; i + kGroup <= logits.size(); i += kGroup) {
    int count = 0;
    for (std::size_t j = 0; j < kGroup; ++j) count += logits[i + j] >= least ? 1 : 0;
    for (std::size_t j = 0; count != 0 && j < kGroup; ++j) step(i + j);
  }
  for (; i < logits.size(); ++i) step(i);
}

detail::Between between(std::span<const double> logits, double least, double greatest, double* to) {
  detail::Between found{0, 0};
  for_each_near(logits, least, [&](std::size_t i) {
    const double logit = logits[i];
    to[found.copied] = logit;
    found.copied += logit >= least && logit <= greatest ? 1 : 0;
    found.above += logit > greatest ? 1 : 0;
  });
  return found;
}

std::size_t select(std::span<const float> logits, std::span<const float> others, float least,
                   std::size_t first, std::uint32_t* places, float* logits_to, float* others_to) {
  return lanes().select(logits.data(), others.data(), logits.size(), least,
                        static_cast<std::uint32_t>(first), places, logits_to, others_to);
}
std::size_t select(std::span<const double> logits, std::span<const double> others, double least,
                   std::size_t first, std::uint32_t* places, double* logits_to, double* others_to) {
  std::size_t selected = 0;
  for_each_near(logits, least, [&](std::size_t i) {
    const double logit = logits[i], other = others[i];
    places[selected] = static_cast<std::uint32_t>(first + i);
    logits_to[selected] = logit;
    others_to[selected] = other;
    selected += logit >= least ? 1 : 0;
  });
  return selected;
}

/// A logit, how many are greater, and how many others equal it.
template <class Real>
struct Ranked {
  Real logit;
  std::size_t above;
  std::size_t equal;
};

/// The logit of that rank, the greatest having rank 1. Logits that some evenly spread ones show to be
/// far from it are only counted [Floyd, Rivest 1975], so few are left to be put in order.
template <class Real>
Ranked<Real> nth_greatest(std::span<const Real> logits, std::size_t rank,
                          std::vector<Real>& memory) {
  constexpr std::size_t kSample = 1024, kFew = 2048;
  make_room(memory, logits.size());
  std::span<const Real> left = logits;
  std::size_t above = 0;  // all that are left
  while (left.size() > kFew) {
    std::array<Real, kSample> sample;
    for (std::size_t i = 0; i < kSample; ++i) sample[i] = left[left.size() / kSample * i];
    const double part =
        (static_cast<double>(rank - above) - 0.5) / static_cast<double>(left.size());
    const double doubt = 4 * std::sqrt(part * (1 - part) * kSample) + 4;
    const double first = part * kSample - doubt, last = part * kSample + doubt;
    auto greatest = static_cast<Real>(kInfiniteLogit), least = -greatest;
    auto end = sample.end();
    if (last < kSample - 1) {
      const auto at = sample.begin() + static_cast<std::ptrdiff_t>(last);
      std::nth_element(sample.begin(), at, end, std::greater<>());
      least = *at;
      end = at;
    }
    if (first >= 0) {
      const auto at = sample.begin() + static_cast<std::ptrdiff_t>(first);
      std::nth_element(sample.begin(), at, end, std::greater<>());
      greatest = *at;
    }
    const std::size_t before = left.size();
    const detail::Between found = between(left, least, greatest, memory.data());
    above += found.above;
    left = std::span<const Real>(memory).first(found.copied);
    const bool is_left = rank > above && rank <= above + left.size();
    if (is_left && least == greatest) return {least, above, left.size()};
    if (!is_left || left.size() > before / 2) {  // not spread as the sample shows
      left = logits;
      above = 0;
      break;
    }
  }
  if (left.data() != memory.data()) std::copy(left.begin(), left.end(), memory.begin());
  const auto end = memory.begin() + static_cast<std::ptrdiff_t>(left.size());
  const auto at = memory.begin() + static_cast<std::ptrdiff_t>(rank - above - 1);
  std::nth_element(memory.begin(), at, end, std::greater<>());
  const Real logit = *at;
  const auto greater = std::count_if(memory.begin(), at, [=](Real x) { return x > logit; });
  return {logit, above + static_cast<std::size_t>(greater),
          static_cast<std::size_t>(std::count(memory.begin(), end, logit))};
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
std::size_t TokenDraw::choose(std::span<const Real> open, std::span<const Real> secret,
                              bool is_finite, Buffers<Real>& buffers) {
  constexpr auto kNone = static_cast<Real>(-kInfiniteLogit);
  const auto finite = is_finite
                          ? open.size()
                          : open.size() - static_cast<std::size_t>(std::ranges::count(open, kNone));
  const std::size_t count = top_ == 0 ? finite : std::min(top_, finite);
  Real least = std::numeric_limits<Real>::lowest();
  std::size_t equal_end = open.size();  // from here on, an equal one is one too many
  if (count < finite) {
    const Ranked<Real> last = nth_greatest(open, count, buffers.near_last);
    least = last.logit;
    if (last.above + last.equal > count) {
      equal_end = 0;
      for (std::size_t equal = count - last.above; equal > 0; ++equal_end) {
        if (open[equal_end] == least) --equal;
      }
    }
  }
  make_room(buffers.masses, count);
  make_room(buffers.scores, count);
  make_room(places_, count);
  const auto select_part = [&](std::size_t begin, std::size_t end, Real from, std::size_t at) {
    return at + select(open.subspan(begin, end - begin), secret.subspan(begin, end - begin), from,
                       begin, places_.data() + at, buffers.masses.data() + at,
                       buffers.scores.data() + at);
  };
  const std::size_t selected = select_part(0, equal_end, least, 0);
  const Real more = std::nextafter(least, static_cast<Real>(kInfiniteLogit));
  allowed_ = std::span(places_).first(select_part(equal_end, open.size(), more, selected));
  return allowed_.size();
}

template <class Real>
const Table& TokenDraw::table_of(const LogitRow& secret, const LogitRow& open,
                                 Buffers<Real>& buffers) {
  std::span<const Real> references = widened(open, buffers.masses);
  std::span<const Real> estimates = widened(secret, buffers.scores);
  const LogitEnds<Real> range = public_range(references);
  allowed_ = {};
  std::size_t count = open.size;
  const bool is_finite = std::isfinite(range.least);
  if (!is_finite || (top_ != 0 && top_ < open.size)) {
    count = choose(references, estimates, is_finite, buffers);
    references = {buffers.masses.data(), count};
    estimates = {buffers.scores.data(), count};
  }
  make_room(buffers.masses, count);
  make_room(buffers.scores, count);
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
