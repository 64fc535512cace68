#include "methods/graphical/junction_tree.h"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "refusal.h"
#include "small_models.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What a junction tree promises, on random graphs.

namespace {

void expect_junction_tree(const ColumnSizes& sizes, const std::vector<Clique>& cliques) {
  const JunctionTree tree(sizes, cliques);
  const auto& nodes = tree.nodes();
  std::uint64_t cells = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    cells = saturated_sum(cells, cell_count(sizes, nodes[i].clique));
    if (i == 0) {
      EXPECT_EQ(nodes[i].parent, JunctionTree::kNone);
      EXPECT_EQ(nodes[i].separator, Clique());
    } else {
      ASSERT_LT(nodes[i].parent, i);
      EXPECT_EQ(nodes[i].separator, common(nodes[i].clique, nodes[nodes[i].parent].clique));
    }
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      EXPECT_TRUE(i == j || !contains(nodes[i].clique, nodes[j].clique)) << "a node in a node";
    }
  }
  EXPECT_EQ(tree.cells(), cells);
  for (const Clique& clique : cliques) {
    const std::size_t home = tree.home(clique);
    ASSERT_NE(home, JunctionTree::kNone);
    EXPECT_TRUE(contains(nodes[home].clique, clique));
  }
  for (std::size_t column = 0; column < sizes.size(); ++column) {
    // Connected: one node of a column's has a parent without it.
    int tops = 0;
    for (const auto& node : nodes) {
      if (!contains(node.clique, {column})) continue;
      tops += contains(node.separator, {column}) ? 0 : 1;
    }
    EXPECT_EQ(tops, 1) << "column " << column;
  }
}

TEST(JunctionTree, CoversItsCliquesAndRunsTogether) {
  std::mt19937_64 random(2);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t columns = 1 + random() % 20;
    ColumnSizes sizes;
    for (std::size_t c = 0; c < columns; ++c) {
      sizes.push_back(static_cast<std::uint32_t>(1 + random() % 30));
    }
    std::vector<Clique> cliques;
    for (std::size_t i = random() % (2 * columns); i-- > 0;) {
      std::set<std::size_t> clique;
      for (std::size_t size = random() % 4; size-- > 0;) clique.insert(random() % columns);
      cliques.emplace_back(clique.begin(), clique.end());
    }
    expect_junction_tree(sizes, cliques);
    const Clique extra = common({0, 1, 2}, {0, std::min<std::size_t>(columns - 1, 2)});
    const std::uint64_t with = JunctionTree::cells_with(sizes, cliques, extra);
    for (const std::uint64_t enough : {with - 1, with, with + with / 2}) {
      const std::uint64_t found = JunctionTree::cells_with(sizes, cliques, extra, enough);
      EXPECT_EQ(found <= enough, with <= enough);
      EXPECT_GE(found, with);
    }
    cliques.push_back(extra);
    EXPECT_EQ(with, JunctionTree(sizes, cliques).cells());
  }
}

/// The columns of all separators that lie between two columns; none if one of them is empty.
Clique between(const JunctionTree& tree, std::size_t i, std::size_t j) {
  Clique columns;
  const auto& nodes = tree.nodes();
  for (std::size_t cut = 1; cut < nodes.size(); ++cut) {
    // Below the cut or above it.
    std::vector<bool> below(nodes.size(), false);
    bool parts[2][2] = {};
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      below[node] = node == cut || (node > 0 && below[nodes[node].parent]);
      parts[0][below[node] ? 1 : 0] |= contains(nodes[node].clique, {i});
      parts[1][below[node] ? 1 : 0] |= contains(nodes[node].clique, {j});
    }
    const bool is_between =
        parts[0][0] != parts[0][1] && parts[1][0] != parts[1][1] && parts[0][0] != parts[1][0];
    if (!is_between) continue;
    if (nodes[cut].separator.empty()) return {};
    columns = united(columns, nodes[cut].separator);
  }
  return columns;
}

TEST(JunctionTree, BoundsTheTreeWithOneMorePair) {
  std::mt19937_64 random(11);
  int joined = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const std::size_t columns = 2 + random() % 14;
    ColumnSizes sizes;
    for (std::size_t c = 0; c < columns; ++c) {
      sizes.push_back(static_cast<std::uint32_t>(2 + random() % 9));
    }
    std::vector<Clique> cliques;
    for (std::size_t c = 1; c < columns; ++c) {
      if (random() % 8 > 0) cliques.push_back({random() % c, c});
      if (random() % 3 == 0) cliques.push_back({c - 1, c});
    }
    const JunctionTree tree(sizes, cliques);
    const std::size_t i = random() % columns;
    const std::size_t j = (i + 1 + random() % (columns - 1)) % columns;
    // The graph is chordal by the theorem, so its tree joins nothing else, unless columns have one
    // value: then two nodes that are joined have no more cells.
    std::vector<Clique> chordal;
    for (const auto& node : tree.nodes()) chordal.push_back(node.clique);
    const Clique fill = between(tree, i, j);
    for (const std::size_t column : united(fill, {j})) {
      if (column != i) chordal.push_back({std::min(i, column), std::max(i, column)});
    }
    const std::uint64_t cells = JunctionTree(sizes, chordal).cells();
    const std::uint64_t bound = tree.cells_with_pair(sizes, i, j);
    const bool is_together = tree.home({std::min(i, j), std::max(i, j)}) != JunctionTree::kNone;
    if (is_together) {
      EXPECT_EQ(bound, tree.cells());
    } else if (fill.empty()) {
      EXPECT_EQ(bound, tree.cells() + std::uint64_t{sizes[i]} * sizes[j]);
      EXPECT_GE(bound, cells);
    } else {
      EXPECT_EQ(bound, cells);
      ++joined;
    }
  }
  EXPECT_GT(joined, 500);
}

TEST(JunctionTree, OfMoreColumnsThanAWordHasBits) {
  ColumnSizes sizes(150, 3);
  std::vector<Clique> cliques;
  for (std::size_t c = 1; c < sizes.size(); ++c) cliques.push_back({c / 2, c});
  cliques.push_back({3, 149});
  cliques.push_back({62, 63, 64, 65});
  expect_junction_tree(sizes, cliques);
}

TEST(JunctionTree, OfATreeHasThePairsAlone) {
  EXPECT_EQ(JunctionTree({2, 3, 4, 5}, {{0, 1}, {1, 2}, {1, 3}}).cells(), 6U + 12U + 15U);
}

TEST(JunctionTree, OfACycleTakesTheCheaperChord) {
  EXPECT_EQ(JunctionTree({2, 30, 3, 30}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}).cells(), 2U * 180U);
}

TEST(JunctionTree, CountsNoFurtherThanItCan) {
  const ColumnSizes sizes(10, 1U << 31);
  EXPECT_EQ(JunctionTree::cells_with(sizes, {{0, 1, 2}}, {3, 4}), kUncountable);
  EXPECT_EQ(JunctionTree(sizes, {{0, 1, 2}}).cells_with_pair(sizes, 2, 4), kUncountable);
}

TEST(JunctionTree, RefusesWhatIsNoClique) {
  EXPECT_EQ(test::refusal_of([] {
              JunctionTree({2, 2}, {{1, 0}});
            }),
            "the columns of a clique must ascend, but 0 follows 1");
  EXPECT_EQ(test::refusal_of([] {
              JunctionTree({2, 2}, {{0, 2}});
            }),
            "a clique of a model of 2 columns must name columns below that, but names 2");
  EXPECT_EQ(test::refusal_of([] { JunctionTree({}, {}); }),
            "a model must have columns, but has none");
  EXPECT_EQ(test::refusal_of([] {
              JunctionTree({3, 0}, {});
            }),
            "column 1 of a model must have at least one value, but has none");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Sums over part of a table's columns, and their way back, cell by cell.

namespace {

TEST(Projection, IsTheSumCellByCell) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const test::SmallModel small = test::random_model(random, 1);
    Clique whole;
    for (std::size_t c = 0; c < small.sizes.size(); ++c) whole.push_back(c);
    std::vector<double> table(small.cells());
    for (double& value : table) value = static_cast<double>(random() % 1000);
    for (const Clique& part : test::all_cliques(whole.size())) {
      const Projection projection(small.sizes, whole, part);
      ASSERT_EQ(projection.whole_cells(), table.size());
      ASSERT_EQ(projection.part_cells(), cell_count(small.sizes, part));
      std::vector<double> sums(projection.part_cells(), -1);
      std::vector<double> most(projection.part_cells(), -1);
      projection.sum(table.data(), sums.data());
      projection.greatest(table.data(), most.data());
      std::vector<double> added = table;
      std::vector<double> multiplied = table;
      projection.add(sums.data(), added.data());
      projection.multiply(sums.data(), multiplied.data());
      const std::vector<std::uint32_t> targets = projection.targets();
      std::vector<double> expected_sums(sums.size(), 0);
      std::vector<double> expected_most(sums.size(), -std::numeric_limits<double>::infinity());
      for (std::size_t i = 0; i < table.size(); ++i) {
        const std::size_t j = small.cell(i, part);
        ASSERT_EQ(targets[i], j);
        expected_sums[j] += table[i];
        expected_most[j] = std::max(expected_most[j], table[i]);
        ASSERT_EQ(added[i], table[i] + sums[j]);
        ASSERT_EQ(multiplied[i], table[i] * sums[j]);
      }
      ASSERT_EQ(sums, expected_sums);
      ASSERT_EQ(most, expected_most);
    }
  }
}

}  // namespace

}  // namespace mollify
