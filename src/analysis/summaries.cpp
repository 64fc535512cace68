#include "analysis/summaries.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/possible.h"
#include "methods/divergence/f_divergence.h"
#include "methods/graphical/measurements.h"
#include "records/private_table.h"
#include "release/certificate.h"
#include "release/release_error.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How many values of private data a release takes for others.

MappedCounts::MappedCounts(const Domain& domain) : domain_(domain) {
  if (domain.possible() != nullptr) {
    for (const DomainRule& rule : domain.possible()->rules())
      rules_.emplace(rule.name, rules_.size());
  }
  for (const Column& column : domain.columns())
    columns_.emplace(column.name(), rules_.size() + columns_.size());
}

void MappedCounts::see(const Finding& finding) {
  if (!finding.rule.empty()) {
    ++counts_[{
        .place = rules_.at(finding.rule), .column = "", .becomes = "", .rule = finding.rule}];
    return;
  }
  if (finding.becomes.empty()) return;
  const HowMapped how = finding.is_declared  ? HowMapped::kDeclared
                        : finding.by_default ? HowMapped::kDefault
                                             : HowMapped::kAsFound;
  // A column of weights or of units comes last.
  const auto known = columns_.find(finding.column);
  const std::size_t place =
      known == columns_.end() ? rules_.size() + columns_.size() : known->second;
  ++counts_[{.place = place,
             .column = std::string(finding.column),
             .becomes = finding.becomes,
             .how = how}];
}

void MappedCounts::add_nulls(const CheckCounts& counts) {
  for (std::size_t i = 0; i < domain_.columns().size(); ++i) {
    const Column& column = domain_.columns()[i];
    if (counts.nulls[i] == 0) continue;
    const bool stay = column.mapping().null_is_category;
    counts_[{.place = columns_.at(column.name()),
             .column = column.name(),
             .becomes = stay ? "null" : null_text(column),
             .are_nulls = true,
             .how = stay ? HowMapped::kStays : HowMapped::kDeclared}] += counts.nulls[i];
  }
}

std::string MappedCounts::lines(std::uint64_t most) const {
  std::string lines;
  std::uint64_t subjects = 0, columns = 0, rules = 0;
  const std::string* before = nullptr;
  for (const auto& [what, values] : counts_) {
    const bool is_rule = !what.rule.empty();
    const bool begins = is_rule || before == nullptr || *before != what.column;
    before = &what.column;
    if (begins) ++subjects;
    if (subjects > most) {
      if (begins) ++(is_rule ? rules : columns);
      continue;
    }
    if (!what.rule.empty()) {
      lines += fmt::format("rule {}: {} {} it and {} to keep it\n", in_quotes(printable(what.rule)),
                           counted(values, "record"), values == 1 ? "breaks" : "break",
                           values == 1 ? "changes" : "change");
      continue;
    }
    const bool stays = what.how == HowMapped::kStays;
    lines += fmt::format("{}: {} {}{} {}{}\n", printable(what.column),
                         counted(values, what.are_nulls ? "null" : "value"),
                         stays ? "stay" : "become", values == 1 ? "s" : "", printable(what.becomes),
                         what.how == HowMapped::kDefault    ? " (default)"
                         : what.how == HowMapped::kDeclared ? " (declared)"
                                                            : "");
  }
  std::vector<std::string> more;
  if (columns > 0) more.push_back(counted(columns, "more column"));
  if (rules > 0) more.push_back(counted(rules, "more rule"));
  if (!more.empty())
    lines += fmt::format("... and {} (see {})\n", fmt::join(more, " and "), flag_words("most"));
  return lines;
}

Json MappedCounts::json() const {
  Json list = Json::array();
  for (const auto& [what, values] : counts_) {
    if (what.how == HowMapped::kStays) continue;
    if (!what.rule.empty()) {
      list.push_back({{"rule", what.rule}, {"records", values}});
      continue;
    }
    list.push_back({{"column", what.column},
                    {"values", values},
                    {"become", what.becomes},
                    {"nulls", what.are_nulls},
                    {"default", what.how == HowMapped::kDefault},
                    {"declared", what.how == HowMapped::kDeclared}});
  }
  return list;
}

Json MappedCounts::nulls_json() const {
  Json list = Json::array();
  for (const auto& [what, values] : counts_) {
    if (what.how != HowMapped::kStays) continue;
    list.push_back({{"column", what.column}, {"nulls", values}});
  }
  return list;
}

bool is_repeatable(const Source& data) {
  try {
    data.require_repeatable();
    return true;
  } catch (const InvalidInput&) {
    return false;
  }
}

MappedCounts mapped_counts(const Source& data, const Domain& domain) {
  MappedCounts mapped(domain);
  if (!is_repeatable(data)) return mapped;
  std::vector<std::string> names;
  for (const Column& column : domain.columns()) names.push_back(column.name());
  CheckCounts counts;
  counts.nulls.resize(names.size());
  std::vector<Value> record(names.size());
  data.visit(wanted_columns(data, names), [&](const Block& block) {
    keep_going();
    for (std::size_t row = 0; domain.possible() != nullptr && row < block.rows; ++row) {
      for (std::size_t i = 0; i < names.size(); ++i) record[i] = block.columns[i][row];
      for (const Finding& finding : broken_rules(domain, record)) mapped.see(finding);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Column& column = domain.columns()[i];
      for (std::size_t row = 0; row < block.rows; ++row) {
        const Value value = block.columns[i][row];
        if (const auto finding = finding_of(column, value)) mapped.see(*finding);
        if (!column.mapping().null_is_category && column.read(value).verdict == Verdict::kNull) {
          ++counts.nulls[i];
        }
      }
    }
  });
  mapped.add_nulls(counts);
  return mapped;
}

void add_caveats(Answer& answer, const Domain& domain, const Source& data,
                 const std::vector<std::string>& represented) {
  const MappedCounts mapped = mapped_counts(data, domain);
  const std::string lines = mapped.lines();
  answer.add("mapped", mapped.json(),
             lines.empty() ? "\n" : "\nIn the data, before anything is compared:\n" + lines);
  answer.add("represents", represented);
  for (const std::string& sentence : represented) answer.say(sentence + "\n");
  for (Message& warning : domain.warnings()) answer.warn(std::move(warning));
}

// -----------------------------------------------------------------------------------------------
// The means of a table's own numbers, next to the means of their bins.

namespace {

std::optional<double> number_in(const Value& value, double min, double max) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return read_number_of(*text, min, max);
  }
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::nullopt;
}

/// The numbers of one column, and the middles of its cells.
class ColumnNumbers {
 public:
  /// Requires integers or numbers.
  explicit ColumnNumbers(const Column& column) : column_(column) {
    if (const auto* integers = std::get_if<IntegerCells>(&column.cells())) {
      min_ = static_cast<double>(integers->min());
      max_ = static_cast<double>(integers->max());
      are_whole_ = true;
    } else {
      const auto& numbers = std::get<NumberCells>(column.cells());
      min_ = numbers.min();
      max_ = numbers.max();
    }
    const auto declared = [this](const std::optional<std::string>& value) {
      return value ? read_number_of(*value, min_, max_) : std::nullopt;
    };
    null_ = declared(column.mapping().null_value);
    outside_ = declared(column.mapping().outside_value);
  }

  /// As the column reads it; empty for a null that is a category.
  [[nodiscard]] std::optional<double> read(const Value& value) const {
    const Verdict verdict = column_.read(value).verdict;
    switch (verdict) {
      case Verdict::kNull:
        return null_;
      case Verdict::kOutside:
      case Verdict::kNotWhole:
      case Verdict::kUnreadable:
        // Declared and no number: null.
        if (column_.mapping().outside_value) return outside_;
        if (verdict == Verdict::kUnreadable) return null_;
        break;
      case Verdict::kValue:
        if (column_.encode(value) >= column_.cell_count()) return std::nullopt;  // a missing code
        break;
    }
    const double number = number_in(value, min_, max_).value_or(min_);
    if (std::isnan(number)) return min_;
    return std::clamp(are_whole_ ? std::round(number) : number, min_, max_);
  }

  [[nodiscard]] double middle(const Value& value) const {
    return number_of_level(column_, column_.encode(value)).value_or(0);
  }

 private:
  const Column& column_;
  std::optional<double> outside_;
  std::optional<double> null_;
  double min_ = 0;
  double max_ = 0;
  bool are_whole_ = false;
};

/// Of the numbers of one column in one unit.
struct Sums {
  double weight = 0;
  double numbers = 0;  ///< from the first number on, so that squares do not cancel
  double squares = 0;
  double middles = 0;

  void add(const Sums& other, double factor) {
    weight += factor * other.weight;
    numbers += factor * other.numbers;
    squares += factor * other.squares;
    middles += factor * other.middles;
  }
};

}  // namespace

bool OwnMean::is_moved() const { return has_bins && std::abs(in_bins - mean) > deviation / 10; }

std::vector<std::optional<OwnMean>> own_means(const Source& source, const Domain& domain,
                                              const UnitColumns& unit,
                                              const std::optional<Roster>& roster,
                                              bool units_have_weights) {
  std::vector<std::optional<OwnMean>> means(domain.columns().size());
  if (!is_repeatable(source)) return means;
  std::vector<std::string> names;
  std::vector<std::size_t> places;  // in the domain
  std::vector<ColumnNumbers> columns;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (!is_numeric(column.cells())) continue;
    names.push_back(column.name());
    places.push_back(i);
    columns.emplace_back(column);
  }
  const std::size_t width = columns.size();
  Units units(roster);
  std::vector<double> records;  // of each unit
  std::vector<Sums> sums;       // of each of its columns
  std::vector<std::optional<double>> first(width);
  source.visit(wanted_columns(source, names, unit), [&](const Block& block) {
    keep_going();
    std::span<const std::uint32_t> of;
    if (unit) of = units.of(block.columns.subspan(width));
    records.resize(unit ? units.size() : 1);
    sums.resize(records.size() * width);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::size_t at = unit ? of[row] : 0;
      if (unit && of[row] == Units::kNobody) continue;
      const auto weight = static_cast<double>(block.amount(row));
      records[at] += weight;
      for (std::size_t i = 0; i < width; ++i) {
        const Value value = block.columns[i][row];
        const auto number = columns[i].read(value);
        if (!number) continue;
        if (!first[i]) first[i] = *number;
        const double moved = *number - *first[i];
        sums[at * width + i].add({1, moved, moved * moved, columns[i].middle(value)}, weight);
      }
    }
  });
  const auto weights = source.weights();
  const auto counts_as = [&](double of_unit) {
    if (!weights || !units_have_weights) return 1.0;
    return std::fmin(of_unit, static_cast<double>(weights->greatest));
  };
  for (std::size_t i = 0; i < width; ++i) {
    Sums all;
    for (std::size_t at = 0; at < records.size(); ++at) {
      if (records[at] > 0) all.add(sums[at * width + i], counts_as(records[at]) / records[at]);
    }
    if (!(all.weight > 0)) continue;
    const double moved = all.numbers / all.weight;
    means[places[i]] =
        OwnMean{.mean = *first[i] + moved,
                .deviation = std::sqrt(std::max(0.0, all.squares / all.weight - moved * moved)),
                .in_bins = all.middles / all.weight,
                .has_bins = has_bins(domain.columns()[places[i]])};
  }
  return means;
}

bool has_bins(const Column& column) {
  const Cells& cells = column.cells();
  if (has_private_bins(cells)) return true;
  if (const auto* numbers = std::get_if<NumberCells>(&cells); numbers && numbers->are_uncut()) {
    return false;
  }
  for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
    if (column.points(cell) > 1) return true;
  }
  return false;
}

std::string within_bins(const Domain& domain) {
  const auto& columns = domain.columns();
  return std::any_of(columns.begin(), columns.end(), has_bins) ? "within the declared bins, " : "";
}

// -----------------------------------------------------------------------------------------------
// Laws over a domain.

namespace {

constexpr std::size_t kMostLevels = 12;

/// The mean over the levels that are numbers, if any.
std::optional<double> mean_of(const Column& column, std::span<const double> shares) {
  double sum = 0;
  double mass = 0;
  for (std::uint32_t level = 0; level < column.size(); ++level) {
    if (const auto number = number_of_level(column, level)) {
      sum += shares[level] * *number;
      mass += shares[level];
    }
  }
  if (!(mass > 0)) return std::nullopt;
  return sum / mass;
}

/// The effect of bins alone on means, if it is large.
std::string moved_means_text(const Domain& domain, std::span<const std::optional<OwnMean>> own) {
  std::string text;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!own[i] || !own[i]->is_moved()) continue;
    const Column& column = domain.columns()[i];
    text += fmt::format(
        "WARNING: {}: its mean {:.4g} becomes {:.4g} by the bins alone; cut it finer where "
        "values lie{}\n",
        printable(column.name()), own[i]->mean, own[i]->in_bins,
        std::holds_alternative<NumberCells>(column.cells()) ? ", or give it spikes" : "");
  }
  return text;
}

}  // namespace

std::optional<double> number_of_level(const Column& column, std::uint32_t level) {
  if (level >= column.cell_count()) return std::nullopt;
  const auto as_number = [](const Value& value) -> std::optional<double> {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&value)) return *number;
    return std::nullopt;
  };
  const auto least = as_number(column.value(level, 0));
  const auto greatest = as_number(column.value(level, column.points(level) - 1));
  if (!least || !greatest) return std::nullopt;
  return *least / 2 + *greatest / 2;
}

std::string heading_of(std::string_view name) {
  if (name == "truth") return "real data";
  return name == "law" ? "output" : std::string(name);
}

std::string level_text(const Column& column, std::uint32_t level) {
  std::string text;
  column.write(level, 0, text);
  if (text.empty()) text = "-";
  if (const std::uint64_t points = column.points(level); points > 1) {
    text += "..";
    column.write(level, points - 1, text);
  }
  return text;
}

namespace {

/// "20..29" for neighbouring levels of an ordered column.
std::string run_text(const Column& column, std::uint32_t first, std::uint32_t last) {
  if (column.mapping().null_is_category && first + 1 == column.size()) return "null";
  if (first == last) return list_item(level_text(column, first));
  std::string text;
  column.write(first, 0, text);
  text += "..";
  column.write(last, column.points(last) - 1, text);
  return list_item(text);
}

/// What is counted together, of each group of a column's cells.
std::vector<std::string> group_texts(const Column& column, const CellGroups& groups) {
  constexpr std::size_t kMostListed = 5;
  std::vector<std::vector<std::string>> runs(groups.count);
  std::vector<std::uint64_t> left_out(groups.count);
  const std::uint32_t ordered = is_ordered(column.cells()) ? column.cell_count() : 0;
  for (std::uint32_t first = 0; first < column.size();) {
    const std::uint32_t group = groups.of[first];
    std::uint32_t end = first + 1;
    while (end < ordered && groups.of[end] == group) ++end;
    if (runs[group].size() < kMostListed) {
      runs[group].push_back(run_text(column, first, end - 1));
    } else {
      left_out[group] += end - first;
    }
    first = end;
  }
  std::vector<std::string> texts;
  for (std::uint32_t group = 0; group < groups.count; ++group) {
    if (left_out[group] > 0) runs[group].push_back(counted(left_out[group], "other"));
    texts.push_back(fmt::format("{}", fmt::join(runs[group], " or ")));
  }
  return texts;
}

}  // namespace

MeasuredCounts measured_counts(const Measurements& measurements, const Domain& domain) {
  MeasuredCounts made;
  for (std::size_t at = 0; at < measurements.tables.size(); ++at) {
    const MeasuredTable& table = measurements.tables[at];
    std::string names;
    std::vector<std::string> cells(1);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = domain.columns()[table.columns[i]];
      const std::vector<std::string> texts = group_texts(column, table.groups[i]);
      const char* const comma = i == 0 ? "" : ", ";
      names += comma + column.name();
      std::vector<std::string> longer;
      for (const std::string& cell : cells) {
        for (const std::string& text : texts) longer.push_back(cell + comma + text);
      }
      cells = std::move(longer);
    }
    const double deviation = std::sqrt(table.variance) * measurements.step;
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      made.table.push_back(at);
      made.columns.push_back(names);
      made.cells.push_back(std::move(cells[cell]));
      made.count.push_back(table.counts[cell] * measurements.step);
      made.standard_deviation.push_back(deviation);
    }
  }
  return made;
}

namespace {

constexpr std::uint32_t kMostByThemselves = 40;
constexpr std::uint32_t kGroups = 16;
constexpr std::size_t kMostWords = 1000;

/// The groups in which a column's levels are counted: each level, or neighbours together.
class CountedLevels {
 public:
  explicit CountedLevels(const Column& column) : column_(column) {
    is_ordered_ = is_ordered(column.cells());
    values_ = column.cell_count();
    if (!is_ordered_ || values_ <= kMostByThemselves) return;
    groups_ = kGroups;
    spikes_ = spike_cells(column.cells());
  }

  void add(std::span<const std::uint32_t> levels) {
    for (const std::uint32_t level : levels) ++counts_[place_of(level)];
  }

  [[nodiscard]] Json json() const {
    Json levels = Json::array();
    Json counts = Json::array();
    const auto list = [&](std::uint32_t place, std::uint64_t count) {
      levels.push_back(printable(text_of(place)));
      counts.push_back(count);
    };
    Json found{{"name", printable(column_.name())}};
    if (is_ordered_ || column_.size() <= kMostByThemselves) {
      for (std::uint32_t place = 0; place < places(); ++place) {
        const auto at = counts_.find(place);
        list(place, at == counts_.end() ? 0 : at->second);
      }
    } else {
      std::vector<std::pair<std::uint32_t, std::uint64_t>> order(counts_.begin(), counts_.end());
      std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
      });
      std::uint64_t others = 0;
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (i < kMostWords) list(order[i].first, order[i].second);
        if (i >= kMostWords) others += order[i].second;
      }
      found["others"] = {{"levels", column_.size() - levels.size()}, {"count", others}};
    }
    found["levels"] = std::move(levels);
    found["counts"] = std::move(counts);
    return found;
  }

 private:
  /// A group, or behind all groups a spike or null.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t level) const {
    if (groups_ == 0) return level;
    const auto spike = std::lower_bound(spikes_.begin(), spikes_.end(), level);
    const auto before = static_cast<std::uint32_t>(spike - spikes_.begin());
    if (level >= values_) return groups_ + before + (level - values_);
    if (spike != spikes_.end() && *spike == level) return groups_ + before;
    return static_cast<std::uint32_t>(std::uint64_t{level} * groups_ / values_);
  }
  [[nodiscard]] std::uint32_t places() const {
    if (groups_ == 0) return column_.size();
    return groups_ + static_cast<std::uint32_t>(spikes_.size()) + column_.codes_and_nulls();
  }
  /// The least level of a group.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t group) const {
    return static_cast<std::uint32_t>((std::uint64_t{group} * values_ + groups_ - 1) / groups_);
  }
  [[nodiscard]] std::string text_of(std::uint32_t place) const {
    if (column_.mapping().null_is_category && place + 1 == places()) return "(null)";
    if (groups_ == 0) return level_text(column_, place);
    if (place >= groups_) {
      const std::size_t own = place - groups_;
      return level_text(column_, own < spikes_.size()
                                     ? spikes_[own]
                                     : values_ + static_cast<std::uint32_t>(own - spikes_.size()));
    }
    const std::uint32_t last = first_of(place + 1) - 1;
    std::string text;
    column_.write(first_of(place), 0, text);
    text += "..";
    column_.write(last, column_.points(last) - 1, text);
    return text;
  }

  const Column& column_;
  bool is_ordered_ = false;
  std::uint32_t values_ = 0;  // levels that are no null and no missing code
  std::uint32_t groups_ = 0;  // 0: each level by itself
  std::vector<std::uint32_t> spikes_;
  std::unordered_map<std::uint32_t, std::uint64_t> counts_;
};

}  // namespace

Json level_counts(const Domain& domain, const Source& rows) {
  std::vector<CountedLevels> columns;
  for (const Column& column : domain.columns()) columns.emplace_back(column);
  visit_digits(rows, domain,
               [&](std::span<const std::span<const std::uint32_t>> digits,
                   std::span<const std::uint64_t> /*weights*/) {
                 for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(digits[i]);
               });
  Json found = Json::array();
  for (const CountedLevels& column : columns) found.push_back(column.json());
  return found;
}

void require_countable_pairs(const Domain& domain) {
  std::vector<std::uint32_t> sizes;
  for (const Column& column : domain.columns()) sizes.push_back(column.size());
  const std::uint64_t cells = PairCounts::cells(sizes);
  if (cells <= PairCounts::kMostCells) return;
  refuse_input(
      "too-much-work", "domain", {WayOut::declare("bins")},
      "columns are compared two at a time, in at most {} cells of all pairs, but there are {}; {}",
      PairCounts::kMostCells, cells, domain.fewer_bins(&PairCounts::are_few));
}

namespace {

/// The cell of several values with nearly all of the table's rows, where a column has one: its
/// shares show nothing then.
std::optional<std::uint32_t> crowded_cell(const Column& column, std::span<const double> shares) {
  constexpr double kNearlyAll = 0.95;
  for (std::uint32_t cell = 0; cell < column.cell_count(); ++cell) {
    if (shares[cell] >= kNearlyAll && column.points(cell) > 1) return cell;
  }
  return std::nullopt;
}

/// Shares and means of each column, with the means of the table's own numbers.
std::string shares_text(const Domain& domain, std::span<const NamedLaw> laws,
                        std::span<const std::optional<OwnMean>> own,
                        std::span<const std::optional<OwnMean>> of_second) {
  // A row is a label and its cells, or a label alone.
  constexpr std::size_t kUsualWidth = 32;
  std::size_t width = kUsualWidth;
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add_row = [&](std::string label, std::string beside) {
    if (!beside.empty()) width = std::max(width, label.size());
    rows.emplace_back(std::move(label), std::move(beside));
  };
  std::string names, crowded;
  for (const NamedLaw& law : laws) names += fmt::format(" {:>10}", heading_of(law.name));
  add_row("share", names);
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    std::vector<std::vector<double>> columns;
    for (const NamedLaw& law : laws) columns.push_back(law.shares(i, i));
    std::vector<std::uint32_t> order(column.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    if (order.size() > kMostLevels) {
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return columns.front()[a] > columns.front()[b];
      });
      order.resize(kMostLevels);
    }
    if (const auto cell = crowded_cell(column, columns.front())) {
      crowded += fmt::format(
          "{}: {:.3g} % of the rows lie in one cell, {}, so shares of cells cannot judge it\n",
          printable(column.name()), 100 * columns.front()[*cell], level_text(column, *cell));
    }
    for (const std::uint32_t level : order) {
      std::string shares;
      for (const auto& of_law : columns) shares += fmt::format(" {:>10.4f}", of_law[level]);
      add_row(
          printable(fmt::format("{} = {}", column.name(), list_item(level_text(column, level)))),
          shares);
    }
    if (column.size() > kMostLevels) {
      add_row(fmt::format("  ... the {} most frequent of {} levels", kMostLevels, column.size()),
              "");
    }
    if (!mean_of(column, columns.front())) continue;
    std::string means;
    for (const auto& of_law : columns) {
      const auto mean = mean_of(column, of_law);
      means += fmt::format(" {:>10}", mean ? fmt::format("{:.5g}", *mean) : "-");
    }
    add_row(printable("mean of " + column.name()), means);
    if (own[i] && own[i]->has_bins) {
      std::string real = fmt::format(" {:>10.5g}", own[i]->mean);
      if (i < of_second.size() && of_second[i]) {
        real += fmt::format(" {:>10.5g}", of_second[i]->mean);
      }
      add_row("  its real mean, without bins", real);
    }
  }
  std::string text = "\n";
  for (const auto& [label, beside] : rows) {
    text += fmt::format("{:<{}}{}\n", label, beside.empty() ? 0 : width, beside);
  }
  return text + crowded + moved_means_text(domain, own);
}

/// How far two-way marginals are from the truth's: what each law's JSON says.
std::string pairs_text(const Json& pairs) {
  std::vector<TableColumn> columns{{"two columns, from the real data", -32, "/what"}, {"", 11}};
  Json mean{{"what", "  mean total variation"}};
  Json worst{{"what", "  worst total variation"}};
  for (const auto& [law, found] : pairs.items()) {
    columns.push_back({heading_of(law), 11, "/" + law, ".4f"});
    mean[law] = found["mean_tv"];
    worst[law] = found["worst_tv"];
  }
  columns.push_back({"", 0, "/where"});
  worst["where"] = fmt::format("  ({})", printable(pairs.front()["worst"].get<std::string>()));
  return "\n" + table_text(columns, Json::array({mean, worst}));
}

}  // namespace

ComparedLaws add_marginals(Answer& answer, const Domain& domain, std::span<const NamedLaw> laws,
                           std::span<const std::optional<OwnMean>> own,
                           std::span<const std::optional<OwnMean>> of_second) {
  Json columns = Json::array();
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    Json levels = Json::array();
    for (std::uint32_t level = 0; level < column.size(); ++level) {
      levels.push_back(level_text(column, level));
    }
    Json json{{"name", column.name()}, {"levels", levels}};
    for (const NamedLaw& law : laws) {
      const std::vector<double> found = law.shares(i, i);
      const auto mean = mean_of(column, found);
      json["shares"][law.name] = found;
      json["means"][law.name] = mean ? Json(*mean) : Json(nullptr);
    }
    const auto crowded = crowded_cell(column, laws.front().shares(i, i));
    json["in_one_cell"] = crowded ? Json(level_text(column, *crowded)) : Json(nullptr);
    if (own[i]) {
      json["without_bins"] = {{"mean", own[i]->mean},
                              {"deviation", own[i]->deviation},
                              {"mean_in_bins", own[i]->in_bins},
                              {"is_moved", own[i]->is_moved()}};
      if (i < of_second.size() && of_second[i]) {
        json["without_bins"][laws[1].name] = {{"mean", of_second[i]->mean},
                                              {"deviation", of_second[i]->deviation}};
      }
    }
    columns.push_back(std::move(json));
  }
  const std::size_t count = domain.columns().size();
  const ComparedLaws compared = compare_laws(count, laws);
  Json pairs = Json::object();
  for (std::size_t i = 1; i < laws.size(); ++i) {
    const LawDistances& found = compared.others[i - 1];
    const auto& [first, second] = found.worst_columns;
    pairs[laws[i].name] = {
        {"mean_tv", found.mean_pair},
        {"worst_tv", found.worst_pair},
        {"worst",
         count < 2 ? "" : domain.columns()[first].name() + ", " + domain.columns()[second].name()},
        {"tv", found.pairs}};
  }
  answer.add("columns", columns, shares_text(domain, laws, own, of_second));
  answer.add("pairs", pairs, count < 2 ? "" : pairs_text(pairs));
  return compared;
}

void add_outcome_laws(Answer& answer, const OutcomeLaws& laws, const Domain& domain,
                      const Source& data, const ReleaseSpec& spec,
                      const std::optional<Roster>& roster) {
  const NamedLaw named[] = {law_over_outcomes("truth", domain, laws.truth),
                            law_over_outcomes("law", domain, laws.law),
                            law_over_outcomes(laws.other_name, domain, laws.other)};
  add_marginals(answer, domain, named,
                own_means(data, domain, spec.unit, roster, !kDrawMethods.has(spec.method)));
  add_caveats(answer, domain, data, represented(spec));
  const bool is_uniform = std::string_view(laws.other_name) == "uniform";
  const DivergenceReport law = divergence_report(laws.truth, laws.law);
  const DivergenceReport other = divergence_report(laws.truth, laws.other);
  answer.add("law", divergence_json(law),
             fmt::format("\nreal data from the output distribution: {}\n", law.text()));
  answer.add(laws.other_name, divergence_json(other),
             fmt::format("real data from {:<24} {}\n",
                         is_uniform ? "uniform:" : "the reference:", other.text()));
}

}  // namespace mollify
