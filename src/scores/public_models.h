// Public distributions to choose one from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace mollify {

class Domain;

/// The kind of a list of models: products of columns alone, or trees of columns in every second
/// place.
enum class ModelShapes { kProducts, kProductsAndTrees };

/// N distributions over all records, drawn from a public prior by the domain's seed: everybody with
/// the domain, the number and the reference can make the same. A release over them draws an index,
/// so it is exactly as private as the band over N outcomes; rows of the model that was drawn are
/// free (docs/theory/band.md).
///
/// A model says for each column what its parent is, if any, and the shares of its cells given each
/// of the parent's: p(x) is their product. Products have no parents. Trees have those of the
/// reference's own tree of greatest mutual information [Chow, Liu 1968]; without a reference each
/// has a tree of its own, in which columns in random order take one of those before them.
///
/// Shares are the reference's times G, of all cells' together, G Gamma of shape a. Without a
/// reference a is 1: with a uniform one that is Dirichlet(1, ..., 1). Around public records models
/// lie at distances of all sizes: a is 1, 8 and 64 in turn. Shares are whole multiples of 2^-24 of
/// the largest, at least one, so that all are positive.
///
/// Nothing of a model is held: each is made anew when it is visited. All of it is public.
class PublicModels {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24U;
  static constexpr std::uint64_t kUsual = 20'000;
  /// How many shares all models may have together; some seconds to make.
  static constexpr std::uint64_t kMostShares = std::uint64_t{1} << 29U;
  /// How many cells all columns may have together.
  static constexpr std::uint64_t kMostCells = std::uint64_t{1} << 19U;
  static constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();

  struct Model {
    std::vector<std::size_t> parents;  ///< of each column, or kNoParent
    /// Of the first column's cells, then the second's; of a column with a parent, those given the
    /// parent's first cell, then its second. Each such run sums to 1 except for rounding.
    std::vector<double> shares;
  };

  /// `reference` are public records as digits that lie end to end, or nothing for the uniform one.
  /// A column's shares are (records + 1) / (all + cells); given the parent's cell (records + the
  /// column's own share) / (records of that cell + 1). Throws InvalidInput, in one sentence, unless
  /// count is from 1 to kMost, cells are at most kMostCells and all shares are at most kMostShares.
  PublicModels(const Domain& domain, std::uint64_t count,
               ModelShapes shapes = ModelShapes::kProducts,
               std::span<const std::uint32_t> reference = {});

  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
  [[nodiscard]] bool has_reference() const noexcept { return has_reference_; }
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const noexcept { return sizes_; }

  /// Calls `visit` with each model, in order. O(all shares).
  void visit(const std::function<void(std::uint64_t index, const Model& model)>& visit) const;
  /// One of them. Requires index < size(). As long as a visit.
  [[nodiscard]] Model model(std::uint64_t index) const;
  /// SHA-256 of all parents and shares.
  [[nodiscard]] std::string sha256() const;

 private:
  /// A model with weights, or with whole parts, in the shares' place.
  struct Shape {
    std::vector<std::size_t> parents;
    std::vector<double> weights;
  };
  /// Until it returns false.
  void visit_whole(
      const std::function<bool(std::uint64_t index, const std::vector<std::size_t>& parents,
                               std::span<const std::uint32_t> parts)>& visit) const;
  [[nodiscard]] Model model_of(const std::vector<std::size_t>& parents,
                               std::span<const std::uint32_t> parts) const;
  /// How many cells a column's parent has; 1 without one.
  [[nodiscard]] std::size_t runs(const std::vector<std::size_t>& parents, std::size_t column) const;
  [[nodiscard]] Shape reference_tree(std::span<const std::uint32_t> reference) const;

  std::vector<std::uint32_t> sizes_;
  Shape product_;  // the reference's columns
  Shape tree_;     // and its tree, if there is a reference
  ModelShapes shapes_;
  bool has_reference_;
  std::uint64_t seed_;
  std::uint64_t count_;
};

}  // namespace mollify
