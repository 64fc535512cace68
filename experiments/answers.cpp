// How often the intervals of mollify answer hold the numbers of a table, and of the population that
// it was drawn from. experiments/answers.py runs it for the table of docs/evidence/answers.md. NOT
// PRIVATE: it compares answers with tables.
//
// Usage: answers MODE CSV DOMAIN QUESTIONS EPSILON FIRST RELEASES [RERUNS | FOLDER NAME]
//
// The CSV file has no quotes, and the domain's columns in their order. Its rows are a population.
// Its last column is a coin: each row is there with both sides, so that nothing depends on it. Each
// release draws a table of half as many rows, with replacement.
//
//   counts  the release measures its columns and its questions' pairs, and stops there
//   asked   all of it, with these questions. Its rows are analysed as if they were a sample. With
//           RERUNS, tables are drawn from its model and released again
//   chosen  a release without questions
//   tables  writes the cells of the tables into FOLDER/table-N.csv
//   rows    reads the cells of released rows from FOLDER/NAME-N.csv, and analyses them as a sample
//
// Prints sums over the releases, as JSON.
#include "methods/answers/answers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "core/invalid_input.h"
#include "domain/densities.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/design.h"
#include "methods/marginals/learner.h"
#include "methods/marginals/method.h"
#include "methods/marginals/noisy_answers.h"
#include "methods/marginals/triples.h"
#include "records/private_table.h"

namespace {

using namespace mollify;

// -----------------------------------------------------------------------------------------------
// Rows, and what an analyst finds in them who takes them for a sample.

struct Rows {
  ModelRows cells;                           ///< of each column
  std::vector<std::vector<double>> numbers;  ///< of each column its own, or none

  [[nodiscard]] std::size_t size() const { return cells.front().size(); }
};

struct Bar {
  std::optional<double> estimate;
  double error = 0;
  double lower = 0;
  double upper = 0;
};

Bar bar_around(double estimate, double variance) {
  const double error = std::sqrt(std::max(variance, 0.0));
  return {estimate, error, estimate - kNormal975 * error, estimate + kNormal975 * error};
}

/// A question's columns: the asked one, then those that it is asked by, or a regression's terms.
class Asked {
 public:
  Asked(const Domain& domain, const std::string& text) : question_(parse_question(text)) {
    columns_.push_back(asked_values(domain, question_.column));
    for (const auto* const more : {&question_.by, &question_.terms}) {
      for (const std::string& name : *more) columns_.push_back(asked_values(domain, name));
    }
    if (question_.value) value_ = group_of(domain, columns_[0], *question_.value);
  }

  [[nodiscard]] const TableQuestion& question() const { return question_; }
  /// Pairs, and triples of questions about three columns, ascending.
  [[nodiscard]] std::vector<std::vector<std::size_t>> tables() const {
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = i + 1; j < columns_.size(); ++j) {
        const std::size_t a = columns_[i].cells.column, b = columns_[j].cells.column;
        all.push_back({std::min(a, b), std::max(a, b)});
      }
    }
    return all;
  }

  /// Each number by its name, with the error of a random sample.
  [[nodiscard]] std::map<std::string, Bar> found_in(const Rows& rows) const {
    if (question_.kind == QuestionKind::kRegression) return coefficients(rows);
    std::map<std::string, Bar> found;
    std::vector<std::vector<std::size_t>> of_group(groups());
    for (std::size_t row = 0; row < rows.size(); ++row) of_group[group(rows, row)].push_back(row);
    std::optional<std::size_t> first;
    for (std::size_t at = 0; at < of_group.size(); ++at) {
      if (const auto words = words_of(at)) {
        const auto own = of_rows(rows, of_group[at]);
        for (const auto& [of, bar] : own) found[fmt::format("answers|{}|{}", *words, of)] = bar;
        if (!first) {
          first = at;
          continue;
        }
        if (question_.kind == QuestionKind::kTable || question_.kind == QuestionKind::kQuantile)
          continue;
        for (const auto& [of, base] : of_rows(rows, of_group[*first])) {
          const auto other = own.find(of);
          if (other == own.end()) continue;
          const Bar& bar = other->second;
          found[fmt::format("differences|{} less {}|{}", *words, *words_of(*first), of)] =
              bar_around(*bar.estimate - *base.estimate,
                         bar.error * bar.error + base.error * base.error);
        }
      }
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t groups() const {
    std::size_t count = 1;
    for (std::size_t i = 1; i < columns_.size(); ++i) count *= columns_[i].groups.size();
    return count;
  }
  [[nodiscard]] std::uint32_t place(const Rows& rows, std::size_t row, std::size_t i) const {
    const AskedColumn& column = columns_[i].cells;
    return column.groups.of[rows.cells[column.column][row]];
  }
  [[nodiscard]] std::size_t group(const Rows& rows, std::size_t row) const {
    std::size_t at = 0;
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      at = at * columns_[i].groups.size() + place(rows, row, i);
    }
    return at;
  }
  /// None of a group that is not answered for.
  [[nodiscard]] std::optional<std::string> words_of(std::size_t group) const {
    std::vector<std::string> words(columns_.size() - 1);
    for (std::size_t i = columns_.size(); i-- > 1;) {
      const AskedValues::Group& own = columns_[i].groups[group % columns_[i].groups.size()];
      if (own.is_null && question_.kind != QuestionKind::kTable) return std::nullopt;
      words[i - 1] = own.words;
      group /= columns_[i].groups.size();
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }
  [[nodiscard]] double number(const Rows& rows, std::size_t row) const {
    const std::size_t column = columns_[0].cells.column;
    if (!rows.numbers.empty()) return rows.numbers[column][row];
    return columns_[0].groups[place(rows, row, 0)].range.middle;
  }

  [[nodiscard]] std::map<std::string, Bar> of_rows(const Rows& rows,
                                                   const std::vector<std::size_t>& some) const {
    std::map<std::string, Bar> found;
    const bool is_table = question_.kind == QuestionKind::kTable;
    const auto count = static_cast<double>(is_table ? rows.size() : some.size());
    if (question_.kind != QuestionKind::kMean && question_.kind != QuestionKind::kQuantile) {
      std::vector<double> counts(columns_[0].groups.size());
      for (const std::size_t row : some) ++counts[place(rows, row, 0)];
      for (std::size_t value = 0; value < counts.size() && count > 0; ++value) {
        if (value_ && value != *value_) continue;
        const double share = counts[value] / count;
        found[columns_[0].groups[value].words] = bar_around(share, share * (1 - share) / count);
      }
      return found;
    }
    std::vector<double> numbers;
    for (const std::size_t row : some) {
      if (!columns_[0].groups[place(rows, row, 0)].is_null) numbers.push_back(number(rows, row));
    }
    if (numbers.size() < 2) return found;
    const auto size = static_cast<double>(numbers.size());
    if (question_.kind == QuestionKind::kMean) {
      const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / size;
      double squares = 0;
      for (const double one : numbers) squares += (one - mean) * (one - mean);
      found["mean"] = bar_around(mean, squares / (size - 1) / size);
      return found;
    }
    std::sort(numbers.begin(), numbers.end());
    const double q = question_.quantile;
    const auto at = [&](double rank) {
      return numbers[static_cast<std::size_t>(std::clamp(std::ceil(rank) - 1, 0.0, size - 1))];
    };
    const double reach = kNormal975 * std::sqrt(q * (1 - q) * size);
    found[fmt::format("quantile {:g}", q)] = {at(q * size), 0, at(q * size - reach),
                                              at(q * size + reach)};
    return found;
  }

  /// By least squares or greatest likelihood, a number as the middle of its cell.
  [[nodiscard]] std::map<std::string, Bar> coefficients(const Rows& rows) const {
    std::vector<double> counts(groups() * columns_[0].groups.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      ++counts[group(rows, row) * columns_[0].groups.size() + place(rows, row, 0)];
    }
    std::vector<std::string> names{"(all)"};
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      if (columns_[i].has_numbers) {
        names.push_back(columns_[i].name);
        continue;
      }
      bool is_first = true;
      for (const AskedValues::Group& own : columns_[i].groups) {
        if (!own.is_null && !std::exchange(is_first, false))
          names.push_back(columns_[i].name + " = " + own.words);
      }
    }
    const bool is_logistic = value_.has_value();
    const auto size = static_cast<Eigen::Index>(names.size());
    Eigen::VectorXd beta = Eigen::VectorXd::Zero(size), x(size);
    Eigen::MatrixXd inverse;
    double squares = 0, used = 0;
    for (int step = 0; step < 100; ++step) {
      Eigen::MatrixXd information = Eigen::MatrixXd::Zero(size, size);
      Eigen::VectorXd score = Eigen::VectorXd::Zero(size);
      squares = used = 0;
      for (std::size_t cell = 0; cell < counts.size(); ++cell) {
        if (counts[cell] == 0 || !fill(cell / columns_[0].groups.size(), x)) continue;
        const AskedValues::Group& own = columns_[0].groups[cell % columns_[0].groups.size()];
        if (own.is_null) continue;
        const double linear = x.dot(beta);
        const double mean = is_logistic ? 1 / (1 + std::exp(-linear)) : linear;
        const double outcome =
            is_logistic ? (cell % columns_[0].groups.size() == *value_ ? 1 : 0) : own.range.middle;
        information += counts[cell] * (is_logistic ? mean * (1 - mean) : 1) * x * x.transpose();
        score += counts[cell] * (outcome - mean) * x;
        squares += counts[cell] * (outcome - mean) * (outcome - mean);
        used += counts[cell];
      }
      const Eigen::LDLT<Eigen::MatrixXd> solver(information);
      const Eigen::VectorXd move = solver.solve(score);
      inverse = solver.solve(Eigen::MatrixXd::Identity(size, size));
      beta += move;
      if (!(move.cwiseAbs().maxCoeff() >= 1e-9)) break;
    }
    std::map<std::string, Bar> found;
    const double variance = is_logistic ? 1 : squares / (used - static_cast<double>(size));
    for (Eigen::Index k = 0; k < size; ++k) {
      // Values that are separated have no coefficient.
      if (!(std::abs(beta[k]) < 1e6) || !(inverse(k, k) * variance < 1e6)) return {};
      found["answers||" + names[static_cast<std::size_t>(k)]] =
          bar_around(beta[k], inverse(k, k) * variance);
    }
    return found;
  }

  /// False if a column is null.
  bool fill(std::size_t group, Eigen::VectorXd& x) const {
    x.setZero();
    x[0] = 1;
    Eigen::Index end = x.size();
    for (std::size_t i = columns_.size(); i-- > 1;) {
      const std::size_t own = group % columns_[i].groups.size();
      group /= columns_[i].groups.size();
      if (columns_[i].groups[own].is_null) return false;
      if (columns_[i].has_numbers) {
        x[--end] = columns_[i].groups[own].range.middle;
        continue;
      }
      Eigen::Index values = 0, at = 0;
      for (std::size_t other = 0; other < columns_[i].groups.size(); ++other) {
        if (columns_[i].groups[other].is_null) continue;
        if (other == own) at = values;
        ++values;
      }
      end -= values - 1;
      if (at > 0) x[end + at - 1] = 1;
    }
    return true;
  }

  TableQuestion question_;
  std::vector<AskedValues> columns_;
  std::optional<std::uint32_t> value_;
};

// -----------------------------------------------------------------------------------------------
// A release.

/// The learner asks for its first pair by itself.
struct Measured {};

/// Ends a release before its learner chooses anything.
class QuestionsOnly final : public MarginalAnswers {
 public:
  explicit QuestionsOnly(MarginalAnswers& answers) : answers_(answers) {}
  [[nodiscard]] std::uint32_t left() const override { return answers_.left(); }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    return answers_.measure(table, parts);
  }
  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override {
    return answers_.products(scores, parts);
  }
  std::size_t choose(std::span<const MarginalCandidate> /*all*/, std::uint32_t /*parts*/) override {
    throw Measured{};
  }

 private:
  MarginalAnswers& answers_;
};

class Releases {
 public:
  Releases(const Domain& domain, std::vector<std::vector<std::size_t>> questions, double epsilon,
           std::size_t records, bool with_model)
      : with_model_(with_model) {
    MarginalRequest request{marginal_columns(domain),
                            Privacy::approximate(epsilon, 1e-6),
                            {1, Neighbours::kReplace},
                            records};
    request.questions = std::move(questions);
    design_ = design_marginals(request);
    if (with_model) triples_ = counted_triples(design_.request);
    for (const Column& column : domain.columns()) {
      sizes_.push_back(column.size());
      axes_.push_back(axis_of(column));
    }
  }

  struct Made {
    Measurements measured;
    std::optional<MarginalModel> model;
  };
  [[nodiscard]] Made from(const ModelRows& table) {
    PairCounter counter(sizes_, triples_);
    counter.add(std::vector<std::span<const std::uint32_t>>(table.begin(), table.end()));
    const PairCounts counts = std::move(counter).take();
    const MarginalBudget budget(design_.request.budget, design_.request.unit, design_.amount);
    PartsLeft parts;
    if (design_.error_parts > 0) static_cast<void>(parts.set_apart(design_.error_parts));
    PrivateMarginals answers(counts, budget, random_, parts);
    QuestionsOnly few(answers);
    MarginalAnswers& asked = with_model_ ? static_cast<MarginalAnswers&>(answers) : few;
    RecordedAnswers recorded(asked, budget);
    Made made;
    try {
      made.model = learn_marginals(design_, recorded, nullptr, nullptr, &axes_);
    } catch (const Measured&) {
    }
    made.measured = {.noise = "discrete-gaussian",
                     .records = static_cast<double>(*design_.request.records),
                     .tables = recorded.measured()};
    return made;
  }
  [[nodiscard]] Rows rows(const MarginalModel& model) {
    return {model.rows(*design_.request.records, [&] { return random_.word(); }), {}};
  }

 private:
  bool with_model_;
  MarginalDesign design_;
  std::vector<Triple> triples_;
  std::vector<std::uint32_t> sizes_;
  std::vector<ColumnAxis> axes_;
  SecureRandom random_;
};

// -----------------------------------------------------------------------------------------------
// Sums over releases.

/// Of one number: for the table and for the population.
struct Sums {
  double intervals = 0;
  double held[2] = {0, 0};
  double width[2] = {0, 0};
  double off[2] = {0, 0};    ///< estimate less real number
  double error[2] = {0, 0};  ///< standard errors

  void add(const std::pair<Bar, Bar>& bars, double of_table, double of_population) {
    ++intervals;
    const Bar* const both[] = {&bars.first, &bars.second};
    const double real[] = {of_table, of_population};
    for (std::size_t i = 0; i < 2; ++i) {
      const double slack = 1e-6 * (1 + std::abs(real[i]));
      held[i] += both[i]->lower - slack <= real[i] && real[i] <= both[i]->upper + slack ? 1 : 0;
      width[i] += both[i]->upper - both[i]->lower;
      off[i] += *both[i]->estimate - real[i];
      error[i] += both[i]->error;
    }
  }
  [[nodiscard]] Json json() const {
    return {intervals, held[0], held[1], width[0], width[1], off[0], off[1], error[0], error[1]};
  }
};

struct OfQuestion {
  /// "own", "rows" and "rerun"; "pairs" if an answer is of the coefficients that pairs determine.
  std::map<std::string, std::map<std::string, Sums>> kinds;
  std::size_t refused = 0;
  std::size_t unknown = 0;
  std::size_t others = 0;  ///< numbers of values that were counted together
};

/// Exact counts of all pairs of a question's columns.
Measurements exact_pairs(const Rows& rows, const Asked& asked, const Domain& domain) {
  constexpr double kNone = 1e-12;
  Measurements made{.noise = "none", .records = static_cast<double>(rows.size())};
  for (const std::vector<std::size_t>& columns : asked.tables()) {
    const std::uint32_t sizes[] = {domain.columns()[columns[0]].size(),
                                   domain.columns()[columns[1]].size()};
    std::vector<double> counts(std::size_t{sizes[0]} * sizes[1]);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      ++counts[rows.cells[columns[0]][row] * sizes[1] + rows.cells[columns[1]][row]];
    }
    made.tables.push_back(
        {columns, {single_cells(sizes[0]), single_cells(sizes[1])}, std::move(counts), kNone, 1});
  }
  return made;
}

/// Nothing if the question is refused.
std::optional<std::map<std::string, std::pair<Bar, Bar>>> ask(const Measurements& measurements,
                                                              const Domain& domain,
                                                              const TableQuestion& question) {
  const auto bar_of = [](const Json& one, const char* target) {
    Bar bar;
    const Json& json = one[target];
    if (json.is_null() || one["estimate"].is_null() || json["lower"].is_null()) return bar;
    bar = {one["estimate"].get<double>(), 0, json["lower"].get<double>(),
           json["upper"].get<double>()};
    if (json["standard_error"].is_number()) bar.error = json["standard_error"].get<double>();
    return bar;
  };
  try {
    const Answer answer = answer_question(measurements, domain, question);
    std::map<std::string, std::pair<Bar, Bar>> found;
    for (const char* const part : {"answers", "differences"}) {
      if (!answer.json.contains(part)) continue;
      for (const Json& one : answer.json[part]) {
        found[fmt::format("{}|{}|{}", part, one.value("group", ""), one["of"].get<std::string>())] =
            {bar_of(one, "table"), bar_of(one, "population")};
      }
    }
    return found;
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

class Coverage {
 public:
  Coverage(const std::string& csv, Domain domain, const std::string& questions, double epsilon,
           const std::string& mode)
      : domain_(std::move(domain)),
        tables_(static_cast<std::uint64_t>(1'000'000 * epsilon)),
        is_rows_(mode == "rows" || mode == "tables") {
    read(csv);
    std::set<std::vector<std::size_t>> tables;
    for (const TableQuestion& one : parse_questions(text_of(questions), questions)) {
      asked_.emplace_back(domain_, one.text);
      for (std::vector<std::size_t>& table : asked_.back().tables()) tables.insert(table);
      real_.push_back(asked_.back().found_in(population_));
      real_pairs_.push_back(by_pairs(asked_.back()));
    }
    found_.resize(asked_.size());
    if (mode == "chosen") tables.clear();
    if (!is_rows_) {
      releases_.emplace(domain_, std::vector(tables.begin(), tables.end()), epsilon, records(),
                        mode != "counts");
    }
  }

  void release(std::uint64_t at, std::size_t reruns, const std::string& folder,
               const std::string& name) {
    const Rows table = drawn(at);
    if (is_rows_ && name.empty()) {
      write(table, fmt::format("{}/table-{}.csv", folder, at));
      return;
    }
    std::vector<std::map<std::string, Bar>> of_table;
    for (const Asked& one : asked_) of_table.push_back(one.found_in(table));
    if (is_rows_) {
      Rows rows{ModelRows(domain_.columns().size()), {}};
      each_line(fmt::format("{}/{}-{}.csv", folder, name, at),
                [&](std::size_t column, const std::string& word) {
                  rows.cells[column].push_back(static_cast<std::uint32_t>(std::stoul(word)));
                });
      as_sample(rows, of_table);
      return;
    }
    const Releases::Made made = releases_->from(table.cells);
    for (std::size_t q = 0; q < asked_.size(); ++q) {
      const auto answers = ask(made.measured, domain_, asked_[q].question());
      if (!answers) ++found_[q].refused;
      // Of the population alone: a table's takes as long as an answer.
      for (const auto& [key, real] : answers ? real_pairs_[q] : std::map<std::string, double>{}) {
        const auto found = answers->find(key);
        if (found != answers->end() && found->second.second.estimate)
          found_[q].kinds["pairs"][key].add(found->second, real, real);
      }
      for (const auto& [key, bars] : answers.value_or(std::map<std::string, std::pair<Bar, Bar>>{}))
        tally(q, "own", key, bars, of_table[q]);
    }
    if (!made.model) return;
    const Rows rows = releases_->rows(*made.model);
    as_sample(rows, of_table);
    if (reruns > 0) rerun(*made.model, rows, reruns, of_table);
  }

  /// How many cells each column has.
  [[nodiscard]] Json sizes() const {
    Json all = Json::object();
    for (const Column& column : domain_.columns()) all[column.name()] = column.size();
    return all;
  }
  [[nodiscard]] Json json() const {
    Json questions = Json::array();
    for (std::size_t q = 0; q < asked_.size(); ++q) {
      Json kinds = Json::object();
      for (const auto& [kind, numbers] : found_[q].kinds) {
        for (const auto& [key, sums] : numbers) kinds[kind][key] = sums.json();
      }
      Json real = Json::object();
      for (const auto& [key, bar] : real_[q]) real[key] = *bar.estimate;
      questions.push_back({{"question", asked_[q].question().text},
                           {"real", real},
                           {"kinds", kinds},
                           {"refused", found_[q].refused},
                           {"unknown", found_[q].unknown},
                           {"others", found_[q].others}});
    }
    return questions;
  }

 private:
  [[nodiscard]] std::size_t records() const { return population_.size() / 2; }
  /// The coefficients that pairs of the population determine, if they are not its own.
  [[nodiscard]] std::map<std::string, double> by_pairs(const Asked& asked) const {
    std::map<std::string, double> found;
    if (asked.question().kind != QuestionKind::kRegression) return found;
    const Regression regression =
        regression_of(exact_pairs(population_, asked, domain_), domain_, asked.question());
    for (const Estimated& one : regression.coefficients) {
      if (!regression.is_of_rows && one.value) found["answers||" + one.of] = *one.value;
    }
    return found;
  }

  static std::string text_of(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  template <class See>
  static void each_line(const std::string& path, const See& see) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::stringstream words(line);
      std::size_t column = 0;
      for (std::string word; std::getline(words, word, ',');) see(column++, word);
    }
  }

  void read(const std::string& csv) {
    const std::size_t columns = domain_.columns().size();
    population_.cells.resize(columns);
    population_.numbers.resize(columns);
    SecureRandom random;
    const std::vector<std::uint32_t> digits =
        read_table_digits(CsvSource(csv), domain_, 1U << 30U, random).digits;
    for (std::size_t i = 0; i < digits.size(); ++i)
      population_.cells[i % columns].push_back(digits[i]);
    each_line(csv, [&](std::size_t column, const std::string& word) {
      population_.numbers[column].push_back(std::strtod(word.c_str(), nullptr));
    });
    for (std::vector<double>& column : population_.numbers) column.erase(column.begin());
  }

  [[nodiscard]] Rows drawn(std::uint64_t at) const {
    std::mt19937_64 words(tables_ + at);
    std::uniform_int_distribution<std::size_t> row(0, population_.size() - 1);
    Rows made{ModelRows(population_.cells.size()),
              std::vector<std::vector<double>>(population_.cells.size())};
    for (std::size_t i = 0; i < records(); ++i) {
      const std::size_t from = row(words);
      for (std::size_t c = 0; c < made.cells.size(); ++c) {
        made.cells[c].push_back(population_.cells[c][from]);
        made.numbers[c].push_back(population_.numbers[c][from]);
      }
    }
    return made;
  }
  static void write(const Rows& table, const std::string& path) {
    std::ofstream file(path);
    for (std::size_t row = 0; row < table.size(); ++row) {
      for (std::size_t c = 0; c < table.cells.size(); ++c) {
        file << (c > 0 ? "," : "") << table.cells[c][row];
      }
      file << "\n";
    }
  }

  void as_sample(const Rows& rows, const std::vector<std::map<std::string, Bar>>& of_table) {
    for (std::size_t q = 0; q < asked_.size(); ++q) {
      const auto found = asked_[q].found_in(rows);
      for (const auto& [key, bar] : found) tally(q, "rows", key, {bar, bar}, of_table[q]);
    }
  }

  /// The basic bootstrap of the whole release: with 39 errors their least and greatest, each of
  /// which a next one passes with probability 1/40.
  void rerun(const MarginalModel& model, const Rows& rows, std::size_t reruns,
             const std::vector<std::map<std::string, Bar>>& of_table) {
    std::vector<std::map<std::string, std::vector<std::pair<double, double>>>> pairs(asked_.size());
    for (std::size_t i = 0; i < reruns; ++i) {
      const Rows table = releases_->rows(model);
      const Rows again = releases_->rows(*releases_->from(table.cells).model);
      for (std::size_t q = 0; q < asked_.size(); ++q) {
        const auto real = asked_[q].found_in(table);
        for (const auto& [key, bar] : asked_[q].found_in(again)) {
          if (real.contains(key)) pairs[q][key].push_back({*bar.estimate, *real.at(key).estimate});
        }
      }
    }
    for (std::size_t q = 0; q < asked_.size(); ++q) {
      for (const auto& [key, bar] : asked_[q].found_in(rows)) {
        const auto& of_key = pairs[q][key];
        if (of_key.size() < reruns) continue;
        double mean = 0;
        for (const auto& both : of_key) mean += both.second / static_cast<double>(reruns);
        std::vector<double> errors[2];
        for (const auto& both : of_key) {
          errors[0].push_back(both.first - both.second);
          errors[1].push_back(both.first - mean);
        }
        Bar bars[2];
        for (std::size_t target = 0; target < 2; ++target) {
          const auto [least, most] =
              std::minmax_element(errors[target].begin(), errors[target].end());
          bars[target] = {bar.estimate, 0, *bar.estimate - *most, *bar.estimate - *least};
        }
        tally(q, "rerun", key, {bars[0], bars[1]}, of_table[q]);
      }
    }
  }

  void tally(std::size_t q, const std::string& kind, const std::string& key,
             const std::pair<Bar, Bar>& bars, const std::map<std::string, Bar>& of_table) {
    OfQuestion& of = found_[q];
    if (!bars.first.estimate || !bars.second.estimate) {
      if (kind == "own") ++of.unknown;
      return;
    }
    if (!of_table.contains(key) || !real_[q].contains(key)) {
      if (kind == "own") ++of.others;
      return;
    }
    of.kinds[kind][key].add(bars, *of_table.at(key).estimate, *real_[q].at(key).estimate);
  }

  Domain domain_;
  std::uint64_t tables_;  ///< the seed of the first one: others at another epsilon
  bool is_rows_;
  Rows population_;
  std::vector<Asked> asked_;
  std::vector<std::map<std::string, Bar>> real_;
  std::vector<std::map<std::string, double>> real_pairs_;
  std::vector<OfQuestion> found_;
  std::optional<Releases> releases_;
};

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 8) return 2;
  const std::string mode = arguments[1];
  const std::uint64_t first = std::strtoull(arguments[6], nullptr, 10);
  const std::uint64_t releases = std::strtoull(arguments[7], nullptr, 10);
  const std::string more = argument_count > 8 ? arguments[8] : "0";
  const bool is_rows = mode == "rows" || mode == "tables";
  const auto begin = std::chrono::steady_clock::now();
  Coverage coverage(arguments[2], read_domain(arguments[3]), arguments[4],
                    std::strtod(arguments[5], nullptr), mode);
  for (std::uint64_t at = first; at < first + releases; ++at) {
    coverage.release(at, is_rows ? 0 : std::strtoul(more.c_str(), nullptr, 10), more,
                     mode == "rows" && argument_count > 9 ? arguments[9] : "");
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("{}\n", Json{{"mode", mode},
                          {"first", first},
                          {"releases", releases},
                          {"seconds", seconds.count()},
                          {"sizes", coverage.sizes()},
                          {"questions", coverage.json()}}
                         .dump());
}
