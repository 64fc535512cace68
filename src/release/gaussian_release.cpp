#include "release/gaussian_release.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "io/covariance_file.h"
#include "io/csv_writer.h"
#include "io/domain_hash.h"
#include "io/domain_yaml.h"
#include "io/line_reader.h"
#include "io/numeric_file.h"
#include "io/public_records.h"
#include "io/roster.h"
#include "io/sha256.h"
#include "kernel/core/invalid_input.h"
#include "mollify/version.h"

namespace mollify {
namespace {

void require_public(const std::string& what, const std::optional<std::string>& file,
                    const std::string& data) {
  if (file && same_file_or_content(*file, data)) {
    throw InvalidInput(
        fmt::format("{} must be public, but {} is the private file itself", what, *file));
  }
}

Domain validated_domain(const GaussianReleaseRequest& request) {
  if (request.roster && !request.unit) {
    throw InvalidInput("a roster of units needs the unit column, but none is given");
  }
  require_rereadable(request.data);
  if (request.covariance) require_rereadable(*request.covariance);
  require_public("the roster", request.roster, request.data);
  require_public("the covariance", request.covariance, request.data);
  if (!request.covariance && !request.covariance_bound) {
    throw InvalidInput(
        "family gaussian needs the covariance, or a bound of it, but neither is given");
  }
  constexpr std::uint64_t kMostOutputs = 100'000'000;
  if (request.count < 1 || request.count > kMostOutputs) {
    throw InvalidInput(
        fmt::format("count must be from 1 to {}, but is {}", kMostOutputs, request.count));
  }
  return read_domain(request.domain);
}

/// Whitened coordinates are counted from the middle of the declared ranges.
Whitening whitening_for(const GaussianReleaseRequest& request, const RealColumns& columns) {
  const std::size_t dimension = columns.size();
  std::vector<double> covariance(dimension * dimension);
  for (std::size_t i = 0; i < dimension; ++i) covariance[i * dimension + i] = 1;
  if (request.covariance) covariance = read_covariance(*request.covariance, columns);
  std::vector<double> middle;
  for (std::size_t i = 0; i < dimension; ++i) {
    middle.push_back(columns.low(i) / 2 + columns.high(i) / 2);
  }
  return Whitening::from_covariance(dimension, covariance, middle);
}

std::vector<WhitenedRange> mean_ranges(const RealColumns& columns, const Whitening& whitening) {
  std::vector<double> low;
  std::vector<double> high;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    low.push_back(columns.low(i));
    high.push_back(columns.high(i));
  }
  return whitening.ranges_of_box(low, high);
}

/// Of the ways to find a coarse centre that the budget allows, the one that costs least.
GaussianDesign best_design(GaussianRequest request, const std::vector<WhitenedRange>& ranges) {
  if (request.mean_bound) return design_gaussian(request);
  request.ranges = ranges;
  if (!(request.budget.delta > 0)) return design_gaussian(request);
  GaussianRequest anywhere = request;
  anywhere.ranges.clear();
  std::optional<GaussianDesign> other;
  try {
    other = design_gaussian(anywhere);
  } catch (const InvalidInput&) {
    return design_gaussian(request);  // its refusal is the one to tell
  }
  try {
    GaussianDesign ranged = design_gaussian(request);
    if (ranged.total_variation_up() <= other->total_variation_up()) return ranged;
  } catch (const InvalidInput&) {
    // The other one serves.
  }
  return *std::move(other);
}

std::string hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Sha256 hash;
  hash.add(std::string(std::istreambuf_iterator<char>(file), {}));
  return hash.hex();
}

std::unique_ptr<const NumericTable> table_for(const GaussianReleaseRequest& request,
                                              const Domain& domain, const RealColumns& columns) {
  if (!request.unit) return std::make_unique<const NumericFile>(request.data, domain, columns);
  std::optional<StringIndex> roster;
  if (request.roster) roster = read_roster(*request.roster, *request.unit);
  SecureRandom random;
  return std::make_unique<const MemoryTable>(
      columns.size(),
      read_unit_points(request.data, domain, columns, *request.unit, roster, random));
}

}  // namespace

GaussianRelease::GaussianRelease(const GaussianReleaseRequest& request)
    : domain_(validated_domain(request)), columns_(domain_, request.logarithms) {
  Whitening whitening = whitening_for(request, columns_);
  table_ = table_for(request, domain_, columns_);
  if (table_->record_count() < 1) {
    throw InvalidInput(fmt::format("model central needs at least one {}, but {} has none",
                                   request.unit ? "unit" : "row", request.data));
  }
  GaussianRequest sizes{.records = table_->record_count(),
                        .dimension = columns_.size(),
                        .outputs = request.count,
                        .budget = request.budget,
                        .covariance_bound = request.covariance_bound.value_or(1),
                        .mean_bound = request.mean_bound,
                        .ranges = {},
                        .paper_variance = request.paper_variance};
  certificate_.version = kVersion;
  certificate_.unit = request.unit;
  certificate_.roster = request.roster;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    certificate_.columns.push_back(columns_.name(i));
    if (columns_.is_logarithm(i)) certificate_.logarithms.push_back(columns_.name(i));
  }
  certificate_.covariance = request.covariance;
  if (request.covariance) certificate_.covariance_sha256 = hash_of_file(*request.covariance);
  certificate_.domain_sha256 = domain_hash(domain_);
  certificate_.design = best_design(std::move(sizes), mean_ranges(columns_, whitening));
  sampler_.emplace(certificate_.design, std::move(whitening));
}

std::string GaussianRelease::run(SecureRandom& random) const {
  const std::vector<double> released = sampler_->draw(*table_, random);
  std::string csv;
  std::vector<std::string> fields;
  for (const Column& column : domain_.columns()) fields.push_back(column.name());
  append_csv_record(fields, csv);
  for (std::size_t i = 0; i < released.size(); i += columns_.size()) {
    columns_.write(std::span(released).subspan(i, columns_.size()), fields);
    append_csv_record(fields, csv);
  }
  return csv;
}

}  // namespace mollify
