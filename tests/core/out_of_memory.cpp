// When memory runs out while a table is remade, it stays as it was.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "core/table.h"

namespace {

constexpr std::size_t kPlenty = ~std::size_t{0};
std::size_t allocations_left = kPlenty;

}  // namespace

// Not inlined: GCC would take the pair of them for malloc with delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left != kPlenty) --allocations_left;
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace mollify {

namespace {

/// A search that knows one scale, or fails.
struct OneScaleOrNone {
  double t;
  bool fails = false;
  ScoreScale first(const Bounds&, std::span<const double>) const {
    if (fails) throw std::runtime_error("no scale");
    return {t};
  }
  bool again(ScoreScale&, int128) const noexcept { return false; }
};

/// All that a sparse table's draws follow from.
struct Seen {
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint64_t> numerators;
  std::uint64_t unscored_lower;
  std::vector<std::size_t> drawn;  // for some positions, the last of which are unscored outcomes

  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen seen(const SparseTable& table) {
  Seen now{{table.outcomes().begin(), table.outcomes().end()},
           {table.numerators().begin(), table.numerators().end()},
           table.unscored_lower(),
           {}};
  const std::uint64_t total = table.band().total();
  for (std::uint64_t part = 0; part <= 32; ++part) {
    now.drawn.push_back(table.outcome_at(part * (total / 32) - (part == 32 ? 1 : 0),
                                         part * (table.unscored_lower() / 33)));
  }
  return now;
}

const Band& thousand() {
  static const Band band = [] {
    std::vector<std::uint64_t> lowers(1000);
    std::iota(lowers.begin(), lowers.end(), 1000U);
    return Band::make(lowers, ExpBound(1), 2'000'000);
  }();
  return band;
}

TEST(SparseTable, StaysAsItWasWhenMemoryRunsOut) {
  const std::vector<std::uint32_t> few{3, 500, 999};
  std::vector<std::uint32_t> many(900);
  std::iota(many.begin(), many.end(), 50U);
  const std::vector<double> scores(many.size(), 1.0);
  SparseTable made(thousand());
  made.assign(many, scores, OneScaleOrNone{2500});
  const Seen expected = seen(made);
  std::size_t failures = 0;
  for (std::size_t allowed = 0;; ++allowed) {
    SparseTable table(thousand());
    table.assign(few, std::vector<double>{1, 2, 3}, OneScaleOrNone{1000});
    const Seen before = seen(table);
    ASSERT_NE(before, expected);
    bool failed = false;
    allocations_left = allowed;
    try {
      table.assign(many, scores, OneScaleOrNone{2500});
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    allocations_left = kPlenty;
    if (!failed) {
      EXPECT_EQ(seen(table), expected);
      break;
    }
    ++failures;
    EXPECT_EQ(seen(table), before) << "after " << allowed << " allocations";
    // And it can be remade.
    table.assign(many, scores, OneScaleOrNone{2500});
    EXPECT_EQ(seen(table), expected);
  }
  EXPECT_GE(failures, 6U);
}

TEST(SparseTable, StaysAsItWasWhenTheSearchFails) {
  SparseTable table(thousand());
  table.assign(std::vector<std::uint32_t>{1}, std::vector<double>{1}, OneScaleOrNone{3000});
  const Seen before = seen(table);
  EXPECT_THROW(table.assign(std::vector<std::uint32_t>{2, 7}, std::vector<double>{1, 1},
                            OneScaleOrNone{3000, true}),
               std::runtime_error);
  EXPECT_EQ(seen(table), before);
}

}  // namespace

}  // namespace mollify
