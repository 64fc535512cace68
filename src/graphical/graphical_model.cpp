#include "graphical/graphical_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "graphical/matched_rows.h"
#include "graphical/model_rows.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
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

/// What is less probable has no inverse in doubles, and no place in any marginal.
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
    if (cells > GraphicalModel::kMostCells) {
      throw InvalidInput(
          fmt::format("a marginal must be found within {} cells, but that of these columns is not",
                      GraphicalModel::kMostCells));
    }
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
/// [cell][value], the values of each column together, those of one column after another's.
struct Message {
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

/// One pass up and one down a tree, after which each node knows all columns beyond its parent.
class PairPass {
 public:
  PairPass(const ColumnSizes& sizes, const JunctionTree& tree, const NodeTables& marginals)
      : sizes_(sizes), nodes_(tree.nodes()), marginals_(marginals) {
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

  /// Calls found(a, b, p) with the table of each pair a < b, some more than once.
  template <class Found>
  void for_each_pair(const Found& found) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Clique& clique = nodes_[i].clique;
      for (std::size_t second = 0; second < clique.size(); ++second) {
        for (std::size_t first = 0; first < second; ++first) {
          const Clique pair{clique[first], clique[second]};
          found(pair[0], pair[1], summed(sizes_, clique, pair, marginals_[i]));
        }
      }
      const Message& beyond = down_[i];
      for (const std::size_t b : without(clique, nodes_[i].separator)) {
        if (beyond.columns.empty()) break;
        const std::vector<double> joint = joint_with(i, {b}, nodes_[i].separator, beyond);
        for (std::size_t c = 0; c < beyond.columns.size(); ++c) {
          const std::size_t a = beyond.columns[c];
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
    }
  }

 private:
  /// P(x_kept, values beyond): the sum over the separator's cells of P(x_kept, s) P(values | s).
  std::vector<double> joint_with(std::size_t node, const Clique& kept, const Clique& separator,
                                 const Message& beyond) const {
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
  Message message(std::size_t node, const Clique& separator, std::size_t to_child) const {
    Message result;
    const Clique own = without(nodes_[node].clique, separator);
    result.append(sizes_, own);
    struct Part {
      const Message* beyond;
      const Clique* separator;
      std::size_t offset;
    };
    std::vector<Part> parts;
    const auto take = [&](const Message& beyond, const Clique& through) {
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
  std::vector<std::vector<std::size_t>> children_;
  std::vector<Message> up_;    // from each node to its parent
  std::vector<Message> down_;  // from its parent to each node
};

}  // namespace

GraphicalModel::GraphicalModel(ColumnSizes sizes, double total, std::vector<Potential> potentials)
    : sizes_(std::move(sizes)),
      total_(total),
      potentials_(std::move(potentials)),
      tree_(sizes_, cliques_of(potentials_)) {
  if (!std::isfinite(total) || total <= 0) {
    throw InvalidInput(fmt::format("the total of a model must be finite and positive, but is {}",
                                   detail::shortest(total)));
  }
  if (tree_.cells() > kMostCells) {
    throw InvalidInput(
        fmt::format("the junction tree of a model must have at most {} cells, but has {}",
                    kMostCells, tree_.cells()));
  }
  std::set<Clique> seen;
  NodeTables values;
  for (const Potential& potential : potentials_) {
    if (!seen.insert(potential.clique).second) {
      throw InvalidInput(
          fmt::format("a model must have one potential for each clique, but has two "
                      "for columns {}",
                      fmt::join(potential.clique, ", ")));
    }
    const std::uint64_t cells = cell_count(sizes_, potential.clique);
    if (potential.values.size() != cells) {
      throw InvalidInput(fmt::format("the potential of columns {} must have {} values, but has {}",
                                     fmt::join(potential.clique, ", "), cells,
                                     potential.values.size()));
    }
    for (const double value : potential.values) {
      if (!(std::abs(value) <= kGreatestPotential)) {
        throw InvalidInput(fmt::format(
            "the potential of columns {} must lie within {:g} of zero, "
            "but has {}",
            fmt::join(potential.clique, ", "), kGreatestPotential, detail::shortest(value)));
      }
    }
    values.push_back(potential.values);
  }
  PotentialLayout(sizes_, tree_, cliques_of(potentials_)).gather(values, marginals_);
  BeliefPropagation(sizes_, tree_).run(marginals_);
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

std::vector<GraphicalModel::Marginal> GraphicalModel::pair_marginals() const {
  const std::size_t columns = sizes_.size();
  std::vector<Marginal> pairs;
  std::vector<std::size_t> first(columns);  // first[a] + b is the place of (a, b)
  for (std::size_t a = 0; a < columns; ++a) {
    first[a] = pairs.size() - a - 1;
    for (std::size_t b = a + 1; b < columns; ++b) pairs.push_back({{a, b}, {}});
  }
  PairPass(sizes_, tree_, marginals_)
      .for_each_pair([&](std::size_t a, std::size_t b, std::vector<double> p) {
        std::vector<double>& pair = pairs[first[a] + b].probabilities;
        if (pair.empty()) pair = std::move(p);
      });
  for (Marginal& pair : pairs) normalise(pair.probabilities);
  return pairs;
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
      throw InvalidInput(fmt::format("column {} has {} values, but is given as value {}",
                                     fixed.column, sizes_[fixed.column], fixed.value));
    }
    if (is_fixed[fixed.column]) {
      throw InvalidInput(
          fmt::format("a column must be given once, but column {} is twice", fixed.column));
    }
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

}  // namespace mollify
