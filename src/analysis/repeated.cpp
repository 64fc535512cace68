#include "analysis/repeated.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/shuffling.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "methods/local/sampler.h"

namespace mollify {

namespace {

/// The share whose estimate's error is stated: about the worst.
constexpr double kShare = 0.5;

/// Upwards to three digits, so that the printed number is enough.
double three_digits_up(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::stod(fmt::format("{:.3g}", std::ceil(value / unit) * unit));
}

/// The standard error of one day's estimate; none without a report.
std::optional<double> error_of(const RepeatedQuestion& asked, double devices, double epsilon) {
  if (devices < 1) return std::nullopt;
  const double counted_epsilon = std::min(epsilon, ExpBound::kGreatestEpsilon);
  return std::sqrt(subset_report_variance(asked.outcomes, counted_epsilon, 1, kShare) / devices);
}

/// The least epsilon of a report, to three digits, whose error is at most what is asked.
std::optional<double> epsilon_for(const RepeatedQuestion& asked, double devices) {
  const auto is_enough = [&](double epsilon) {
    return error_of(asked, devices, epsilon).value_or(1) <= asked.error;
  };
  double least = 0, enough = ExpBound::kGreatestEpsilon;
  if (!is_enough(enough)) return std::nullopt;
  constexpr int kSteps = 60;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (least + enough) / 2;
    (is_enough(middle) ? enough : least) = middle;
  }
  return std::min(three_digits_up(enough), ExpBound::kGreatestEpsilon);
}

RepeatedWay answered(const RepeatedQuestion& asked, const char* name, const char* words,
                     std::uint64_t draws, double devices) {
  RepeatedWay way{.name = name, .words = words, .draws = draws, .devices = devices};
  way.draw_epsilon = epsilon_per_draw_down(asked.epsilon, draws);
  way.error = error_of(asked, devices, way.draw_epsilon);
  way.draw_epsilon_needed = epsilon_for(asked, devices);
  if (way.draw_epsilon_needed) {
    // A ledger adds up decimals, so the rounding of this product does not count.
    constexpr double kRounding = 1e-12;
    way.epsilon_needed =
        three_digits_up(*way.draw_epsilon_needed * static_cast<double>(draws) * (1 - kRounding));
  }
  return way;
}

/// Fresh reports of all devices each day, seen in random order alone.
RepeatedWay shuffled(const RepeatedQuestion& asked, double delta) {
  const auto records = static_cast<std::uint64_t>(asked.devices);
  const auto outcomes = static_cast<std::uint64_t>(asked.outcomes);
  const double delta_of_day = epsilon_per_draw_down(delta, asked.days);
  RepeatedWay way{.name = "shuffled",
                  .words = "anew each day, and shuffled*",
                  .draws = asked.days,
                  .devices = asked.devices};
  way.draw_epsilon = shuffle_epsilon0_down(
      records, outcomes,
      std::min(epsilon_per_draw_down(asked.epsilon, asked.days), kGreatestReportEpsilon),
      delta_of_day);
  way.error = error_of(asked, asked.devices, way.draw_epsilon);
  way.draw_epsilon_needed = epsilon_for(asked, asked.devices);
  if (way.draw_epsilon_needed) {
    const double of_day =
        shuffle_epsilon_up({records, outcomes, *way.draw_epsilon_needed}, delta_of_day);
    way.epsilon_needed = three_digits_up(basic_composition_epsilon_up(of_day, asked.days));
  }
  return way;
}

Json json_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

double small_delta(double records) {
  return std::min(1e-6, std::pow(10, std::floor(std::log10(0.01 / records))));
}

RepeatedWays repeated_ways(const RepeatedQuestion& asked) {
  RepeatedWays found{.delta = small_delta(asked.devices)};
  const auto add = [&](const char* name, const char* words, std::uint64_t draws, double devices) {
    found.ways.push_back(answered(asked, name, words, draws, devices));
  };
  add("daily", "anew each day", asked.days, asked.devices);
  if (asked.draws > 1 && asked.draws < asked.days) {
    add("periods", "anew each period, kept between", asked.draws, asked.devices);
  }
  add("kept", "once, and kept", 1, asked.devices);
  add("rotation", "by turns, each on one day", 1,
      std::floor(asked.devices / static_cast<double>(asked.days)));
  found.ways.push_back(shuffled(asked, found.delta));
  return found;
}

void add_repeated(Answer& answer, const RepeatedQuestion& asked, const RepeatedWays& found) {
  Json rows = Json::array();
  for (const RepeatedWay& way : found.ways) {
    rows.push_back({{"way", way.name},
                    {"draws", way.draws},
                    {"devices", way.devices},
                    {"draw_epsilon", way.draw_epsilon},
                    {"error", json_or_null(way.error)},
                    {"draw_epsilon_needed", json_or_null(way.draw_epsilon_needed)},
                    {"epsilon_needed", json_or_null(way.epsilon_needed)}});
  }
  Json shown = rows;
  for (std::size_t i = 0; i < found.ways.size(); ++i)
    shown[i]["words"] = fmt::format("  {}", found.ways[i].words);
  const TableColumn columns[] = {
      {"  ", -33, "/words"},
      {"draws", 6, "/draws"},
      {fmt::format("error at epsilon {:.4g}", asked.epsilon), 21, "/error", ".3g"},
      {fmt::format("epsilon for {:.4g}", asked.error), 18, "/epsilon_needed", ".3g"}};
  std::string text =
      "\n" +
      wrapped(fmt::format(
          "asked on each of {}: the standard error of a day's share of one half if all days cost "
          "a device epsilon {:.4g}, and what all days cost if that error is {:.4g}",
          counted(asked.days, "day"), asked.epsilon, asked.error)) +
      table_text(columns, shown);
  text += wrapped(
      "  a device that keeps its answer draws anew at public times only: a repeat that follows "
      "its data shows each change, and has no epsilon",
      kLineWidth, 2);
  const RepeatedWay& last = found.ways.back();
  std::string shuffle = fmt::format(
      "* with delta {:g}, against someone who sees the shuffled reports alone: this needs a "
      "shuffler of its own that removes ids and senders, which the collector does not",
      found.delta);
  if (last.draw_epsilon_needed) {
    shuffle +=
        fmt::format("; who sees senders has {:.4g} x {:.4g} = {:.4g} at error {:.4g}",
                    static_cast<double>(asked.days), *last.draw_epsilon_needed,
                    static_cast<double>(asked.days) * *last.draw_epsilon_needed, asked.error);
  }
  text += wrapped("  " + shuffle + "; kept answers gain nothing from it", kLineWidth, 4);
  answer.add("repeated",
             {{"days", asked.days},
              {"epsilon", asked.epsilon},
              {"alpha", asked.error},
              {"delta", found.delta},
              {"ways", std::move(rows)}},
             text);
}

}  // namespace mollify
