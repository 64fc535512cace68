// [Cheu, Nayak 2024], Tables 1 to 3: how many records samples need.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "divergence/joint_total_variation.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/contender/tested_gaussian.h"
#include "laboratory/reproduction/figures_of_sources.h"
#include "release/plan_model.h"

namespace mollify::detail {
namespace {

constexpr double kBudgetEpsilon = 1;
/// Below one over every number of records that is found, as a release demands.
constexpr double kBudgetDelta = 1e-10;
constexpr double kBudgetRho = 0.5;
constexpr double kTarget = 0.1;
constexpr std::uint64_t kManyOutputs = 100;

/// One sample, many whose every law is near, many whose joint law is near.
struct Task {
  const char* name;
  std::uint64_t outputs;
  bool strong;
};
constexpr Task kTasks[] = {{"one sample", 1, false},
                           {"weak, 100 samples", kManyOutputs, false},
                           {"strong, 100 samples", kManyOutputs, true}};

struct Budget {
  std::string name;
  Privacy privacy;
};

std::vector<std::string> columns() {
  return {"task",
          "privacy",
          "mollify needs",
          "the papers' parameters need",
          "baseline: m single samplers",
          "lower bound"};
}

std::string count_text(std::optional<double> count) {
  return count ? fmt::format("{:.0f}", *count) : "-";
}

std::optional<double> whole(const std::optional<std::uint64_t>& count) {
  if (!count) return std::nullopt;
  return static_cast<double>(*count);
}

const char* const kLegend =
    "The printed tables hold orders of growth without constants. Here are numbers: the least n for "
    "which mollify promises the accuracy; what the papers' own parameters need; m runs of a single "
    "sampler on disjoint parts (Lemma 8), each at alpha/m for a joint law within alpha (Lemma 9); "
    "and a lower bound that holds for every sampler, with constants of our own. Weak: the law of "
    "each sample is within alpha. Strong: that of all samples together is.";

std::optional<double> least_records(PlanQuestion question) {
  question.unknowns = {PlanUnknown::kRecords};
  try {
    const PlanAnswer answer = plan(question).answers.front();
    return answer.best ? answer.ways[*answer.best].value : std::nullopt;
  } catch (const InvalidInput&) {
    return std::nullopt;  // a budget that this sampler does not spend
  }
}

/// Records that m runs of the single sampler need.
std::optional<double> of_single_runs(PlanQuestion question, const Task& task) {
  question.outputs = 1;
  question.strong = false;
  const auto m = static_cast<double>(task.outputs);
  if (task.strong) question.alpha /= m;
  const std::optional<double> one = least_records(question);
  if (!one) return std::nullopt;
  return m * *one;
}

/// What the papers' own parameters need: for a covariance that is known to lie between bounds,
/// under approximate privacy, m runs of propose, test, release; elsewhere as `mollify plan` says.
std::optional<double> of_the_papers(const PlanQuestion& question) {
  if (!(question.covariance_bound > 1 && question.budget.delta > 0)) {
    return whole(papers_gaussian_records(question));
  }
  const auto m = static_cast<double>(question.outputs);
  const std::optional<double> one = whole(tested_gaussian_records(
      static_cast<std::size_t>(question.dimension), *question.mean_bound, question.covariance_bound,
      question.budget.epsilon, question.budget.delta,
      question.strong ? question.alpha / m : question.alpha));
  if (!one) return std::nullopt;
  return m * *one;
}

Figure gaussian_table(double covariance_bound, const std::vector<Budget>& budgets,
                      const ReproductionOptions& options) {
  constexpr std::size_t kDimension = 5;
  constexpr double kMeanBound = 10;
  Figure figure;
  figure.text = {
      fmt::format("Records needed for samples within total variation {:g} of a Gaussian in {} "
                  "dimensions whose mean has norm at most {:g}, {}. Budgets: epsilon {:g}; rho "
                  "{:g}; epsilon {:g} with delta {:g}.",
                  kTarget, kDimension, kMeanBound,
                  covariance_bound > 1
                      ? fmt::format("with a covariance between I and {:g} I", covariance_bound)
                      : "with known covariance",
                  kBudgetEpsilon, kBudgetRho, kBudgetEpsilon, kBudgetDelta),
      "Published, but for logarithms: m weak samples need m times the records of one, in every "
      "way; strong ones need as many where one sample's records grow with the logarithm of 1/alpha "
      "only, and more where they grow with a power of it.",
      kLegend};
  if (covariance_bound > 1) {
    figure.text.emplace_back(
        "Under approximate privacy the papers' way is propose, test, release [Ghazi et al. 2023, "
        "Algorithm 2], with constants of our own: it needs records in proportion to 1/epsilon, "
        "where adding noise (mollify, and the papers' way under rho) needs them in proportion to "
        "1/epsilon^2. mollify does not release with it, because its noise is continuous.");
  }
  figure.table.columns = columns();
  for (const Task& task : kTasks) {
    for (const Budget& budget : budgets) {
      const PlanQuestion question{.model = Model::kCentral,
                                  .family = Family::kGaussian,
                                  .dimension = kDimension,
                                  .outputs = task.outputs,
                                  .budget = budget.privacy,
                                  .alpha = kTarget,
                                  .strong = task.strong,
                                  .mean_bound = kMeanBound,
                                  .covariance_bound = covariance_bound};
      // One of many outputs is a single sample within alpha, too.
      PlanQuestion one = question;
      one.outputs = 1;
      one.strong = false;
      const double bound =
          std::max(gaussian_records_lower_bound(question), gaussian_records_lower_bound(one));
      figure.table.rows.push_back({task.name, budget.name, count_text(least_records(question)),
                                   count_text(of_the_papers(question)),
                                   count_text(of_single_runs(question, task)),
                                   count_text(std::ceil(bound))});
      options.tell(fmt::format("{}, {}", task.name, budget.name));
    }
  }
  return figure;
}

}  // namespace

Figure cheu_finite(const ReproductionOptions& options) {
  constexpr std::uint64_t kOutcomes = 20;
  Figure figure;
  figure.text = {
      fmt::format("Records needed for samples within total variation {:g} of a distribution on {} "
                  "outcomes. Budgets: epsilon {:g}, and with delta {:g}. Published: of order "
                  "k/(alpha epsilon) for one sample; m times that for weak samples under pure "
                  "privacy; m^2 times that for strong ones; under approximate privacy shuffling "
                  "saves a factor of m.",
                  kTarget, kOutcomes, kBudgetEpsilon, kBudgetDelta),
      std::string(kLegend) +
          " Here the bound is an order only, k/(alpha epsilon): of single samples, which those of "
          "a joint law within alpha are to within about 1.25 alpha/sqrt(m) (Theorem 21, "
          "computed)."};
  figure.table.columns = columns();
  for (const Task& task : kTasks) {
    for (const Budget& budget :
         {Budget{"pure", Privacy::pure(kBudgetEpsilon)},
          Budget{"approximate", Privacy::approximate(kBudgetEpsilon, kBudgetDelta)}}) {
      const PlanQuestion question{.model = Model::kCentral,
                                  .outcomes = kOutcomes,
                                  .outputs = task.outputs,
                                  .budget = budget.privacy,
                                  .alpha = kTarget,
                                  .strong = task.strong};
      const std::optional<double> papers = budget.privacy.delta > 0 && task.outputs > 1
                                               ? whole(papers_shuffled_records(question))
                                               : papers_subsampled_records(question);
      // By the joint law, outputs are single samples within less: that needs records, too.
      PlanQuestion one = question;
      one.outputs = 1;
      one.strong = false;
      if (task.strong) one.alpha = single_total_variation_most(task.outputs, kTarget);
      figure.table.rows.push_back(
          {task.name, budget.name, count_text(least_records(question)), count_text(papers),
           count_text(of_single_runs(question, task)),
           fmt::format("order of {}", count_text(records_lower_bound_order(one)))});
      options.tell(fmt::format("{}, {}", task.name, budget.name));
    }
  }
  return figure;
}

Figure cheu_known_covariance(const ReproductionOptions& options) {
  return gaussian_table(1,
                        {{"pure", Privacy::pure(kBudgetEpsilon)},
                         {"zero-concentrated", Privacy::concentrated(kBudgetRho)},
                         {"approximate", Privacy::approximate(kBudgetEpsilon, kBudgetDelta)}},
                        options);
}

Figure cheu_bounded_covariance(const ReproductionOptions& options) {
  return gaussian_table(4,
                        {{"zero-concentrated", Privacy::concentrated(kBudgetRho)},
                         {"approximate", Privacy::approximate(kBudgetEpsilon, kBudgetDelta)}},
                        options);
}

}  // namespace mollify::detail
