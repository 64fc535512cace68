// csv_lanes.h, compiled once for each instruction set: see mollify_add_library in CMake. No inline
// function from elsewhere may be called here: compiled for AVX2, it could be the copy the linker
// keeps for everybody.
#include "formats/csv_lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace mollify::detail {
namespace {

constexpr std::size_t kGroup = 64;

/// Which of 64 bytes are this letter, one bit each.
#if defined(__AVX2__)
struct Group {
  __m256i low, high;

  explicit Group(const char* bytes)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + kGroup / 2))) {}

  std::uint64_t places_of(char letter) const {
    const __m256i all = _mm256_set1_epi8(letter);
    const auto half = [all](__m256i bytes) {
      return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, all)));
    };
    return half(low) | static_cast<std::uint64_t>(half(high)) << 32;
  }
};
#else
struct Group {
  std::uint64_t words[kGroup / 8];

  explicit Group(const char* bytes) { __builtin_memcpy(words, bytes, sizeof words); }

  std::uint64_t places_of(char letter) const {
    constexpr std::uint64_t kOnes = 0x0101010101010101, kSevenBits = 0x7f7f7f7f7f7f7f7f;
    std::uint64_t places = 0;
    for (std::size_t i = 0; i < kGroup / 8; ++i) {
      // A byte of `other` is zero where the letter is; the sum's eighth bit shows whether any of
      // the other seven is set.
      const std::uint64_t other =
          words[i] ^ kOnes * std::uint64_t{static_cast<unsigned char>(letter)};
      const std::uint64_t here = ~((((other & kSevenBits) + kSevenBits) | other) >> 7) & kOnes;
      // Each byte's bit goes to the top byte, at the byte's own place.
      places |= (here * 0x0102040810204080 >> 56) << (8 * i);
    }
    return places;
  }
};
#endif

inline std::size_t count_of(std::uint64_t bits) {
  return static_cast<std::size_t>(__builtin_popcountll(bits));
}
inline std::uint32_t first_of(std::uint64_t bits) {
  return static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

/// Calls take(group, begin) for each 64 bytes, the last of them completed by zeros, until it is
/// false.
template <class Take>
inline void for_each_group(const char* bytes, std::size_t size, Take take) {
  const std::size_t whole = size - size % kGroup;
  for (std::size_t begin = 0; begin < whole; begin += kGroup) {
    if (!take(Group(bytes + begin), begin)) return;
  }
  if (whole == size) return;
  char last[kGroup] = {};
  __builtin_memcpy(last, bytes + whole, size - whole);
  take(Group(last), whole);
}

SeparatorCounts find_separators(const char* bytes, std::size_t size, std::uint32_t* places,
                                std::uint32_t* line_feeds) {
  std::size_t count = 0, feed_count = 0;
  std::uint64_t quotes = 0;
  for_each_group(bytes, size, [&](const Group& group, std::size_t begin) {
    const std::uint64_t feeds = group.places_of('\n');
    std::uint64_t separators = group.places_of(',') | feeds;
    quotes |= group.places_of('"');
    for (std::uint64_t left = feeds; left != 0; left &= left - 1) {
      const std::uint64_t before = separators & (left ^ (left - 1)) >> 1;
      line_feeds[feed_count++] = static_cast<std::uint32_t>(count + count_of(before));
    }
    // Some at a time and a few too many, for a processor cannot foresee how many there are.
    constexpr std::size_t kAtOnce = CsvLanes::kSpare;
    std::uint32_t* to = places + count;
    count += count_of(separators);
    while (separators != 0) {
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        to[i] = static_cast<std::uint32_t>(begin) + first_of(separators | std::uint64_t{1} << 63);
        separators &= separators - 1;
      }
      to += kAtOnce;
    }
    return true;
  });
  return {count, feed_count, quotes != 0};
}

std::size_t end_of_lines(const char* bytes, std::size_t size, std::size_t* lines) {
  const std::size_t most = *lines;
  std::size_t end = 0, found = 0;
  for_each_group(bytes, size, [&](const Group& group, std::size_t begin) {
    std::uint64_t feeds = group.places_of('\n');
    std::size_t count = count_of(feeds);
    if (count == 0) return true;
    while (found + count > most) {  // the last ones are too many
      feeds ^= std::uint64_t{1} << (63 - __builtin_clzll(feeds));
      --count;
    }
    if (feeds != 0) {
      end = begin + static_cast<std::size_t>(64 - __builtin_clzll(feeds));
      found += count;
    }
    return found < most;
  });
  *lines = found;
  return end;
}

constexpr CsvLanes kCsvPasses = {find_separators, end_of_lines};

}  // namespace

const CsvLanes CsvLanes::MOLLIFY_LANES = kCsvPasses;

}  // namespace mollify::detail
