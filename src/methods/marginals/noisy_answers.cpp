#include "methods/marginals/noisy_answers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "kernel/coins.h"
#include "kernel/noise.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The only questions that are put to private counts, and their noisy answers.

std::size_t MarginalTable::cells() const {
  std::size_t cells = 1;
  for (const CellGroups& one : groups) cells *= one.count;
  return cells;
}

std::vector<std::uint64_t> exact_counts(const PairCounts& counts, const MarginalTable& table) {
  std::vector<std::uint64_t> sums(table.cells());
  if (table.columns.size() == 1) {
    const auto column = counts.column(table.columns[0]);
    for (std::size_t i = 0; i < column.size(); ++i) sums[table.groups[0].of[i]] += column[i];
    return sums;
  }
  const bool is_triple = table.columns.size() == 3;
  const auto counted = is_triple
                           ? counts.triple({table.columns[0], table.columns[1], table.columns[2]})
                           : counts.pair(table.columns[0], table.columns[1]);
  static const CellGroups kAll{{0}, 1};
  const CellGroups& first = is_triple ? table.groups.front() : kAll;
  const CellGroups& rows = table.groups[table.groups.size() - 2];
  const CellGroups& columns = table.groups.back();
  std::size_t cell = 0;
  for (const std::uint32_t slice : first.of) {
    for (const std::uint32_t row : rows.of) {
      const std::size_t begin = (std::size_t{slice} * rows.count + row) * columns.count;
      for (const std::uint32_t column : columns.of) sums[begin + column] += counted[cell++];
    }
  }
  return sums;
}

std::uint64_t exact_distance(const PairCounts& counts, const MarginalCandidate& candidate) {
  constexpr std::uint64_t kGreatestSum = std::uint64_t{1} << 61U;
  const std::vector<std::uint64_t> exact = exact_counts(counts, candidate.table);
  uint128 sum = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const std::uint64_t expected = candidate.expected[i];
    sum += exact[i] > expected ? exact[i] - expected : expected - exact[i];
  }
  const auto far = static_cast<std::uint64_t>(std::min<uint128>(sum, kGreatestSum));
  return (std::uint64_t{1} << 62U) +
         std::min(candidate.penalty, MarginalCandidate::kGreatestPenalty) - far;
}

std::vector<std::int64_t> exact_products(const PairCounts& counts, const CellScores& scores) {
  const auto steps = static_cast<std::int64_t>(scores.steps);
  const auto score = [&](std::size_t column, std::size_t cell) {
    return static_cast<std::uint64_t>(std::clamp(scores.columns[column][cell], -steps, steps));
  };
  std::vector<std::int64_t> products;
  for (std::size_t i = 0; i < scores.columns.size(); ++i) {
    for (std::size_t j = i + 1; j < scores.columns.size(); ++j) {
      const auto pair = counts.pair(i, j);
      std::uint64_t sum = 0;
      std::size_t cell = 0;
      for (std::size_t row = 0; row < counts.sizes()[i]; ++row) {
        std::uint64_t of_row = 0;
        for (std::size_t column = 0; column < counts.sizes()[j]; ++column) {
          of_row += pair[cell++] * score(j, column);
        }
        sum += score(i, row) * of_row;
      }
      products.push_back(static_cast<std::int64_t>(sum));
    }
  }
  return products;
}

std::vector<std::uint64_t> exact_pair_distances(const PairCounts& counts, const DrawnRows& drawn,
                                                std::span<const std::size_t> columns) {
  constexpr std::uint64_t kGreatestCount = std::uint64_t{1} << 44U;
  constexpr std::uint64_t kGreatestDistance = std::uint64_t{1} << 62U;
  std::vector<std::uint64_t> distances;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      const auto table = counts.pair(columns[i], columns[j]);
      const auto rows = drawn.counts.pair(columns[i], columns[j]);
      uint128 sum = 0;
      for (std::size_t cell = 0; cell < table.size(); ++cell) {
        const uint128 count =
            static_cast<uint128>(std::min(table[cell], kGreatestCount)) * drawn.rows;
        const uint128 expected = static_cast<uint128>(rows[cell]) * drawn.weight;
        sum += count > expected ? count - expected : expected - count;
      }
      distances.push_back(
          static_cast<std::uint64_t>(std::min<uint128>(sum / drawn.rows, kGreatestDistance)));
    }
  }
  return distances;
}

std::uint64_t make_independent(PairCounts& rows, std::uint64_t count) {
  constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40U;
  const auto all = static_cast<uint128>(count) * count;
  std::uint32_t shift = 0;
  while (all >> shift > kMostRows) ++shift;
  for (std::size_t i = 0; i < rows.sizes().size(); ++i) {
    for (std::size_t j = i + 1; j < rows.sizes().size(); ++j) {
      auto cell = rows.pair(i, j).begin();
      for (const std::uint64_t one : std::as_const(rows).column(i)) {
        for (const std::uint64_t other : std::as_const(rows).column(j)) {
          *cell++ = static_cast<std::uint64_t>(static_cast<uint128>(one) * other >> shift);
        }
      }
    }
  }
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(all >> shift));
}

std::vector<double> PrivateMarginals::measure(const MarginalTable& table, std::uint32_t parts) {
  const Ratio noise = budget_.noise(parts_.take(parts));
  return with_noise(exact_counts(counts_, table), noise);
}

std::vector<double> PrivateMarginals::products(const CellScores& scores, std::uint32_t parts) {
  const Ratio noise =
      budget_.product_noise(parts_.take(parts), scores.columns.size(), scores.steps);
  const std::vector<std::int64_t> exact = exact_products(counts_, scores);
  return with_noise(std::vector<std::uint64_t>(exact.begin(), exact.end()), noise);
}

std::vector<double> PrivateMarginals::distances(const DrawnRows& drawn,
                                                std::span<const std::size_t> columns,
                                                std::uint32_t parts) {
  std::vector<std::uint64_t> exact = exact_pair_distances(counts_, drawn, columns);
  const Ratio noise = budget_.distance_noise(parts_.take(parts), exact.size());
  if (budget_.notion() == PrivacyNotion::kPure) {
    // Modulo 2^64, as all sums with noise are.
    exact = {std::accumulate(exact.begin(), exact.end(), std::uint64_t{0})};
  }
  return with_noise(exact, noise);
}

std::vector<double> PrivateMarginals::with_noise(std::span<const std::uint64_t> exact,
                                                 Ratio scale) {
  std::vector<std::int64_t> noise(exact.size());
  if (budget_.notion() == PrivacyNotion::kPure) {
    DiscreteLaplace(scale).draw(noise, random_);
  } else {
    DiscreteGaussian(scale).draw(noise, random_);
  }
  std::vector<double> noisy(exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    noisy[i] = static_cast<double>(
        static_cast<std::int64_t>(exact[i] + static_cast<std::uint64_t>(noise[i])));
  }
  return noisy;
}

std::size_t PrivateMarginals::choose(std::span<const MarginalCandidate> candidates,
                                     std::uint32_t parts) {
  const ExponentialChoice choice(budget_.choice_rate(parts_.take(parts)));
  std::vector<ChoiceTerm> terms;
  terms.reserve(candidates.size());
  for (const MarginalCandidate& candidate : candidates) {
    terms.push_back({1, exact_distance(counts_, candidate)});
  }
  return choice.draw(terms, random_).term;
}

// -----------------------------------------------------------------------------------------------
// Which tables a learner had measured, and how well.

namespace {

/// How many of the first ones are pairs that join columns that nothing has joined before.
std::size_t longest_forest(std::size_t columns, std::span<const Measurement> pairs) {
  std::vector<std::size_t> tree_of(columns);
  std::iota(tree_of.begin(), tree_of.end(), std::size_t{0});
  std::size_t joined = 0;
  for (; joined < pairs.size() && pairs[joined].columns.size() == 2; ++joined) {
    const std::size_t to = tree_of[pairs[joined].columns[0]];
    const std::size_t from = tree_of[pairs[joined].columns[1]];
    if (to == from) break;
    std::replace(tree_of.begin(), tree_of.end(), from, to);
  }
  return joined;
}

/// x^(1/3) for x >= 1, by +, -, x and / alone: the C library's has other last digits elsewhere, and
/// three equal pairs have a third each, whose floor these would decide.
double cube_root(double x) {
  int exponent = 0;
  double rest = std::frexp(x, &exponent);
  for (; exponent % 3 != 0; ++exponent) rest /= 2;
  double root = 0.45 + 0.55 * rest;
  for (int step = 0; step < 6; ++step) root -= (root - rest / (root * root)) / 3;
  return std::ldexp(root, exponent / 3);
}

/// Whether tables of these cells share these parts as forest_parts does.
bool are_shared(std::uint32_t parts, std::span<const Measurement> pairs,
                std::span<const double> times = {}) {
  std::vector<std::uint64_t> cells;
  for (const Measurement& pair : pairs) {
    cells.push_back(std::accumulate(pair.cells.begin(), pair.cells.end(), std::uint64_t{1},
                                    std::multiplies<>()));
  }
  const std::vector<std::uint32_t> wanted = forest_parts(parts, cells, times);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    // A certificate may be older than `cube_root`.
    if (std::max(wanted[i], pairs[i].parts) - std::min(wanted[i], pairs[i].parts) > 1) return false;
  }
  return true;
}

/// `left`: the parts that all columns have left.
bool are_questions_of(const MarginalDesign& design, std::span<const Measurement> pairs,
                      std::uint64_t left) {
  const auto& questions = design.request.questions;
  return std::equal(
             pairs.begin(), pairs.end(), questions.begin(), questions.end(),
             [](const Measurement& pair, const auto& asked) { return pair.columns == asked; }) &&
         are_shared(parts_of_questions(design.request, static_cast<std::uint32_t>(left)), pairs,
                    design.request.question_weights);
}

/// `spent`: the parts of all steps before.
bool are_rounds_of(const MarginalDesign& design, std::span<const Measurement> measured,
                   std::uint64_t spent) {
  std::uint64_t round = design.round_parts, choice = design.choice_parts;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (i + 1 < measured.size()) {
      for (; round < measured[i].parts; round *= 2) choice *= 2;
      if (round != measured[i].parts) return false;
    }
    spent += choice + measured[i].parts;
  }
  return spent <= design.parts_of_model();
}

}  // namespace

std::vector<std::uint32_t> forest_parts(std::uint32_t tree_parts,
                                        std::span<const std::uint64_t> cells,
                                        std::span<const double> times) {
  std::vector<double> weights;
  double all = 0;
  for (const std::uint64_t size : cells) {
    const auto number = static_cast<double>(size);
    const double once = cube_root(number * number);
    weights.push_back(times.empty() ? once : once * times[weights.size()]);
    all += weights.back();
  }
  std::vector<std::uint32_t> parts;
  for (const double weight : weights) {
    parts.push_back(std::max(1U, static_cast<std::uint32_t>(tree_parts * (weight / all))));
  }
  return parts;
}

bool can_be_measured(const MarginalDesign& design, std::span<const Measurement> measured,
                     std::uint32_t second_parts) {
  if (design.round_parts == 0) return measured.empty();  // of a copula and of one column
  const std::size_t columns = design.request.columns.size();
  std::uint64_t before =
      design.all_cut_parts() +
      design.request.asked() * (std::uint64_t{design.column_parts} + std::uint64_t{second_parts});
  if (before > design.parts_of_model()) return false;
  const auto of_questions =
      measured.first(std::min(measured.size(), design.request.questions.size()));
  if (!are_questions_of(design, of_questions, design.parts_of_model() - before)) return false;
  for (const Measurement& pair : of_questions) before += pair.parts;
  measured = measured.subspan(of_questions.size());
  // A round may happen to join what nothing has joined, if the forest had to end before.
  for (std::size_t edges = longest_forest(columns, measured) + 1; edges-- > 0;) {
    const auto forest = measured.first(edges);
    std::uint64_t spent = before + edges * std::uint64_t{design.tree_choice_parts};
    for (const Measurement& pair : forest) spent += pair.parts;
    if (are_shared(design.tree_parts, forest) &&
        are_rounds_of(design, measured.subspan(edges), spent)) {
      return true;
    }
  }
  return false;
}

}  // namespace mollify
