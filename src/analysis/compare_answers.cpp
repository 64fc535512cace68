#include "analysis/compare_answers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "methods/answers/answers.h"
#include "methods/answers/asked_values.h"
#include "records/private_table.h"

namespace mollify {

namespace {

/// Cells of a column of numbers, so that bins hide little of a mean.
constexpr std::uint64_t kFineCells = 4096;
constexpr double kMostFineTable = 1 << 20;
/// Of tables of three columns, which formulas may need.
constexpr double kMostTriple = 1000;
/// The variance of a count without noise: none may be 0.
constexpr double kNoNoise = 1e-9;

/// Each of the column's own cells cut into equally many.
template <class Cells>
Cells with_fine_cells(const Cells& cells, std::uint64_t most) {
  auto declared = cells.declared();
  const std::uint64_t parts = std::max<std::uint64_t>(1, most / cells.size());
  declared.private_bins = false;
  if (declared.edges.empty()) {
    declared.bins = cells.size() * parts;
    return Cells::make(declared);
  }
  using Number = typename decltype(declared.edges)::value_type;
  std::vector<Number> edges;
  for (std::size_t i = 0; i + 1 < declared.edges.size(); ++i) {
    const double low = static_cast<double>(declared.edges[i]);
    const double high = static_cast<double>(declared.edges[i + 1]);
    for (std::uint64_t part = 0; part < parts; ++part) {
      const auto edge = static_cast<Number>(low + (high - low) * static_cast<double>(part) /
                                                      static_cast<double>(parts));
      if (edges.empty() || edge > edges.back()) edges.push_back(edge);
    }
  }
  edges.push_back(declared.edges.back());
  declared.edges = std::move(edges);
  return Cells::make(declared);
}

template <class Cells>
Column with_fine_cells(const Column& column, const Cells& cells, std::uint64_t most) {
  if (!cells.declared().values.empty()) return column;
  if (most > column.size()) {
    return Column::make(column.name(), with_fine_cells(cells, most), column.mapping());
  }
  if (cells.declares_bins() || cells.has_private_bins()) return column;
  return Column::make(column.name(), Cells::make(cells.min(), cells.max(), most), column.mapping());
}

Column with_fine_cells(const Column& column, std::uint64_t most) {
  try {
    if (const auto* cells = std::get_if<IntegerCells>(&column.cells())) {
      const double span = static_cast<double>(cells->max()) - static_cast<double>(cells->min());
      const bool is_listed = !cells->declared().values.empty();
      if (!is_listed && most > column.size() && span < static_cast<double>(most) &&
          !cells->declared().step) {
        return Column::make(column.name(), IntegerCells::make(cells->min(), cells->max()),
                            column.mapping());
      }
      return with_fine_cells(column, *cells, most);
    }
    if (const auto* cells = std::get_if<NumberCells>(&column.cells())) {
      return with_fine_cells(column, *cells, most);
    }
  } catch (const InvalidInput&) {
    // Cells that cannot be cut finer stay as they are.
  }
  return column;
}

/// The question's columns, each once, in the domain's order.
std::vector<Column> columns_of(const Domain& domain, const TableQuestion& question) {
  std::set<std::string> names = {question.column};
  names.insert(question.by.begin(), question.by.end());
  names.insert(question.terms.begin(), question.terms.end());
  std::vector<Column> columns;
  for (const Column& column : domain.columns()) {
    if (names.contains(column.name())) columns.push_back(column);
  }
  const bool is_of_numbers =
      question.kind == QuestionKind::kMean || question.kind == QuestionKind::kQuantile;
  double others = 1;
  for (const Column& column : columns) {
    if (column.name() != question.column) others *= column.size();
  }
  for (Column& column : columns) {
    if (!is_of_numbers || column.name() != question.column) continue;
    column = with_fine_cells(
        column,
        std::min<std::uint64_t>(kFineCells, static_cast<std::uint64_t>(kMostFineTable / others)));
  }
  return columns;
}

double cells_of(const std::vector<Column>& columns) {
  double cells = 1;
  for (const Column& column : columns) cells *= column.size();
  return cells;
}

std::vector<double> counts_of(const AskedTable& table, const Domain& domain) {
  std::vector<double> counts(domain.size());
  if (!table.unit) {
    const OutcomeHistogram found = read_counts(*table.rows, domain);
    for (std::size_t i = 0; i < found.keys.size(); ++i) {
      counts[found.keys[i]] = static_cast<double>(found.counts[i]);
    }
    return counts;
  }
  const std::optional<Roster> roster =
      table.roster == nullptr ? std::nullopt : std::optional(*table.roster);
  const UnitTable units = read_units(*table.rows, domain, table.unit, roster);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const auto outcomes = units.outcomes(unit);
    const auto weights = units.weights(unit);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < outcomes.size(); ++i) counts[outcomes[i]] += weights[i] / sum;
  }
  return counts;
}

/// The sets of columns that are counted, by their places: all together, or of a formula its pairs
/// and small triples.
std::vector<std::vector<std::size_t>> tables_for(const std::vector<Column>& columns,
                                                 bool is_formula) {
  std::vector<std::size_t> all(columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (!is_formula) return {all};
  std::vector<std::vector<std::size_t>> tables;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      tables.push_back({i, j});
      for (std::size_t k = j + 1; k < columns.size(); ++k) {
        if (cells_of({columns[i], columns[j], columns[k]}) <= kMostTriple)
          tables.push_back({i, j, k});
      }
    }
  }
  return tables;
}

/// Exact counts of the question's columns, as if they had been measured.
Measurements exact_counts(const AskedTable& table, const std::vector<Column>& columns,
                          bool is_formula) {
  Measurements made{.noise = "none", .step = 1};
  for (std::vector<std::size_t>& together : tables_for(columns, is_formula)) {
    std::vector<Column> some;
    std::vector<CellGroups> groups;
    for (const std::size_t at : together) {
      some.push_back(columns[at]);
      CellGroups& own = groups.emplace_back();
      own.count = columns[at].size();
      own.of.resize(own.count);
      std::iota(own.of.begin(), own.of.end(), 0U);
    }
    std::vector<double> counts = counts_of(table, Domain::make(std::move(some)));
    if (!made.records) made.records = std::accumulate(counts.begin(), counts.end(), 0.0);
    made.tables.push_back({std::move(together), std::move(groups), std::move(counts), kNoNoise, 1});
  }
  return made;
}

Json refusal_json(const std::string& why) { return {{"refused", why}}; }

Json answer_of_rows(const AskedTable& table, const std::vector<Column>& columns,
                    const TableQuestion& question) {
  if (table.rows->weights()) {
    return refusal_json("rows have weights, and are counted as one each here");
  }
  const bool is_formula = question.kind == QuestionKind::kRegression;
  double most = cells_of(columns);
  if (is_formula) {
    most = 0;
    for (const Column& one : columns) {
      for (const Column& other : columns) {
        if (&one != &other) most = std::max(most, cells_of({one, other}));
      }
    }
  }
  if (most > Domain::kMaxOutcomes) {
    return refusal_json("its columns have too many values together");
  }
  return answer_question(exact_counts(table, columns, is_formula), Domain::make(columns), question)
      .json;
}

Json answer_of_model(const Measurements& model, const Domain& domain,
                     const TableQuestion& question) {
  return answer_questions(model, domain, {question, question}, "").front().json;
}

/// A share of 0 that is made of exact counts has an error of rounding.
Json without_rounding(const Json& estimate) {
  return estimate.is_number() && std::abs(estimate.get<double>()) < 1e-12 ? Json(0.0) : estimate;
}

/// A row for each number, from all of them. A model puts rare values together, so its rows come
/// first.
Json joined(const TableQuestion& question,
            const std::vector<std::pair<const char*, Json>>& answers) {
  Json rows = Json::array(), refused = Json::object();
  for (const auto& [from, answer] : answers) {
    if (answer.contains("refused")) refused[from] = answer["refused"];
    for (const char* part : {"answers", "differences"}) {
      for (const Json& one : answer.value(part, Json::array())) {
        const Json group = one.value("group", Json());
        auto row = std::find_if(rows.begin(), rows.end(), [&](const Json& known) {
          return known["part"] == part && known["of"] == one["of"] && known["group"] == group;
        });
        if (row == rows.end()) {
          rows.push_back({{"part", part}, {"of", one["of"]}, {"group", group}});
          row = rows.end() - 1;
          for (const auto& other : answers) (*row)[other.first] = nullptr;
        }
        (*row)[from] = without_rounding(one["estimate"]);
        if (from == std::string_view("model") && one["table"].is_object()) {
          (*row)["lower"] = one["table"]["lower"];
          (*row)["upper"] = one["table"]["upper"];
        }
      }
    }
  }
  return {{"question", question.text}, {"rows", rows}, {"refused", refused}};
}

std::string words_of(const Json& found, bool has_model) {
  std::string words = "\n" + printable(found["question"].get<std::string>()) + "\n";
  std::size_t width = 20;
  Json rows = found["rows"];
  for (Json& row : rows) {
    std::string what = row["of"];
    if (!row["group"].is_null()) what = row["group"].get<std::string>() + ": " + what;
    row["what"] = "  " + printable(what);
    width = std::max(width, row["what"].get_ref<const std::string&>().size());
  }
  std::vector<TableColumn> columns = {{"  ", -static_cast<int>(width) - 2, "/what"},
                                      {"real data", 11, "/truth", ".4g"},
                                      {"released", 10, "/released", ".4g"}};
  if (has_model) {
    columns.push_back({"counted", 10, "/model", ".4g"});
    columns.push_back({"95 %: from", 11, "/lower", ".4g"});
    columns.push_back({"to", 10, "/upper", ".4g"});
    for (Json& row : rows) {
      for (const char* end : {"lower", "upper"}) {
        if (!row.contains(end)) row[end] = nullptr;
      }
    }
  }
  if (!rows.empty()) words += table_text(columns, rows);
  for (const auto& [from, why] : found["refused"].items()) {
    const char* const said = from == "truth"      ? "real rows"
                             : from == "released" ? "released rows"
                                                  : "noisy counts";
    words += wrapped(fmt::format("  no answer from the {}: {}\n", said, why.get<std::string>()),
                     kLineWidth, 2);
  }
  return words;
}

}  // namespace

HolderQuestions holder_questions(const std::vector<std::string>& texts) {
  HolderQuestions asked;
  for (const std::string& text : texts) {
    TableQuestion one = parse_question(text);
    const auto is_same = [&](const TableQuestion& known) { return known.text == one.text; };
    if (std::none_of(asked.questions.begin(), asked.questions.end(), is_same))
      asked.questions.push_back(std::move(one));
  }
  return asked;
}

void add_answers(Answer& answer, const HolderQuestions& asked, const Domain& domain,
                 const AskedTable& real, const AskedTable& released) {
  if (asked.questions.empty()) return;
  Json all = Json::array();
  std::string words;
  for (const TableQuestion& question : asked.questions) {
    keep_going();
    // Refuses columns that the domain does not have.
    static_cast<void>(asked_values(domain, question.column));
    for (const std::vector<std::string>& names : tables_of(question)) {
      for (const std::string& name : names) static_cast<void>(asked_values(domain, name));
    }
    const std::vector<Column> columns = columns_of(domain, question);
    std::vector<std::pair<const char*, Json>> answers;
    if (asked.model) answers.emplace_back("model", answer_of_model(*asked.model, domain, question));
    answers.emplace_back("truth", answer_of_rows(real, columns, question));
    answers.emplace_back("released", answer_of_rows(released, columns, question));
    all.push_back(joined(question, answers));
    words += words_of(all.back(), asked.model.has_value());
  }
  answer.add("questions", all, words);
}

}  // namespace mollify
