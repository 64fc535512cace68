#include "methods/graphical/model.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "core/random.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A distribution over a table of many columns, as a product of potentials over small cliques.

namespace {

std::vector<Clique> cliques_of(const std::vector<GraphicalModel::Potential>& potentials) {
  std::vector<Clique> cliques;
  for (const GraphicalModel::Potential& potential : potentials) cliques.push_back(potential.clique);
  return cliques;
}

/// The sums of a table over `whole` by the columns of `part`.
std::vector<double> summed(const ColumnSizes& sizes, const Clique& whole, const Clique& part,
                           const std::vector<double>& table) {
  const Projection projection(sizes, whole, part);
  std::vector<double> sums(projection.part_cells());
  projection.sum(table.data(), sums.data());
  return sums;
}

/// A smaller probability has no inverse in doubles, and no place in any marginal.
constexpr double kLeastMass = 1e-300;

/// A table that grows by factors and shrinks by sums.
struct Factor {
  Clique clique;
  std::vector<double> table;

  void sum_to(const ColumnSizes& sizes, const Clique& kept) {
    if (kept == clique) return;
    table = summed(sizes, clique, kept, table);
    clique = kept;
  }
  void multiply(const ColumnSizes& sizes, const Factor& other) {
    const Clique all = united(clique, other.clique);
    const std::uint64_t cells = cell_count(sizes, all);
    refuse_if(cells > GraphicalModel::kMostCells, "too-much-work", {},
              "a marginal must be found within {} cells, but the one of these columns needs more",
              GraphicalModel::kMostCells);
    std::vector<double> product(cells);
    Projection(sizes, all, clique).add(table.data(), product.data());
    Projection(sizes, all, other.clique).multiply(other.table.data(), product.data());
    clique = all;
    table = std::move(product);
  }
  /// Divides by the sums over the separator: probabilities given its cells.
  void condition(const ColumnSizes& sizes, const Clique& separator) {
    const Projection projection(sizes, clique, separator);
    std::vector<double> sums(projection.part_cells());
    projection.sum(table.data(), sums.data());
    for (double& sum : sums) sum = sum > kLeastMass ? 1 / sum : 0;
    projection.multiply(sums.data(), table.data());
  }
};

void normalise(std::vector<double>& masses) {
  double sum = 0;
  for (const double mass : masses) sum += mass;
  for (double& mass : masses) mass /= sum;
}

/// The joint probabilities of a separator's cells and the values of all columns beyond it:
/// [cell][value], the values of each column together, one column after another.
struct TreeMessage {
  Clique columns;                   ///< beyond the separator, in the order of their values
  std::vector<std::size_t> offset;  ///< of each column's values
  std::size_t width = 0;
  std::vector<double> table;

  void append(const ColumnSizes& sizes, const Clique& more) {
    for (const std::size_t column : more) {
      columns.push_back(column);
      offset.push_back(width);
      width += sizes[column];
    }
  }
};

/// One pass up and one down a tree, after which each node knows the wanted columns on each side.
class PairPass {
 public:
  PairPass(const ColumnSizes& sizes, const JunctionTree& tree, const NodeTables& marginals,
           const std::vector<bool>& wanted)
      : sizes_(sizes), nodes_(tree.nodes()), marginals_(marginals), wanted_(wanted) {
    children_.resize(nodes_.size());
    up_.resize(nodes_.size());
    down_.resize(nodes_.size());
    for (std::size_t i = 1; i < nodes_.size(); ++i) children_[nodes_[i].parent].push_back(i);
    for (std::size_t i = nodes_.size(); i-- > 1;) {
      up_[i] = message(i, nodes_[i].separator, JunctionTree::kNone);
    }
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      down_[i] = message(nodes_[i].parent, nodes_[i].separator, i);
    }
  }

  /// Calls found(a, b, p) with the table of each pair a < b that has a wanted column, some more
  /// than once.
  template <class Found>
  void for_each_pair(const Found& found) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      keep_going();
      const Clique& clique = nodes_[i].clique;
      for (std::size_t second = 0; second < clique.size(); ++second) {
        for (std::size_t first = 0; first < second; ++first) {
          const Clique pair{clique[first], clique[second]};
          if (!wanted_[pair[0]] && !wanted_[pair[1]]) continue;
          found(pair[0], pair[1], summed(sizes_, clique, pair, marginals_[i]));
        }
      }
      for (const std::size_t b : without(clique, nodes_[i].separator)) {
        find_beyond(i, b, nodes_[i].separator, down_[i], found);
        // What lies below finds a wanted column itself, beyond its parent.
        for (const std::size_t child : children_[i]) {
          if (!wanted_[b]) find_beyond(i, b, nodes_[child].separator, up_[child], found);
        }
      }
    }
  }

 private:
  /// The tables of column b of the node and all columns of the message over this separator.
  template <class Found>
  void find_beyond(std::size_t node, std::size_t b, const Clique& separator,
                   const TreeMessage& beyond, const Found& found) const {
    if (beyond.columns.empty()) return;
    const std::vector<double> joint = joint_with(node, {b}, separator, beyond);
    for (std::size_t c = 0; c < beyond.columns.size(); ++c) {
      const std::size_t a = beyond.columns[c];
      if (a == b) continue;
      std::vector<double> p(std::size_t{sizes_[a]} * sizes_[b]);
      for (std::size_t y = 0; y < sizes_[b]; ++y) {
        for (std::size_t x = 0; x < sizes_[a]; ++x) {
          p[a < b ? x * sizes_[b] + y : y * sizes_[a] + x] =
              joint[y * beyond.width + beyond.offset[c] + x];
        }
      }
      found(std::min(a, b), std::max(a, b), std::move(p));
    }
  }

  /// P(x_kept, values beyond): the sum over the separator's cells of P(x_kept, s) P(values | s).
  std::vector<double> joint_with(std::size_t node, const Clique& kept, const Clique& separator,
                                 const TreeMessage& beyond) const {
    const Clique all = united(kept, separator);
    const std::vector<double> table = summed(sizes_, nodes_[node].clique, all, marginals_[node]);
    const Projection to_kept(sizes_, all, kept);
    const Projection to_separator(sizes_, all, separator);
    const std::vector<std::uint32_t> rows = to_kept.targets();
    const std::vector<std::uint32_t> cells = to_separator.targets();
    std::vector<double> mass(to_separator.part_cells());
    to_separator.sum(table.data(), mass.data());
    std::vector<double> joint(to_kept.part_cells() * beyond.width);
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!(table[i] > 0)) continue;
      const double weight = table[i] / mass[cells[i]];
      double* to = joint.data() + rows[i] * beyond.width;
      const double* from = beyond.table.data() + cells[i] * beyond.width;
      for (std::size_t k = 0; k < beyond.width; ++k) to[k] += weight * from[k];
    }
    return joint;
  }

  /// What `node` tells over a separator of all that lies on its side: upwards, if `to_child` is
  /// kNone, or to that child.
  TreeMessage message(std::size_t node, const Clique& separator, std::size_t to_child) const {
    TreeMessage result;
    Clique own = without(nodes_[node].clique, separator);
    std::erase_if(own, [this](std::size_t column) { return !wanted_[column]; });
    result.append(sizes_, own);
    struct Part {
      const TreeMessage* beyond;
      const Clique* separator;
      std::size_t offset;
    };
    std::vector<Part> parts;
    const auto take = [&](const TreeMessage& beyond, const Clique& through) {
      if (beyond.columns.empty()) return;
      parts.push_back({&beyond, &through, result.width});
      result.append(sizes_, beyond.columns);
    };
    if (to_child != JunctionTree::kNone && nodes_[node].parent != JunctionTree::kNone) {
      take(down_[node], nodes_[node].separator);
    }
    for (const std::size_t child : children_[node]) {
      if (child != to_child) take(up_[child], nodes_[child].separator);
    }
    const std::size_t cells = cell_count(sizes_, separator);
    result.table.resize(cells * result.width);
    for (std::size_t c = 0; c < own.size(); ++c) {
      const Clique all = united({own[c]}, separator);
      const std::vector<double> table = summed(sizes_, nodes_[node].clique, all, marginals_[node]);
      const std::vector<std::uint32_t> s = Projection(sizes_, all, separator).targets();
      const std::vector<std::uint32_t> value = Projection(sizes_, all, {own[c]}).targets();
      for (std::size_t i = 0; i < table.size(); ++i) {
        result.table[s[i] * result.width + result.offset[c] + value[i]] = table[i];
      }
    }
    for (const Part& part : parts) {
      const std::vector<double> joint = joint_with(node, separator, *part.separator, *part.beyond);
      for (std::size_t s = 0; s < cells; ++s) {
        std::copy_n(
            joint.begin() + static_cast<std::ptrdiff_t>(s * part.beyond->width), part.beyond->width,
            result.table.begin() + static_cast<std::ptrdiff_t>(s * result.width + part.offset));
      }
    }
    return result;
  }

  const ColumnSizes& sizes_;
  const std::vector<JunctionTree::Node>& nodes_;
  const NodeTables& marginals_;
  const std::vector<bool>& wanted_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<TreeMessage> up_;    // from each node to its parent
  std::vector<TreeMessage> down_;  // from its parent to each node
};

}  // namespace

GraphicalModel::GraphicalModel(ColumnSizes sizes, double total, std::vector<Potential> potentials)
    : sizes_(std::move(sizes)),
      total_(total),
      potentials_(std::move(potentials)),
      tree_(sizes_, cliques_of(potentials_)) {
  require_in(kPositive, {"the total of a model", "total"}, total);
  if (tree_.cells() > kMostCells) {
    refuse_input("too-much-work", {},
                 "the junction tree of a model must have at most {} cells, but has {}", kMostCells,
                 tree_.cells());
  }
  refuse_if(tree_.cells() > kMostCells, "too-much-work", {},
            "the junction tree of a model must have at most {} cells, but has {}", kMostCells,
            tree_.cells());
  std::set<Clique> seen;
  NodeTables values;
  for (const Potential& potential : potentials_) {
    if (!seen.insert(potential.clique).second) {
      refuse_input("duplicate-value", {},
                   "a model must have one potential for each clique, but has two for columns {}",
                   fmt::join(potential.clique, ", "));
    }
    const std::uint64_t cells = cell_count(sizes_, potential.clique);
    if (potential.values.size() != cells) {
      refuse_input("wrong-shape", {}, "the potential of columns {} must have {} values, but has {}",
                   fmt::join(potential.clique, ", "), cells, potential.values.size());
    }
    for (const double value : potential.values) {
      if (!(std::abs(value) <= kGreatestPotential)) {
        refuse_input("out-of-range", {},
                     "the potential of columns {} must lie within {:g} of zero, but has {}",
                     fmt::join(potential.clique, ", "), kGreatestPotential,
                     detail::shortest(value));
      }
    }
    values.push_back(potential.values);
  }
  PotentialLayout(sizes_, tree_, cliques_of(potentials_)).gather(values, marginals_);
  log_sum_ = BeliefPropagation(sizes_, tree_).run(marginals_);
}

GraphicalModel GraphicalModel::times(const std::vector<Potential>& more) const {
  std::vector<Potential> all = potentials_;
  for (const Potential& potential : more) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Potential& one) {
      return one.clique == potential.clique;
    });
    if (same == all.end()) {
      all.push_back(potential);
      continue;
    }
    for (std::size_t i = 0; i < potential.values.size(); ++i) {
      same->values[i] = std::max(same->values[i] + potential.values[i], kImpossible);
    }
  }
  return {sizes_, total_, std::move(all)};
}

std::vector<double> GraphicalModel::marginal(const Clique& clique) const {
  require_clique(sizes_, clique);
  const std::size_t home = tree_.home(clique);
  const auto& nodes = tree_.nodes();
  if (home != JunctionTree::kNone) {
    std::vector<double> table = summed(sizes_, nodes[home].clique, clique, marginals_[home]);
    normalise(table);
    return table;
  }
  // Each node hands its parent the law of the columns asked for below it, given the separator,
  // until one has them all.
  std::vector<std::vector<Factor>> messages(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    Clique asked = common(nodes[i].clique, clique);
    Clique needed = united(asked, nodes[i].separator);
    for (const Factor& message : messages[i]) {
      asked = united(asked, common(message.clique, clique));
      needed = united(needed, common(message.clique, nodes[i].clique));
    }
    const bool is_last = asked == clique;
    if (!is_last && without(asked, nodes[i].separator).empty()) continue;
    Factor factor{nodes[i].clique, marginals_[i]};
    factor.sum_to(sizes_, needed);
    const Clique kept = is_last ? asked : united(asked, nodes[i].separator);
    for (std::size_t m = 0; m < messages[i].size(); ++m) {
      factor.multiply(sizes_, messages[i][m]);
      // What only this message needed can go.
      Clique still = kept;
      for (std::size_t n = m + 1; n < messages[i].size(); ++n) {
        still = united(still, messages[i][n].clique);
      }
      factor.sum_to(sizes_, common(factor.clique, still));
    }
    factor.sum_to(sizes_, kept);
    if (is_last) {
      normalise(factor.table);
      return factor.table;
    }
    factor.condition(sizes_, nodes[i].separator);
    messages[nodes[i].parent].push_back(std::move(factor));
  }
  return {};  // the root is the last: every column lies in a node
}

std::vector<std::vector<double>> GraphicalModel::pair_marginals(
    const std::vector<Clique>& pairs) const {
  const std::size_t columns = sizes_.size();
  std::vector<bool> wanted(columns, false);
  std::vector<std::size_t> place(columns * columns, pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    wanted[pairs[i][0]] = true;
    place[pairs[i][0] * columns + pairs[i][1]] = i;
  }
  std::vector<std::vector<double>> tables(pairs.size());
  PairPass(sizes_, tree_, marginals_, wanted)
      .for_each_pair([&](std::size_t a, std::size_t b, std::vector<double> p) {
        const std::size_t at = place[a * columns + b];
        if (at < pairs.size() && tables[at].empty()) tables[at] = std::move(p);
      });
  for (std::vector<double>& table : tables) normalise(table);
  return tables;
}

std::vector<GraphicalModel::Marginal> GraphicalModel::pair_marginals() const {
  std::vector<Clique> pairs;
  for (std::size_t a = 0; a < sizes_.size(); ++a) {
    for (std::size_t b = a + 1; b < sizes_.size(); ++b) pairs.push_back({a, b});
  }
  std::vector<std::vector<double>> tables = pair_marginals(pairs);
  std::vector<Marginal> marginals;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    marginals.push_back({std::move(pairs[i]), std::move(tables[i])});
  }
  return marginals;
}

ModelRows GraphicalModel::sample(std::size_t count, const RandomWords& words,
                                 RowSampling sampling) const {
  ModelRows rows = model_rows(sizes_, tree_, marginals_, count, words, sampling);
  if (sampling == RowSampling::kMatched && count >= kLeastMatched && count <= kMostMatched) {
    match_pairs(*this, words, rows);
  }
  return rows;
}

ModelRows GraphicalModel::sample_given(const std::vector<Evidence>& evidence, std::size_t count,
                                       const RandomWords& words, RowSampling sampling) const {
  // Potentials of the columns that are fixed become tables of the others: their size is one.
  ColumnSizes sizes = sizes_;
  std::vector<std::uint32_t> value(sizes_.size(), 0);
  std::vector<bool> is_fixed(sizes_.size(), false);
  for (const Evidence& fixed : evidence) {
    require_clique(sizes_, {fixed.column});
    if (fixed.value >= sizes_[fixed.column]) {
      refuse_input("out-of-range", {}, "column {} has {} values, but is given as value {}",
                   fixed.column, sizes_[fixed.column], fixed.value);
    }
    refuse_if(is_fixed[fixed.column], "duplicate-column", {},
              "a column must be given once, but column {} is twice", fixed.column);
    is_fixed[fixed.column] = true;
    value[fixed.column] = fixed.value;
    sizes[fixed.column] = 1;
  }
  std::vector<Potential> potentials;
  for (const Potential& potential : potentials_) {
    std::vector<double> left;
    for (std::size_t i = 0; i < potential.values.size(); ++i) {
      bool stays = true;
      std::size_t place = i;
      for (std::size_t c = potential.clique.size(); c-- > 0;) {
        const std::size_t column = potential.clique[c];
        stays = stays && (!is_fixed[column] || place % sizes_[column] == value[column]);
        place /= sizes_[column];
      }
      if (stays) left.push_back(potential.values[i]);
    }
    potentials.push_back({potential.clique, std::move(left)});
  }
  ModelRows rows = GraphicalModel(std::move(sizes), total_, std::move(potentials))
                       .sample(count, words, sampling);
  for (const Evidence& fixed : evidence) {
    std::fill(rows[fixed.column].begin(), rows[fixed.column].end(), fixed.value);
  }
  return rows;
}

// -----------------------------------------------------------------------------------------------
// The file of a model.

namespace {

using ModelJson = nlohmann::ordered_json;

constexpr int kModelVersion = 1;

/// Reads parts of a model and names them in refusals.
class ModelReader {
 public:
  explicit ModelReader(const std::string& name) : name_(name) {}

  [[noreturn]] void refuse(const std::string& place, const char* expected) const {
    refuse_input("malformed-file", {}, "{}: {} must be {}, but is not", name_, place, expected);
  }

  /// The member of an object that must have these members and no others.
  void require_members(const ModelJson& json, const std::string& place,
                       std::initializer_list<const char*> members) const {
    if (!json.is_object()) refuse(place, "an object");
    for (const char* member : members) {
      refuse_if(!json.contains(member), "missing-key", member, "{}: {} must have \"{}\"", name_,
                place, member);
    }
    refuse_if(json.size() != members.size(), "malformed-file", {},
              "{}: {} must have {} members, but has {}", name_, place, members.size(), json.size());
  }

  const ModelJson& list(const ModelJson& json, const std::string& place) const {
    if (!json.is_array()) refuse(place, "a list");
    return json;
  }

  std::uint64_t integer(const ModelJson& json, const std::string& place, std::uint64_t most) const {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most) {
      refuse(place, "an integer that is not negative and not too great");
    }
    return json.get<std::uint64_t>();
  }

  double real(const ModelJson& json, const std::string& place) const {
    if (!json.is_number()) refuse(place, "a number");
    return json.get<double>();
  }

 private:
  const std::string& name_;
};

}  // namespace

nlohmann::ordered_json graphical_model_json(const GraphicalModel& model) {
  ModelJson potentials = ModelJson::array();
  for (const GraphicalModel::Potential& potential : model.potentials()) {
    potentials.push_back({{"columns", potential.clique}, {"values", potential.values}});
  }
  return {{"version", kModelVersion},
          {"sizes", model.sizes()},
          {"total", model.total()},
          {"potentials", std::move(potentials)}};
}

GraphicalModel graphical_model_from_json(const nlohmann::ordered_json& json,
                                         const std::string& name) {
  const ModelReader reader(name);
  reader.require_members(json, "the model", {"version", "sizes", "total", "potentials"});
  refuse_if(json["version"] != kModelVersion, "unsupported-version", {},
            "{}: version must be {}, but is not", name, kModelVersion);
  ColumnSizes sizes;
  for (const ModelJson& size : reader.list(json["sizes"], "sizes")) {
    sizes.push_back(static_cast<std::uint32_t>(
        reader.integer(size, "each of sizes", std::numeric_limits<std::uint32_t>::max())));
  }
  std::vector<GraphicalModel::Potential> potentials;
  for (const ModelJson& from : reader.list(json["potentials"], "potentials")) {
    const std::string place = fmt::format("potential {}", potentials.size() + 1);
    reader.require_members(from, place, {"columns", "values"});
    GraphicalModel::Potential potential;
    for (const ModelJson& column : reader.list(from["columns"], "columns of " + place)) {
      potential.clique.push_back(
          reader.integer(column, "each of the columns of " + place, kMostColumns));
    }
    for (const ModelJson& value : reader.list(from["values"], "values of " + place)) {
      potential.values.push_back(reader.real(value, "each of the values of " + place));
    }
    potentials.push_back(std::move(potential));
  }
  const double total = reader.real(json["total"], "total");
  try {
    return {std::move(sizes), total, std::move(potentials)};
  } catch (const InvalidInput& refusal) {
    throw InvalidInput(refusal, fmt::format("{}: {}", name, refusal.what()));
  }
}

// -----------------------------------------------------------------------------------------------
// Rows whose pairs of columns have the model's counts.

namespace {

constexpr int kSweeps = 3;

double unit(const RandomWords& words) {
  return (static_cast<double>(words() >> 11) + 0.5) * 0x1p-53;
}

/// A place for each value of each column, one column after the other.
std::vector<std::uint32_t> first_places(const ColumnSizes& sizes) {
  std::vector<std::uint32_t> first{0};
  for (const std::uint32_t size : sizes) first.push_back(first.back() + size);
  return first;
}

/// How far the rows' counts of all pairs are from the targets. Rows are places of their values.
class PairedRows {
 public:
  PairedRows(const GraphicalModel& model, const ModelRows& rows, const RandomWords& words)
      : sizes_(model.sizes()),
        first_(first_places(sizes_)),
        begins_(sizes_.size() * sizes_.size()) {
    std::vector<std::size_t> targets;
    std::vector<std::uint32_t> counted;
    for (const GraphicalModel::Marginal& pair : model.pair_marginals()) {
      begins_[pair.clique[0] * sizes_.size() + pair.clique[1]] = cells_.size();
      targets.resize(pair.probabilities.size());
      round_systematically(pair.probabilities, rows[0].size(), unit(words), targets);
      const std::vector<std::uint32_t>& first = rows[pair.clique[0]];
      const std::vector<std::uint32_t>& second = rows[pair.clique[1]];
      counted.assign(targets.size(), 0);
      for (std::size_t i = 0; i < first.size(); ++i) {
        ++counted[first[i] * sizes_[pair.clique[1]] + second[i]];
      }
      for (std::size_t cell = 0; cell < targets.size(); ++cell) {
        const auto target = static_cast<double>(targets[cell]);
        const double excess = static_cast<double>(counted[cell]) - target;
        const double weight = 1 / (target + 1);
        cells_.push_back({static_cast<float>(weight * (1 - 2 * excess)),
                          static_cast<float>(weight * (1 + 2 * excess))});
      }
    }
    opened_.resize(std::size_t{first_.back()} * *std::max_element(sizes_.begin(), sizes_.end()));
  }

  /// Values of this column may move until it is closed.
  void open(std::size_t column) {
    column_ = column;
    for_each_cell([](Cell& opened, Cell& cell) { opened = cell; });
    std::fill_n(opened_.begin() + first_[column] * sizes_[column],
                std::size_t{sizes_[column]} * sizes_[column], Cell{});
  }
  void close() {
    for_each_cell([](Cell& opened, Cell& cell) { cell = opened; });
  }

  /// The objective's gain if a row's value of the open column becomes another.
  [[nodiscard]] float change(const std::uint32_t* row, std::uint32_t from, std::uint32_t to) const {
    const std::size_t size = sizes_[column_];
    const Cell* const old = opened_.data() + from;
    const Cell* const next = opened_.data() + to;
    float changes[4] = {};  // so that no sum waits for another
    std::size_t other = 0;
    for (; other + 1 < sizes_.size(); other += 2) {
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t at = row[other + k] * size;
        changes[2 * k] += old[at].leaving;
        changes[2 * k + 1] += next[at].entering;
      }
    }
    if (other < sizes_.size()) {
      changes[0] += old[row[other] * size].leaving + next[row[other] * size].entering;
    }
    return (changes[0] + changes[1]) + (changes[2] + changes[3]);
  }

  void move(const std::uint32_t* row, std::uint32_t from, std::uint32_t to) {
    for (std::size_t other = 0; other < sizes_.size(); ++other) {
      if (other == column_) continue;
      Cell* const cells = opened_.data() + std::size_t{row[other]} * sizes_[column_];
      cells[from].add(-1);
      cells[to].add(1);
    }
  }

 private:
  /// What the objective, the sum of (count - target)^2 / (target + 1), gains if a row leaves the
  /// cell, or enters it.
  struct Cell {
    float leaving = 0;
    float entering = 0;

    void add(float rows) {
      const float both = rows * (leaving + entering);  // 2 / (target + 1) a row
      leaving -= both;
      entering += both;
    }
  };

  /// Visits the open cells of each other column and the same cells among all.
  template <class Visit>
  void for_each_cell(const Visit& visit) {
    const std::size_t size = sizes_[column_];
    for (std::size_t other = 0; other < sizes_.size(); ++other) {
      if (other == column_) continue;
      const bool is_first = other < column_;
      Cell* cells = cells_.data() +
                    begins_[std::min(other, column_) * sizes_.size() + std::max(other, column_)];
      Cell* const opened = opened_.data() + first_[other] * size;
      const std::size_t rows = is_first ? sizes_[other] : size;
      const std::size_t columns = is_first ? size : sizes_[other];
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          visit(opened[is_first ? i * size + j : j * size + i], *cells++);
        }
      }
    }
  }

  const ColumnSizes& sizes_;
  std::vector<std::uint32_t> first_;
  std::vector<Cell> cells_;          // of all pairs
  std::vector<std::size_t> begins_;  // of each pair's, [first][second]
  std::size_t column_ = 0;
  std::vector<Cell> opened_;  // [place][value of the column]
};

/// The model's law of one column given all others. Rows are places of their values.
class Conditional {
 public:
  Conditional(const GraphicalModel& model, std::size_t column) : masses_(model.sizes()[column]) {
    const std::vector<std::uint32_t> first = first_places(model.sizes());
    for (const GraphicalModel::Potential& potential : model.potentials()) {
      if (!contains(potential.clique, {column})) continue;
      const Clique others = without(potential.clique, {column});
      const Projection to_others(model.sizes(), potential.clique, others);
      const std::vector<std::uint32_t> place = to_others.targets();
      const std::vector<std::uint32_t> value =
          Projection(model.sizes(), potential.clique, {column}).targets();
      std::vector<double> most(to_others.part_cells());
      to_others.greatest(potential.values.data(), most.data());
      Term term{{}, std::vector<float>(potential.values.size())};
      for (std::size_t i = 0; i < place.size(); ++i) {
        term.factors[place[i] * masses_.size() + value[i]] =
            static_cast<float>(std::exp(potential.values[i] - most[place[i]]));
      }
      for (const std::size_t other : others) {
        term.others.push_back({other, model.sizes()[other], first[other]});
      }
      terms_.push_back(std::move(term));
    }
  }

  /// A draw by a uniform number in (0, 1); the row's own value if no value has a mass in floats.
  std::uint32_t draw(const std::uint32_t* row, std::uint32_t own, double uniform) {
    std::fill(masses_.begin(), masses_.end(), 1.0F);
    for (const Term& term : terms_) {
      std::size_t place = 0;
      for (const Other& other : term.others) {
        place = place * other.size + (row[other.column] - other.first);
      }
      const float* const factors = term.factors.data() + place * masses_.size();
      for (std::size_t v = 0; v < masses_.size(); ++v) masses_[v] *= factors[v];
    }
    float sum = 0;
    for (const float mass : masses_) sum += mass;
    if (!(sum > 0)) return own;
    float left = static_cast<float>(uniform) * sum;
    std::size_t v = 0;
    while (v + 1 < masses_.size() && left >= masses_[v]) left -= masses_[v++];
    while (!(masses_[v] > 0)) --v;  // after rounding: the last one that has a mass
    return static_cast<std::uint32_t>(v);
  }

 private:
  struct Other {
    std::size_t column;
    std::size_t size;
    std::uint32_t first;  ///< place
  };
  /// A potential's exponentials, [others' cell][value], relative to the greatest of each cell.
  struct Term {
    std::vector<Other> others;
    std::vector<float> factors;
  };

  std::vector<Term> terms_;
  std::vector<float> masses_;
};

std::uint64_t pair_cells(const ColumnSizes& sizes) {
  std::uint64_t cells = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) cells = saturated_sum(cells, cell_count(sizes, {a, b}));
  }
  return cells;
}

/// Values of a block of rows, so that they stay in the processor's caches with a column's pairs.
constexpr std::size_t kMatchedBlock = std::size_t{1} << 17U;

}  // namespace

void match_pairs(const GraphicalModel& model, const RandomWords& words, ModelRows& rows) {
  const std::size_t columns = rows.size();
  const std::size_t count = rows[0].size();
  if (count == 0 || pair_cells(model.sizes()) > GraphicalModel::kMostCells) return;
  PairedRows counts(model, rows, words);
  std::vector<Conditional> conditionals;
  for (std::size_t c = 0; c < columns; ++c) conditionals.emplace_back(model, c);
  const std::vector<std::uint32_t> first = first_places(model.sizes());
  const std::size_t most = std::max<std::size_t>(1, kMatchedBlock / columns);
  std::vector<std::uint32_t> block(std::min(most, count) * columns);  // row by row
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t begin = 0; begin < count; begin += most) {
      keep_going();
      const std::size_t size = std::min(most, count - begin);
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t i = 0; i < size; ++i) {
          block[i * columns + c] = first[c] + rows[c][begin + i];
        }
      }
      for (std::size_t c = 0; c < columns; ++c) {
        if (model.sizes()[c] == 1) continue;
        counts.open(c);
        for (std::size_t i = 0; i < size; ++i) {
          std::uint32_t* const row = block.data() + i * columns;
          std::uint32_t& own = rows[c][begin + i];
          const std::uint32_t to = conditionals[c].draw(row, own, unit(words));
          if (to == own || !(counts.change(row, own, to) < 0)) continue;
          counts.move(row, own, to);
          own = to;
          row[c] = first[c] + to;
        }
        counts.close();
      }
    }
  }
}

// -----------------------------------------------------------------------------------------------
// Rows drawn from marginals on a junction tree.

namespace {

struct Words {
  const RandomWords& next;
  std::uint64_t word() const { return next(); }
  /// Uniform on the 2^53 middles of equal parts of (0, 1).
  double unit() const { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
};

/// Fills the columns of one node that its separator lacks.
class NodeSampler {
 public:
  NodeSampler(const ColumnSizes& sizes, const JunctionTree::Node& node,
              const std::vector<double>& marginal)
      : sizes_(sizes), node_(node), others_(without(node.clique, node.separator)) {
    const Projection to_separator(sizes, node.clique, node.separator);
    const Projection to_others(sizes, node.clique, others_);
    separator_cells_ = to_separator.part_cells();
    other_cells_ = to_others.part_cells();
    const std::vector<std::uint32_t> s = to_separator.targets();
    const std::vector<std::uint32_t> r = to_others.targets();
    masses_.resize(marginal.size());
    for (std::size_t i = 0; i < marginal.size(); ++i) {
      masses_[s[i] * other_cells_ + r[i]] = marginal[i];
    }
  }

  void fill(ModelRows& rows, std::size_t count, const Words& words, RowSampling sampling) const {
    const std::vector<std::uint32_t> cells = separator_cells(rows, count);
    std::vector<std::size_t> begins(separator_cells_ + 1);
    for (const std::uint32_t s : cells) ++begins[s + 1];
    for (std::size_t s = 0; s < separator_cells_; ++s) begins[s + 1] += begins[s];
    std::vector<std::size_t> ends = begins;
    std::vector<std::size_t> order(count);  // rows by the separator's cell
    for (std::size_t i = 0; i < count; ++i) order[ends[cells[i]]++] = i;

    std::vector<double> masses(other_cells_);
    std::vector<std::size_t> counts(other_cells_);
    for (std::size_t s = 0; s < separator_cells_; ++s) {
      const std::size_t begin = begins[s];
      const std::size_t end = begins[s + 1];
      if (begin == end) continue;
      const double sum = conditional(s, masses);
      if (sampling == RowSampling::kIndependent) {
        for (std::size_t r = 1; r < other_cells_; ++r) masses[r] += masses[r - 1];
        for (std::size_t i = begin; i < end; ++i) {
          auto found = std::upper_bound(masses.begin(), masses.end(), words.unit() * sum);
          // Rounded up to the sum itself it is the last cell that has a mass.
          if (found == masses.end()) {
            found = std::lower_bound(masses.begin(), masses.end(), masses.back());
          }
          put(rows, order[i], static_cast<std::size_t>(found - masses.begin()));
        }
        continue;
      }
      round_systematically(masses, end - begin, words.unit(), counts);
      Words source = words;
      std::size_t i = begin;
      for (std::size_t r = 0; r < other_cells_; ++r) {
        for (std::size_t n = 0; n < counts[r]; ++n, ++i) {
          std::swap(order[i], order[i + uniform_below(source, end - i)]);
          put(rows, order[i], r);
        }
      }
    }
  }

 private:
  /// The masses of the other columns' cells in cell s of the separator; their sum, positive.
  double conditional(std::size_t s, std::vector<double>& masses) const {
    std::copy_n(masses_.begin() + static_cast<std::ptrdiff_t>(s * other_cells_), other_cells_,
                masses.begin());
    double sum = 0;
    for (const double mass : masses) sum += mass;
    if (sum > 0) return sum;
    // No row should be here: the separator's cell has no mass in doubles.
    std::fill(masses.begin(), masses.end(), 1.0);
    return static_cast<double>(other_cells_);
  }

  std::vector<std::uint32_t> separator_cells(const ModelRows& rows, std::size_t count) const {
    std::vector<std::uint32_t> cells(count);
    for (const std::size_t column : node_.separator) {
      const std::uint32_t size = sizes_[column];
      for (std::size_t i = 0; i < count; ++i) cells[i] = cells[i] * size + rows[column][i];
    }
    return cells;
  }

  void put(ModelRows& rows, std::size_t row, std::size_t r) const {
    for (std::size_t i = others_.size(); i-- > 0;) {
      const std::uint32_t size = sizes_[others_[i]];
      rows[others_[i]][row] = static_cast<std::uint32_t>(r % size);
      r /= size;
    }
  }

  const ColumnSizes& sizes_;
  const JunctionTree::Node& node_;
  Clique others_;
  std::size_t separator_cells_;
  std::size_t other_cells_;
  std::vector<double> masses_;  // [separator's cell][others' cell]
};

}  // namespace

ModelRows model_rows(const ColumnSizes& sizes, const JunctionTree& tree,
                     const NodeTables& marginals, std::size_t count, const RandomWords& words,
                     RowSampling sampling) {
  ModelRows rows(sizes.size(), std::vector<std::uint32_t>(count));
  for (std::size_t node = 0; node < tree.nodes().size(); ++node) {
    NodeSampler(sizes, tree.nodes()[node], marginals[node])
        .fill(rows, count, Words{words}, sampling);
  }
  return rows;
}

}  // namespace mollify
