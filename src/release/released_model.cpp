#include "release/released_model.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/json.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/possible.h"
#include "mollify/version.h"
#include "release/methods.h"

namespace mollify {

namespace {

/// The second format adds shapes, without which rows would be drawn from another distribution.
constexpr const char* kModelFormat = "mollify model 1";
constexpr const char* kShapedModelFormat = "mollify model 2";
/// Rows that are held at a time.
constexpr std::uint64_t kRowsAtOnce = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostAgain = 20;

}  // namespace

std::string released_model_text(const MarginalModel& model, const Domain& domain,
                                const Privacy& guarantee, const Measurements* measurements) {
  const bool has_shapes =
      std::any_of(model.columns().begin(), model.columns().end(),
                  [](const MarginalModel::ColumnModel& one) { return !one.shapes.empty(); });
  nlohmann::ordered_json json{{"format", has_shapes ? kShapedModelFormat : kModelFormat},
                              {"version", kVersion},
                              {"domain_sha256", domain.hash()},
                              {"released_with", guarantee.text()}};
  json.update(marginal_model_json(model));
  if (measurements != nullptr) json["measurements"] = measurements_json(*measurements, domain);
  return json.dump() + "\n";
}

std::string model_sha256(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text);
  json.erase("domain");
  Sha256 hash;
  hash.add(json.dump());
  return hash.hex();
}

ReleasedModel parse_released_model(const std::string& text, const std::string& name) {
  const bool is_object = text.find_first_not_of(" \t\r\n") != text.npos &&
                         text[text.find_first_not_of(" \t\r\n")] == '{';
  if (is_object) require_json(text, name);
  const auto json = is_object ? nlohmann::ordered_json::parse(text) : nlohmann::ordered_json();
  const auto format = is_object ? json.value("format", nlohmann::ordered_json()) : json;
  if (format != kModelFormat && format != kShapedModelFormat) {
    refuse_input("wrong-kind-of-file", "model",
                 "{} is not a model in the format \"{}\" or \"{}\": {} writes a model of {}", name,
                 kModelFormat, kShapedModelFormat,
                 words_of_speech("mollify sample --model-out", "release.model.write", "release()"),
                 kPublishedModels.text());
  }
  const auto hash = json.find("domain_sha256");
  refuse_if(hash == json.end() || !hash->is_string(), "missing-key", "model",
            "{} must have a hash at /domain_sha256", name);
  return {hash->get<std::string>(), marginal_model_from_json(json, name)};
}

bool is_model_of(const ReleasedModel& released, const Domain& domain) {
  const auto& columns = released.model.columns();
  bool fits = domain.hash() == released.domain_sha256 && domain.columns().size() == columns.size();
  for (std::size_t i = 0; fits && i < columns.size(); ++i) {
    fits = domain.columns()[i].size() == columns[i].groups.of.size();
    for (const CellShape& shape : columns[i].shapes) {
      fits = fits && shape.ends.back() == domain.columns()[i].points(shape.cell);
    }
  }
  return fits;
}

std::optional<Measurements> released_measurements(const Json& json, const Domain& domain,
                                                  const std::string& name) {
  if (!json.contains("measurements")) return std::nullopt;
  return measurements_from_json(json["measurements"], domain, name);
}

namespace {

/// The cells that each column's groups may be written as, under what is given.
class RowsUnderRules {
 public:
  using Groups = std::vector<MarginalModel::GroupCells>;

  RowsUnderRules(const MarginalModel& model, const PossibleRecords& possible,
                 const std::vector<Evidence>& given)
      : model_(model), possible_(possible), graph_(model.graph()) {
    for (std::size_t i = 0; i < model.columns().size(); ++i) {
      groups_.push_back(possible.is_compared(i) ? all_cells(model.columns()[i]) : model.groups(i));
    }
    const std::vector<std::vector<bool>> kept = kept_cells(given);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i].empty()) keep(i, kept[i]);
    }
    CellLists lists(groups_.size());
    std::vector<GraphicalModel::Potential> empty;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      std::vector<double> values;
      for (const MarginalModel::GroupCells& group : groups_[i]) {
        lists[i].push_back(group.cells);
        values.push_back(group.cells.empty() ? kImpossible : 0);
      }
      if (std::count(values.begin(), values.end(), 0.0) < std::ssize(values)) {
        empty.push_back({{i}, std::move(values)});
      }
    }
    // A model of method marginals has these potentials already.
    graph_ = graph_.times(empty).times(potentials_of(possible, lists));
    // Of every value some record is possible, so that without given ones nothing is refused.
    if (!given.empty() && !graph_.is_possible()) refuse_given();
  }

  [[nodiscard]] ModelRows rows(std::size_t count, const RandomWords& words) const {
    return graph_.sample(count, words);
  }

  /// Cells and values of a record of groups; false if no values of these keep the rules.
  template <class Random>
  [[nodiscard]] bool fill(std::span<const std::uint32_t> groups, Random& random,
                          std::span<std::uint32_t> digits, std::span<std::uint64_t> points) const {
    std::vector<PossibleRecords::Candidates> candidates;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const MarginalModel::GroupCells& group = groups_[i][groups[i]];
      candidates.push_back({group.cells, group.sums, model_.columns()[i].shapes});
      if (possible_.is_compared(i) || possible_.follows(i)) continue;
      digits[i] = group.cells.size() == 1 ? group.cells.front() : group.at(random.word());
    }
    return possible_.fill(candidates, random, digits, points);
  }

  /// A record for groups that have none: other values of the compared columns, if that helps, else
  /// the possible record in place of it.
  template <class Random>
  void fill_widely(std::span<const std::uint32_t> groups, const std::vector<Evidence>& given,
                   Random& random, std::span<std::uint32_t> digits,
                   std::span<std::uint64_t> points) const {
    std::vector<MarginalModel::GroupCells> wide(groups.size());
    std::vector<PossibleRecords::Candidates> candidates;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const MarginalModel::GroupCells& own = groups_[i][groups[i]];
      digits[i] = possible_.follows(i) ? 0 : own.cells.front();
      const auto classes = possible_.classes(i);
      for (std::size_t g = 0; possible_.is_compared(i) && g < groups_[i].size(); ++g) {
        const MarginalModel::GroupCells& group = groups_[i][g];
        if (group.cells.empty() || classes[group.cells.front()] != classes[digits[i]]) continue;
        add(group, wide[i]);
      }
      const MarginalModel::GroupCells& taken = wide[i].cells.empty() ? own : wide[i];
      candidates.push_back({taken.cells, taken.sums, model_.columns()[i].shapes});
    }
    if (possible_.fill(candidates, random, digits, points)) return;
    possible_.map(digits);
    possible_.draw_points(digits, random, points);
    for (const Evidence& one : given) {
      if (digits[one.column] != one.value) refuse_given();
    }
  }

 private:
  [[noreturn]] static void refuse_given() {
    refuse_input("contradictory-rules", "given",
                 "the given values must keep the domain's rules together, but no record of the "
                 "model does");
  }

  /// Adds a group's cells to others of the column.
  static void add(const MarginalModel::GroupCells& group, MarginalModel::GroupCells& to) {
    MarginalModel::GroupCells all;
    double before = 0, before_to = 0;
    for (std::size_t i = 0, j = 0; i < group.cells.size() || j < to.cells.size();) {
      const bool is_own =
          j == to.cells.size() || (i < group.cells.size() && group.cells[i] < to.cells[j]);
      const double sum = is_own ? group.sums[i] : to.sums[j];
      const double share = sum - std::exchange(is_own ? before : before_to, sum);
      all.cells.push_back(is_own ? group.cells[i++] : to.cells[j++]);
      all.sums.push_back((all.sums.empty() ? 0 : all.sums.back()) + share);
    }
    to = std::move(all);
  }

  /// The cells of a compared column's groups, with those that noise has hidden: without them rules
  /// may leave nothing of a group.
  static Groups all_cells(const MarginalModel::ColumnModel& column) {
    constexpr double kHidden = 1e-12;
    Groups groups(column.groups.count);
    for (std::uint32_t cell = 0; cell < column.shares.size(); ++cell) {
      MarginalModel::GroupCells& group = groups[column.groups.of[cell]];
      const double before = group.sums.empty() ? 0 : group.sums.back();
      group.cells.push_back(cell);
      group.sums.push_back(before + std::max(column.shares[cell], kHidden));
    }
    return groups;
  }

  /// Of each column that is drawn, whether a cell gives it and those that follow from it their given
  /// values; empty where nothing is given.
  [[nodiscard]] std::vector<std::vector<bool>> kept_cells(
      const std::vector<Evidence>& given) const {
    std::vector<std::vector<bool>> kept(groups_.size());
    for (const Evidence& one : given) {
      std::size_t column = one.column;
      std::vector<std::size_t> path;  // of columns that follow, up to the one that is drawn
      while (possible_.follows(column)) {
        path.push_back(column);
        column = possible_.source_of(column);
      }
      const std::size_t size = model_.columns()[column].groups.of.size();
      kept[column].resize(size, true);
      for (std::uint32_t cell = 0; cell < size; ++cell) {
        std::uint32_t followed = cell;
        for (auto at = path.rbegin(); at != path.rend(); ++at) {
          followed = possible_.following_cell(*at, followed);
        }
        if (followed != one.value) kept[column][cell] = false;
      }
    }
    return kept;
  }

  /// Leaves a column the kept cells.
  void keep(std::size_t column, const std::vector<bool>& is_kept) {
    for (MarginalModel::GroupCells& group : groups_[column]) {
      MarginalModel::GroupCells kept;
      double before = 0;
      for (std::size_t i = 0; i < group.cells.size(); ++i) {
        const double share = group.sums[i] - before;
        before = group.sums[i];
        if (!is_kept[group.cells[i]]) continue;
        kept.cells.push_back(group.cells[i]);
        kept.sums.push_back((kept.sums.empty() ? 0 : kept.sums.back()) + share);
      }
      group = std::move(kept);
    }
    const auto is_empty = [](const MarginalModel::GroupCells& group) {
      return group.cells.empty();
    };
    if (!std::all_of(groups_[column].begin(), groups_[column].end(), is_empty)) return;
    // Noise has hidden the value, which may be given all the same.
    const std::vector<std::uint32_t>& of = model_.columns()[column].groups.of;
    for (std::uint32_t cell = 0; cell < of.size(); ++cell) {
      if (!is_kept[cell]) continue;
      MarginalModel::GroupCells& group = groups_[column][of[cell]];
      group.cells.push_back(cell);
      group.sums.push_back(static_cast<double>(group.cells.size()));
    }
  }

  const MarginalModel& model_;
  const PossibleRecords& possible_;
  GraphicalModel graph_;
  std::vector<Groups> groups_;
};

}  // namespace

template <class Random>
void write_rows(const MarginalModel& model, std::uint64_t count, const std::vector<Evidence>& given,
                Random& random, RecordWriter& writer, const SeeCells& see) {
  std::vector<std::uint32_t> record(model.columns().size());
  std::vector<std::uint32_t> digits(record.size());
  std::vector<std::uint64_t> points(record.size());
  std::optional<RowsUnderRules> under_rules;
  const PossibleRecords* const possible = writer.domain().possible();
  if (possible != nullptr) under_rules.emplace(model, *possible, given);
  const auto words = [&, drawn = std::uint32_t{0}]() mutable {
    if (++drawn % 1024 == 0) keep_going();
    return random.word();
  };
  // Groups without a possible record are drawn again, a public number of times.
  std::uint64_t again = kMostAgain * count;
  Progress progress("rows", count);
  for (std::uint64_t left = count; left > 0;) {
    progress.reached(count - left);
    const auto now = static_cast<std::size_t>(std::min(left, kRowsAtOnce));
    left -= now;
    const ModelRows rows =
        under_rules ? under_rules->rows(now, words) : model.rows(now, words, given);
    std::vector<std::uint32_t> order(now);
    for (std::uint32_t i = 0; i < now; ++i) order[i] = i;
    // As the kernel's shuffle, which takes no seeded words.
    for (std::size_t rest = now; rest > 1; --rest) {
      std::swap(order[rest - 1], order[random.below(rest)]);
    }
    for (const std::uint32_t row : order) {
      for (std::size_t i = 0; i < record.size(); ++i) record[i] = rows[i][row];
      if (under_rules && !under_rules->fill(record, random, digits, points)) {
        if (again > 0) {
          --again;
          ++left;
          continue;
        }
        under_rules->fill_widely(record, given, random, digits, points);
      } else if (!under_rules) {
        digits = record;
      }
      for (std::size_t i = 0; i < digits.size(); ++i) {
        if (possible != nullptr && possible->is_compared(i)) continue;
        points[i] = draw_point(model.columns()[i].shapes, digits[i], 0,
                               writer.domain().columns()[i].points(digits[i]), random);
      }
      writer.write_drawn(digits, points);
      if (see) see(digits);
    }
  }
}

template void write_rows(const MarginalModel&, std::uint64_t, const std::vector<Evidence>&,
                         SecureRandom&, RecordWriter&, const SeeCells&);
template void write_rows(const MarginalModel&, std::uint64_t, const std::vector<Evidence>&,
                         SeededRandom&, RecordWriter&, const SeeCells&);

namespace {

/// "; city has Lyon, Metz, Nancy": ten values of a column that declares them; of others nothing.
std::string declared_words(const Column& column) {
  constexpr std::uint32_t kMostListed = 10;
  const auto* const categories = std::get_if<Categories>(&column.cells());
  if (categories == nullptr) return "";
  std::vector<std::string> values;
  for (std::uint32_t cell = 0; cell < std::min(categories->size(), kMostListed); ++cell) {
    values.emplace_back(categories->value(cell));
  }
  return fmt::format("; \"{}\" has {}{}", column.name(), list_words(values),
                     categories->size() > kMostListed ? ", ..." : "");
}

}  // namespace

namespace {

/// To give this value of a column instead; of the caller's choice if the column or value is empty.
WayOut to_give(const std::string& column, const std::string& value) {
  if (column.empty() || value.empty()) return WayOut::set("given");
  Json object;
  object[column] = value;
  const std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  return WayOut::set("given",
                     std::string(words_of_speech(fmt::format("{}={}", column, value), text, text)));
}

}  // namespace

std::vector<Message> measured_warnings(const Measurements& made) {
  if (!made.may_be_independent()) return {};
  const bool is_laplace = made.noise == "discrete-laplace";
  const MeasuredDistances::Mean rows = made.error->mean(is_laplace);
  const MeasuredDistances::Mean independent = made.independent->mean(is_laplace);
  return {{.code = "as-if-independent",
           .verdict =
               "two columns together may be as far from the table as if columns were independent",
           .reason = fmt::format("the rows' measured error is {:.3g} (95 %: at most {:.3g}), and "
                                 "independent columns have {:.3g} (at least {:.3g})",
                                 rows.mean, rows.most, independent.mean, independent.least),
           .clauses =
               {"a dependence in the rows may be noise, but noisy counts of a question's columns "
                "have error bars"},
           .remedy = {.told = {WayOut::have("records", ""), WayOut::set("epsilon"),
                               WayOut::set("questions")}},
           .quantities = {{"error", rows.mean, "total variation"},
                          {"most", rows.most, "total variation"},
                          {"independent", independent.mean, "total variation"},
                          {"least", independent.least, "total variation"}}}};
}

Evidence evidence_of(const Domain& domain, std::string_view column, std::string_view value) {
  Concern given("given");
  given.column = column;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& asked = domain.columns()[i];
    if (asked.name() != column) continue;
    const Value field = value.empty() ? Value() : Value(value);
    const Verdict verdict = asked.read(field).verdict;
    if (verdict == Verdict::kValue || verdict == Verdict::kNull) return {i, asked.encode(field)};
    const std::string nearest = did_you_mean(asked, value);
    refuse_input("unknown-value", given, {to_give(asked.name(), nearest_word(asked, value))},
                 "\"{}\" in given must be {}, but is \"{}\"{}", column, asked.expectation(), value,
                 nearest.empty() ? declared_words(asked) : nearest);
  }
  std::vector<std::string> known;
  for (const Column& one : domain.columns()) known.push_back(one.name());
  refuse_input("unknown-column", given, {to_give(nearest_name(column, known), std::string(value))},
               "the model has no column \"{}\"; it has {}{}", column, list_words(known),
               did_you_mean(column, known));
}

}  // namespace mollify
