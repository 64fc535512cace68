// One reading of a CSV file, for csv_readers.py:
//
//   read_csv_once columns|numbers FILE THREADS
//
// `columns` reads color, age and rate into the outcomes of a domain and prints {"seconds": ...,
// "counts": [...]}, how often each outcome occurs. `numbers` reads x0, x1, ... as doubles and
// prints
// {"seconds": ..., "sums": [...]}, a column's each.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/column.h"
#include "domain/domain.h"
#include "formats/csv.h"
#include "records/private_table.h"

namespace {

using namespace mollify;

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <class Number>
void print(double seconds, const char* name, const char* format, const std::vector<Number>& list) {
  std::printf("{\"seconds\": %.6f, \"%s\": [", seconds, name);
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::printf(i == 0 ? "" : ", ");
    std::printf(format, list[i]);
  }
  std::printf("]}\n");
}

void read_columns(const std::string& path, std::size_t threads) {
  const Domain domain = Domain::make(
      {Column::make("color",
                    Categories::make({"red", "green", "blue", "cyan", "pink", "grey", "teal"})),
       Column::make("age", IntegerCells::make(0, 99, 20)),
       Column::make("rate", NumberCells::make(0, 10, 10))});
  const Stopwatch watch;
  const Empirical table = read_table(CsvSource(path, std::nullopt, threads), domain);
  const double seconds = watch.seconds();
  std::vector<double> counts(static_cast<std::size_t>(domain.size()));
  for (std::size_t i = 0; i < table.outcomes().size(); ++i) {
    counts[table.outcomes()[i]] = static_cast<double>(table.counts()[i]);
  }
  print(seconds, "counts", "%.0f", counts);
}

/// Reads a block's numbers by itself, and adds them up in their order.
class Adder final : public BlockWorker {
 public:
  Adder(const RealColumns& columns, std::vector<double>& sums)
      : columns_(columns), sums_(sums), numbers_(columns.size()) {}

  void work(const Block& block) override {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      numbers_[i].resize(block.rows);
      for (std::size_t row = 0; row < block.rows; ++row) {
        numbers_[i][row] = columns_.read(i, block.columns[i][row]);
      }
    }
  }
  void take(const Block& /*block*/) override {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      for (const double number : numbers_[i]) sums_[i] += number;
    }
  }

 private:
  const RealColumns& columns_;
  std::vector<double>& sums_;
  std::vector<std::vector<double>> numbers_;
};

void read_numbers(const std::string& path, std::size_t threads) {
  const Stopwatch watch;
  const CsvSource source(path, std::nullopt, threads);
  std::vector<Column> axes;
  for (const std::string& name : source.columns()) {
    axes.push_back(Column::make(name, NumberCells::make(-100, 100), {.null_value = "0"}));
  }
  const RealColumns columns(Domain::make(std::move(axes)), {});
  std::vector<double> sums(columns.size());
  source.visit_by(wanted_columns(source, columns.names()),
                  [&] { return std::make_unique<Adder>(columns, sums); });
  print(watch.seconds(), "sums", "%.17g", sums);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view kind = argc == 4 ? argv[1] : "";
  if (kind != "columns" && kind != "numbers") {
    std::fprintf(stderr, "usage: read_csv_once columns|numbers FILE THREADS\n");
    return 2;
  }
  const std::size_t threads = std::strtoul(argv[3], nullptr, 10);
  (kind == "columns" ? read_columns : read_numbers)(argv[2], threads);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "read_csv_once: %s\n", error.what());
  return 1;
}
