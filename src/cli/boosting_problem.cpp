#include "boosting_problem.h"

#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "mollify/boosting/feature_encoding.h"
#include "mollify/boosting/reference_sample.h"
#include "mollify/density/record_layout.h"
#include "mollify/io/domain_yaml.h"
#include "mollify/io/measure_json.h"
#include "mollify/io/private_table.h"
#include "mollify/io/public_records.h"
#include "mollify/kernel/invalid_input.h"
#include "mollify/kernel/secure_random.h"
#include "mollify/reference/gaussian_mixture_measure.h"
#include "mollify/reference/measure_density.h"
#include "mollify/reference/reference_candidates.h"
#include "mollify/release/local_release.h"
#include "text_file.h"

namespace mollify::cli {
namespace {

constexpr std::size_t kPoolSize = 65'536;
constexpr std::size_t kGridCells = 65'536;
constexpr std::size_t kMostGridDimensions = 2;

/// One record in five is for evaluation.
constexpr std::size_t kHeldOut = 5;

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

}  // namespace

BoostingProblem problem_of_density(const std::string& density,
                                   const std::optional<std::string>& reference,
                                   std::uint64_t samples, std::uint64_t seed) {
  const auto truth = measure_from_json(read_text_file(density), density);
  const std::size_t dimension = truth->dimension();
  const std::shared_ptr<const Measure> q0 =
      reference ? measure_from_json(read_text_file(*reference), *reference)
                : std::make_shared<GaussianMixtureMeasure>(
                      single_gaussian(std::vector<double>(dimension), 1));
  if (q0->dimension() != dimension) {
    throw InvalidInput(
        fmt::format("the reference must have the density's {} dimensions, but has {}", dimension,
                    q0->dimension()));
  }
  SeededRandom random(seed);
  const auto count = static_cast<std::size_t>(samples);
  BoostingProblem problem{.p = reference_sample(*truth, count, random),
                          .pool = reference_sample(*q0, std::max(kPoolSize, 4 * count), random),
                          .evaluation = {Features(dimension, 0), {}, Features(dimension, 0), {}},
                          .p_text = density,
                          .reference_text = reference.value_or("the standard Gaussian"),
                          .truth = truth,
                          .reference = q0};
  if (dimension <= kMostGridDimensions) {
    problem.grid = equal_width_grid(*q0, kGridCells);
    problem.evaluation = evaluation_on_grid(MeasureDensity(truth), *q0, *problem.grid);
  } else {
    problem.evaluation.p = reference_sample(*truth, count, random);
    problem.evaluation.reference = reference_sample(*q0, kPoolSize, random);
  }
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
  const SplitRecords of_p =
      split(read_table_digits(data, domain, kMostScoredRows, random), layout.digits(), kHeldOut);
  return {.p = features(of_p.learned),
          .pool = features(of_reference.learned),
          .evaluation = {features(of_p.held_out), {}, features(of_reference.held_out), {}},
          .p_text = data,
          .reference_text = reference.value_or("uniform on the domain")};
}

}  // namespace mollify::cli
