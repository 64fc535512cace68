#include "domain/possible.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/refusal.h"
#include "domain/column.h"
#include "domain/combinations.h"

namespace mollify {

PossibleRecords::PossibleRecords(std::span<const Column> columns,
                                 std::span<const RuleDeclaration> declared) {
  for (const RuleDeclaration& one : declared) {
    try {
      rules_.push_back(read_rule(one, columns));
    } catch (const InvalidInput& error) {
      if (one.line == 0) throw;
      Concern place;
      place.line = one.line;
      throw InvalidInput(error, error.what(), place);
    }
  }
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      refuse_if(rules_[i].name == rules_[j].name, "duplicate-value", Concern("rules"),
                "rules must have distinct names, but two are called \"{}\"", rules_[i].name);
    }
  }
  inside_ = std::make_unique<const Combinations>(combinations_of(columns, rules_));
}

PossibleRecords::~PossibleRecords() = default;

// -----------------------------------------------------------------------------------------------
// Records of cells.

namespace {

/// Whether a choice of a block's comparisons can hold for these cells.
bool can_hold(const Combinations& inside, const RuleBlock& block,
              std::span<const std::uint32_t> digits) {
  const auto& choices = block.choices(inside.combination(block.columns, digits));
  bool any = false;
  for (const auto& way : choices) {
    std::vector<Reach> reaches =
        Combinations::reaches(block, [&](std::size_t column) { return digits.subspan(column, 1); });
    any = block.system.settle(way, reaches) || any;
  }
  return any;
}

/// The nearest of ascending cells.
std::uint32_t nearest(std::span<const std::uint32_t> cells, std::uint32_t to) {
  const auto after = std::lower_bound(cells.begin(), cells.end(), to);
  if (after == cells.begin()) return *after;
  if (after == cells.end()) return *(after - 1);
  return *after - to < to - *(after - 1) ? *after : *(after - 1);
}

/// What a cell becomes if it must be one of these ascending ones: itself, null, or the nearest. A
/// null and a missing code have no nearest value: they become a missing code, the middle value of
/// the column or of the cells, or the first word.
std::uint32_t nearest_of(const Column& column, const std::vector<std::uint32_t>& cells,
                         std::uint32_t to) {
  const bool has_null = column.mapping().null_is_category && cells.back() + 1 == column.size();
  if (std::binary_search(cells.begin(), cells.end(), to)) return to;
  if (has_null) return cells.back();
  if (to < column.cell_count()) return nearest(cells, to);
  const auto missing = std::lower_bound(cells.begin(), cells.end(), column.cell_count());
  if (missing != cells.end()) return nearest({missing, cells.end()}, to);
  if (!is_ordered(column.cells())) return cells.front();
  const std::uint32_t middle = middle_cell(column);
  return std::binary_search(cells.begin(), cells.end(), middle) ? middle
                                                                : cells[(cells.size() - 1) / 2];
}

/// The cell of the place.
std::uint32_t cell_at(const Reach& reach, double place) {
  return *std::partition_point(reach.cells.begin(), reach.cells.end(),
                               [&](std::uint32_t one) { return reach.axis->last(one) < place; });
}

/// Moves the compared columns' cells to the nearest ones that are possible together, column by
/// column, those that rules are about last.
void move_to_possible(const Combinations& inside, const RuleBlock& block,
                      std::span<std::uint32_t> digits) {
  const auto& way = block.choices(inside.combination(block.columns, digits)).front();
  std::vector<Reach> reaches =
      Combinations::reaches(block, [&](std::size_t column) -> std::span<const std::uint32_t> {
        return inside.lists[column][inside.classes[column][digits[column]]];
      });
  block.system.settle(way, reaches);  // as was found when the choices were
  for (auto aim = block.aims.rbegin(); aim != block.aims.rend(); ++aim) {
    const std::uint32_t cell = digits[*aim];
    if (cell >= inside.columns[*aim].cell_count()) continue;
    const auto i = static_cast<std::size_t>(
        std::lower_bound(block.compared.begin(), block.compared.end(), *aim) -
        block.compared.begin());
    const std::vector<Reach> before = reaches;
    const auto take = [&](std::uint32_t one) {
      reaches = before;
      digits[*aim] = one;
      return reaches[i].raise(reaches[i].axis->first(one)) &&
             reaches[i].lower(reaches[i].axis->last(one)) && block.system.settle(way, reaches);
    };
    if (take(cell)) continue;
    const PlaceAxis& axis = *before[i].axis;
    const bool is_below = axis.last(cell) < before[i].low;
    if (take(cell_at(before[i], is_below ? before[i].low : before[i].high))) continue;
    if (take(cell_at(before[i], before[i].low))) continue;
    // The lower ends are a solution.
    reaches = before;
    for (Reach& reach : reaches) reach.high = reach.low;
    digits[*aim] = cell_at(before[i], before[i].low);
  }
}

/// The cells of nulls of these columns.
void set_null(const Combinations& inside, std::size_t column, std::span<std::uint32_t> digits) {
  digits[column] = inside.columns[column].size() - 1;
}

bool can_be_null(const Combinations& inside, std::size_t column) {
  return inside.columns[column].mapping().null_is_category;
}

/// Whether the classes of a component's columns can occur together.
bool is_possible(const Combinations& inside, const RuleComponent& component,
                 std::span<const std::uint32_t> digits) {
  const std::size_t place = inside.combination(component.columns, digits);
  return component.target[place] == place;
}

/// A possible record for one whose classes are possible: with nulls where these help, otherwise
/// with moved cells. All of them are tried for every record, so that time hardly depends on it.
void settle_block(const Combinations& inside, const RuleBlock& block,
                  std::span<std::uint32_t> digits) {
  bool done = can_hold(inside, block, digits);
  std::vector<std::uint32_t> tried(digits.begin(), digits.end());
  std::vector<std::uint32_t> all(digits.begin(), digits.end());
  std::vector<std::uint32_t> best(digits.begin(), digits.end());
  const RuleComponent& component = inside.components[block.component];
  const auto offer = [&](const std::vector<std::uint32_t>& made) {
    const bool holds = is_possible(inside, component, made) && can_hold(inside, block, made);
    if (!done && holds) best = made;
    done = done || holds;
  };
  for (const std::size_t aim : block.aims) {
    if (!can_be_null(inside, aim)) continue;
    tried.assign(digits.begin(), digits.end());
    set_null(inside, aim, tried);
    offer(tried);
  }
  for (const std::size_t aim : block.aims) {
    if (!can_be_null(inside, aim)) continue;
    set_null(inside, aim, all);
    offer(all);
  }
  tried.assign(digits.begin(), digits.end());
  move_to_possible(inside, block, tried);
  if (!done) best = tried;
  std::copy(best.begin(), best.end(), digits.begin());
}

bool holds(const Combinations& inside, const RuleComponent& component,
           std::span<const std::uint32_t> digits) {
  return std::all_of(component.blocks.begin(), component.blocks.end(), [&](std::size_t b) {
    return inside.blocks[b].compared.empty() || can_hold(inside, inside.blocks[b], digits);
  });
}

/// Settles one block after the other. A null of one may wake a rule of another; then cells are moved
/// instead, which changes no class, and so wakes none.
void settle_component(const Combinations& inside, const RuleComponent& component,
                      std::span<std::uint32_t> digits) {
  std::vector<std::uint32_t> moved(digits.begin(), digits.end());
  for (const std::size_t b : component.blocks) {
    const RuleBlock& block = inside.blocks[b];
    if (block.compared.empty()) continue;
    if (!can_hold(inside, block, moved)) move_to_possible(inside, block, moved);
    settle_block(inside, block, digits);
  }
  if (is_possible(inside, component, digits) && holds(inside, component, digits)) return;
  std::copy(moved.begin(), moved.end(), digits.begin());
}

void set_followers(const Combinations& inside, std::span<std::uint32_t> digits) {
  for (const std::size_t column : inside.following_order) {
    const FollowingDigits& following = *inside.follows[column];
    digits[column] = following.map[digits[following.from]];
  }
}

}  // namespace

bool PossibleRecords::has(std::span<const std::uint32_t> digits) const noexcept {
  for (const std::size_t column : inside_->following_order) {
    const FollowingDigits& following = *inside_->follows[column];
    if (digits[column] != following.map[digits[following.from]]) return false;
  }
  for (const RuleComponent& component : inside_->components) {
    if (!is_possible(*inside_, component, digits)) return false;
  }
  return std::all_of(inside_->blocks.begin(), inside_->blocks.end(), [&](const RuleBlock& block) {
    return block.compared.empty() || can_hold(*inside_, block, digits);
  });
}

void PossibleRecords::map(std::span<std::uint32_t> digits) const noexcept {
  for (const RuleComponent& component : inside_->components) {
    std::size_t target = component.target[inside_->combination(component.columns, digits)];
    for (std::size_t i = component.columns.size(); i-- > 0;) {
      const std::size_t column = component.columns[i];
      const std::size_t count = inside_->class_count(column);
      digits[column] = nearest_of(inside_->columns[column], inside_->lists[column][target % count],
                                  digits[column]);
      target /= count;
    }
    settle_component(*inside_, component, digits);
  }
  set_followers(*inside_, digits);
}

std::span<const std::uint32_t> PossibleRecords::classes(std::size_t column) const noexcept {
  return inside_->classes[column];
}
bool PossibleRecords::follows(std::size_t column) const noexcept {
  return inside_->follows[column].has_value();
}
std::size_t PossibleRecords::source_of(std::size_t column) const noexcept {
  return inside_->follows[column]->from;
}
std::uint32_t PossibleRecords::following_cell(std::size_t column,
                                              std::uint32_t cell) const noexcept {
  return inside_->follows[column]->map[cell];
}
bool PossibleRecords::is_compared(std::size_t column) const noexcept {
  return inside_->is_compared[column];
}

// -----------------------------------------------------------------------------------------------
// Groups of cells, and records made of them.

std::vector<std::vector<std::size_t>> PossibleRecords::table_columns() const {
  std::vector<std::vector<std::size_t>> all;
  for (const RuleBlock* const block : inside_->tabled()) all.push_back(block->columns);
  return all;
}

std::vector<PossibleRecords::Table> PossibleRecords::tables(const CellLists& groups) const {
  std::vector<Table> made;
  std::vector<std::uint32_t> digits(inside_->columns.size());
  for (const RuleBlock* const one : inside_->tabled()) {
    const RuleBlock& block = *one;
    Table& table = made.emplace_back(Table{block.columns, {}});
    std::size_t all = 1;
    for (const std::size_t column : block.columns) all *= groups[column].size();
    std::vector<std::size_t> group(inside_->columns.size());
    for (std::size_t place = 0; place < all; ++place) {
      std::size_t left = place;
      bool is_empty = false;
      for (std::size_t i = block.columns.size(); i-- > 0;) {
        const std::size_t column = block.columns[i];
        group[column] = left % groups[column].size();
        left /= groups[column].size();
        const auto& cells = groups[column][group[column]];
        is_empty = is_empty || cells.empty();
        if (!cells.empty()) digits[column] = cells.front();
      }
      if (is_empty) {
        table.possible.push_back(0);
        continue;
      }
      bool any = false;
      for (const auto& way : block.choices(inside_->combination(block.columns, digits))) {
        if (any) break;
        std::vector<Reach> reaches =
            Combinations::reaches(block, [&](std::size_t column) -> std::span<const std::uint32_t> {
              return groups[column][group[column]];
            });
        any = block.system.settle(way, reaches);
      }
      table.possible.push_back(any ? 1 : 0);
    }
  }
  return made;
}

namespace {

/// A uniform number of [0, 1).
double uniform_of(const UniformIntegers& random) {
  return static_cast<double>(random.below(std::uint64_t{1} << 53U)) * 0x1p-53;
}

struct Chosen {
  std::uint32_t cell = 0;
  std::uint64_t point = 0;
};

/// The weights of a column's values between two ends: of cells by the candidates' sums, and inside
/// a cell by its shape.
class ValuesBetween {
 public:
  ValuesBetween(const Reach& reach, const PossibleRecords::Candidates& candidates, bool is_even)
      : reach_(reach), candidates_(candidates), shapes_(candidates.shapes) {
    if (is_even) shapes_ = {};
    const auto index = [&](const auto& found) {
      return static_cast<std::size_t>(found - reach.cells.begin());
    };
    const PlaceAxis& axis = *reach.axis;
    first_ =
        index(std::partition_point(reach.cells.begin(), reach.cells.end(),
                                   [&](std::uint32_t one) { return axis.last(one) < reach.low; }));
    last_ = index(std::partition_point(
                reach.cells.begin(), reach.cells.end(),
                [&](std::uint32_t one) { return axis.first(one) <= reach.high; })) -
            1;
    of_first_ = weight(first_);
    if (first_ == last_) return;
    of_last_ = weight(last_);
    between_ = candidates.sums[last_ - 1] - candidates.sums[first_];
  }

  [[nodiscard]] double weight() const { return of_first_ + between_ + of_last_; }

  [[nodiscard]] Chosen draw(const UniformIntegers& random) const {
    std::size_t at = first_;
    if (first_ < last_) {
      const double place = uniform_of(random) * weight();
      if (place >= of_first_ + between_) {
        at = last_;
      } else if (place >= of_first_) {
        const auto sums = candidates_.sums.begin();
        const auto found = std::upper_bound(sums + static_cast<std::ptrdiff_t>(first_),
                                            sums + static_cast<std::ptrdiff_t>(last_) - 1,
                                            candidates_.sums[first_] + (place - of_first_));
        at = static_cast<std::size_t>(found - sums);
      }
    }
    const auto [begin, end] = points(at);
    // Between the ends there may be cells without a value, at an end there is one.
    const std::uint64_t last_point = std::max(end, begin + 1);
    return {reach_.cells[at], draw_point(shapes_, reach_.cells[at], begin, last_point, random)};
  }

 private:
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> points(std::size_t i) const {
    const PlaceAxis& axis = *reach_.axis;
    const std::uint32_t cell = reach_.cells[i];
    const std::uint64_t begin = i == first_ ? axis.point_from(cell, reach_.low) : 0;
    const std::uint64_t end = i == last_
                                  ? axis.point_from(cell, std::nextafter(reach_.high, kBoundless))
                                  : axis.column->points(cell);
    return {begin, end};
  }
  [[nodiscard]] double weight(std::size_t i) const {
    const auto [begin, end] = points(i);
    const double whole = candidates_.sums[i] - (i == 0 ? 0 : candidates_.sums[i - 1]);
    if (const CellShape* const shape = shape_of(shapes_, reach_.cells[i])) {
      return begin < end ? whole * (shape->below(end) - shape->below(begin)) : 0;
    }
    return whole * static_cast<double>(end - begin) /
           static_cast<double>(reach_.axis->column->points(reach_.cells[i]));
  }

  const Reach& reach_;
  const PossibleRecords::Candidates& candidates_;
  std::span<const CellShape> shapes_;
  std::size_t first_ = 0, last_ = 0;
  double of_first_ = 0, between_ = 0, of_last_ = 0;
};

/// A proposal for a block's compared columns: values column by column, each between the ends that
/// the ones before leave.
struct Proposal {
  std::vector<Chosen> values;
  double weight = 1;  ///< of what the columns before left of each column, multiplied
};

Proposal proposal_of(const RuleBlock& block, const std::vector<std::uint32_t>& way,
                     std::vector<Reach> reaches,
                     std::span<const PossibleRecords::Candidates> candidates, bool is_even,
                     const UniformIntegers& random) {
  Proposal made;
  made.values.resize(block.compared.size());
  std::vector<Reach> before;
  for (std::size_t i = 0; i < block.compared.size(); ++i) {
    const std::size_t column = block.compared[i];
    if (candidates[column].cells.front() >= reaches[i].axis->column->cell_count()) continue;
    before = reaches;
    Chosen& chosen = made.values[i];
    const ValuesBetween values(before[i], candidates[column], is_even);
    chosen = values.draw(random);
    made.weight *= values.weight();
    reaches[i].low = reaches[i].high = reaches[i].axis->place(chosen.cell, chosen.point);
    if (block.system.settle(way, reaches)) continue;
    // The lower ends are a solution.
    reaches = before;
    for (Reach& reach : reaches) reach.high = reach.low;
    chosen.cell = cell_at(reaches[i], reaches[i].low);
    chosen.point = reaches[i].axis->point_from(chosen.cell, reaches[i].low);
  }
  return made;
}

/// A record's values in a block, as likely as they are on condition that they keep the rules. A
/// proposal whose columns had no influence on one another is taken. Else the columns are near one
/// another, which their shapes count already: they are proposed again without shapes. A proposal
/// comes with a probability that is divided by its weight, and so it is taken as often as its weight
/// is of the greatest one; of kMostProposals that were refused one is taken by its weight.
Proposal values_of(const RuleBlock& block, const std::vector<std::uint32_t>& way,
                   const std::vector<Reach>& reaches,
                   std::span<const PossibleRecords::Candidates> candidates,
                   const UniformIntegers& random) {
  const auto most = [&](bool is_even) {
    double all = 1;
    for (std::size_t i = 0; i < block.compared.size(); ++i) {
      const PossibleRecords::Candidates& some = candidates[block.compared[i]];
      if (some.cells.front() < reaches[i].axis->column->cell_count()) {
        all *= ValuesBetween(reaches[i], some, is_even).weight();
      }
    }
    return all;
  };
  constexpr double kAll = 1 - 1e-9;  // of a weight, but for its rounding
  Proposal free = proposal_of(block, way, reaches, candidates, false, random);
  if (free.weight >= most(false) * kAll) return free;
  // Where sums are equal, the last term has one value left: every weight is far below the greatest.
  const bool has_sums = std::any_of(way.begin(), way.end(), [&](std::uint32_t one) {
    return block.system.comparisons[one].kind == SumComparison::Kind::kIs;
  });
  constexpr int kProposalsOfSums = 16;
  const double most_even = most(true);
  Proposal taken;
  double sum = 0;
  for (int i = 0; i < (has_sums ? kProposalsOfSums : PossibleRecords::kMostProposals); ++i) {
    Proposal one = proposal_of(block, way, reaches, candidates, true, random);
    if (!has_sums && uniform_of(random) * most_even < one.weight) return one;
    sum += one.weight;
    if (i == 0 || uniform_of(random) * sum < one.weight) taken = std::move(one);
  }
  return taken;
}

}  // namespace

void PossibleRecords::draw_points(std::span<const std::uint32_t> digits, UniformIntegers random,
                                  std::span<std::uint64_t> points) const {
  static constexpr double kWhole = 1;
  std::vector<Candidates> candidates;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    candidates.push_back({digits.subspan(i, 1), {&kWhole, 1}});
  }
  std::vector<std::uint32_t> same(digits.begin(), digits.end());
  (void)fill(candidates, random, same, points);  // the record is possible
}

bool PossibleRecords::fill(std::span<const Candidates> candidates, UniformIntegers random,
                           std::span<std::uint32_t> digits, std::span<std::uint64_t> points) const {
  for (std::size_t column = 0; column < digits.size(); ++column) {
    if (is_compared(column)) digits[column] = candidates[column].cells.front();
  }
  for (const RuleBlock& block : inside_->blocks) {
    if (block.compared.empty()) continue;
    const auto all = [&] {
      return Combinations::reaches(block,
                                   [&](std::size_t column) { return candidates[column].cells; });
    };
    std::vector<std::vector<Reach>> possible;
    std::vector<const std::vector<std::uint32_t>*> ways;
    for (const auto& way : block.choices(inside_->combination(block.columns, digits))) {
      std::vector<Reach> reaches = all();
      if (!block.system.settle(way, reaches)) continue;
      possible.push_back(std::move(reaches));
      ways.push_back(&way);
    }
    if (ways.empty()) return false;
    const std::size_t which = ways.size() == 1 ? 0 : random.below(ways.size());
    const Proposal made = values_of(block, *ways[which], possible[which], candidates, random);
    for (std::size_t i = 0; i < block.compared.size(); ++i) {
      const std::size_t column = block.compared[i];
      points[column] = 0;
      if (digits[column] >= inside_->columns[column].cell_count()) continue;
      digits[column] = made.values[i].cell;
      points[column] = made.values[i].point;
    }
  }
  set_followers(*inside_, digits);
  return true;
}

}  // namespace mollify
