#include "methods/central/design.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/directed_rounding.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/ranges.h"

namespace mollify {

namespace {

using Notion = PrivacyNotion;

void validate(const CentralRequest& request) {
  const auto& [records, outcomes, outputs, budget, greatest_weight] = request;
  require_between({"the number of records", "n", "records"}, records, 1,
                  RandomizedResponse::kMostRecords);
  require_between({"the number of outcomes", "k", "outcomes"}, outcomes, 1, Band::kMostOutcomes);
  require_in({.least = 1}, {"the number of outputs", "count", "records"}, outputs);
  require_central_budget(budget);
  if (budget.notion == Notion::kConcentrated) {
    require_in(kPositive, {parameter_name_of("rho"), "rho"}, budget.rho);
    return;
  }
  require_in(kPositive, {parameter_name_of("epsilon"), "epsilon"}, budget.epsilon);
  require_in(kBelowOne, {parameter_name_of("delta"), "delta"}, budget.delta);
}

/// The beginning of most mechanisms; throws if they cannot release this many.
CentralDesign begin(CentralMechanism mechanism, const CentralRequest& request) {
  if (request.budget.notion == Notion::kConcentrated) {
    refuse_input("not-for-this-budget", "rho", {WayOut::set("mechanism", "product")},
                 "mechanism {} spends epsilon and delta, but the budget is rho; mechanism product "
                 "spends rho",
                 name_of(mechanism));
  }
  if (request.outputs > request.records) {
    refuse_input("too-few-records", "count", {WayOut::set("count"), WayOut::use("marginals")},
                 "{} releases at most as many records as the table has, {}, but {} are asked for: "
                 "lower {}, or use {}, which releases any number of rows at one cost",
                 method_words("central"), request.records, request.outputs, flag_words("count"),
                 method_words("marginals"));
  }
  CentralDesign design;
  design.mechanism = mechanism;
  design.records = request.records;
  design.outcomes = request.outcomes;
  design.outputs = request.outputs;
  design.greatest_weight = request.greatest_weight;
  return design;
}

/// ln(K / L), rounded up.
double epsilon0_up(const RandomizedResponse& response) {
  return response.outcome_count() > 1 ? ln_ratio_up(response.kept(), response.other()) : 0;
}

RandomizedResponse pure_response(const CentralDesign& design) {
  return {design.outcomes, design.guarantee.epsilon, design.records, *design.outputs};
}

CentralDesign subsampled(CentralMechanism mechanism, const CentralRequest& request) {
  CentralDesign design = begin(mechanism, request);
  design.guarantee = Privacy::pure(ExpBound(request.budget.epsilon).epsilon());
  design.epsilon0 = epsilon0_up(pure_response(design));
  design.why = fmt::format(
      "{} of {} {} through randomized response with odds 1 + (n/m)(e^epsilon - 1), the "
      "greatest that pure privacy allows",
      request.outputs, counted(request.records, "record"), request.outputs == 1 ? "goes" : "go");
  return design;
}

CentralDesign ds_roo(const CentralRequest& request) {
  CentralDesign design = begin(CentralMechanism::kDsRoo, request);
  design.runs = request.outputs;
  design.guarantee = Privacy::pure(ExpBound(request.budget.epsilon).epsilon());
  design.why = fmt::format(
      "each output is a uniform outcome or one of {}, the oftener a record the better all "
      "outcomes are covered; in the worst case no better than subsampled-rr",
      counted(request.records / request.outputs, "record"));
  return design;
}

/// The beginning of the mechanisms that depend on shuffling.
CentralDesign begin_shuffled(CentralMechanism mechanism, const CentralRequest& request) {
  CentralDesign design = begin(mechanism, request);
  if (request.budget.delta == 0) {
    refuse_missing("delta", fmt::format("mechanism {} needs one above 0; subsampled-rr "
                                        "needs none",
                                        name_of(mechanism)));
  }
  design.guarantee = Privacy::approximate(request.budget.epsilon, request.budget.delta);
  return design;
}

/// Leaves room for other processors' rounding: a design of one is verified on any other.
constexpr double kRoomOfResponse = 1 - 0x1p-40;

/// The epsilon0 of each response, from what the accounting certifies; never less than the whole
/// epsilon, which a response keeps without being shuffled. Integers are too coarse for more
/// than 30.
template <class Certified>
double response_epsilon(const CentralRequest& request, const Certified& certified) {
  const double epsilon = request.budget.epsilon;
  if (epsilon >= ExpBound::kGreatestEpsilon) return ExpBound::kGreatestEpsilon;
  return std::clamp(certified() * kRoomOfResponse, epsilon, ExpBound::kGreatestEpsilon);
}

CentralDesign subset(const CentralRequest& request) {
  CentralDesign design = begin_shuffled(CentralMechanism::kSubsetRr, request);
  design.epsilon0 = response_epsilon(request, [&] {
    return subset_epsilon0_down(request.records, request.outputs, request.outcomes,
                                request.budget.epsilon, request.budget.delta);
  });
  design.why = fmt::format(
      "{} of {} records are chosen and their reports shuffled, which allows each a randomized "
      "response of epsilon0 = {:.4g}",
      request.outputs, request.records, *design.epsilon0);
  return design;
}

CentralDesign shuffled(const CentralRequest& request) {
  CentralDesign design = begin_shuffled(CentralMechanism::kShuffledRr, request);
  if (request.outputs != request.records) {
    throw InvalidInput(
        "not-for-this-mechanism",
        "mechanism shuffled-rr releases a report of each record, so as many outputs as there are "
        "records; subset-rr releases fewer",
        "count", {WayOut::set("mechanism", "subset-rr")});
  }
  design.epsilon0 = response_epsilon(request, [&] {
    return shuffle_epsilon0_down(request.records, request.outcomes, request.budget.epsilon,
                                 request.budget.delta);
  });
  design.why = fmt::format(
      "all {} reports are shuffled, which allows each a randomized response of epsilon0 = {:.4g}",
      request.records, *design.epsilon0);
  return design;
}

CentralDesign poisson_at(const CentralRequest& request, double rate) {
  CentralDesign design = begin_shuffled(CentralMechanism::kPoissonRr, request);
  design.rate = PoissonSubsample(rate).rate();
  design.epsilon0 = response_epsilon(request, [&] {
    return shuffle_epsilon0_down(request.records, request.outcomes, request.budget.epsilon,
                                 request.budget.delta, design.rate);
  });
  return design;
}

CentralDesign poisson(const CentralRequest& request) {
  begin_shuffled(CentralMechanism::kPoissonRr, request);
  const std::optional<double> rate = poisson_rate_for(request.records, request.outputs, kShortfall);
  if (!rate) {
    refuse_input("too-few-records", "mechanism", {WayOut::set("mechanism", "subset-rr")},
                 "mechanism poisson-rr cannot be sure of {} reports from {} records; it needs some "
                 "hundred records more than outputs, and subset-rr does not",
                 request.outputs, request.records);
  }
  CentralDesign design = poisson_at(request, *rate);
  design.why = fmt::format(
      "each record is looked at with probability {:.4g}, which hides how many were and allows each "
      "report epsilon0 = {:.4g}",
      design.rate, *design.epsilon0);
  return design;
}

CentralDesign histogram(const CentralRequest& request) {
  CentralRequest one = request;
  one.outputs = 1;  // more outputs than records are no trouble here
  CentralDesign design = begin(CentralMechanism::kHistogram, one);
  design.outputs = request.outputs;
  design.guarantee = Privacy::pure(request.budget.epsilon);
  design.why = request.outputs == 1
                   ? "the output is drawn from a histogram with noise, the baseline"
                   : "all outputs are drawn from one histogram with noise, the baseline: they "
                     "share its errors";
  if (request.greatest_weight) {
    design.why =
        "all outputs are drawn from one histogram of weights with noise, which grows with "
        "the greatest weight: they share its errors";
  }
  return design;
}

/// d, where k = 2^d.
unsigned coordinates_of(std::uint64_t outcomes) {
  if (outcomes < 2 || !std::has_single_bit(outcomes)) {
    refuse_input("not-for-this-domain", "mechanism", {WayOut::set("mechanism")},
                 "mechanism product needs 2^d outcomes, one for each vector of d bits, but there "
                 "are {}",
                 outcomes);
  }
  return static_cast<unsigned>(std::countr_zero(outcomes));
}

CentralDesign product(const CentralRequest& request) {
  CentralRequest any_budget = request;
  any_budget.budget = {};
  CentralDesign design = begin(CentralMechanism::kProduct, any_budget);
  const unsigned d = coordinates_of(request.outcomes);
  if (request.budget.notion != Notion::kConcentrated) {
    const ProductSampler sampler(d, request.records, request.outputs, request.budget.epsilon);
    design.guarantee = sampler.guarantee();
    design.epsilon0 = epsilon0_up(sampler.response());
    design.why = fmt::format(
        "each of {} bits is taken from records of its own and flipped at random, which costs d in "
        "place of 2^d, if the bits are independent of each other",
        d);
    return design;
  }
  design.runs = request.outputs;
  const std::uint64_t each = request.records / request.outputs;
  const std::optional<std::uint64_t> clip = ClippedMeans::least_clip(d, each, request.budget.rho);
  refuse_if(!clip, "too-few-records", "mechanism",
            "mechanism product with {} bits needs more than {} records for each output, or a rho "
            "above {}, because means are clipped below 1/3",
            d, each, request.budget.rho);
  design.guarantee = ClippedMeans(d, each, *clip).guarantee();
  design.why = fmt::format(
      "each of {} bits follows its mean over {} records, clipped to [{:.6g}, {:.6g}], if the bits "
      "are independent with means in [1/3, 2/3]",
      d, each, static_cast<double>(*clip) / static_cast<double>(each),
      1 - static_cast<double>(*clip) / static_cast<double>(each));
  return design;
}

/// Total variation and independence are the sampler's to tell.
CentralDesign finished(CentralDesign design) {
  const std::unique_ptr<CentralSampler> sampler = make_central_sampler(design);
  design.total_variation_up = sampler->total_variation_up();
  design.independent_outputs = sampler->outputs_are_independent();
  return design;
}

}  // namespace

void require_central_budget(const Privacy& budget) {
  if (budget.notion == Notion::kGaussian) {
    throw InvalidInput("not-for-this-budget",
                       "a budget of the central model is in epsilon, delta or rho, but is in mu",
                       "mu", {WayOut::set("epsilon"), WayOut::set("rho")});
  }
  const bool is_rho = budget.notion == Notion::kConcentrated;
  if ((is_rho ? budget.epsilon : budget.rho) != 0 || budget.mu != 0 ||
      (budget.notion != Notion::kApproximate && budget.delta != 0)) {
    throw InvalidInput(
        "not-for-this-budget",
        "a budget is epsilon, epsilon and delta, or rho, but what another notion has is given",
        "epsilon", {WayOut::set("epsilon"), WayOut::set("rho")});
  }
}

CentralDesign design_central(CentralMechanism mechanism, const CentralRequest& request) {
  validate(request);
  if (request.greatest_weight && !row_of(mechanism).takes_weights) {
    refuse_input("not-for-this-mechanism", "weights",
                 {WayOut::leave("weights"), WayOut::set("mechanism", "histogram")},
                 "mechanism {} takes each row alike, so give {} without it, or mechanism histogram",
                 name_of(mechanism), flag_words("weights"));
  }
  return finished(row_of(mechanism).design(request));
}

CentralDesign design_poisson(const CentralRequest& request, double rate) {
  CentralRequest any = request;
  any.outputs = 1;  // as many as come
  validate(any);
  CentralDesign design = poisson_at(any, rate);
  design.outputs.reset();
  design.why = fmt::format(
      "each record is looked at with probability {:.4g} and all reports are released, however many",
      design.rate);
  return finished(std::move(design));
}

std::vector<CentralOption> central_options(const CentralRequest& request) {
  validate(request);
  std::vector<CentralOption> options;
  for (const auto& [mechanism, name] : names<CentralMechanism>()) {
    CentralOption option{mechanism, std::nullopt, ""};
    try {
      option.design = design_central(option.mechanism, request);
    } catch (const InvalidInput& refused) {
      option.refusal = refused.what();
      option.refused = refused;
    }
    options.push_back(std::move(option));
  }
  return options;
}

CentralDesign best_central_design(const CentralRequest& request,
                                  std::optional<CentralMechanism> chosen_before) {
  if (request.greatest_weight) return design_central(CentralMechanism::kHistogram, request);
  if (request.budget.notion == Notion::kConcentrated) {
    refuse_input(
        "not-for-this-budget", "rho",
        {WayOut::set("mechanism", "product"), WayOut::set("epsilon"), WayOut::use("gaussian"),
         WayOut::use("gaussian-model"), WayOut::use("marginals")},
        "{} works with {}, and with {}; otherwise give {}, with {} or without", flag_words("rho"),
        setting_words("mechanism", "product"),
        methods_words(std::array<std::string_view, 3>{"gaussian", "gaussian-model", "marginals"}),
        flag_words("epsilon"), flag_words("delta"));
  }
  std::vector<CentralOption> options = central_options(request);
  std::vector<CentralDesign> served;
  for (CentralOption& option : options) {
    if (!option.design || !option.design->independent_outputs) continue;
    const CentralRow& row = row_of(option.mechanism);
    if (row.is_for_bits || row.is_second_name(request.outputs == request.records)) continue;
    served.push_back(std::move(*option.design));
  }
  // The others ask for the same parts as the first.
  if (served.empty()) throw InvalidInput(*options.front().refused, options.front().refusal);
  auto best = std::min_element(served.begin(), served.end(),
                               [](const CentralDesign& left, const CentralDesign& right) {
                                 return left.total_variation_up < right.total_variation_up;
                               });
  constexpr double kLastDigits = 1e-6;
  const double most = best->total_variation_up * (1 + kLastDigits);
  const auto before = std::find_if(served.begin(), served.end(), [&](const CentralDesign& one) {
    return one.mechanism == chosen_before && one.total_variation_up <= most;
  });
  if (before != served.end()) best = before;
  std::string others;
  for (const CentralDesign& design : served) {
    if (design.mechanism == best->mechanism) continue;
    others += fmt::format("{}{} {:.3g}", others.empty() ? "" : ", ", name_of(design.mechanism),
                          design.total_variation_up);
  }
  CentralDesign chosen = *best;
  chosen.why = fmt::format("{} has the least total variation, {:.3g} ({}): {}",
                           name_of(chosen.mechanism), chosen.total_variation_up, others, best->why);
  return chosen;
}

namespace {

std::unique_ptr<CentralSampler> repeated(std::unique_ptr<CentralSampler> single,
                                         const CentralDesign& design) {
  if (design.runs == 1 && single->record_count() == design.records) return single;
  return std::make_unique<DisjointRuns>(std::move(single), design.records, design.runs);
}

std::unique_ptr<CentralSampler> product_sampler(const CentralDesign& design) {
  const unsigned d = coordinates_of(design.outcomes);
  if (design.guarantee.notion == Notion::kPure) {
    return std::make_unique<ProductSampler>(d, design.records, *design.outputs,
                                            design.guarantee.epsilon);
  }
  const std::uint64_t each = design.records / design.runs;
  const std::optional<std::uint64_t> clip = ClippedMeans::least_clip(d, each, design.guarantee.rho);
  refuse_if(!clip, "certificate-altered", {}, "the product design keeps no rho");
  return repeated(std::make_unique<ClippedMeans>(d, each, *clip), design);
}

}  // namespace

CentralDesign with_outcomes(const CentralDesign& design, std::uint64_t outcomes) {
  const CentralRequest request{design.records, outcomes, design.outputs.value_or(1),
                               design.guarantee, design.greatest_weight};
  return design.outputs ? design_central(design.mechanism, request)
                        : design_poisson(request, design.rate);
}

std::unique_ptr<CentralSampler> make_central_sampler(const CentralDesign& design) {
  return row_of(design.mechanism).sampler(design);
}

// -----------------------------------------------------------------------------------------------
// The table of all mechanisms.

namespace {

std::unique_ptr<CentralSampler> subsampled_sampler(const CentralDesign& design) {
  const RandomizedResponse response = pure_response(design);
  refuse_if(!response.satisfies(ExpBound(design.guarantee.epsilon)), "certificate-altered", {},
            "the integers of the randomized response do not keep its promise");
  return std::make_unique<SubsetSampler>(response, design.records, *design.outputs,
                                         design.guarantee);
}

std::unique_ptr<CentralSampler> ds_roo_sampler(const CentralDesign& design) {
  auto single = std::make_unique<DsRoo>(design.outcomes, design.records / design.runs,
                                        design.guarantee.epsilon);
  refuse_if(!single->satisfies(ExpBound(design.guarantee.epsilon)), "certificate-altered", {},
            "the integers of reveal-or-obscure do not keep its promise");
  return repeated(std::move(single), design);
}

std::unique_ptr<CentralSampler> shuffled_sampler(const CentralDesign& design) {
  return std::make_unique<SubsetSampler>(RandomizedResponse(design.outcomes, *design.epsilon0),
                                         design.records, *design.outputs, design.guarantee);
}

std::unique_ptr<CentralSampler> poisson_sampler(const CentralDesign& design) {
  return std::make_unique<PoissonSampler>(RandomizedResponse(design.outcomes, *design.epsilon0),
                                          PoissonSubsample(design.rate), design.records,
                                          design.outputs, design.guarantee);
}

double spent_by_subset(const CentralDesign& design, bool only_decides) {
  const Privacy& promised = design.guarantee;
  return subset_blanket({design.records, *design.outputs, design.outcomes, *design.epsilon0},
                        promised.epsilon, promised.delta, only_decides)
      .upper;
}

double spent_by_shuffling(const CentralDesign& design, bool only_decides) {
  const Privacy& promised = design.guarantee;
  return privacy_blanket({design.records, design.outcomes, *design.epsilon0, design.rate},
                         promised.epsilon, promised.delta, only_decides)
      .upper;
}

constexpr CentralRow kCentralRows[] = {
    {.mechanism = CentralMechanism::kSubsampledRr,
     .is_randomized_response = true,
     .design =
         [](const CentralRequest& request) {
           return subsampled(CentralMechanism::kSubsampledRr, request);
         },
     .sampler = subsampled_sampler},
    {.mechanism = CentralMechanism::kRevealOrObscure,
     .is_randomized_response = true,
     .plainer = CentralMechanism::kSubsampledRr,
     .design =
         [](const CentralRequest& request) {
           return subsampled(CentralMechanism::kRevealOrObscure, request);
         },
     .sampler = subsampled_sampler},
    {.mechanism = CentralMechanism::kDsRoo, .design = ds_roo, .sampler = ds_roo_sampler},
    {.mechanism = CentralMechanism::kSubsetRr,
     .is_randomized_response = true,
     .plainer = CentralMechanism::kShuffledRr,
     .design = subset,
     .sampler = shuffled_sampler,
     .spent = spent_by_subset},
    {.mechanism = CentralMechanism::kShuffledRr,
     .is_randomized_response = true,
     .reports_all = true,
     .design = shuffled,
     .sampler = shuffled_sampler,
     .spent = spent_by_shuffling},
    {.mechanism = CentralMechanism::kPoissonRr,
     .is_randomized_response = true,
     .design = poisson,
     .sampler = poisson_sampler,
     .spent = spent_by_shuffling},
    {.mechanism = CentralMechanism::kHistogram,
     .takes_weights = true,
     .design = histogram,
     .sampler = [](const CentralDesign& design) -> std::unique_ptr<CentralSampler> {
       return std::make_unique<HistogramSampler>(design.outcomes, design.records, *design.outputs,
                                                 design.guarantee.epsilon, design.greatest_weight);
     }},
    {.mechanism = CentralMechanism::kProduct,
     .is_for_bits = true,
     .design = product,
     .sampler = product_sampler},
};

static_assert(std::size(kCentralRows) == names<CentralMechanism>().size());
static_assert([] {
  for (std::size_t i = 0; i < std::size(kCentralRows); ++i) {
    if (kCentralRows[i].mechanism != names<CentralMechanism>()[i].value) return false;
    if (static_cast<std::size_t>(kCentralRows[i].mechanism) != i) return false;
    if (kCentralRows[i].design == nullptr || kCentralRows[i].sampler == nullptr) return false;
  }
  return true;
}());

}  // namespace

const CentralRow& row_of(CentralMechanism mechanism) noexcept {
  return kCentralRows[static_cast<std::size_t>(mechanism)];
}

bool CentralRow::is_second_name(bool of_all) const {
  return plainer && (of_all || !row_of(*plainer).reports_all);
}

}  // namespace mollify
