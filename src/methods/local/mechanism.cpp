#include "methods/local/mechanism.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "base/directed_rounding.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "kernel/search.h"
#include "methods/local/bands.h"
#include "methods/local/mollifiers.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From a mechanism's name and public parameters to its sampler.

namespace {

void require(const MechanismParameters& parameters, const std::optional<double>& value,
             std::string_view name) {
  if (value) return;
  refuse_missing(name, fmt::format("mechanism {} needs it", name_of(parameters.mechanism)));
}

void refuse(const MechanismParameters& parameters, bool given, std::string_view name) {
  if (!given) return;
  const std::string_view first_word = name.substr(0, name.find(' '));
  refuse_input("not-for-this-mechanism", first_word, {WayOut::leave(first_word)},
               "mechanism {} takes no {}: leave it out, or name another mechanism",
               name_of(parameters.mechanism), name);
}

/// Band and the channels refuse the same; here before anything is computed or allocated from it.
void validate_space(const MechanismParameters& parameters) {
  const std::size_t count = parameters.outcome_count;
  require_between({"the number of outcomes", "k", "outcomes"}, count, 1, Band::kMostOutcomes);
  if (parameters.reference.empty()) return;
  refuse_if(parameters.reference.size() != count, "wrong-shape", "reference",
            "the reference must have one mass for each of the {} outcomes, but has {}", count,
            parameters.reference.size());
  static_cast<void>(detail::validated_mass_sum(parameters.reference));
}

double least_share(std::span<const double> masses) {
  return *std::min_element(masses.begin(), masses.end()) / detail::validated_mass_sum(masses);
}

}  // namespace

std::vector<double> MechanismParameters::masses() const {
  if (reference.empty()) return std::vector<double>(outcome_count, 1.0);
  return {reference.begin(), reference.end()};
}

ReferenceMasses MechanismParameters::normalised() const {
  if (reference.empty()) return ReferenceMasses::uniform(outcome_count);
  std::vector<double> masses(reference.begin(), reference.end());
  const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
  for (double& mass : masses) mass /= sum;
  return ReferenceMasses::given(masses);
}

void require_in_range(std::optional<double> MechanismNumbers::*number, double value) {
  for (const MechanismNumber& row : mechanism_numbers()) {
    if (row.value != number) continue;
    require_in({row.least, row.below, row.is_open, std::isfinite(row.below)}, {row.name, row.name},
               value);
  }
}

void refuse_two_budgets(std::optional<Mechanism> named) {
  if (!named) refuse_both("mu", "epsilon");
  const auto& [taken, other] =
      row_of(*named).in_mu ? std::pair{"mu", "epsilon"} : std::pair{"epsilon", "mu"};
  refuse_input("contradicting-parameters", other, {WayOut::leave(other)},
               "give {} or {}, not both: mechanism {} takes {}", flag_words("mu"),
               flag_words("epsilon"), name_of(*named), flag_words(taken));
}

void validate_parameters(const MechanismParameters& parameters) {
  const MechanismRow& row = row_of(parameters.mechanism);
  if (parameters.epsilon && parameters.mu) refuse_two_budgets(parameters.mechanism);
  if (row.in_mu) {
    require(parameters, parameters.mu, "mu");
  } else {
    require(parameters, parameters.epsilon, "epsilon");
  }
  for (const MechanismNumber& number : mechanism_numbers()) {
    const std::optional<double>& given = parameters.numbers.*number.value;
    if (!row.has(number)) {
      refuse(parameters, given.has_value(), number.name);
    } else {
      require(parameters, given, number.name);
      require_in_range(number.value, *given);
    }
  }
  refuse(parameters, parameters.kept && !row.in_mu, "parts that keep the value");
  refuse(parameters, !row.has_channel && !parameters.channel.empty(), "channel");
  refuse(parameters, row.reference == ReferenceUse::kNone && !parameters.reference.empty(),
         "reference");
  if (row.reference == ReferenceUse::kNeeded && parameters.reference.empty()) {
    refuse_missing("reference",
                   fmt::format("mechanism {} needs the public distribution that it keeps in place",
                               name_of(parameters.mechanism)));
  }
  validate_space(parameters);
}

double band_floor_of(const MechanismParameters& parameters) {
  validate_parameters(parameters);
  const MechanismRow& row = row_of(parameters.mechanism);
  if (row.floor != nullptr) return row.floor(parameters);
  refuse_input("not-for-this-mechanism", "band", "mechanism {} has no band",
               name_of(parameters.mechanism));
}

std::unique_ptr<LocalSampler> make_sampler(const MechanismParameters& parameters) {
  validate_parameters(parameters);
  const MechanismRow& row = row_of(parameters.mechanism);
  std::unique_ptr<LocalSampler> sampler =
      row.sampler != nullptr
          ? row.sampler(parameters)
          : std::make_unique<BandSampler>(make_band({.outcome_count = parameters.outcome_count,
                                                     .reference = parameters.reference,
                                                     .floor = row.floor(parameters),
                                                     .epsilon = *parameters.epsilon}));
  refuse_if(!sampler->guarantee_holds(), "certificate-altered", {},
            "the integers of mechanism {} over {} outcomes do not keep what it promises",
            name_of(parameters.mechanism), parameters.outcome_count);
  return sampler;
}

// -----------------------------------------------------------------------------------------------
// How much of the value the Gaussian-curve sampler may keep.

namespace {

double phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// The z >= 0 with erfc(z) = q, for q in (0, 1].
///
/// Newton's method on ln erfc from z0 = sqrt(-ln q). As erfc(z) <= e^(-z^2) for z >= 0, the root is
/// not beyond z0; as ln erfc falls and is concave, each step goes left and not past the root. So
/// the steps end where rounding ends their descent.
double inverse_erfc(double q) {
  using std::numbers::inv_sqrtpi_v;
  const long double wanted = q;
  long double z = std::sqrt(-std::log(wanted));
  for (;;) {
    const long double found = std::erfc(z);
    const long double slope = 2 * inv_sqrtpi_v<long double> * std::exp(-z * z) / found;
    const long double next = z + std::log(found / wanted) / slope;
    if (!(next < z)) return static_cast<double>(z);
    z = next;
  }
}

/// The least over B >= 0 of delta(B) + (e^B - 1) mass.
double room_under_curve(double nu, double mass) {
  const double quantile = -inverse_erfc(2 * mass) * std::numbers::sqrt2;
  const double b = std::max(0.0, -nu * nu / 2 - nu * quantile);
  return gaussian_curve(nu, b) + std::expm1(b) * mass;
}

/// h_min as the channel's integers have it.
double least_mass_of(const MixtureChannel& channel) {
  std::uint64_t least = channel.reference(0);
  for (std::size_t j = 1; j < channel.outcome_count(); ++j) {
    least = std::min(least, channel.reference(j));
  }
  return static_cast<double>(least) / static_cast<double>(channel.reference_total());
}

}  // namespace

double gaussian_curve(double nu, double b) {
  return phi(nu / 2 - b / nu) - std::exp(b) * phi(-nu / 2 - b / nu);
}

double gaussian_curve_weight_down(double nu, double least_mass) {
  constexpr double kLeast = 0.001;
  // A draw's part of a budget is rounded down: 0.01 for 100 draws is a little less than 0.001.
  const bool is_rounded = nu < kLeast && nu >= kLeast * (1 - 0x1p-40);
  require_between("mu", is_rounded ? kLeast : nu, kLeast, 20);
  const double allowed = halve({.serves = 0, .fails = 1}, {.most = 100}, [&](double lambda) {
                           return lambda <= room_under_curve(nu, (1 - lambda) * least_mass);
                         }).serves;
  return allowed * (1 - 0x1p-30);
}

MixtureChannel gaussian_curve_channel(std::span<const double> reference, double nu) {
  const double least = least_mass_of(MixtureChannel::with_weight(reference, 0));
  // A single outcome may be kept always: any mass in range is right.
  return MixtureChannel::with_weight(reference,
                                     gaussian_curve_weight_down(nu, std::min(least, 0.5)));
}

bool is_gaussian_private(const MixtureChannel& channel, double nu) {
  if (channel.outcome_count() == 1) return true;
  const double whole = static_cast<double>(MixtureChannel::kKeepTotal);
  const double kept = static_cast<double>(channel.keep()) / whole;
  const double replaced = static_cast<double>(MixtureChannel::kKeepTotal - channel.keep()) / whole;
  return kept * (1 + 0x1p-40) <= room_under_curve(nu, replaced * least_mass_of(channel));
}

// -----------------------------------------------------------------------------------------------
// A private distribution as integers, for the samplers that draw a record first.

namespace {

double usable(double weight) { return weight > 0 && std::isfinite(weight) ? weight : 0; }

}  // namespace

InputWeights::InputWeights(const ScoredOutcomes& p, std::size_t input_count)
    : input_count_(input_count), prefix_(1) {
  const std::size_t count = std::min(p.outcomes.size(), p.weights.size());
  double sum = 0;
  double greatest = 0;
  bool whole = true;
  for (std::size_t j = 0; j < count; ++j) {
    if (p.outcomes[j] >= input_count) continue;
    const double weight = usable(p.weights[j]);
    sum += weight;
    greatest = std::max(greatest, weight);
    whole = whole && weight == std::floor(weight);
  }
  if (greatest == 0) return;
  // Relative to the greatest first, so that sums cannot overflow.
  const bool counts = whole && sum < 0x1p53;
  double relative_sum = 0;
  for (std::size_t j = 0; j < count && !counts; ++j) {
    if (p.outcomes[j] < input_count) relative_sum += usable(p.weights[j]) / greatest;
  }
  for (std::size_t j = 0; j < count; ++j) {
    if (p.outcomes[j] >= input_count) continue;
    const double weight = usable(p.weights[j]);
    const double scaled = counts ? weight : weight / greatest / relative_sum * 0x1p61;
    inputs_.push_back(p.outcomes[j]);
    prefix_.push_back(prefix_.back() + static_cast<std::uint64_t>(scaled));
  }
}

std::uint32_t InputWeights::draw(SecureRandom& random) const {
  const std::uint64_t position = random.below(prefix_.back());
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  return inputs_[static_cast<std::size_t>(after - prefix_.begin()) - 1];
}

std::vector<std::uint64_t> InputWeights::dense() const {
  std::vector<std::uint64_t> weights(input_count_);
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    weights[inputs_[j]] += prefix_[j + 1] - prefix_[j];
  }
  return weights;
}

// -----------------------------------------------------------------------------------------------
// The worst case of every local mechanism, in closed form.

namespace {

/// The class that c1 and c2 declare, if they do.
std::optional<DensityClass> declared_class(const MechanismNumbers& numbers) {
  if (!numbers.c1 && !numbers.c2) return std::nullopt;
  if (!numbers.c2) refuse_missing("c2", flag_words("c1") + " needs it");
  return DensityClass{numbers.c1.value_or(0), *numbers.c2};
}

}  // namespace

WorstCaseRisk band_risk(const MechanismParameters& parameters, const ReferenceMasses& reference,
                        double epsilon) {
  const MechanismRow& row = row_of(parameters.mechanism);
  if (row.risk != nullptr) return row.risk(parameters, reference, epsilon);
  refuse_if(row.floor == nullptr, "not-for-this-mechanism", "band", "mechanism {} has no band",
            name_of(parameters.mechanism));
  MechanismParameters at = parameters;
  at.epsilon = epsilon;
  return location_risk(reference, epsilon, row.floor(at), declared_class(parameters.numbers));
}

WorstCaseRisk mechanism_risk(const MechanismParameters& parameters) {
  const MechanismRow& row = row_of(parameters.mechanism);
  MechanismParameters made = parameters;
  if (row.judges_class) made.numbers.c1 = made.numbers.c2 = std::nullopt;
  validate_parameters(made);
  // The epsilon of the release: from 1e-6, and above 30 as at 30.
  const double epsilon = parameters.epsilon ? ExpBound(*parameters.epsilon).epsilon() : 0;
  if (row.floor != nullptr) {
    (void)row.floor(made);  // refuses what no sampler can be made with
    return band_risk(parameters, parameters.normalised(), epsilon);
  }
  const auto [least, lost] = row.kept(parameters);
  WorstCaseRisk risk;
  risk.lower_factor = 0;
  risk.largest_lift = 0;
  risk.extreme_input = {1, 0};
  risk.extreme_output = {least, lost};
  risk.risk = divergence_report(risk.extreme_input, risk.extreme_output);
  risk.attained = true;
  return risk;
}

// -----------------------------------------------------------------------------------------------
// The tables: of all mechanisms, and of the numbers that some have.

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

constexpr MechanismNumber kNumbers[] = {
    {"c1", &MechanismNumbers::c1, "/c1", "--c1", 0, false, 1,
     "least density of the private data against the reference\nMakes class the default mechanism"},
    {"c2", &MechanismNumbers::c2, "/c2", "--c2", 1, true, kNoLimit,
     "greatest density of the private data against the reference\nMakes class the default "
     "mechanism"},
    {"gamma", &MechanismNumbers::gamma, "/gamma", "--gamma", 1, true, kNoLimit,
     "the data is within this factor of the reference\nMakes neighbourhood the default "
     "mechanism"},
    {"location", &MechanismNumbers::location, "", "", 0, true, 1,
     "least probability of an outcome against the reference's"},
};

template <class Channel>
std::unique_ptr<LocalSampler> sampler_of(Channel channel, const Privacy& guarantee) {
  return std::make_unique<ChannelSampler<Channel>>(std::move(channel), guarantee);
}

template <class Channel, class Kept>
std::array<double, 2> least_kept(const Channel& channel, Kept kept) {
  uint128 least = channel.total();
  for (std::size_t i = 0; i < channel.outcome_count(); ++i)
    least = std::min<uint128>(least, kept(i));
  const double total = static_cast<double>(channel.total());
  return {static_cast<double>(least) / total, static_cast<double>(channel.total() - least) / total};
}

/// Of what a row of `kept` has to be.
constexpr const char* kThroughMatrix = "one of the unit's records goes through a public matrix";

MatrixChannel channel_of(const MechanismParameters& asked) {
  if (asked.channel.empty()) return laplace_channel(asked.outcome_count, *asked.epsilon);
  try {
    return MatrixChannel::make(asked.channel, asked.outcome_count, *asked.epsilon);
  } catch (const InvalidInput& refused) {
    throw InvalidInput(refused, fmt::format("the rows of {} are its generators: {}",
                                            flag_words("channel"), refused.what()));
  }
}

MatrixChannel square_channel_of(const MechanismParameters& asked) {
  MatrixChannel channel = channel_of(asked);
  if (channel.input_count() != asked.outcome_count) {
    refuse_input("wrong-shape", "channel", {WayOut::set("mechanism", "convex")},
                 "mechanism naive needs a channel with a row for each of {} outcomes, but it has "
                 "{}: give all rows, or use mechanism convex",
                 asked.outcome_count, channel.input_count());
  }
  return channel;
}

std::array<double, 2> least_kept(const MixtureChannel& mixture) {
  return least_kept(mixture, [&](std::size_t i) { return mixture.entry(i, i); });
}

constexpr MechanismRow kRows[] = {
    {.mechanism = Mechanism::kMinimax,
     .why = "no sampler has a smaller error in the worst case over all data",
     .floor =
         [](const MechanismParameters& asked) {
           if (asked.reference.empty() || asked.outcome_count == 1) {
             return minimax_floor(asked.outcome_count, *asked.epsilon);
           }
           // All distributions: the class with c1 = 0 and c2 = 1 / h_min; the integers see no less
           // than 2^-62.
           return class_floor(0, std::min(1 / least_share(asked.reference), 0x1p62),
                              *asked.epsilon);
         },
     .risk = [](const MechanismParameters&, const ReferenceMasses& reference,
                double epsilon) { return minimax_risk(reference, epsilon); }},
    {.mechanism = Mechanism::kRelative,
     .is_for_any_space = true,
     .judges_class = true,
     .why = "over this many outcomes no worst case can be small, and its band does not depend on "
            "their number",
     .floor = [](const MechanismParameters& asked) { return relative_floor(*asked.epsilon); },
     .risk =
         [](const MechanismParameters& asked, const ReferenceMasses& reference, double epsilon) {
           return relative_risk(reference, epsilon, declared_class(asked.numbers));
         }},
    {.mechanism = Mechanism::kClass,
     .numbers = {&MechanismNumbers::c1, &MechanismNumbers::c2},
     .is_for_any_space = true,
     .floor =
         [](const MechanismParameters& asked) {
           return class_floor(*asked.numbers.c1, *asked.numbers.c2, *asked.epsilon);
         },
     .risk =
         [](const MechanismParameters& asked, const ReferenceMasses& reference, double epsilon) {
           return class_risk(reference, epsilon, *declared_class(asked.numbers));
         }},
    {.mechanism = Mechanism::kNeighbourhood,
     .numbers = {&MechanismNumbers::gamma},
     .is_for_any_space = true,
     .floor =
         [](const MechanismParameters& asked) {
           return neighbourhood_floor(*asked.numbers.gamma, *asked.epsilon);
         },
     .risk =
         [](const MechanismParameters& asked, const ReferenceMasses& reference, double epsilon) {
           return neighbourhood_risk(reference, epsilon, *asked.numbers.gamma);
         }},
    {.mechanism = Mechanism::kPublicKernel,
     .reference = ReferenceUse::kNeeded,
     .is_long = true,
     .is_linear = true,
     .law = kThroughMatrix,
     .sampler =
         [](const MechanismParameters& asked) {
           const double epsilon = ExpBound(*asked.epsilon).epsilon();
           return sampler_of(StaircaseChannel::make(asked.reference, epsilon),
                             Privacy::pure(epsilon));
         },
     .kept =
         [](const MechanismParameters& asked) {
           const auto stairs = StaircaseChannel::make(asked.reference, *asked.epsilon);
           return least_kept(stairs, [&](std::size_t i) { return stairs.stay_entry(i); });
         }},
    {.mechanism = Mechanism::kRandomizedResponse,
     .reference = ReferenceUse::kNone,
     .is_linear = true,
     .law = kThroughMatrix,
     .sampler =
         [](const MechanismParameters& asked) {
           const RandomizedResponse response(asked.outcome_count, *asked.epsilon);
           return sampler_of(response, Privacy::pure(response.epsilon()));
         },
     .kept =
         [](const MechanismParameters& asked) {
           const RandomizedResponse response(asked.outcome_count, *asked.epsilon);
           const double total = static_cast<double>(response.total());
           return std::array{static_cast<double>(response.kept()) / total,
                             static_cast<double>(response.total() - response.kept()) / total};
         }},
    {.mechanism = Mechanism::kMixture,
     .is_long = true,
     .is_linear = true,
     .law = kThroughMatrix,
     .sampler =
         [](const MechanismParameters& asked) {
           const double epsilon = ExpBound(*asked.epsilon).epsilon();
           return sampler_of(MixtureChannel::pure(asked.masses(), epsilon), Privacy::pure(epsilon));
         },
     .kept =
         [](const MechanismParameters& asked) {
           return least_kept(MixtureChannel::pure(asked.masses(), *asked.epsilon));
         }},
    {.mechanism = Mechanism::kGaussianCurve,
     .in_mu = true,
     .is_long = true,
     .is_linear = true,
     .why = "the budget is in mu",
     .law = kThroughMatrix,
     .sampler =
         [](const MechanismParameters& asked) {
           return sampler_of(asked.kept ? MixtureChannel::with_kept(asked.masses(), *asked.kept)
                                        : gaussian_curve_channel(asked.masses(), *asked.mu),
                             Privacy::gaussian(*asked.mu));
         },
     .kept =
         [](const MechanismParameters& asked) {
           return least_kept(gaussian_curve_channel(asked.masses(), *asked.mu));
         }},
    {.mechanism = Mechanism::kNaive,
     .reference = ReferenceUse::kNone,
     .has_channel = true,
     .law = kThroughMatrix,
     .sampler =
         [](const MechanismParameters& asked) {
           const double epsilon = ExpBound(*asked.epsilon).epsilon();
           return sampler_of(square_channel_of(asked), Privacy::pure(epsilon));
         },
     .kept =
         [](const MechanismParameters& asked) {
           const MatrixChannel channel = square_channel_of(asked);
           return least_kept(channel, [&](std::size_t i) { return channel.entry(i, i); });
         }},
    {.mechanism = Mechanism::kConvex,
     .reference = ReferenceUse::kNone,
     .has_channel = true,
     .law = "the mixture of the channel's rows that is nearest to the unit's records is drawn from",
     .sampler = [](const MechanismParameters& asked) -> std::unique_ptr<LocalSampler> {
       return std::make_unique<ConvexMollifierSampler>(channel_of(asked), *asked.epsilon);
     },
     .kept =
         [](const MechanismParameters& asked) {
           // The nearest mixture to a point mass is the row that has most there.
           const MatrixChannel channel = channel_of(asked);
           return least_kept(channel, [&](std::size_t i) { return channel.column(i).greatest; });
         }},
    {.mechanism = Mechanism::kScaleAndShift,
     .is_long = true,
     .law = "the unit's shares are drawn from, squeezed towards the reference until they fit "
            "between e^(-epsilon/2) and e^(epsilon/2) of it",
     .sampler = [](const MechanismParameters& asked) -> std::unique_ptr<LocalSampler> {
       return std::make_unique<ScaleAndShiftSampler>(asked.masses(), *asked.epsilon);
     },
     .kept =
         [](const MechanismParameters& asked) {
           // The worst P is a point mass at the least h: its scale a is the least of all, and for
           // one a the divergence is convex in P.
           if (asked.outcome_count == 1) return std::array{1.0, 0.0};
           const double h = asked.reference.empty() ? 1 / static_cast<double>(asked.outcome_count)
                                                    : least_share(asked.reference);
           const double half = ExpBound(*asked.epsilon).epsilon() / 2;
           const double scale = std::min(std::expm1(half) / (1 / h - 1), -std::expm1(-half));
           const double kept = h + scale * (1 - h);
           return std::array{kept, 1 - kept};
         }},
    {.mechanism = Mechanism::kLocation,
     .numbers = {&MechanismNumbers::location},
     .is_for_any_space = true,
     .judges_class = true,
     .floor =
         [](const MechanismParameters& asked) {
           return location_floor(*asked.numbers.location, *asked.epsilon);
         },
     .risk =
         [](const MechanismParameters& asked, const ReferenceMasses& reference, double epsilon) {
           return location_risk(reference, epsilon, *asked.numbers.location,
                                declared_class(asked.numbers));
         }},
};

static_assert(std::size(kRows) == names<Mechanism>().size());
static_assert([] {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].mechanism != names<Mechanism>()[i].value) return false;
    if (static_cast<std::size_t>(kRows[i].mechanism) != i) return false;
    if ((kRows[i].floor == nullptr) == (kRows[i].sampler == nullptr)) return false;
    if ((kRows[i].sampler == nullptr) != (kRows[i].kept == nullptr)) return false;
    if ((kRows[i].sampler == nullptr) != (*kRows[i].law == '\0')) return false;
  }
  return true;
}());

}  // namespace

std::span<const MechanismNumber> mechanism_numbers() noexcept { return kNumbers; }

const MechanismRow& row_of(Mechanism mechanism) noexcept {
  return kRows[static_cast<std::size_t>(mechanism)];
}

bool MechanismRow::has(const MechanismNumber& number) const noexcept {
  return std::find(numbers.begin(), numbers.end(), number.value) != numbers.end();
}

std::vector<Named<Mechanism>> named_mechanisms() {
  std::vector<Named<Mechanism>> found;
  for (const auto& known : names<Mechanism>()) {
    const bool is_placed =
        std::any_of(std::begin(kNumbers), std::end(kNumbers), [&](const MechanismNumber& number) {
          return *number.place == '\0' && row_of(known.value).has(number);
        });
    if (!is_placed) found.push_back(known);
  }
  return found;
}

MechanismNumbers own_numbers(Mechanism mechanism, const MechanismNumbers& given) {
  MechanismNumbers own;
  for (const auto number : row_of(mechanism).numbers) {
    if (number != nullptr) own.*number = given.*number;
  }
  return own;
}

std::optional<Mechanism> mechanism_with(const MechanismNumbers& given) {
  for (std::size_t i = std::size(kNumbers); i-- > 0;) {
    if (!(given.*kNumbers[i].value)) continue;
    for (const MechanismRow& row : kRows) {
      if (row.has(kNumbers[i])) return row.mechanism;
    }
  }
  return std::nullopt;
}

}  // namespace mollify
