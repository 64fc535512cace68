// Processor seconds of a release of a wide table by method marginals, by phase, and its error over
// pairs of columns: a table of docs/evidence/speed-inside.md. NOT PRIVATE: it compares models with
// the table.
//
// Usage: wide_table RELEASES DRAWN_ROWS ROWSxCOLUMNS...
//
// Columns have ten values, every other one in an order. A column repeats one of the twelve columns
// before it in half of the rows, with a value that may move by one, one of two dozen in a fifth,
// and has a value of its own in the rest. Releases are (1, 1e-8)-differentially private if a row
// is replaced. Distances are total variation between the table and the model, or the drawn rows, of
// up to 5000 pairs of columns.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"
#include "methods/marginals/design.h"
#include "methods/marginals/learner.h"
#include "methods/marginals/noisy_answers.h"
#include "records/pair_counts.h"

namespace {

using namespace mollify;

constexpr std::uint32_t kValues = 10;
constexpr std::size_t kBlock = 8192;
constexpr std::size_t kComparedPairs = 5000;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The same rows on each pass, some thousand at a time.
template <class Visit>
void visit_rows(std::size_t rows, std::size_t columns, const Visit& visit) {
  std::mt19937_64 words(columns);
  std::vector<std::size_t> near(columns), far(columns);
  for (std::size_t c = 1; c < columns; ++c) {
    near[c] = c - 1 - words() % std::min<std::size_t>(c, 12);
    far[c] = c - 1 - words() % std::min<std::size_t>(c, 24);
  }
  std::vector<std::vector<std::uint32_t>> block(columns);
  for (std::size_t begin = 0; begin < rows; begin += kBlock) {
    const std::size_t count = std::min(kBlock, rows - begin);
    for (auto& column : block) column.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < columns; ++c) {
        const std::uint64_t word = words();
        // Triangular: the values' shares fall from .19 to .01.
        const auto own =
            static_cast<std::uint32_t>(std::min((word >> 16U) % kValues, (word >> 32U) % kValues));
        const std::uint64_t kind = word % 20;
        std::uint32_t value = own;
        if (c > 0 && kind < 10) {
          value = block[near[c]][i];
          value = kind < 2 ? std::min(value + 1, kValues - 1) : value;
        } else if (c > 0 && kind < 14) {
          value = kValues - 1 - block[far[c]][i];
        }
        block[c][i] = value;
      }
    }
    visit(block);
  }
}

/// Answers whose time is taken.
class TimedAnswers final : public MarginalAnswers {
 public:
  explicit TimedAnswers(MarginalAnswers& answers) : answers_(answers) {}

  [[nodiscard]] std::uint32_t left() const override { return answers_.left(); }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    ++measured;
    const double begin = processor_seconds();
    std::vector<double> counts = answers_.measure(table, parts);
    measuring += processor_seconds() - begin;
    return counts;
  }
  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override {
    return answers_.products(scores, parts);
  }
  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override {
    const double begin = processor_seconds();
    const std::size_t chosen = answers_.choose(candidates, parts);
    choosing += processor_seconds() - begin;
    return chosen;
  }

  std::size_t measured = 0;
  double measuring = 0;
  double choosing = 0;

 private:
  MarginalAnswers& answers_;
};

/// Pairs of columns and their counts, in the table or in rows.
struct ComparedPairs {
  std::vector<Clique> pairs;
  std::vector<std::vector<double>> counts;
  double rows = 0;

  explicit ComparedPairs(std::size_t columns) {
    std::mt19937_64 words(1);
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = i + 1; j < columns; ++j) pairs.push_back({i, j});
    }
    std::shuffle(pairs.begin(), pairs.end(), words);
    pairs.resize(std::min(pairs.size(), kComparedPairs));
    counts.assign(pairs.size(), std::vector<double>(kValues * kValues));
  }
  void add(const ModelRows& block) {
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const auto& first = block[pairs[p][0]];
      const auto& second = block[pairs[p][1]];
      for (std::size_t i = 0; i < first.size(); ++i) {
        counts[p][first[i] * kValues + second[i]] += 1;
      }
    }
    rows += static_cast<double>(block[0].size());
  }
};

struct Distance {
  double sum = 0;
  double worst = 0;
};

void add_distance(const std::vector<double>& counts, double rows, const std::vector<double>& others,
                  double other_rows, Distance& distance) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += std::abs(counts[i] / rows - others[i] / other_rows);
  }
  distance.sum += sum / 2;
  distance.worst = std::max(distance.worst, sum / 2);
}

/// The model's probabilities of the cells of a pair, whose values may be merged.
std::vector<double> expected_cells(const MarginalModel& model, const Clique& pair) {
  const std::vector<double> of_values = model.graph().marginal(pair);
  const auto& row = model.columns()[pair[0]];
  const auto& column = model.columns()[pair[1]];
  const std::vector<double> rows = grouped(row.shares, row.groups);
  const std::vector<double> columns = grouped(column.shares, column.groups);
  std::vector<double> cells;
  for (std::size_t i = 0; i < row.shares.size(); ++i) {
    for (std::size_t j = 0; j < column.shares.size(); ++j) {
      const std::size_t a = row.groups.of[i];
      const std::size_t b = column.groups.of[j];
      cells.push_back(of_values[a * column.groups.count + b] * row.shares[i] / rows[a] *
                      column.shares[j] / columns[b]);
    }
  }
  return cells;
}

/// Means over releases; without drawn rows their distances are 0.
struct Means {
  double learning = 0;
  double choosing = 0;
  double measuring = 0;
  double tables = 0;
  double cells = 0;
  Distance model;
  double drawing = 0;
  Distance drawn;
};

void release(const MarginalDesign& design, MarginalAnswers& answers, const ComparedPairs& table,
             std::size_t drawn, SecureRandom& random, double share, Means& means) {
  TimedAnswers timed(answers);
  double begin = processor_seconds();
  const MarginalModel model = learn_marginals(design, timed);
  means.learning += share * (processor_seconds() - begin);
  means.choosing += share * timed.choosing;
  means.measuring += share * timed.measuring;
  means.tables += share * static_cast<double>(timed.measured);
  means.cells += share * static_cast<double>(model.graph().tree().cells());
  const double pairs = static_cast<double>(table.pairs.size());
  Distance apart;
  for (std::size_t p = 0; p < table.pairs.size(); ++p) {
    add_distance(table.counts[p], table.rows, expected_cells(model, table.pairs[p]), 1, apart);
  }
  means.model.sum += share * apart.sum / pairs;
  means.model.worst += share * apart.worst;
  if (drawn == 0) return;
  begin = processor_seconds();
  const ModelRows made = model.rows(drawn, [&] { return random.word(); });
  means.drawing += share * (processor_seconds() - begin);
  ComparedPairs of_rows(made.size());
  of_rows.add(made);
  Distance between;
  for (std::size_t p = 0; p < table.pairs.size(); ++p) {
    add_distance(table.counts[p], table.rows, of_rows.counts[p], of_rows.rows, between);
  }
  means.drawn.sum += share * between.sum / pairs;
  means.drawn.worst += share * between.worst;
}

void measure(std::size_t rows, std::size_t columns, int releases, std::size_t drawn) {
  MarginalRequest request;
  for (std::size_t c = 0; c < columns; ++c) request.columns.push_back({kValues, c % 2 == 1});
  request.budget = Privacy::approximate(1, 1e-8);
  request.records = rows;
  const MarginalDesign design = design_marginals(request);
  const MarginalBudget budget(request.budget, request.unit, design.amount);

  ComparedPairs table(columns);
  PairCounter counter(std::vector<std::uint32_t>(columns, kValues));
  double counting = 0;
  visit_rows(rows, columns, [&](const ModelRows& block) {
    table.add(block);
    const std::vector<std::span<const std::uint32_t>> spans(block.begin(), block.end());
    const double begin = processor_seconds();
    counter.add(spans);
    counting += processor_seconds() - begin;
  });
  const double begin = processor_seconds();
  const PairCounts counts = std::move(counter).take();
  counting += processor_seconds() - begin;

  Means means;
  SecureRandom random;
  for (int i = 0; i < releases; ++i) {
    PrivateMarginals answers(counts, budget, random);
    release(design, answers, table, drawn, random, 1. / releases, means);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "| %zu rows, %zu columns, %d release%s | %.2f s | %.2f s | %.2f s | %.2f s | %.0f | %.0f |",
      rows, columns, releases, releases == 1 ? "" : "s", counting, means.learning, means.choosing,
      means.measuring, means.tables, means.cells);
  std::printf(" %.4f | %.3f |", means.model.sum, means.model.worst);
  if (drawn > 0) {
    std::printf(" %.2f s | %.4f | %.3f |", means.drawing, means.drawn.sum, means.drawn.worst);
  } else {
    std::printf(" | | |");
  }
  std::printf(" %.0f MB |\n", static_cast<double>(usage.ru_maxrss) / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: wide_table RELEASES DRAWN_ROWS ROWSxCOLUMNS...\n");
    return 2;
  }
  std::printf(
      "| table | counting | learning | of it choices | of it measurements | tables measured | "
      "cells |"
      " two-way of the model | worst | drawing | two-way of rows | worst of rows | memory |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 3; i < argc; ++i) {
    char* end = nullptr;
    const std::size_t rows = std::strtoull(argv[i], &end, 10);
    const std::size_t columns = *end == 'x' ? std::strtoull(end + 1, nullptr, 10) : 0;
    if (rows == 0 || columns < 2) {
      std::fprintf(stderr, "%s is not ROWSxCOLUMNS\n", argv[i]);
      return 2;
    }
    measure(rows, columns, std::atoi(argv[1]), static_cast<std::size_t>(std::atoll(argv[2])));
  }
}
