// How time and memory of a release grow: with rows, units, outcomes and candidates, by one thread
// and by two. Each point runs in a process of its own, whose greatest memory the system tells.
//
// usage: benchmark_growth [GREATEST_ROWS]
//
// Times are processor times of the thread that releases, which does its share of all work and waits
// for the others: beside other programs they say what the clock would say without them.
//
// Prints the points, which scripts/draw_charts.py draws, and the exponents. Rows grow to 10^7
// unless GREATEST_ROWS says otherwise (10^8 take 2 GB of disk); with GREATEST_ROWS below 10^5
// everything is small, to show that it runs.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "mollify/mollify.h"

using namespace mollify;

namespace {

struct Point {
  double size;
  std::size_t threads;
  double seconds;
  double bytes;
};

struct Series {
  std::string name;
  std::string x_label;
  std::vector<Point> points{};
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Seconds of this thread's processor time that something takes.
double seconds_of(const std::function<void()>& work) {
  const double begin = thread_seconds();
  work();
  return thread_seconds() - begin;
}

/// Runs it in a process of its own. It returns the seconds of the part that is timed.
Point measured(double size, std::size_t threads, const std::function<double()>& timed) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const double seconds = timed();
    _exit(write(ends[1], &seconds, sizeof seconds) == sizeof seconds ? 0 : 1);
  }
  close(ends[1]);
  double seconds = 0;
  const bool told = read(ends[0], &seconds, sizeof seconds) == sizeof seconds;
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!told || status != 0) {
    std::fprintf(stderr, "a point of size %g failed\n", size);
    std::exit(1);
  }
  return {size, threads, seconds, static_cast<double>(usage.ru_maxrss) * 1024};
}

/// Records of so many units over 1000 outcomes.
struct Table {
  std::vector<std::int64_t> units;
  std::vector<std::int64_t> values;

  Table(std::size_t rows, std::size_t unit_count) : units(rows), values(rows) {
    std::minstd_rand random(1);
    for (std::size_t i = 0; i < rows; ++i) {
      units[i] = static_cast<std::int64_t>(random() % unit_count);
      values[i] = static_cast<std::int64_t>(random() % 1000);
    }
  }
  [[nodiscard]] Source source() const {
    return Source::memory({{"unit", units}, {"value", values}});
  }
};

ReleaseSpec by_unit() {
  return ReleaseSpec::parse(
      R"({"method": "local", "unit": "unit", "count": 1, "privacy": {"epsilon": 2},
          "accept_error": true})",
      Domain::make({Column::declare("value", {{"type", "integer"}, {"min", 0}, {"max", 999}})}));
}

double released(const ReleaseSpec& spec, const Source& data, std::size_t threads) {
  const PreparedRelease prepared = prepare(spec, data);
  std::vector<ReleasedColumn> columns;
  return seconds_of(
      [&] { release(prepared, data, Sink::memory(columns), std::nullopt, {.threads = threads}); });
}

Series over_rows(double greatest) {
  Series series{"rows of a CSV file, 10 000 units", "rows"};
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("growth-{}.csv", getpid())).string();
  for (double rows = std::min(1e5, greatest); rows <= greatest * 1.01; rows *= std::sqrt(10.0)) {
    {
      std::ofstream file(path);
      std::minstd_rand random(1);
      file << "unit,value,more\n";
      for (double i = 0; i < std::round(rows); ++i) {
        file << random() % 10'000 << ',' << random() % 1000 << ",text\n";
      }
    }
    for (const std::size_t threads : {1U, 2U}) {
      series.points.push_back(measured(std::round(rows), threads, [&] {
        return released(by_unit(), Source::csv(path, threads), threads);
      }));
    }
  }
  std::filesystem::remove(path);
  return series;
}

Series over_units(double greatest) {
  Series series{"units, ten rows each, in memory", "units"};
  for (double units = 100; units <= greatest * 1.01; units *= 10) {
    for (const std::size_t threads : {1U, 2U}) {
      series.points.push_back(measured(units, threads, [&] {
        const Table table(static_cast<std::size_t>(units) * 10, static_cast<std::size_t>(units));
        return released(by_unit(), table.source(), threads);
      }));
    }
  }
  return series;
}

Series over_outcomes(double greatest) {
  Series series{"outcomes with a score each: table and draw", "outcomes"};
  for (double outcomes = 16; outcomes <= greatest * 1.01; outcomes *= 16) {
    series.points.push_back(measured(outcomes, 1, [&] {
      const auto k = static_cast<std::size_t>(outcomes);
      const Sampler sampler({.k = k, .epsilon = 1});
      std::minstd_rand twister(1);
      std::vector<float> scores(k);
      for (float& score : scores) score = static_cast<float>(twister() % 1000);
      static_cast<void>(sampler.draw(scores));
      const auto times = static_cast<std::size_t>(std::fmax(1, 1e6 / outcomes));
      return seconds_of([&] {
               for (std::size_t i = 0; i < times; ++i) {
                 static_cast<void>(sampler.draw(scores));
               }
             }) /
             static_cast<double>(times);
    }));
  }
  return series;
}

Series over_candidates(double greatest) {
  Series series{"candidates, 64 units of 100 rows", "candidates"};
  for (double candidates = 1024; candidates <= greatest * 1.01; candidates *= 4) {
    for (const std::size_t threads : {1U, 2U}) {
      series.points.push_back(measured(candidates, threads, [&] {
        const Table table(6400, 64);
        const auto spec = ReleaseSpec::parse(
            fmt::format(R"({{"method": "local", "unit": "unit", "count": 1,
                            "space": {{"kind": "candidates", "candidates": {}}},
                            "privacy": {{"epsilon": 2}}, "accept_error": true}})",
                        static_cast<std::uint64_t>(candidates)),
            Domain::make(
                {Column::declare("value", {{"type", "number"}, {"min", 0}, {"max", 999}})}));
        return released(spec, table.source(), threads);
      }));
    }
  }
  return series;
}

/// The slope of ln y in ln x over the greatest two decades, by least squares.
double exponent(const std::vector<Point>& points, std::size_t threads, double Point::*what) {
  double greatest = 0;
  for (const Point& point : points) greatest = std::fmax(greatest, point.size);
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& point : points) {
    if (point.threads != threads || point.size < greatest / 101) continue;
    const double a = std::log(point.size), b = std::log(point.*what);
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

/// A row for each point: which chart and line it belongs to, and where it lies.
void print_rows(const Series& series, double Point::*what, const char* label) {
  for (const std::size_t threads : {1U, 2U}) {
    for (const Point& point : series.points) {
      if (point.threads != threads) continue;
      fmt::print("| {} | {} | {} | {:.10g} | {:.10g} |\n", series.name, label,
                 threads == 1 ? "one thread" : "two threads", point.size, point.*what);
    }
  }
}

void run(double rows) {
  const bool is_small = rows < 1e5;
  const std::vector<Series> all = {over_rows(rows), over_units(is_small ? 1e3 : 1e6),
                                   over_outcomes(is_small ? 1024 : 0x1p24),
                                   over_candidates(is_small ? 1024 : 0x1p18)};
  fmt::print("| what | of | series | x | y |\n|---|---|---|---|---|\n");
  for (const Series& series : all) print_rows(series, &Point::seconds, "seconds");
  for (const Series& series : all) print_rows(series, &Point::bytes, "bytes");
  fmt::print(
      "\n| what | time grows with | memory grows with | at | time there | memory there |\n"
      "|---|---|---|---|---|---|\n");
  for (const Series& series : all) {
    for (const std::size_t threads : {1U, 2U}) {
      const auto last = std::find_if(series.points.rbegin(), series.points.rend(),
                                     [&](const Point& point) { return point.threads == threads; });
      if (last == series.points.rend()) continue;
      fmt::print(
          "| {}, {} thread{} | size^{:.2f} | size^{:.2f} | {:.3g} | {:.3g} s | {:.0f} MB |\n",
          series.name, threads, threads == 1 ? "" : "s",
          exponent(series.points, threads, &Point::seconds),
          exponent(series.points, threads, &Point::bytes), last->size, last->seconds,
          last->bytes / 1e6);
    }
  }
}

}  // namespace

int main(int count, char** arguments) { run(count > 1 ? std::atof(arguments[1]) : 1e7); }
