// Every way of drawing follows its stated law, with the secure source, in threads and after a fork.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/table.h"
#include "kernel/channels.h"
#include "kernel/hostile_scores.h"
#include "kernel/search.h"
#include "kernel/sparse_law.h"

namespace mollify {

namespace {

constexpr std::size_t kOutcomes = 30;
constexpr int kDraws = 200'000;

/// A way of drawing, and the law that it states.
struct Sampler {
  std::string name;
  std::vector<double> law;
  std::function<std::size_t(SecureRandom&)> draw;
};

std::vector<Sampler> samplers() {
  static std::vector<double> reference;
  for (std::size_t i = 0; reference.size() < kOutcomes; ++i)
    reference.push_back(1.0 + 0.2 * static_cast<double>(i));
  static const Band band =
      make_band({.reference = reference, .floor = std::exp(-1.0), .epsilon = 2});
  std::mt19937_64 random(6);
  static const Table table =
      projected(band, test::scores_of<double>(test::Shape::kHeavyTail, kOutcomes, random));
  static const AliasTable alias(table);
  static const SparseTable sparse = [] {
    SparseTable made(band);
    project(made, std::vector<std::uint32_t>{2, 3, 20}, std::vector<double>{3, 1, 0.5});
    return made;
  }();
  static const RandomizedResponse response(kOutcomes, 2);

  std::vector<double> sparse_law;
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    const test::Probability p = test::probability(sparse, i);
    sparse_law.push_back(static_cast<double>(p.numerator) / static_cast<double>(p.denominator));
  }
  std::vector<double> response_law(
      kOutcomes, static_cast<double>(response.other()) / static_cast<double>(response.total()));
  response_law[4] = static_cast<double>(response.kept()) / static_cast<double>(response.total());
  const std::vector<double> table_law = test::probabilities_of(table.numerators());
  return {{"table", table_law, [](SecureRandom& secure) { return table.draw(secure); }},
          {"alias table", table_law, [](SecureRandom& secure) { return alias.draw(secure); }},
          {"sparse table", sparse_law, [](SecureRandom& secure) { return sparse.draw(secure); }},
          {"randomized response", response_law,
           [](SecureRandom& secure) { return response.draw(4, secure); }}};
}

using Counts = std::array<std::uint64_t, kOutcomes>;

Counts count(const Sampler& sampler, SecureRandom& random) {
  Counts counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[sampler.draw(random)];
  return counts;
}

TEST(Draws, FollowTheLaw) {
  SecureRandom random;
  for (const Sampler& sampler : samplers()) {
    EXPECT_TRUE(test::follows(sampler.law, count(sampler, random))) << sampler.name;
  }
}

TEST(Draws, FollowTheLawInFourThreads) {
  for (const Sampler& sampler : samplers()) {
    std::array<Counts, 4> counts{};
    std::vector<std::thread> threads;
    for (Counts& mine : counts) {
      threads.emplace_back([&sampler, &mine] {
        SecureRandom random;
        mine = count(sampler, random);
      });
    }
    for (std::thread& thread : threads) thread.join();
    Counts all{};
    for (const Counts& mine : counts) {
      EXPECT_TRUE(test::follows(sampler.law, mine)) << sampler.name;
      for (std::size_t i = 0; i < kOutcomes; ++i) all[i] += mine[i];
    }
    EXPECT_TRUE(test::follows(sampler.law, all)) << sampler.name << ", all threads";
  }
}

TEST(Draws, FollowTheLawAfterAFork) {
  SecureRandom random;
  for (const Sampler& sampler : samplers()) {
    random.word();
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      const Counts counts = count(sampler, random);
      _exit(write(ends[1], &counts, sizeof counts) == sizeof counts ? 0 : 1);
    }
    const Counts ours = count(sampler, random);
    Counts childs{};
    ASSERT_EQ(read(ends[0], &childs, sizeof childs), static_cast<ssize_t>(sizeof childs));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    close(ends[0]);
    close(ends[1]);
    EXPECT_EQ(status, 0);
    EXPECT_NE(ours, childs);
    Counts both{};
    for (std::size_t i = 0; i < kOutcomes; ++i) both[i] = ours[i] + childs[i];
    EXPECT_TRUE(test::follows(sampler.law, ours)) << sampler.name;
    EXPECT_TRUE(test::follows(sampler.law, childs)) << sampler.name;
    EXPECT_TRUE(test::follows(sampler.law, both)) << sampler.name;
  }
}

}  // namespace

}  // namespace mollify
