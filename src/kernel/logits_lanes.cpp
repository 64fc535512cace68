#include "kernel/logits_lanes.h"

#include "core/lanes.h"
#include "kernel/eight_lanes.h"

namespace mollify::detail {
namespace {

typedef std::uint32_t Half8 __attribute__((vector_size(32)));
typedef std::uint16_t Short8 __attribute__((vector_size(16)));

/// Calls step(eight values, where they begin, how many of them count), the last of them completed
/// by repeating the first: all reading is here.
template <class Eight, class Value, class Step>
inline void for_each_eight(const Value* values, std::size_t size, Step step) {
  const std::size_t whole = size - size % kWide;
  std::size_t i = 0;
  for (; i + 2 * kWide <= whole; i += 2 * kWide) {
    step(load<Eight>(values + i), i, kWide);
    step(load<Eight>(values + i + kWide), i + kWide, kWide);
  }
  if (i < whole) step(load<Eight>(values + i), i, kWide);
  if (whole == size) return;
  Value rest[kWide];
  for (std::size_t j = 0; j < kWide; ++j) rest[j] = values[whole + j < size ? whole + j : whole];
  step(load<Eight>(rest), whole, size - whole);
}

template <class Eight, class Value>
inline void store(Eight values, std::size_t count, Value* to) {
  if (count == kWide) {
    __builtin_memcpy(to, &values, sizeof values);
    return;
  }
  for (std::size_t j = 0; j < count; ++j) to[j] = values[j];
}

/// Two chains of comparisons, so that one does not have to wait for the other.
LogitRange range(const float* logits, std::size_t size) {
  Float8 greatest[2] = {wide(-__builtin_inff()), wide(-__builtin_inff())};
  Float8 least[2] = {wide(__builtin_inff()), wide(__builtin_inff())};
  Int8 is_nan[2] = {};
  const auto step = [&](Float8 x, std::size_t i, std::size_t) {
    const std::size_t chain = i / kWide % 2;
    greatest[chain] = x > greatest[chain] ? x : greatest[chain];
    least[chain] = x < least[chain] ? x : least[chain];
    is_nan[chain] |= ~(x <= wide(__builtin_inff()));
  };
  for_each_eight<Float8>(logits, size, step);
  LogitRange found{greatest[0][0], least[0][0], false};
  for (std::size_t chain = 0; chain < 2; ++chain) {
    for (std::size_t j = 0; j < kWide; ++j) {
      found.greatest = greatest[chain][j] > found.greatest ? greatest[chain][j] : found.greatest;
      found.least = least[chain][j] < found.least ? least[chain][j] : found.least;
      found.has_nan = found.has_nan || is_nan[chain][j] != 0;
    }
  }
  return found;
}

/// 2^kExponentialScale e^x for x from kLeastExponent to 0. With n the integer nearest to x / ln 2,
/// and r = x - n ln 2 (n times ln 2's first nine digits is exact), it is 2^n e^r. The polynomial is
/// within 1.05e-7 of e^r. The last nine bits of `shifted` hold n + kExponentialScale.
inline Float8 exponential(Float8 x) {
  const Float8 shifter = wide(0x1.8p23F + kExponentialScale);
  const Float8 shifted = x * wide(0x1.715476p0F) + shifter;
  const Float8 n = shifted - shifter;
  const Float8 r = (x - n * wide(0.693359375F)) - n * wide(-2.12194440e-4F);
  Float8 sum = wide(0x1.10625p-7F);
  sum = sum * r + wide(0x1.572a64p-5F);
  sum = sum * r + wide(0x1.5557bp-3F);
  sum = sum * r + wide(0x1.fffdfcp-2F);
  sum = sum * (r * r) + r + wide(1);
  return reinterpret_cast<Float8>(reinterpret_cast<Int8>(sum) +
                                  (reinterpret_cast<Int8>(shifted) << 23));
}

template <bool kKeepsLess>
inline void exponentials_of(const float* logits, std::size_t size, float greatest, float least,
                            float* to) {
  const Float8 most = wide(greatest), limit = wide(least);
  const auto step = [&](Float8 logit, std::size_t i, std::size_t count) {
    const Float8 x = logit - most;
    Int8 power = reinterpret_cast<Int8>(exponential(x > limit ? x : limit));
    if (!kKeepsLess) power &= x >= limit;
    store(reinterpret_cast<Float8>(power), count, to + i);
  };
  for_each_eight<Float8>(logits, size, step);
}

void exponentials(const float* logits, std::size_t size, float greatest, float least,
                  bool keeps_less, float* to) {
  if (keeps_less) {
    exponentials_of<true>(logits, size, greatest, least, to);
  } else {
    exponentials_of<false>(logits, size, greatest, least, to);
  }
}

Between between(const float* logits, std::size_t size, float least, float greatest, float* to) {
  const Float8 from = wide(least), up_to = wide(greatest);
  Int8 above = {};
  std::size_t copied = 0;
  const auto step = [&](Float8 x, std::size_t, std::size_t count) {
    Int8 is_above = x > up_to;
    Int8 is_kept = (x >= from) & (x <= up_to);
    for (std::size_t j = count; j < kWide; ++j) is_above[j] = is_kept[j] = 0;
    above -= is_above;
    const Packing packing(is_kept);
    store(packing(x), count == kWide ? kWide : packing.count(), to + copied);
    copied += packing.count();
  };
  for_each_eight<Float8>(logits, size, step);
  Between found{copied, 0};
  for (std::size_t j = 0; j < kWide; ++j) found.above += static_cast<std::size_t>(above[j]);
  return found;
}

std::size_t select(const float* logits, const float* others, std::size_t size, float least,
                   std::uint32_t first, std::uint32_t* places, float* logits_to, float* others_to) {
  const Float8 from = wide(least);
  Int8 place = Int8{0, 1, 2, 3, 4, 5, 6, 7} + static_cast<std::int32_t>(first);
  std::size_t selected = 0;
  const auto step = [&](Float8 x, std::size_t i, std::size_t count) {
    Int8 is_kept = x >= from;
    Float8 other;
    if (count == kWide) {
      other = load<Float8>(others + i);
    } else {
      for (std::size_t j = 0; j < kWide; ++j) other[j] = j < count ? others[i + j] : 0;
      for (std::size_t j = count; j < kWide; ++j) is_kept[j] = 0;
    }
    const Packing packing(is_kept);
    // The last ones leave what is beyond them, which may be other logits.
    const std::size_t stored = count == kWide ? kWide : packing.count();
    store(reinterpret_cast<Half8>(packing(reinterpret_cast<Float8>(place))), stored,
          places + selected);
    store(packing(x), stored, logits_to + selected);
    store(packing(other), stored, others_to + selected);
    place += static_cast<std::int32_t>(kWide);
    selected += packing.count();
  };
  for_each_eight<Float8>(logits, size, step);
  return selected;
}

void widen_float16(const std::uint16_t* halves, std::size_t size, float* to) {
  const auto step = [&](Short8 eight, std::size_t i, std::size_t count) {
    const Half8 bits = __builtin_convertvector(eight, Half8);
    const Half8 size_bits = (bits & 0x7fff) << 13;
    const Float8 finite = reinterpret_cast<Float8>(size_bits) * wide(0x1p112F);
    const Half8 exponent =
        size_bits >= (Half8{} + (0x7c00U << 13)) ? Half8{} + 0x7f800000U : Half8{};
    store(reinterpret_cast<Float8>(reinterpret_cast<Half8>(finite) | exponent |
                                   (bits & 0x8000) << 16),
          count, to + i);
  };
  for_each_eight<Short8>(halves, size, step);
}

void widen_bfloat16(const std::uint16_t* halves, std::size_t size, float* to) {
  const auto step = [&](Short8 eight, std::size_t i, std::size_t count) {
    store(reinterpret_cast<Float8>(__builtin_convertvector(eight, Half8) << 16), count, to + i);
  };
  for_each_eight<Short8>(halves, size, step);
}

/// Integers of 24 bits are floats, and so are signed ones from -2^24 on: 2^24 is added to these, and
/// then one bit more may be set.
template <class Integer>
bool widen_integers(const Integer* integers, std::size_t size, float* to) {
  constexpr bool kIsSigned = static_cast<Integer>(-1) < 0;
  constexpr std::uint64_t kLess = kIsSigned ? std::uint64_t{1} << 24 : 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Integer integer = integers[i];
    if constexpr (sizeof(Integer) >= sizeof(float)) {
      bits |= static_cast<std::uint64_t>(integer) + kLess;
    }
    to[i] = static_cast<float>(static_cast<std::int32_t>(integer));
  }
  return bits >> (kIsSigned ? 25 : 24) == 0;
}

}  // namespace

const LogitLanes LogitLanes::MOLLIFY_LANES = {
    detail::range,         detail::exponentials,   detail::between, detail::select,
    detail::widen_float16, detail::widen_bfloat16, widen_integers,  widen_integers,
    widen_integers,        widen_integers,         widen_integers,  widen_integers,
    widen_integers,        widen_integers};

}  // namespace mollify::detail
