#include <algorithm>
#include <numeric>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/estimate.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/speech.h"
#include "base/words.h"
#include "domain/column.h"

namespace mollify {

namespace {

Json value_json(const EstimatedValue& value, const char* name, const char* what) {
  const auto known = [](const std::optional<double>& number) {
    return number ? Json(*number) : Json(nullptr);
  };
  return {{name, value.name},
          {what, known(value.value)},
          {"standard_error", known(value.standard_error)},
          {"lower", value.interval.lower},
          {"upper", value.interval.upper}};
}

/// Values below each other, with what they are of.
std::string values_text(const std::string& heading, const char* name, const char* what,
                        Json values) {
  std::size_t width = heading.size();
  for (Json& value : values) {
    const std::string told = "  " + printable(value[name].get<std::string>());
    width = std::max(width, told.size());
    value[name] = told;
  }
  const TableColumn columns[] = {{heading, -static_cast<int>(width) - 2, fmt::format("/{}", name)},
                                 {"estimate", 11, fmt::format("/{}", what), ".4f"},
                                 {"std error", 11, "/standard_error", ".4f"},
                                 {"lower", 11, "/lower", ".4f"},
                                 {"upper", 11, "/upper", ".4f"}};
  return "\n" + table_text(columns, values);
}

/// The cells of a table, and for people those with the greatest estimates first, or, without any,
/// the greatest upper bounds. Facts of all of them only if `is_for_programs`: they may be millions.
Json cells_json(const EstimatedTable& table, bool is_for_programs, Answer& answer) {
  constexpr std::size_t kMostRows = 40;
  const auto facts_of = [&](std::size_t i) {
    return value_json(table.cells[i], "outcome", "probability");
  };
  std::vector<std::size_t> order(table.cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() > kMostRows) {
    const auto size = [&](std::size_t i) {
      return table.cells[i].value.value_or(table.cells[i].interval.upper);
    };
    std::partial_sort(order.begin(), order.begin() + kMostRows, order.end(),
                      [&](std::size_t a, std::size_t b) {
                        return size(a) != size(b) ? size(a) > size(b) : a < b;
                      });
    order.resize(kMostRows);
  }
  Json told = Json::array();
  for (const std::size_t i : order) told.push_back(facts_of(i));
  const std::string columns = fmt::format("{}", fmt::join(table.columns, ", "));
  answer.say(values_text(printable(columns), "outcome", "probability", std::move(told)));
  if (table.cells.size() > kMostRows) {
    answer.say(fmt::format("  ... the {} greatest of {}; {} has all\n", kMostRows,
                           table.cells.size(),
                           words_of_speech("--json", "the mapping", "the report")));
  }
  Json cells = Json::array();
  if (is_for_programs) cells.get_ref<Json::array_t&>().reserve(table.cells.size());
  for (std::size_t i = 0; is_for_programs && i < table.cells.size(); ++i) {
    cells.push_back(facts_of(i));
  }
  return cells;
}

Json tables_json(const std::vector<EstimatedTable>& tables, bool is_for_programs, Answer& answer) {
  Json json = Json::array();
  for (const EstimatedTable& table : tables) {
    json.push_back(
        {{"columns", table.columns}, {"estimates", cells_json(table, is_for_programs, answer)}});
  }
  return json;
}

/// What each of several releases adds. Programs know them by their order.
void add_releases(const PopulationEstimate& found, Answer& answer) {
  Json releases = Json::array();
  for (const ReleaseShare& one : found.releases) {
    releases.push_back({{"mechanism", one.mechanism},
                        {"records", one.records},
                        {"epsilon", one.epsilon ? Json(*one.epsilon) : Json(nullptr)},
                        {"weight", one.weight}});
  }
  if (found.releases.size() > 1) {
    Json rows = releases;
    std::size_t width = std::string_view("release").size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string name = printable(found.releases[i].name);
      width = std::max(width, name.size());
      rows[i]["name"] = name;
    }
    const TableColumn columns[] = {{"release", -static_cast<int>(width) - 2, "/name"},
                                   {"records", 11, "/records", ".0f"},
                                   {"epsilon", 9, "/epsilon", "g"},
                                   {"weight", 9, "/weight", ".4f"}};
    answer.say("\n" + table_text(columns, rows));
    answer.say(
        "estimated is the mean of the releases' populations by these weights: the population's "
        "own, if each release is of it\n");
  }
  answer.add("releases", std::move(releases));
  answer.add("weighting", name_of(found.request.weighting));
}

void add_bad_reports(const PopulationEstimate& found, Answer& answer) {
  const std::uint64_t bad = found.request.bad_reports;
  const bool is_known = bad > 0 && found.moved_up.has_value();
  answer.add("bad_reports", bad);
  answer.add("share_moved_up", is_known ? Json(*found.moved_up) : Json(nullptr));
  if (bad == 0) return;
  answer.say(fmt::format(
      "intervals hold if at most {} {} anything{}\n", counted(bad, "record"),
      bad == 1 ? "is" : "are",
      is_known ? fmt::format(", which moves an estimated share by at most {:.4g}", *found.moved_up)
               : ""));
}

}  // namespace

Answer estimate_answer(const PopulationEstimate& found, const ReleaseSpec& spec,
                       bool is_for_programs) {
  Answer answer;
  answer.add("mechanism", found.mechanism);
  answer.add("linear", found.is_linear);
  answer.add("records", found.records,
             fmt::format("{} by {}; ", counted(found.records, "record"), found.mechanism));
  answer.add("confidence", found.request.confidence);
  answer.add("intervals", found.intervals,
             fmt::format("{} with probability {:g}\n",
                         found.intervals == 1
                             ? "the interval holds"
                             : fmt::format("all {} intervals hold together", found.intervals),
                         found.request.confidence));
  answer.add("method", name_of(found.request.method));
  if (kUnitDraws.has(spec.method)) {
    answer.say(
        "estimated is the mean of the units' own distributions: a unit with rows of three values "
        "counts a third for each\n");
  }
  add_bad_reports(found, answer);
  add_releases(found, answer);
  answer.add("columns", found.outcomes.columns);
  answer.add("estimates", cells_json(found.outcomes, is_for_programs, answer));
  answer.add("marginals", tables_json(found.marginals, is_for_programs, answer));
  answer.add("means", Json::array());
  if (found.request.pairs) answer.add("pairs", tables_json(found.pairs, is_for_programs, answer));
  Json& means = answer.json["means"];
  for (const EstimatedMean& mean : found.means) {
    means.push_back(value_json(mean.mean, "column", "mean"));
    means.back()["half_cell"] = mean.half_cell;
  }
  if (!means.empty()) answer.say(values_text("mean", "column", "mean", means));
  for (const EstimatedMean& mean : found.means) {
    if (mean.half_cell == 0) continue;
    answer.say(
        fmt::format("  the estimate counts each {} as its cell's middle, at most {:.4g} "
                    "away; the interval holds wherever in the cells they are\n",
                    printable(mean.mean.name), mean.half_cell));
  }
  answer.add("frequency_oracle", nullptr);
  if (found.standard_error_oracle) {
    const double here = *found.standard_error_here;
    const double oracle = *found.standard_error_oracle;
    answer.add(
        "frequency_oracle",
        {{"name", "subset-selection"}, {"standard_error", oracle}, {"standard_error_here", here}},
        fmt::format("\na frequency next to 0 has standard error {:.3g} here; reports made for "
                    "estimation alone (subset selection, no records) would {} at the same "
                    "epsilon\n",
                    here,
                    oracle < 0.999 * here ? fmt::format("reach {:.3g}", oracle)
                                          : std::string("do no better")));
  }
  if (found.likelihood_gap_up) answer.add("likelihood_gap", *found.likelihood_gap_up);
  answer.add("notes", found.notes);
  for (const std::string& note : found.notes) answer.say(fmt::format("\n{}\n", note));
  return answer;
}

}  // namespace mollify
