#include "release/models_release.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "kernel/core/invalid_input.h"
#include "records/private_table.h"
#include "records/record_writer.h"
#include "reference/product_models.h"
#include "release/design.h"
#include "release/release_space.h"
#include "release/released_model.h"
#include "release/spec_json.h"

namespace mollify {
namespace {

/// How many records of the table's distribution a likelihood is taken of: the more, the more the
/// nearest models alone are at the band's upper edge. Public, so that a table's size does not
/// count.
constexpr double kLikelihoodRecords = 256;
/// A model's mean log-likelihood is not taken to be less.
constexpr double kLeastLogarithm = -64;

MarginalModel marginal_model_of(const std::vector<std::uint32_t>& sizes,
                                std::span<const double> shares) {
  std::vector<MarginalModel::ColumnModel> columns;
  std::vector<GraphicalModel::Potential> potentials;
  std::size_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto cells = shares.subspan(first, sizes[i]);
    columns.push_back({single_cells(sizes[i]), std::vector<double>(sizes[i], 1)});
    GraphicalModel::Potential& potential = potentials.emplace_back();
    potential.clique = {i};
    for (const double share : cells) potential.values.push_back(std::log(share));
    first += sizes[i];
  }
  return {std::move(columns), GraphicalModel(sizes, 1, std::move(potentials))};
}

class ModelsRelease final : public PreparedRelease {
 public:
  ModelsRelease(DesignedRelease made, Domain domain, ProductModels models)
      : PreparedRelease(std::move(made.certificate)),
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
    const MarginalModel model = marginal_model_of(models_.columns(), models_.shares(index));
    RecordWriter writer(domain_, sink);
    sink.take_model(released_model_text(model, domain_, certificate().total));
    write_rows(model, *certificate().spec.count, {}, random, writer);
    writer.finish();
  }

 private:
  /// How often each column has each cell, as shares; all 0 of a table without records.
  std::vector<double> column_shares(const Source& data) const {
    std::vector<std::size_t> firsts;
    std::size_t cells = 0;
    for (const std::uint32_t size : models_.columns()) {
      firsts.push_back(cells);
      cells += size;
    }
    std::vector<double> counts(cells);
    double records = 0;
    visit_digits(data, domain_, [&](std::span<const std::span<const std::uint32_t>> digits) {
      for (std::size_t i = 0; i < digits.size(); ++i) {
        for (const std::uint32_t digit : digits[i]) counts[firsts[i] + digit] += 1;
      }
      records += static_cast<double>(digits[0].size());
    });
    if (records > 0) {
      for (double& count : counts) count /= records;
    }
    return counts;
  }

  /// Up to a factor. The kernel's table keeps its band whatever they are.
  std::vector<double> likelihoods(const Source& data) const {
    const std::vector<double> table = column_shares(data);
    std::vector<double> scores(models_.size());
    models_.visit([&](std::uint64_t index, std::span<const double> shares) {
      double sum = 0;
      for (std::size_t i = 0; i < shares.size(); ++i) {
        if (table[i] > 0) sum += table[i] * std::log(shares[i]);
      }
      scores[index] = std::max(kLeastLogarithm, sum);
    });
    const double most = *std::max_element(scores.begin(), scores.end());
    for (double& score : scores) score = std::exp(kLikelihoodRecords * (score - most));
    return scores;
  }

  Domain domain_;
  ProductModels models_;
  std::unique_ptr<LocalSampler> sampler_;
};

}  // namespace

ModelsOutlook models_outlook(std::uint64_t models, double floor, double epsilon) {
  // f of all models at floor e^epsilon and the rest at floor sum to 1.
  const double most = std::exp(epsilon);
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

std::unique_ptr<const PreparedRelease> prepare_models(ReleaseSpec spec,
                                                      const PublicInputs& inputs) {
  validate_spec(spec);
  Domain domain = complete_spec(spec, inputs);
  const LocalSpec& local = *spec.local();
  const ReleaseSpace space(domain, local.space, std::nullopt, inputs);
  ProductModels models(domain, space.size(),
                       local.reference ? inputs.records(local.reference->name, domain)
                                       : std::vector<std::uint32_t>());
  const PublicFacts facts{.outcomes = space.size(), .list_sha256 = models.sha256()};
  return std::make_unique<const ModelsRelease>(design_release(spec, facts, domain),
                                               std::move(domain), std::move(models));
}

}  // namespace mollify
