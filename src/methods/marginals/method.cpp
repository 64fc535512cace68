#include "methods/marginals/method.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/directed_rounding.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/numbers.h"
#include "domain/possible.h"
#include "methods/answers/asked_values.h"
#include "methods/answers/questions.h"
#include "methods/marginals/private_bins.h"
#include "records/private_table.h"
#include "release/acceptance.h"
#include "release/method.h"
#include "release/public_inputs.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What certificates say of marginals.

std::vector<MarginalColumn> marginal_columns(const Domain& domain) {
  std::vector<MarginalColumn> columns;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (domain.possible() != nullptr && domain.possible()->follows(i)) {
      columns.emplace_back().follows = true;
      continue;
    }
    MarginalColumn& made =
        columns.emplace_back(MarginalColumn{column.size(), is_ordered(column.cells())});
    for (std::uint32_t one = column.cell_count(); one < column.size(); ++one) {
      made.doubtful.push_back(one);
    }
    if (!has_private_bins(column.cells())) continue;
    made.private_bins = true;
    made.apart = spike_cells(column.cells());
    made.apart.insert(made.apart.end(), made.doubtful.begin(), made.doubtful.end());
  }
  return columns;
}

UnitWeight unit_weight(bool by_unit, Neighbours neighbours,
                       const std::optional<WeightColumn>& weights) {
  if (weights) return {weights->steps(), neighbours};
  return {by_unit ? kUnitWeight : 1, neighbours};
}

Json two_way_json(const MarginalError& error) {
  return {{"least", error.least}, {"most", error.most}};
}

std::string marginals_error_words(const MarginalError& error) {
  return fmt::format(
      "Expect two columns of the released rows to be {:.3g} to {:.3g} in total variation from the "
      "table's, on average over pairs, if as many rows are released as the table has: the least if "
      "columns hardly depend on each other, the most {}. A release measures it. Fewer rows are "
      "further off by chance, and rows can break rules that the domain does not declare.",
      error.least, error.most,
      error.seen.empty() ? "if they depend in another way than Gaussian ones" : kIfClose);
}

namespace {

/// Refuses, by their names, columns that the design would refuse by their number.
void require_tabled(const Domain& domain, bool copula) {
  std::vector<std::string> large, orderless;
  bool has_numbers = false, has_moments = false, has_words = false, has_null_as_third = false;
  for (const Column& column : domain.columns()) {
    const std::string words = fmt::format("\"{}\" has {}", column.name(), column.size());
    if (column.size() > kMostColumnCells) {
      large.push_back(words);
      const bool is_of_moments = std::holds_alternative<DateCells>(column.cells());
      has_numbers = has_numbers || is_numeric(column.cells());
      has_moments = has_moments || is_of_moments;
      has_words = has_words || !(is_numeric(column.cells()) || is_of_moments);
    }
    if (copula && column.size() > 2 && !is_ordered(column.cells())) {
      const bool is_third = column.cell_count() == 2 && column.mapping().null_is_category;
      orderless.push_back(is_third ? words + ", null among them," : words);
      has_null_as_third = has_null_as_third || is_third;
    }
  }
  if (!large.empty()) {
    std::vector<std::string> advice;
    std::vector<WayOut> ways = {WayOut::declare("bins")};
    if (has_numbers) {
      ways.push_back(WayOut::declare("edges"));
      advice.push_back(fmt::format("declare `bins` or `edges` {}, such as `bins: 32`",
                                   has_moments || has_words ? "for numbers" : "there"));
    }
    if (has_moments)
      advice.emplace_back("declare `bins` for days and times, such as `bins: month` or `bins: 32`");
    if (has_words) advice.emplace_back("leave out long lists of words");
    refuse_input("too-many-outcomes", "domain", std::move(ways),
                 "{} takes columns of at most {} values, bins and nulls counted, but {}: {}",
                 method_words("marginals"), kMostColumnCells, fmt::join(large, ", "),
                 fmt::join(advice, "; "));
  }
  if (!orderless.empty()) {
    std::vector<WayOut> ways;
    if (has_null_as_third) ways.push_back(WayOut::declare("null"));
    ways.push_back(WayOut::leave("copula"));
    refuse_input("not-for-this-domain", "copula", std::move(ways),
                 "a copula takes numbers, ordered columns and columns of two values, but {} in no "
                 "order: declare type ordinal where the values have one{}, or leave out {}",
                 fmt::join(orderless, ", "),
                 has_null_as_third ? ", or declare what a null becomes (null: VALUE)" : "",
                 flag_words("copula"));
  }
  if (copula && domain.possible() != nullptr) {
    refuse_input(
        "not-for-this-domain", "copula", {WayOut::leave("copula")},
        "a copula joins columns by their ranks alone and keeps no rule, but the domain has "
        "{}: leave {} out",
        counted(domain.rules().size(), "rule"), flag_words("copula"));
  }
  const std::vector<MarginalColumn> columns = marginal_columns(domain);
  if (domain.possible() != nullptr) require_few_combinations(*domain.possible(), columns);
  std::vector<std::uint32_t> sizes;
  for (const MarginalColumn& column : columns) sizes.push_back(counted_cells(column));
  if (!PairCounts::are_few(sizes)) {
    refuse_input("too-much-work", "domain", {WayOut::declare("bins")},
                 "{} takes at most {} cells of all pairs of columns together, but there are {}; {}",
                 method_words("marginals"), PairCounts::kMostCells, PairCounts::cells(sizes),
                 domain.fewer_bins(&PairCounts::are_few));
  }
}

/// So many that each still has parts of its own.
constexpr std::size_t kMostAskedTables = 1000;

/// Throws InvalidInput for three columns of more cells than are counted together.
void require_few_together(const Domain& domain, const std::vector<std::size_t>& columns,
                          const std::string& question) {
  const std::vector<MarginalColumn> all = marginal_columns(domain);
  double cells = 1;
  for (const std::size_t at : columns) {
    // Rules cut private bins into more.
    const bool is_cut = all[at].private_bins && domain.possible() != nullptr;
    cells *= is_cut ? all[at].size : counted_cells(all[at]);
  }
  refuse_if(columns.size() > 2 && cells > static_cast<double>(PairCounter::kMostTripleCells),
            "too-many-outcomes", "questions",
            "three columns of a question may have at most {} cells together, but those of \"{}\" "
            "have {}: declare fewer bins there, or ask about two of them",
            PairCounter::kMostTripleCells, printable(question), cells);
}

/// The columns that a question needs together.
///
/// All pairs of a formula determine its coefficients, except for two kinds of formulas: a logistic
/// one with three terms, where the equations have a function of all three, and one of three columns
/// with nulls, because a row with a null in any of them counts nowhere. If the three have few cells,
/// they are counted together, in place of their pairs.
std::vector<std::vector<std::string>> tables_needed(const Domain& domain,
                                                    const TableQuestion& question) {
  constexpr double kMostFormulaCells = 128;
  std::vector<std::vector<std::string>> tables = tables_of(question);
  const std::size_t terms = question.terms.size();
  if (terms != 2 && terms != 3) return tables;
  const AskedValues outcome = asked_values(domain, question.column);
  const auto has_nulls = [](const AskedValues& column) {
    return std::any_of(column.groups.begin(), column.groups.end(),
                       [](const AskedValues::Group& group) { return group.is_null; });
  };
  const std::vector<MarginalColumn> all = marginal_columns(domain);
  std::vector<std::string> together = question.terms;
  if (terms == 2) together.push_back(question.column);
  double cells = 1;
  bool is_null_somewhere = has_nulls(outcome);
  std::set<std::size_t> columns;
  for (const std::string& name : together) {
    const AskedValues column = asked_values(domain, name);
    is_null_somewhere = is_null_somewhere || has_nulls(column);
    columns.insert(column.cells.column);
    cells *= counted_cells(all[column.cells.column]);
  }
  const bool is_logistic = question.value || !outcome.has_numbers;
  const bool is_needed = terms == 2 ? is_null_somewhere : is_logistic && !is_null_somewhere;
  if (!is_needed || cells > kMostFormulaCells || columns.size() < 3) return tables;
  const auto is_inside = [&](const std::vector<std::string>& pair) {
    return std::all_of(pair.begin(), pair.end(), [&](const std::string& name) {
      return std::find(together.begin(), together.end(), name) != together.end();
    });
  };
  tables.erase(std::remove_if(tables.begin(), tables.end(), is_inside), tables.end());
  tables.push_back(std::move(together));
  return tables;
}

/// Of the columns that something is asked about: of one that follows, that which it follows from.
AskedTables tables_of_questions(const Domain& domain, const std::vector<std::string>& questions) {
  std::map<std::vector<std::size_t>, double> tables;
  for (const std::string& text : questions) {
    const TableQuestion question = parse_question(text);
    static_cast<void>(asked_values(domain, question.column));
    std::vector<std::vector<std::string>> needed = tables_needed(domain, question);
    if (needed.empty() && question.weight > 1 && domain.columns().size() > 1) {
      needed = {{question.column}};
    }
    for (const std::vector<std::string>& names : needed) {
      std::set<std::size_t> columns;
      for (const std::string& name : names) {
        columns.insert(asked_values(domain, name).cells.column);
      }
      const std::vector<std::size_t> table(columns.begin(), columns.end());
      require_few_together(domain, table, text);
      if (table.size() < 2 && names.size() > 1) continue;
      double& weight = tables[table];
      weight = std::max(weight, question.weight);
    }
  }
  refuse_if(tables.size() > kMostAskedTables, "too-many-outcomes", "questions",
            "the questions must need at most {} sets of columns together, but need {}",
            kMostAskedTables, tables.size());
  AskedTables made;
  for (const auto& [columns, weight] : tables) {
    made.columns.push_back(columns);
    made.weights.push_back(weight);
  }
  const auto is_one = [](double weight) { return weight == 1; };
  if (std::all_of(made.weights.begin(), made.weights.end(), is_one)) made.weights.clear();
  return made;
}

void design_table(const Domain& domain, DesignedRelease& made) {
  Certificate& certificate = made.certificate;
  const MarginalsSpec& marginals = *certificate.spec.own.get<MarginalsSpec>();
  const PublicFacts& facts = certificate.facts;
  require_facts(facts.records.has_value() == (marginals.neighbours == Neighbours::kReplace) &&
                facts == PublicFacts{.records = facts.records, .amount = facts.amount});
  require_tabled(domain, marginals.copula);
  const auto& weights = certificate.spec.weights;
  MarginalRequest request{
      .columns = marginal_columns(domain),
      .budget = certificate.spec.budget(),
      .unit = unit_weight(static_cast<bool>(certificate.spec.unit), marginals.neighbours, weights),
      .records = facts.records,
      .copula = marginals.copula};
  AskedTables asked = tables_of_questions(domain, marginals.questions);
  request.questions = std::move(asked.columns);
  request.question_weights = std::move(asked.weights);
  if (weights) {
    request.records.reset();  // the total weight is private, whatever the number of rows
    request.greatest_weight = weights->most();
  }
  MarginalDesign design =
      design_marginals(request, steps_amount(request.budget, "marginals", certificate.facts));
  certificate.draw = certificate.total = design.guarantee;
  certificate.design = std::move(design);
}

Json table_json(const MarginalDesign& design) {
  const MarginalRequest& request = design.request;
  const bool pure = design.guarantee.notion == PrivacyNotion::kPure;
  Json columns = Json::array();
  for (const MarginalColumn& column : request.columns) {
    Json one{{"cells", column.size}, {"ordered", column.ordered}};
    if (column.private_bins) one["private_bins"] = counted_cells(column);
    if (column.follows) one["follows"] = true;
    columns.push_back(std::move(one));
  }
  Json json{{"columns", columns},
            {"neighbours", name_of(request.unit.neighbours)},
            {"unit_weight", request.unit.weight},
            {"parts",
             {{"all", MarginalBudget::kParts},
              {"each_cut", design.cut_parts},
              {"each_column", design.column_parts},
              {"each_tree_choice", design.tree_choice_parts},
              {"tree", design.tree_parts},
              {"each_choice", design.choice_parts},
              {"each_round", design.round_parts},
              {"error", design.error_parts}}},
            {"amount", design.amount},
            {"noise", pure ? "discrete-laplace" : "discrete-gaussian"},
            {pure ? "column_scale" : "column_variance", ratio_json(design.column_noise)},
            {"model_cells", design.model_cells},
            {"why", design.why}};
  if (request.copula) {
    json["parts"]["products"] = design.product_parts;
    json["score_steps"] = design.score_steps;
  }
  return json;
}

/// `distance` is of noise in records where `is_in_records`.
Json noise_json(const MarginalDesign& design, const MarginalDistance& distance,
                bool is_in_records) {
  if (!is_in_records) return {{"mean", distance.mean}, {"worst", distance.worst}};
  return {{"mean", design.request.told(distance.mean)},
          {"worst", design.request.told(distance.worst)}};
}

/// If the number of records is protected, noise is in records, or in their weight.
Json table_accuracy_json(const MarginalDesign& design,
                         const std::optional<std::uint64_t>& records) {
  const MarginalError error = records ? marginal_error(design, *records) : noise_in_records(design);
  const bool has_weights = design.request.greatest_weight > 0;
  Json pairs = Json::array();
  for (const MarginalError::Seen& one : error.seen) {
    pairs.push_back({{"groups", one.groups},
                     {"noise", records ? one.distance : design.request.told(one.distance)}});
  }
  Json noise{{"in", records       ? "total variation"
                    : has_weights ? "weight"
                                  : "records"},
             {"one_way", noise_json(design, error.columns, !records)}};
  if (!pairs.empty()) noise["measured_pair"] = std::move(pairs);
  Json json{{"expected_noise", std::move(noise)}};
  if (records && design.request.columns.size() > 1) {
    json["two_way"] = two_way_json(error);
  }
  return json;
}

/// The things that noise is counted in, if their number is protected.
std::string things_of(const Certificate& certificate) {
  if (certificate.spec.weights) return "weight";
  return certificate.spec.unit ? "units" : "rows";
}

/// The number of records that errors are stated for; none where it is protected. With weights, how
/// many of the greatest weight weigh as much as the table's, if the supposed mean weight is theirs.
std::optional<std::uint64_t> effective_records(const Certificate& certificate) {
  const auto& records = certificate.facts.records;
  if (!records || !certificate.spec.weights) return records;
  return certificate.spec.weights->effective(*records);
}

/// The effect of weights on the noise, and the supposition of stated errors.
std::string weights_words(const Certificate& certificate, const WeightColumn& weights) {
  return fmt::format(
      "Each {} counts as its weight, at most {}, and the noise covers that, so it grows with the "
      "greatest weight. The total weight is protected{}.",
      certificate.spec.unit ? "unit" : "row", words_of(weights.greatest),
      certificate.facts.records ? ". Stated errors hold" + weights.supposition().substr(1) : "");
}

std::vector<std::string> marginals_noise(const Certificate& certificate) {
  const MarginalDesign& design = *certificate.as<MarginalDesign>();
  const std::optional<std::uint64_t> records = effective_records(certificate);
  const MarginalError error = records ? marginal_error(design, *records) : noise_in_records(design);
  const auto told = [&](double noise) { return records ? noise : design.request.told(noise); };
  const std::string things = things_of(certificate);
  const std::string in = records                    ? " in total variation"
                         : certificate.spec.weights ? " in weight"
                                                    : " " + things;
  std::vector<std::string> said;
  said.push_back(
      fmt::format("Noise is expected to move a column by {:.3g}{} on average, and by "
                  "{:.3g} at worst.",
                  told(error.columns.mean), in, told(error.columns.worst)));
  if (!error.seen.empty()) {
    std::string pairs;
    for (const MarginalError::Seen& one : error.seen) {
      pairs += fmt::format("{}{:.3g} in {}x{} cells", pairs.empty() ? "" : ", ", told(one.distance),
                           one.groups, one.groups);
    }
    said.push_back(
        fmt::format("The noise of a measured pair of columns is expected to be {}{}. "
                    "The other pairs are as the model guesses them.",
                    records ? "" : "in " + things + ", ", pairs));
  }
  if (const auto& weights = certificate.spec.weights) {
    said.push_back(weights_words(certificate, *weights));
  }
  if (!records && certificate.spec.weights) {
    said.emplace_back("The total weight is protected: divide by it, if you know one.");
  } else if (!records) {
    said.push_back(
        fmt::format("How many {0} there are is protected: divide by their number, or give `{1}` an "
                    "assumed one with {2}.",
                    things, command_words("plan"), flag_words("n")));
  } else if (error.most > 0) {
    said.push_back(marginals_error_words(error));
  }
  return said;
}

}  // namespace

ReleaseError table_error(const MarginalDesign& design, std::uint64_t records) {
  const MarginalError error = marginal_error(design, records);
  double uniform = 0;
  for (const MarginalColumn& column : design.request.columns) {
    const double k = counted_cells(column);
    uniform += std::pow(1 - 1 / k, k) / static_cast<double>(design.request.columns.size());
  }
  return model_error(error.expected(),
                     {.error = error.columns.mean,
                      .reference = uniform,
                      .kind = "the average noise of single columns",
                      .of_reference = "the average distance of columns from equal shares"});
}

namespace {

/// When a table's model is mostly noise where the number of its records is protected.
std::string hidden_count_condition(const Certificate& certificate) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  const auto least = [&](auto is_past) {
    return least_whole(1, kMost,
                       [&](std::uint64_t records) {
                         return !is_past(table_error(*certificate.as<MarginalDesign>(), records));
                       })
        .value_or(kMost);
  };
  if (const auto& weights = certificate.spec.weights) {
    const auto weight = [&](std::uint64_t records) {
      return static_cast<double>(records) * weights->most();
    };
    return fmt::format(
        "if the table weighs less than {:.4g}, and cannot be told apart from public noise if it "
        "weighs less than {:.4g}",
        weight(least(std::mem_fn(&ReleaseError::is_mostly_noise))),
        weight(least(std::mem_fn(&ReleaseError::is_indistinct))));
  }
  return fmt::format(
      "if the table has fewer than {}, and cannot be told apart from public noise if it has fewer "
      "than {}",
      counted(least(std::mem_fn(&ReleaseError::is_mostly_noise)),
              certificate.spec.unit ? "unit" : "row"),
      least(std::mem_fn(&ReleaseError::is_indistinct)));
}

using enum PartKind;

constexpr OwnPart kMarginalsParts[] = {
    {"/neighbours", "--neighbours", kText,
     "replace (default), or add-remove: hides their number\nreplace: a row, or unit, may be "
     "any other, and how many there are is public. add-remove: it may be missing",
     "RELATION", name_list<Neighbours>},
    {"/reference", "--reference", kFile, "public CSV of records, at which the model begins"},
    {"/copula", "--copula", kTruth,
     "join columns by their rank correlations alone\n"
     "For numbers, ordered columns and columns of two values, with few rows or a small budget"},
    {"/questions", "--questions", kTexts,
     "question that the table is for, such as \"y ~ x + z\"\n"
     "Public. Its columns are measured first, in pairs or three together. Repeat the flag for each "
     "question, such as \"happy:attend\" or \"mean(income) by region, sex\"",
     "QUESTION"},
};
constexpr OwnPart kMarginalsQuestions[] = {
    {"/unit", "--unit", kColumns, "", "COLUMN,..."},
    {"/privacy/rho", "--rho", kDecimal},
    {"/neighbours", "--neighbours", kText},
    {"/copula", "--copula", kTruth},
    {"/questions", "--questions", kTexts, "", "QUESTION"},
};

constexpr MethodProfile kMarginalsProfile{
    .word = Method::kMarginals,
    .help =
        "rows of a synthetic table; protects each row or unit\n"
        "A model of many columns is learned from noisy counts of columns and pairs, and then "
        "any number of its rows is free.",
    .plan_help =
        "Give two of --n, the budget (--epsilon and --delta, or --rho) and --alpha, and "
        "the third is found.",
    .parts = kMarginalsParts,
    // A copula begins at no public records; a roster says how many units there are.
    .part_rules = R"({"allOf": [
      {"not": {"required": ["copula", "reference"], "properties": {"copula": {"const": true}}}},
      {"not": {"required": ["copula", "questions"],
               "properties": {"copula": {"const": true}, "questions": {"minItems": 1}}}},
      {"not": {"required": ["neighbours", "roster"],
               "properties": {"neighbours": {"const": "add-remove"}}}}]})",
    .question_parts = kMarginalsQuestions};

class MarginalsMethod final : public ReleaseMethod {
 public:
  MarginalsMethod() : ReleaseMethod(kMarginalsProfile) {}

  const MethodAdvice& advice() const override { return marginals_advice(); }

  ReleaseSummary summary(const Certificate& certificate, const Domain&,
                         const std::string& to) const override {
    return {released_words(certificate, to, "one model of marginals"),
            fmt::format("how: {}\n", certificate.as<MarginalDesign>()->why)};
  }

  void visit_files(ReleaseSpec& spec,
                   const std::function<void(std::optional<PublicFile>&)>& visit) const override {
    visit(spec.own.get<MarginalsSpec>()->reference);
  }

  OwnFacts own_facts(const ReleaseSpec& spec) const override {
    const auto& own = own_of<MarginalsSpec>(spec);
    return {.reference = own.reference, .hides_count = own.neighbours == Neighbours::kAddRemove};
  }

  Held read(const PartReader& reader) const override {
    const auto name = reader.find<std::string>("/neighbours");
    return MarginalsSpec{name ? known_value<Neighbours>("neighbours", *name) : Neighbours::kReplace,
                         reader.find_file("/reference"),
                         reader.find<bool>("/copula").value_or(false), reader.texts("/questions")};
  }

  void write(const ReleaseSpec& spec, SpecWriter& writer) const override {
    const MarginalsSpec& own = *spec.own.get<MarginalsSpec>();
    writer.put("/neighbours", name_of(own.neighbours));
    writer.put("/reference", own.reference);
    writer.put_truth("/copula", own.copula);
    if (!own.questions.empty()) writer.put("/questions", own.questions);
  }

  void validate(const ReleaseSpec& spec) const override {
    const auto& own = own_of<MarginalsSpec>(spec);
    if (own.copula && own.reference)
      refuse_both("copula", "reference", ": a copula does not begin at public records");
    if (own.copula && !own.questions.empty())
      refuse_both("copula", "questions", ": a copula measures no pairs");
    for (const std::string& question : own.questions) static_cast<void>(parse_question(question));
    if (own.neighbours == Neighbours::kAddRemove && spec.roster) {
      refuse_input(
          "contradicting-parameters", "neighbours",
          {WayOut::leave("neighbours"), WayOut::leave("units")},
          "{} add-remove protects the number of units, and {} publishes it: leave one of them out",
          flag_words("neighbours"), flag_words("units"));
    }
  }

  std::unique_ptr<const PreparedRelease> prepare(
      ReleaseSpec spec, const PublicInputs& inputs,
      std::optional<std::uint64_t> records) const override {
    Domain domain = complete_spec(spec, inputs);
    PublicFacts facts;
    std::optional<Roster> roster;
    if (!spec.hides_count()) roster = count_records(spec, inputs, records, facts);
    DesignedRelease made = design_release(spec, facts, domain);
    // A question without an answer is refused before it costs anything.
    static_cast<void>(question_errors(*made.certificate.as<MarginalDesign>(), domain,
                                      own_of<MarginalsSpec>(spec).questions,
                                      facts.records.value_or(kManyRecords)));
    const auto& reference = made.certificate.spec.reference();
    std::vector<std::uint32_t> digits;
    if (reference) digits = inputs.records(reference->name, domain);
    return make_marginals_release(std::move(made), std::move(domain), std::move(roster),
                                  std::move(digits));
  }

  void design(const Domain& domain, const StatedCertificate* stated,
              DesignedRelease& made) const override {
    design_table(domain, made);
    if (stated == nullptr) check_marginal_design(*made.certificate.as<MarginalDesign>());
  }

  KeptPromise keeps_promise(const DesignedRelease& made) const override {
    return kept_if_accepted([&] { check_marginal_design(*made.certificate.as<MarginalDesign>()); });
  }

  void look_at_space(const StatedCertificate& stated, const Domain&, const KnownInputs& known,
                     CertificateCheck& check) const override {
    const auto& reference = stated.spec.own.get<MarginalsSpec>()->reference;
    if (!reference || !known.reference) return;
    check.list_matches = reference->sha256 == known.reference_sha256;
  }

  bool can_have_measured(const Certificate& certificate, const Measurements* made) const override {
    return made != nullptr && mollify::can_have_measured(certificate, *made);
  }

  Json design_json(const Certificate& certificate) const override {
    return table_json(*certificate.as<MarginalDesign>());
  }

  Json accuracy_json(const Certificate& certificate) const override {
    return table_accuracy_json(*certificate.as<MarginalDesign>(), effective_records(certificate));
  }

  Pledge pledge(const Certificate& certificate) const override {
    Pledge pledge = ReleaseMethod::pledge(certificate);
    pledge.promises.emplace_back(
        "The released records, and any number of further ones drawn from the same model, are made "
        "of noisy counts alone: more of them cost no more.");
    pledge.limits = {kSharedNoise};
    for (std::string& words : marginals_noise(certificate)) {
      pledge.limits.push_back(std::move(words));
    }
    pledge.limits.emplace_back(
        certificate.as<MarginalDesign>()->request.copula
            ? "How near the model is to the data is not promised: it keeps each column and the "
              "rank correlation of each pair, as well as noise allows; dependence of another kind "
              "than a Gaussian copula's is not kept."
            : "How near the model is to the data is not promised: it keeps each column and the "
              "pairs that depend most on each other, each as well as its noise allows; what three "
              "columns have in common only together is not kept.");
    return pledge;
  }

  ReleaseError error(const Certificate& certificate, const Domain&) const override {
    const std::optional<std::uint64_t> records = effective_records(certificate);
    ReleaseError error =
        table_error(*certificate.as<MarginalDesign>(), records.value_or(kManyRecords));
    if (!records) {
      error.kind = "greatest expected error of the shared model of 1000000 records";
      error.deciding->kind += " of 1000000 records";
      error.is_least = true;
    }
    return error;
  }

  ReleaseReport report(const Certificate& certificate, const ReleaseError& error,
                       const Domain& domain) const override {
    ReleaseReport report = ReleaseMethod::report(certificate, error, domain);
    report.why = certificate.as<MarginalDesign>()->why;
    std::vector<std::string>& notes = report.notes;
    if (certificate.spec.hides_count()) {
      notes.push_back(fmt::format(
          "the error depends on the number of {}s, which is protected, and is not known before",
          certificate.spec.unit ? "unit" : "row"));
    }
    if (certificate.spec.weights) {
      report.supposition = certificate.spec.weights->supposition();
      notes.push_back(weights_words(certificate, *certificate.spec.weights));
    }
    if (const auto records = effective_records(certificate)) {
      const MarginalError found = marginal_error(*certificate.as<MarginalDesign>(), *records);
      if (found.most > 0) notes.push_back(marginals_error_words(found));
    }
    notes.emplace_back(kSharedNoiseNote);
    return report;
  }

  /// The release measures its error, and says it.
  std::optional<Message> error_warning(const ReleaseError&) const override { return std::nullopt; }

  std::optional<Message> noise_condition(const Certificate& certificate, const ReleaseError&,
                                         const Domain&) const override {
    if (certificate.facts.records) return std::nullopt;
    return noise_if(hidden_count_condition(certificate));
  }

  PlanQuantities read_question(const PartReader& reader, PlanQuestion& question) const override {
    reader.require_given("/domain");
    auto& own = own_of<MarginalsQuestion>(question);
    own.unit = reader.columns("/unit");
    own.weights = reader.find_weights(false);
    own.copula = reader.find<bool>("/copula").value_or(false);
    own.questions = reader.texts("/questions");
    if (const auto neighbours = reader.find<std::string>("/neighbours")) {
      own.neighbours = known_value<Neighbours>("neighbours", *neighbours);
    }
    using enum PlanUnknown;
    return {{{kRecords, reader.has("/n")},
             {kEpsilon, reader.has("/privacy/epsilon") || reader.has("/privacy/rho")},
             {kAlpha, reader.has("/alpha")}},
            {},
            true};
  }

  std::unique_ptr<const PlanModel> plan_model(PlanQuestion& question,
                                              const PublicInputs* inputs) const override {
    if (question.domain) {
      Domain domain = inputs->domain(*question.domain);
      auto& own = own_of<MarginalsQuestion>(question);
      require_tabled(domain, false);
      own.columns = marginal_columns(domain);
      own.tables = tables_of_questions(domain, own.questions);
      return marginals_plan(std::move(domain));
    }
    return marginals_plan(std::nullopt);
  }

  void ask(const Certificate& certificate, const Domain&, PlanQuestion& question) const override {
    const MarginalRequest& request = certificate.as<MarginalDesign>()->request;
    auto& own = own_of<MarginalsQuestion>(question);
    own.columns = request.columns;
    own.unit = certificate.spec.unit;
    own.weights = certificate.spec.weights;
    own.neighbours = certificate.spec.own.get<MarginalsSpec>()->neighbours;
    own.copula = request.copula;
    own.questions = certificate.spec.own.get<MarginalsSpec>()->questions;
    own.tables = {request.questions, request.question_weights};
  }
};

}  // namespace

const ReleaseMethod& marginals_method() {
  static const MarginalsMethod method;
  return method;
}

}  // namespace mollify
