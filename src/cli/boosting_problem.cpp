#include "boosting_problem.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "boosting/feature_encoding.h"
#include "box_text.h"
#include "density/record_layout.h"
#include "io/csv_source.h"
#include "io/domain_yaml.h"
#include "io/public_records.h"
#include "io/text_file.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/secure_random.h"
#include "laboratory/boosting/measure_features.h"
#include "laboratory/measure/gaussian_mixture.h"
#include "laboratory/measure/measure_json.h"
#include "records/private_table.h"
#include "reference/reference_candidates.h"
#include "release/local_release.h"

namespace mollify::cli {
namespace {

constexpr std::size_t kPoolSize = 65'536;
constexpr std::size_t kGridCells = std::size_t{1} << 17U;
constexpr std::size_t kMostGridDimensions = 2;
/// What a grid may miss of P, and the fewest cells that P may be spread over on it; else samples
/// tell more.
constexpr double kMostMassOutside = 1e-6;
constexpr double kLeastCells = 100;

/// One record in five is for evaluation.
constexpr std::size_t kHeldOut = 5;
/// Of fewer none is kept.
constexpr std::size_t kLeastRecords = 50;

/// The records of the two parts, from digits end to end.
struct SplitRecords {
  std::vector<std::uint32_t> learned;
  std::vector<std::uint32_t> held_out;
};

SplitRecords split(std::span<const std::uint32_t> digits, std::size_t columns, std::size_t one_in) {
  SplitRecords parts;
  for (std::size_t i = 0; i * columns < digits.size(); ++i) {
    const auto record = digits.subspan(i * columns, columns);
    auto& part = i % one_in == one_in - 1 ? parts.held_out : parts.learned;
    part.insert(part.end(), record.begin(), record.end());
  }
  return parts;
}

/// Equal cells over the reference's central box, cut once more at the regions' ends.
Grid grid_for(const Measure& reference, std::span<const Box> regions) {
  const Grid even = equal_width_grid(reference, kGridCells);
  std::vector<std::vector<double>> edges;
  for (std::size_t axis = 0; axis < even.dimension(); ++axis) {
    std::vector<double> of_axis(even.edges(axis).begin(), even.edges(axis).end());
    const Interval whole{of_axis.front(), of_axis.back()};
    for (const Box& region : regions) {
      for (const double end : {region[axis].low, region[axis].high}) {
        if (whole.low < end && end < whole.high) of_axis.push_back(end);
      }
    }
    std::sort(of_axis.begin(), of_axis.end());
    of_axis.erase(std::unique(of_axis.begin(), of_axis.end()), of_axis.end());
    edges.push_back(std::move(of_axis));
  }
  return Grid(std::move(edges));
}

/// Over how many cells the masses are spread: exp of their entropy.
double effective_cells(std::span<const double> masses) {
  double entropy = 0;
  for (const double mass : masses) {
    if (mass > 0) entropy -= mass * std::log(mass);
  }
  return std::exp(entropy);
}

}  // namespace

BoostingProblem problem_of_density(const std::string& density,
                                   const std::optional<std::string>& reference,
                                   std::uint64_t samples, std::uint64_t seed,
                                   const std::vector<std::string>& regions) {
  const auto truth = measure_from_json(read_text_file(density), density);
  const std::size_t dimension = truth->dimension();
  const std::shared_ptr<const Measure> q0 =
      reference
          ? measure_from_json(read_text_file(*reference), *reference)
          : std::make_shared<GaussianMixture>(single_gaussian(std::vector<double>(dimension), 1));
  if (q0->dimension() != dimension) {
    throw InvalidInput(
        fmt::format("the reference must have the density's {} dimensions, but has {}", dimension,
                    q0->dimension()));
  }
  SeededRandom random(seed);
  const auto count = static_cast<std::size_t>(samples);
  BoostingProblem problem{.p = measure_sample(*truth, count, random),
                          .pool = measure_sample(*q0, std::max(kPoolSize, 4 * count), random),
                          .evaluation = {Points(dimension, 0), {}, Points(dimension, 0), {}},
                          .p_text = density,
                          .reference_text = reference.value_or("the standard Gaussian"),
                          .truth = truth,
                          .reference = q0};
  for (const std::string& text : regions)
    problem.regions.push_back(box_from("region", text, dimension));
  if (dimension <= kMostGridDimensions &&
      truth->box_mass(q0->central_box()) > 1 - kMostMassOutside) {
    Grid grid = grid_for(*q0, problem.regions);
    Evaluation evaluation = evaluation_on_grid(*truth, *q0, grid);
    if (effective_cells(evaluation.masses_p) > kLeastCells) {
      problem.grid = std::move(grid);
      problem.evaluation = std::move(evaluation);
      return problem;
    }
  }
  if (!regions.empty()) {
    throw InvalidInput(
        "--region needs a density of one or two dimensions, on the reference's central box and not "
        "narrower than its cells, but this one is not so");
  }
  problem.evaluation.p = measure_sample(*truth, count, random);
  problem.evaluation.reference = measure_sample(*q0, kPoolSize, random);
  return problem;
}

BoostingProblem problem_of_records(const std::string& data, const std::string& domain_file,
                                   const std::optional<std::string>& reference) {
  const Domain domain = read_domain(domain_file);
  if (reference && same_file_or_content(*reference, data)) {
    throw InvalidInput(
        fmt::format("the reference must be public, but {} is the private file itself", *reference));
  }
  const RecordLayout layout(domain);
  const FeatureEncoding encoding(layout.columns());
  const auto features = [&](std::span<const std::uint32_t> digits) {
    return encoding.features(layout.points(digits));
  };
  // Even and odd candidates: to learn from, and to evaluate with.
  const Candidates list = reference
                              ? ReferenceCandidates(domain, read_public_digits(*reference, domain))
                                    .seeded(2 * kPoolSize)
                              : Candidates::seeded(domain, 2 * kPoolSize);
  const SplitRecords of_reference = split(list.digits(), layout.digits(), 2);
  SecureRandom random;
  const std::vector<std::uint32_t> records =
      read_table_digits(CsvSource(data), domain, kMostScoredRows, random);
  if (records.empty()) {
    throw InvalidInput(fmt::format("{} must hold records to learn from, but holds none", data));
  }
  const bool are_few = records.size() / layout.digits() < kLeastRecords;
  const SplitRecords of_p =
      are_few ? SplitRecords{records, records} : split(records, layout.digits(), kHeldOut);
  return {.p = features(of_p.learned),
          .pool = features(of_reference.learned),
          .evaluation = {features(of_p.held_out), {}, features(of_reference.held_out), {}},
          .p_text = data + (are_few ? " (measured on the few records that are learned from)" : ""),
          .reference_text = reference.value_or("uniform on the domain")};
}

}  // namespace mollify::cli
