// How often the intervals of mollify answer hold the table's and the population's numbers: the
// table of docs/evidence/answers.md. NOT PRIVATE: it compares answers with tables.
//
// Usage: answers DATA_FOLDER RELEASES MODEL_RELEASES [NATIONAL2019.csv]
//
// A population is a table of rows. In each release a table of as many rows is drawn from it with
// replacement, and answered for from its noisy counts. "asked": the columns and pairs of all
// questions are measured alike and nothing else. "chosen": the method chooses pairs, and makes a
// model; then rows of this model are answered for too, as if they were a sample (naive).
#include "methods/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "base/json.h"
#include "core/invalid_input.h"
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

struct Population {
  std::string name;
  Domain domain;
  ModelRows rows;  ///< of each column its cells
  std::vector<std::string> questions;

  [[nodiscard]] std::size_t records() const { return rows.front().size(); }
  [[nodiscard]] PairCounts counts_of(const ModelRows& of) const {
    std::vector<std::uint32_t> sizes;
    for (const Column& column : domain.columns()) sizes.push_back(column.size());
    const std::vector<std::span<const std::uint32_t>> spans(of.begin(), of.end());
    PairCounter counter(sizes, counted_triples({marginal_columns(domain), {}, {}, {}}));
    counter.add(spans);
    return std::move(counter).take();
  }
};

// -----------------------------------------------------------------------------------------------
// Three populations.

std::string categories(const char* name, const std::string& values, const char* null) {
  std::string yaml = fmt::format("  {}: {{type: categorical, values: [", name);
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t end = std::min(values.find(' ', begin), values.size());
    yaml += fmt::format("{}\"{}\"", begin > 0 ? ", " : "", values.substr(begin, end - begin));
    begin = end + 1;
  }
  return yaml + fmt::format("], null: \"{}\", outside: clip}}\n", null);
}

Population read(const std::string& name, const std::string& path, Domain domain,
                std::vector<std::string> questions) {
  Population made{name, std::move(domain), {}, std::move(questions)};
  made.rows.resize(made.domain.columns().size());
  SecureRandom random;
  const std::vector<std::uint32_t> digits =
      read_table_digits(CsvSource(path), made.domain, 1U << 30U, random).digits;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    made.rows[i % made.rows.size()].push_back(digits[i]);
  }
  return made;
}

Population census(const std::string& path) {
  const std::string yaml =
      "columns:\n  AGEP: {type: integer, min: 0, max: 99, outside: clip, null: 0}\n" +
      categories("DEYE", "1 2", "2") + categories("DVET", "N 0 1 2 3 4 5 6", "N") +
      categories("EDU", "N 1 2 3 4 5 6 7 8 9 10 11 12", "N") +
      categories("HOUSING_TYPE", "1 2 3", "1") + categories("MSP", "N 1 2 3 4 5 6", "N") +
      categories("OWN_RENT", "0 1 2", "0") +
      categories("PINCP_DECILE", "N 0 1 2 3 4 5 6 7 8 9", "N") +
      categories("RAC1P", "1 2 3 4 5 6 7 8 9", "1") + categories("SEX", "1 2", "1");
  return read("national2019", path, parse_domain(yaml, ""),
              {"share(MSP)", "share(PINCP_DECILE = 9) by SEX", "share(DEYE = 1) by RAC1P",
               "mean(AGEP)", "mean(AGEP) by MSP", "quantile(AGEP, .5)", "quantile(AGEP, .9) by SEX",
               "table(HOUSING_TYPE, OWN_RENT)", "AGEP ~ SEX + OWN_RENT", "AGEP ~ RAC1P",
               "DEYE = 1 ~ AGEP", "OWN_RENT = 1 ~ SEX + DEYE", "OWN_RENT = 1 ~ SEX + DEYE + AGEP"});
}

Population survey(const std::string& folder) {
  return read("RAND", folder + "/rand_hie.csv", read_domain(folder + "/rand_hie_table.yaml"),
              {"share(hlth)", "share(hlth = poor) by physlm", "share(physlm = true) by site",
               "mean(mhi)", "mean(mdvis) by hlth", "mean(disea) by hlth", "quantile(income, .5)",
               "quantile(age, .9) by sex", "table(sex, hlth)", "mhi ~ disea + sex", "disea ~ hlth",
               "physlm = true ~ disea + sex", "physlm = true ~ hlth"});
}

/// Numbers that rise with two causes, and two answers.
Population numbers() {
  std::string yaml = "columns:\n";
  constexpr std::size_t kNumbers = 18;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    yaml += fmt::format("  n{}: {{type: integer, min: 0, max: 24, outside: clip, null: 0}}\n", i);
  }
  yaml += categories("won", "no yes", "no") + categories("team", "red green blue", "red");
  Population made{"numbers",
                  parse_domain(yaml, ""),
                  ModelRows(kNumbers + 2),
                  {"mean(n0)", "mean(n1) by team", "share(won = yes) by team", "quantile(n2, .25)",
                   "quantile(n3, .75) by won", "table(team, won)", "n0 ~ n1 + n2", "n3 ~ n2 + team",
                   "won = yes ~ n1 + n2", "won = yes ~ team"}};
  std::mt19937_64 words(53);
  std::normal_distribution<double> normal;
  const auto cell = [](double x, double most) {
    return static_cast<std::uint32_t>(std::clamp(x, 0.0, most));
  };
  for (std::size_t row = 0; row < 20000; ++row) {
    const double causes[] = {normal(words), normal(words)};
    for (std::size_t i = 0; i < kNumbers; ++i) {
      const double value = .7 * causes[i % 2] + .3 * causes[0] + .65 * normal(words);
      made.rows[i].push_back(cell(std::floor(12 + 4 * value), 24));
    }
    made.rows[kNumbers].push_back(.8 * causes[1] + normal(words) > .5 ? 1 : 0);
    made.rows[kNumbers + 1].push_back(
        cell(std::floor(1.4 + .7 * causes[0] + .7 * normal(words)), 2));
  }
  return made;
}

// -----------------------------------------------------------------------------------------------
// Measurements.

/// Every column and pair with its exact counts, in these groups.
Measurements exact(const PairCounts& counts, const std::vector<CellGroups>& groups,
                   double records) {
  Measurements made{.noise = "none", .records = records};
  constexpr double kNone = 1e-12;
  const auto add = [&](std::vector<std::size_t> columns) {
    MarginalTable table{std::move(columns), {}};
    for (const std::size_t column : table.columns) table.groups.push_back(groups[column]);
    const std::vector<std::uint64_t> cells = exact_counts(counts, table);
    made.tables.push_back({table.columns, table.groups, {cells.begin(), cells.end()}, kNone, 1});
  };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    add({i});
    for (std::size_t j = i + 1; j < groups.size(); ++j) add({i, j});
  }
  return made;
}

std::vector<CellGroups> single(const Domain& domain) {
  std::vector<CellGroups> groups;
  for (const Column& column : domain.columns()) groups.push_back(single_cells(column.size()));
  return groups;
}

/// The tables of all questions.
std::set<std::vector<std::size_t>> asked_tables(const Population& population) {
  std::set<std::vector<std::size_t>> tables;
  for (const std::string& text : population.questions) {
    const TableQuestion question = parse_question(text);
    std::vector<std::size_t> columns{asked_values(population.domain, question.column).cells.column};
    for (const std::string& by : question.by) {
      columns.push_back(asked_values(population.domain, by).cells.column);
    }
    for (const std::string& term : question.terms) {
      columns.push_back(asked_values(population.domain, term).cells.column);
    }
    for (const std::size_t a : columns) {
      tables.insert({a});
      for (const std::size_t b : columns) {
        if (a < b) tables.insert({a, b});
      }
    }
  }
  return tables;
}

// -----------------------------------------------------------------------------------------------
// What is found of a question.

struct Bar {
  std::optional<double> estimate;
  double error = 0;
  double lower = 0;
  double upper = 0;
};

using Found = std::map<std::string, std::pair<Bar, Bar>>;  // of the table, of the population

Bar bar_of(const Json& one, const char* target) {
  Bar bar;
  const Json& json = one[target];
  if (json.is_null() || one["estimate"].is_null() || json["lower"].is_null()) return bar;
  bar.estimate = one["estimate"].get<double>();
  bar.lower = json["lower"].get<double>();
  bar.upper = json["upper"].get<double>();
  if (json["standard_error"].is_number()) bar.error = json["standard_error"].get<double>();
  return bar;
}

/// Nothing if the question is refused.
std::optional<Found> ask(const Measurements& measurements, const Domain& domain,
                         const std::string& question) {
  try {
    const Answer answer = answer_question(measurements, domain, parse_question(question));
    Found found;
    for (const char* const part : {"answers", "differences"}) {
      if (!answer.json.contains(part)) continue;
      for (const Json& one : answer.json[part]) {
        const std::string key =
            fmt::format("{}|{}|{}", part, one.value("group", ""), one["of"].get<std::string>());
        found[key] = {bar_of(one, "table"), bar_of(one, "population")};
      }
    }
    return found;
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

/// The coefficients of rows, by their joint counts: no pair is enough for these.
Found coefficients_of(const ModelRows& rows, const Domain& domain, const TableQuestion& question) {
  std::vector<AskedValues> columns{asked_values(domain, question.column)};
  for (const std::string& term : question.terms) columns.push_back(asked_values(domain, term));
  std::map<std::vector<std::uint32_t>, double> counts;
  for (std::size_t row = 0; row < rows.front().size(); ++row) {
    std::vector<std::uint32_t> groups;
    for (const AskedValues& column : columns) {
      groups.push_back(column.cells.groups.of[rows[column.cells.column][row]]);
    }
    ++counts[groups];
  }
  std::vector<std::string> names{"(all)"};
  for (std::size_t i = 1; i < columns.size(); ++i) {
    if (columns[i].has_numbers) names.push_back(columns[i].name);
    for (std::size_t group = 1; !columns[i].has_numbers && group < columns[i].groups.size();
         ++group) {
      names.push_back(columns[i].name + " = " + columns[i].groups[group].words);
    }
  }
  const bool is_logistic = question.value.has_value();
  const std::uint32_t success = is_logistic ? group_of(domain, columns[0], *question.value) : 0;
  const auto size = static_cast<Eigen::Index>(names.size());
  Eigen::VectorXd beta = Eigen::VectorXd::Zero(size), x(size);
  for (int step = 0; step < 100; ++step) {
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd score = Eigen::VectorXd::Zero(size);
    for (const auto& [groups, count] : counts) {
      x.setZero();
      x[0] = 1;
      Eigen::Index at = 1;
      for (std::size_t i = 1; i < columns.size(); ++i) {
        if (columns[i].has_numbers) {
          x[at++] = columns[i].groups[groups[i]].range.middle;
          continue;
        }
        if (groups[i] > 0) x[at + groups[i] - 1] = 1;
        at += static_cast<Eigen::Index>(columns[i].groups.size()) - 1;
      }
      const double linear = x.dot(beta);
      const double mean = is_logistic ? 1 / (1 + std::exp(-linear)) : linear;
      const double outcome =
          is_logistic ? (groups[0] == success ? 1 : 0) : columns[0].groups[groups[0]].range.middle;
      information += count * (is_logistic ? mean * (1 - mean) : 1) * x * x.transpose();
      score += count * (outcome - mean) * x;
    }
    const Eigen::VectorXd move = information.ldlt().solve(score);
    beta += move;
    if (move.cwiseAbs().maxCoeff() < 1e-9) break;
  }
  Found found;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double value = beta[static_cast<Eigen::Index>(k)];
    found["answers||" + names[k]].first = {value, 0, value, value};
  }
  return found;
}

struct Tally {
  double intervals = 0;
  double held = 0;
  double width = 0;

  void add(const Bar& bar, double real) {
    ++intervals;
    const double slack = 1e-6 * (1 + std::abs(real));
    held += bar.lower - slack <= real && real <= bar.upper + slack ? 1 : 0;
    width += bar.upper - bar.lower;
  }
  [[nodiscard]] std::string share() const {
    return intervals > 0 ? fmt::format("{:.3f}", held / intervals) : "-";
  }
  [[nodiscard]] std::string mean_width() const {
    return intervals > 0 ? fmt::format("{:.3g}", width / intervals) : "-";
  }
};

struct OfAnswer {
  Tally table, population;
  double off = 0;  ///< the sum of estimate less the population's number
  double error = 0;
};

struct OfQuestion {
  std::map<std::string, OfAnswer> answers;
  Tally table, population, naive_table, naive_population;
  std::size_t refused = 0;
  std::size_t unknown = 0;
  std::size_t others = 0;  ///< groups of values that were counted together
};

struct Budget {
  double epsilon;
  bool is_chosen;
  std::size_t releases;
};

class Coverage {
 public:
  Coverage(const Population& population, const Budget& budget)
      : population_(population),
        budget_(budget),
        groups_(single(population.domain)),
        found_(population.questions.size()) {
    MarginalRequest request{marginal_columns(population.domain),
                            Privacy::approximate(budget.epsilon, 1e-6),
                            {1, Neighbours::kReplace},
                            population.records()};
    design_ = design_marginals(request);
    const Measurements all = exact(population.counts_of(population.rows), groups_, records());
    for (const std::string& question : population.questions) {
      real_.push_back(real_of(all, population.rows, question));
    }
  }

  void run() {
    for (std::size_t at = 0; at < budget_.releases; ++at) release(at);
  }

  void print() const {
    for (std::size_t at = 0; at < found_.size(); ++at) {
      const OfQuestion& found = found_[at];
      double least = 1, bias = 0;
      for (const auto& [key, one] : found.answers) {
        if (one.table.intervals < .5 * static_cast<double>(budget_.releases)) continue;
        least = std::min({least, one.table.held / one.table.intervals,
                          one.population.held / one.population.intervals});
        if (one.error > 0) bias = std::max(bias, std::abs(one.off) / one.error);
      }
      fmt::print(
          "| {} | {} | {} | {} | {} | {} | {} | {} | {:.3f} | {} | {} | {:.2f} | {} | {} | {} | {} "
          "| "
          "{} | {} |\n",
          population_.name, budget_.epsilon, budget_.is_chosen ? "chosen" : "asked",
          population_.questions[at], budget_.releases, found.answers.size(), found.table.share(),
          found.population.share(), least, found.table.mean_width(), found.population.mean_width(),
          bias, found.others, found.unknown, found.refused, found.naive_table.share(),
          found.naive_population.share(), found.naive_population.mean_width());
    }
    std::fflush(stdout);
  }

 private:
  [[nodiscard]] Found real_of(const Measurements& counts, const ModelRows& rows,
                              const std::string& text) const {
    const TableQuestion question = parse_question(text);
    if (question.kind == QuestionKind::kRegression) {
      return coefficients_of(rows, population_.domain, question);
    }
    return ask(counts, population_.domain, text).value();
  }
  [[nodiscard]] double records() const { return static_cast<double>(population_.records()); }

  void release(std::size_t at) {
    std::mt19937_64 words(at);
    std::uniform_int_distribution<std::size_t> row(0, population_.records() - 1);
    ModelRows drawn(population_.rows.size());
    for (std::size_t i = 0; i < population_.records(); ++i) {
      const std::size_t from = row(words);
      for (std::size_t c = 0; c < drawn.size(); ++c) drawn[c].push_back(population_.rows[c][from]);
    }
    const PairCounts counts = population_.counts_of(drawn);
    const MarginalBudget budget(design_.request.budget, design_.request.unit, design_.amount);
    PrivateMarginals answers(counts, budget, random_);
    RecordedAnswers recorded(answers, budget);
    std::optional<Measurements> naive;
    if (budget_.is_chosen) {
      const MarginalModel model = learn_marginals(design_, recorded);
      const ModelRows rows = model.rows(population_.records(), [&] { return random_.word(); });
      naive = exact(population_.counts_of(rows), groups_, records());
    } else {
      const auto tables = asked_tables(population_);
      const auto parts = static_cast<std::uint32_t>(MarginalBudget::kParts / tables.size());
      for (const std::vector<std::size_t>& columns : tables) {
        MarginalTable table{columns, {}};
        for (const std::size_t column : columns) table.groups.push_back(groups_[column]);
        static_cast<void>(recorded.measure(table, parts));
      }
    }
    const Measurements measured{
        .noise = "discrete-gaussian", .records = records(), .tables = recorded.measured()};
    const Measurements real = exact(counts, groups_, records());
    for (std::size_t q = 0; q < found_.size(); ++q)
      tally(q, measured, real_of(real, drawn, population_.questions[q]), naive);
  }

  void tally(std::size_t q, const Measurements& measured, const Found& of_table,
             const std::optional<Measurements>& naive) {
    const std::string& question = population_.questions[q];
    OfQuestion& of = found_[q];
    const auto estimated = ask(measured, population_.domain, question);
    const auto as_rows = naive ? ask(*naive, population_.domain, question) : std::nullopt;
    for (const auto& [key, bars] : as_rows.value_or(Found{})) {
      const auto& bar = bars.second;
      if (!bar.estimate || !of_table.contains(key) || !real_[q].contains(key)) continue;
      if (const auto number = of_table.at(key).first.estimate) of.naive_table.add(bar, *number);
      if (const auto number = real_[q].at(key).first.estimate)
        of.naive_population.add(bar, *number);
    }
    if (!estimated) {
      ++of.refused;
      return;
    }
    for (const auto& [key, bars] : *estimated) {
      if (!bars.first.estimate) {
        ++of.unknown;
        continue;
      }
      if (!of_table.contains(key) || !real_[q].contains(key)) {
        ++of.others;
        continue;
      }
      const auto of_sample = of_table.at(key).first.estimate;
      const auto of_all = real_[q].at(key).first.estimate;
      if (!of_sample || !of_all) continue;
      OfAnswer& one = of.answers[key];
      of.table.add(bars.first, *of_sample);
      one.table.add(bars.first, *of_sample);
      if (!bars.second.estimate) continue;
      of.population.add(bars.second, *of_all);
      one.population.add(bars.second, *of_all);
      one.off += *bars.second.estimate - *of_all;
      one.error += bars.second.error;
    }
  }

  const Population& population_;
  Budget budget_;
  std::vector<CellGroups> groups_;
  std::vector<OfQuestion> found_;
  std::vector<Found> real_;
  MarginalDesign design_;
  SecureRandom random_;
};

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 4) return 2;
  const std::string folder = arguments[1];
  const std::size_t asked = std::strtoul(arguments[2], nullptr, 10);
  const std::size_t chosen = std::strtoul(arguments[3], nullptr, 10);
  std::vector<Population> populations;
  if (argument_count > 4) populations.push_back(census(arguments[4]));
  populations.push_back(survey(folder));
  populations.push_back(numbers());
  fmt::print(
      "| table | epsilon | pairs | question | releases | answers | held, table | held, population "
      "| "
      "least of an answer | width, table | width, population | bias, standard errors | other "
      "groups "
      "| unknown | refused | naive held, table | naive held, population | naive width "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Population& population : populations) {
    for (const double epsilon : {1., 3.}) {
      for (const Budget& budget : {Budget{epsilon, false, asked}, Budget{epsilon, true, chosen}}) {
        if (budget.releases == 0) continue;
        Coverage coverage(population, budget);
        coverage.run();
        coverage.print();
      }
    }
  }
}
