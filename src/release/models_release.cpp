#include "release/models_release.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "marginals/pair_counter.h"
#include "marginals/pair_counts.h"
#include "records/private_table.h"
#include "records/record_writer.h"
#include "reference/public_models.h"
#include "release/design.h"
#include "release/release_space.h"
#include "release/released_model.h"
#include "release/spec_json.h"
#include "space/same_functions.h"

namespace mollify {
namespace {

/// How many records of the table's distribution a likelihood is taken of: the more, the more the
/// nearest models alone are at the band's upper edge. Public, so that a table's size does not
/// count.
constexpr double kLikelihoodRecords = 256;
/// A model's mean log-likelihood is not taken to be less.
constexpr double kLeastLogarithm = -64;

/// As a graphical model: a potential for each column given its parent.
MarginalModel marginal_model_of(const std::vector<std::uint32_t>& sizes,
                                const PublicModels::Model& model) {
  std::vector<MarginalModel::ColumnModel> columns;
  std::vector<GraphicalModel::Potential> potentials;
  const double* share = model.shares.data();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    columns.push_back({single_cells(sizes[i]), std::vector<double>(sizes[i], 1)});
    GraphicalModel::Potential& potential = potentials.emplace_back();
    const std::size_t parent = model.parents[i];
    const std::size_t runs = parent == PublicModels::kNoParent ? 1 : sizes[parent];
    potential.values.resize(runs * sizes[i]);
    // A clique's columns ascend, and the last one's cells are next to each other.
    const bool is_last = parent == PublicModels::kNoParent || parent < i;
    for (std::size_t run = 0; run < runs; ++run) {
      for (std::size_t cell = 0; cell < sizes[i]; ++cell) {
        potential.values[is_last ? run * sizes[i] + cell : cell * runs + run] = std::log(*share++);
      }
    }
    if (parent == PublicModels::kNoParent) {
      potential.clique = {i};
    } else {
      potential.clique = {std::min(parent, i), std::max(parent, i)};
    }
  }
  return {std::move(columns), GraphicalModel(sizes, 1, std::move(potentials))};
}

/// How often a table's columns have each cell; for trees its pairs of columns too.
class TableCounts {
 public:
  TableCounts(const std::vector<std::uint32_t>& sizes, bool with_pairs) : sizes_(sizes) {
    if (with_pairs) counter_.emplace(sizes);
    for (const std::uint32_t size : sizes) columns_.emplace_back(size);
  }

  void add(std::span<const std::span<const std::uint32_t>> digits) {
    for (std::size_t i = 0; i < digits.size(); ++i) {
      for (const std::uint32_t digit : digits[i]) ++columns_[i][digit];
    }
    if (counter_) counter_->add(digits);
    records_ += digits[0].size();
  }
  /// Comes after the last of them.
  void finish() {
    if (counter_) pairs_ = std::move(*counter_).take();
  }

  /// The mean of the records' log-likelihoods under a model; 0 of a table without records.
  [[nodiscard]] double mean_logarithm(const PublicModels::Model& model) const {
    double sum = 0;
    const double* share = model.shares.data();
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const std::size_t parent = model.parents[i];
      const std::size_t runs = parent == PublicModels::kNoParent ? 1 : sizes_[parent];
      for (std::size_t run = 0; run < runs; ++run) {
        for (std::size_t cell = 0; cell < sizes_[i]; ++cell, ++share) {
          const std::uint64_t count = parent == PublicModels::kNoParent
                                          ? columns_[i][cell]
                                          : pair_count(parent, run, i, cell);
          if (count > 0) sum += static_cast<double>(count) * std::log(*share);
        }
      }
    }
    return records_ > 0 ? sum / static_cast<double>(records_) : 0;
  }

 private:
  [[nodiscard]] std::uint64_t pair_count(std::size_t parent, std::size_t run, std::size_t column,
                                         std::size_t cell) const {
    return parent < column ? pairs_->pair(parent, column)[run * sizes_[column] + cell]
                           : pairs_->pair(column, parent)[cell * sizes_[parent] + run];
  }

  const std::vector<std::uint32_t>& sizes_;
  std::vector<std::vector<std::uint64_t>> columns_;
  std::optional<PairCounter> counter_;
  std::optional<PairCounts> pairs_;
  std::uint64_t records_ = 0;
};

void require_pairs(const std::vector<std::uint32_t>& sizes) {
  if (const std::uint64_t cells = PairCounts::cells(sizes); cells > PairCounts::kMostCells) {
    throw InvalidInput(
        fmt::format("trees take at most {} cells of all pairs of columns together, but there are "
                    "{}: declare fewer bins in the domain",
                    PairCounts::kMostCells, cells));
  }
}

class ModelsRelease final : public PreparedRelease {
 public:
  ModelsRelease(DesignedRelease made, Domain domain, PublicModels models)
      : PreparedRelease(std::move(made.certificate), domain),
        domain_(std::move(domain)),
        models_(std::move(models)),
        sampler_(std::move(made.local)) {}

  void require(const Source& data) const override {
    require_columns(data, domain_);
    require_single_records(data, "space models");
  }

  RecordCounting counting() const override {
    throw InvalidInput(
        "space models needs how often each column has each value, and is released where the table "
        "is");
  }

  void draw(const Source& data, SecureRandom& random, Sink& sink,
            std::size_t /*threads*/) const override {
    std::uint32_t index = 0;
    sampler_->draw_rows(likelihoods(data), random, std::span(&index, 1));
    // From here on all is made of the index.
    const MarginalModel model = marginal_model_of(models_.columns(), models_.model(index));
    RecordWriter writer(domain_, sink);
    sink.take_model(released_model_text(model, domain_, certificate().total));
    write_rows(model, *certificate().spec.count, {}, random, writer);
    writer.finish();
  }

 private:
  /// Up to a factor. The kernel's table keeps its band whatever they are.
  std::vector<double> likelihoods(const Source& data) const {
    const bool trees = certificate().spec.local()->space.trees;
    TableCounts table(models_.columns(), trees);
    visit_digits(data, domain_, [&](std::span<const std::span<const std::uint32_t>> digits) {
      table.add(digits);
    });
    table.finish();
    std::vector<double> scores(models_.size());
    models_.visit([&](std::uint64_t index, const PublicModels::Model& model) {
      scores[index] = std::max(kLeastLogarithm, table.mean_logarithm(model));
    });
    const double most = *std::max_element(scores.begin(), scores.end());
    for (double& score : scores) score = std::exp(kLikelihoodRecords * (score - most));
    return scores;
  }

  Domain domain_;
  PublicModels models_;
  std::unique_ptr<LocalSampler> sampler_;
};

}  // namespace

ModelsOutlook models_outlook(std::uint64_t models, double floor, double epsilon) {
  // f of all models at floor e^epsilon and the rest at floor sum to 1.
  const double most = same_exp(epsilon);
  const double share = most > 1 ? (1 - floor) / (floor * (most - 1)) : 1;
  ModelsOutlook outlook;
  const double best = std::ceil(share * static_cast<double>(models));
  outlook.best = static_cast<std::uint64_t>(std::clamp(best, 1.0, static_cast<double>(models)));
  const double of_best = static_cast<double>(outlook.best) / static_cast<double>(models);
  // The last of the best may be below its upper bound: what all others have at most is their floor.
  outlook.probability =
      std::clamp(std::min(of_best * floor * most, 1 - (1 - of_best) * floor), 0.0, 1.0);
  return outlook;
}

ModelsOutlook models_outlook(const Certificate& certificate) {
  return models_outlook(certificate.facts.outcomes, *certificate.local()->floor,
                        certificate.draw.epsilon);
}

std::unique_ptr<const PreparedRelease> prepare_models(ReleaseSpec spec,
                                                      const PublicInputs& inputs) {
  validate_spec(spec);
  Domain domain = complete_spec(spec, inputs);
  const LocalSpec& local = *spec.local();
  const ReleaseSpace space(domain, local.space, std::nullopt, inputs);
  const ModelShapes shapes = model_shapes(local.space);
  PublicModels models(domain, space.size(), shapes,
                      local.reference ? inputs.records(local.reference->name, domain)
                                      : std::vector<std::uint32_t>());
  if (shapes == ModelShapes::kProductsAndTrees) require_pairs(models.columns());
  const PublicFacts facts{.outcomes = space.size(), .list_sha256 = models.sha256()};
  return std::make_unique<const ModelsRelease>(design_release(spec, facts, domain),
                                               std::move(domain), std::move(models));
}

}  // namespace mollify
