#include "methods/central/method.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "accounting/composition.h"
#include "accounting/privacy.h"
#include "base/directed_rounding.h"
#include "base/json.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/weights.h"
#include "release/acceptance.h"
#include "release/method.h"
#include "release/public_inputs.h"
#include "release/spec.h"

namespace mollify {

namespace {

/// The cells of a domain whose support can be found; throws InvalidInput for another.
const IntegerCells& cells_to_search(const Domain& domain, std::string_view name) {
  const Column& column = domain.columns().front();
  const auto* const cells = std::get_if<IntegerCells>(&column.cells());
  if (domain.columns().size() > 1 || cells == nullptr || !cells->are_equal() ||
      column.codes_and_nulls() > 0) {
    refuse_input("not-for-this-domain", "support", {WayOut::leave("support")},
                 "a hint of the support needs a domain of one integer column, without edges, whose "
                 "nulls have a value, but {} is another",
                 name);
  }
  return *cells;
}

SupportFinder finder_for(const ReleaseSpec& spec, const Domain& domain, std::uint64_t records) {
  const CentralSpec& central = *spec.own.get<CentralSpec>();
  const Privacy budget = spec.budget();
  require_delta_of_hint(budget.delta);
  if (central.mechanism && row_of(*central.mechanism).is_for_bits) {
    refuse_input("not-for-this-mechanism", "support", {WayOut::leave("support")},
                 "mechanism {} is for bits, which have no support to be found",
                 name_of(*central.mechanism));
  }
  const IntegerCells& cells = cells_to_search(domain, spec.domain.name());
  const Privacy half = half_of(budget);
  return SupportFinder(hint_in_cells(*central.support, cells), domain.size(), records, half.epsilon,
                       half.delta);
}

/// The member "measured" of the certificate of a release with a hint: the support that was found,
/// and how near each record is. This is the sum of the noise among the support's outcomes, the rows
/// outside and the probability that the search fails. Half of the budget paid for the support, so
/// it is an output like the records.
Json found_support_json(OutcomeInterval hull, std::uint64_t size, double draw,
                        const Certificate& certificate, const Domain& domain) {
  const std::uint64_t records = *certificate.facts.records;
  const auto outside = finder_for(certificate.spec, domain, records).outside(size);
  const auto& cells = std::get<IntegerCells>(domain.columns().front().cells());
  const auto last = static_cast<std::uint32_t>(hull.last);
  const std::string outcomes = counted(size, "outcome");
  const char* const things = certificate.spec.unit ? "units" : "rows";
  const char* const of_cells = cells.is_cut() ? " between cells" : "";
  Json accuracy{{"total_variation", nullptr},
                {"draw", draw},
                {"outside_records", nullptr},
                {"outside", nullptr},
                {"failure", nullptr}};
  std::string words;
  if (outside) {
    const double share = div_up(integer_up(outside->records), integer_down(records));
    const double sum = std::min(1.0, add_up(add_up(draw, share), outside->failure));
    accuracy["total_variation"] = sum;
    accuracy["outside_records"] = outside->records;
    accuracy["outside"] = share;
    accuracy["failure"] = outside->failure;
    const bool is_supposed =
        size < domain.size() && has_size(*certificate.spec.own.get<CentralSpec>()->support);
    words = fmt::format(
        "greatest error of a record: {:.4g} in total variation{}{} ({:.4g} by noise among {}, "
        "{:.4g} for {} outside, {:g} for a failed search)",
        sum, of_cells, is_supposed ? ", if the hint holds" : "", draw, outcomes, share, things,
        outside->failure);
  } else {
    words = fmt::format(
        "greatest error of a record: {:.4g} in total variation{} by noise among {}, and more for "
        "{} "
        "outside, whose number is not known",
        draw, of_cells, outcomes, things);
  }
  return {{"words", words},
          {"support",
           {{"first", cells.value(static_cast<std::uint32_t>(hull.first), 0)},
            {"last", cells.value(last, cells.points(last) - 1)},
            {"k", size},
            {"at", {hull.first, hull.last}}}},
          {"accuracy", accuracy}};
}

/// The whole member again, from the support that a certificate states; none for a support that the
/// certificate's release cannot have found. Which support it found cannot be checked.
std::optional<nlohmann::json> implied_support(const nlohmann::json& stated,
                                              const Certificate& certificate,
                                              const Domain& domain) {
  if (!certificate.as<FiniteDesign>()->hint) return std::nullopt;
  OutcomeInterval hull;
  std::uint64_t size = 0;
  double said = 0;
  try {
    const nlohmann::json& support = stated.at("support");
    const nlohmann::json& first = support.at("at").at(0);
    const nlohmann::json& last = support.at("at").at(1);
    const nlohmann::json& outcomes = support.at("k");
    if (!first.is_number_unsigned() || !last.is_number_unsigned() ||
        !outcomes.is_number_unsigned()) {
      return std::nullopt;
    }
    hull = {first.get<std::uint64_t>(), last.get<std::uint64_t>()};
    size = outcomes.get<std::uint64_t>();
    said = stated.at("accuracy").at("draw").get<double>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  const SupportFinder finder = finder_for(certificate.spec, domain, *certificate.facts.records);
  if (!finder.can_find(hull, size)) return std::nullopt;
  const CentralDesign& whole = certificate.as<FiniteDesign>()->design;
  const double draw = with_outcomes(whole, size).total_variation_up;
  return found_support_json(hull, size, is_as_found(said, draw) ? said : draw, certificate, domain);
}

/// The stated result of the accounting in doubles, whose last digits processors round differently,
/// if it is nearly the result found here.
void take_response(const nlohmann::json& said, CentralDesign& design) {
  const auto take = [&](double& found, const char* place) {
    constexpr double kLastDigits = 1e-6;
    const auto at = nlohmann::json::json_pointer(place);
    if (!said.contains(at) || !said[at].is_number()) return;
    const double stated = said[at].get<double>();
    if (std::abs(stated - found) <= kLastDigits * found) found = stated;
  };
  if (design.epsilon0) take(*design.epsilon0, "/design/epsilon0");
  take(design.rate, "/design/rate");
  design.total_variation_up = make_central_sampler(design)->total_variation_up();
  take(design.total_variation_up, "/accuracy/total_variation");
}

/// The mechanism that a certificate says was chosen.
std::optional<CentralMechanism> stated_mechanism(const nlohmann::json& said) {
  if (!said.contains("mechanism") || !said["mechanism"].is_string()) return std::nullopt;
  return named<CentralMechanism>(said["mechanism"].get<std::string>());
}

void design_finite(const Domain& domain, const StatedCertificate* stated, DesignedRelease& made) {
  Certificate& certificate = made.certificate;
  const ReleaseSpec& spec = certificate.spec;
  const CentralSpec& central = *spec.own.get<CentralSpec>();
  const PublicFacts& facts = certificate.facts;
  require_facts(facts.records && facts.outcomes > 0 &&
                facts == PublicFacts{.records = facts.records, .outcomes = facts.outcomes});
  const std::uint64_t records = *facts.records;
  FiniteDesign design;
  FiniteDrawing drawing;
  Privacy budget = spec.budget();
  if (central.support) {
    const SupportFinder& finder = drawing.finder.emplace(finder_for(spec, domain, records));
    budget = half_of(budget);
    design.hint = budget;
    design.least_records = finder.least_records();
    design.least_outcomes = finder.least_size();
  }
  CentralRequest sizes{records, facts.outcomes, spec.count.value_or(1), budget};
  if (spec.weights) {
    sizes.records = spec.weights->effective(records);
    sizes.greatest_weight = spec.weights->steps();
  }
  const auto said = stated != nullptr ? nlohmann::json::parse(stated->text) : nlohmann::json();
  if (central.rate) {
    design.design = design_poisson(sizes, *central.rate);
  } else {
    design.design = central.mechanism ? design_central(*central.mechanism, sizes)
                                      : best_central_design(sizes, stated_mechanism(said));
  }
  if (stated != nullptr) take_response(said, design.design);
  drawing.sampler = make_central_sampler(design.design);
  made.sampler = std::move(drawing);
  certificate.draw = design.design.guarantee;
  certificate.total =
      design.hint ? composed_up(std::array{*design.hint, certificate.draw}) : certificate.draw;
  certificate.design = std::move(design);
}

Json finite_json(const FiniteDesign& design) {
  // Of the pure mechanisms it follows from the guarantee and is not told.
  const bool shuffled = row_of(design.design.mechanism).spent != nullptr;
  Json json{{"epsilon0",
             shuffled && design.design.epsilon0 ? Json(*design.design.epsilon0) : Json(nullptr)},
            {"rate", design.design.rate},
            {"runs", design.design.runs},
            {"hint", design.hint ? privacy_json(*design.hint) : Json(nullptr)}};
  if (design.design.greatest_weight) json["greatest_weight"] = *design.design.greatest_weight;
  json["why"] = design.design.why;
  return json;
}

/// Against the table's shares of weight.
std::string weighted_accuracy(const CentralDesign& design, const WeightColumn& weights) {
  return fmt::format(
      "If the mean weight is {:g}, each released record follows the table's shares of weight to "
      "within {:.6g} in total variation, and to within half of that if it is twice as much. The "
      "total weight is protected. Records released together share the noise, so they are not "
      "independent of each other.",
      weights.supposed_mean(), design.total_variation_up);
}

std::string finite_accuracy(const Certificate& certificate) {
  const CentralDesign& design = certificate.as<FiniteDesign>()->design;
  if (const auto& weights = certificate.spec.weights) return weighted_accuracy(design, *weights);
  const std::string accuracy =
      accuracy_words(certificate, "distribution",
                     certificate.as<FiniteDesign>()->hint
                         ? " and the hint holds of it, so that the interval found has all of them"
                         : "",
                     design.total_variation_up);
  if (!design.independent_outputs) {
    return accuracy + "; the records released together are not independent of each other.";
  }
  if (!design.outputs) return accuracy + ", independently of the others.";
  const double together = design.total_variation_up * static_cast<double>(*design.outputs);
  // At 1 nothing is promised of all together.
  if (*design.outputs == 1 || !(together < 1)) return accuracy + ".";
  return accuracy + together_words(*design.outputs, together) + ".";
}

/// For records from this many outcomes of the domain's.
ReleaseError support_error(const FiniteDesign& design, std::uint64_t of_all,
                           std::uint64_t outcomes) {
  return replacement_error(of_all, with_outcomes(design.design, outcomes).total_variation_up);
}

/// Of the smallest support that a hint allows. An interval of a declared width is judged as if the
/// hint held, like every other accuracy.
ReleaseError found_error(const FiniteDesign& design, std::uint64_t of_all) {
  ReleaseError error = support_error(design, of_all, design.least_outcomes);
  error.is_least = design.least_outcomes == 1;
  return error;
}

/// The most outcomes of a support that is yet to be found from which a release is not mostly noise;
/// none if all of the domain are not too many, and without a hint.
std::optional<std::uint64_t> most_outcomes_found(const Certificate& certificate) {
  const FiniteDesign* finite = certificate.as<FiniteDesign>();
  if (finite == nullptr || !finite->hint) return std::nullopt;
  const std::uint64_t all = certificate.facts.outcomes;
  const auto least_of_noise = least_whole(1, all, [&](std::uint64_t outcomes) {
    return support_error(*finite, all, outcomes).is_mostly_noise();
  });
  if (!least_of_noise) return std::nullopt;
  return *least_of_noise - 1;
}

/// Whether shuffling and subsampling make of epsilon0 what is promised; true for mechanisms that do
/// not depend on them.
bool amplification_holds(const CentralDesign& design) {
  const CentralRow& row = row_of(design.mechanism);
  if (row.spent == nullptr) return true;
  if (row.reports_all && design.outputs != design.records) return false;
  const Privacy& promised = design.guarantee;
  return promised.notion == PrivacyNotion::kApproximate &&
         row.spent(design, true) <= promised.delta;
}

/// One of a unit's records, each alike, though equal ones are counted together; of a unit without
/// records any outcome, each alike.
std::uint32_t one_of(std::span<const std::uint32_t> outcomes, std::span<const double> counts,
                     std::uint32_t outcome_count, SecureRandom& random) {
  uint128 all = 0;
  for (const double count : counts) all += static_cast<std::uint64_t>(count);
  if (all == 0) return static_cast<std::uint32_t>(random.below(outcome_count));
  uint128 place = wide_below(all, random);
  std::size_t i = 0;
  while (place >= static_cast<std::uint64_t>(counts[i])) {
    place -= static_cast<std::uint64_t>(counts[i]);
    ++i;
  }
  return outcomes[i];
}

/// What a unit's rows weigh, at most the greatest weight together.
void add_unit_weights(std::span<const std::uint32_t> outcomes, std::span<const double> weights,
                      std::uint64_t greatest, Tally<std::uint32_t>& tally) {
  std::vector<std::uint64_t> whole;
  for (const double weight : weights) whole.push_back(static_cast<std::uint64_t>(weight));
  const std::vector<std::uint64_t> bounded = bounded_weights(whole, greatest);
  for (std::size_t i = 0; i < outcomes.size(); ++i) tally.add(outcomes[i], bounded[i]);
}

/// Makes their number `records`, if the data changed since they were counted: those that lack count
/// as the domain's first.
void resize(OutcomeHistogram& histogram, std::uint64_t records) {
  const uint128 there = record_count(histogram);
  if (there < records) {
    if (histogram.keys.empty() || histogram.keys.front() != 0) {
      histogram.keys.insert(histogram.keys.begin(), 0);
      histogram.counts.insert(histogram.counts.begin(), 0);
    }
    histogram.counts.front() += records - static_cast<std::uint64_t>(there);
  }
  for (uint128 more = there > records ? there - records : 0; more > 0;) {
    const auto gone = static_cast<std::uint64_t>(std::min<uint128>(more, histogram.counts.back()));
    more -= gone;
    histogram.counts.back() -= gone;
    if (histogram.counts.back() != 0) break;
    histogram.keys.pop_back();
    histogram.counts.pop_back();
  }
}

class FiniteRelease final : public PreparedRelease {
 public:
  FiniteRelease(DesignedRelease made, Domain domain, std::optional<Roster> roster)
      : PreparedRelease(std::move(made.certificate), domain),
        domain_(std::move(domain)),
        roster_(std::move(roster)),
        drawing_(finite_drawing(made)) {}

  void require_table(const Source& data) const override {
    require_columns(data, domain_, certificate().spec.unit);
  }

  RecordCounting counting_of_table() const override {
    if (certificate().spec.unit) {
      throw InvalidInput("not-available-here",
                         method_words("central") +
                             " with a unit draws one record of each unit, and needs more than how "
                             "many there are of each",
                         "unit");
    }
    return {&domain_, true};
  }

  Drawn draw_table(const Source& data, SecureRandom& random, Sink& sink,
                   std::size_t /*threads*/) const override {
    OutcomeHistogram records =
        certificate().spec.unit ? unit_records(data, random) : read_counts(data, domain_);
    // With weights no total is public.
    if (!certificate().spec.weights) resize(records, *certificate().facts.records);
    RecordWriter writer(domain_, sink);
    Drawn drawn;
    for (const std::uint32_t outcome : drawing_.finder ? draw_within_support(records, random, drawn)
                                                       : drawing_.sampler->draw(records, random)) {
      writer.write_outcome(outcome, random);
    }
    writer.finish();
    return drawn;
  }

 private:
  OutcomeHistogram unit_records(const Source& data, SecureRandom& random) const {
    const UnitTable units = read_units(data, domain_, certificate().spec.unit, roster_);
    Tally<std::uint32_t> drawn;
    const auto& greatest = certificate().as<FiniteDesign>()->design.greatest_weight;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      if (greatest) {
        add_unit_weights(units.outcomes(unit), units.weights(unit), *greatest, drawn);
        continue;
      }
      drawn.add(one_of(units.outcomes(unit), units.weights(unit), domain_.size(), random));
    }
    return drawn.take();
  }

  // The mechanism is the public choice for the whole domain, with parameters for the support: it
  // has been paid for, and a design exists for each that there can be
  // (tests/methods/central/design.cpp).
  std::vector<std::uint32_t> draw_within_support(const OutcomeHistogram& records,
                                                 SecureRandom& random, Drawn& drawn) const {
    const FoundSupport support = drawing_.finder->find(records, random);
    const CentralDesign design =
        with_outcomes(certificate().as<FiniteDesign>()->design, support.size());
    drawn.measured = found_support_json(support.hull(), support.size(), design.total_variation_up,
                                        certificate(), domain_);
    return support.map_back(
        make_central_sampler(design)->draw(support.map_into(records, random), random));
  }

  Domain domain_;
  std::optional<Roster> roster_;
  FiniteDrawing drawing_;
};

}  // namespace

const FiniteDrawing& finite_drawing(const DesignedRelease& made) {
  return *std::any_cast<FiniteDrawing>(&made.sampler);
}

bool are_numbers(const Domain& domain) {
  return std::all_of(domain.columns().begin(), domain.columns().end(), [](const Column& column) {
    return std::holds_alternative<NumberCells>(column.cells()) && column.codes_and_nulls() == 0;
  });
}

void require_countable(const Domain& domain) {
  domain.require_enumerable(
      method_words("central"),
      fmt::format(", or release rows of one noisy model ({}){}", method_words("marginals"),
                  are_numbers(domain)
                      ? fmt::format(", or numbers that are not cut and roughly Gaussian ({})",
                                    method_words("gaussian"))
                      : ""),
      are_numbers(domain) ? std::vector{WayOut::use("marginals"), WayOut::use("gaussian")}
                          : std::vector{WayOut::use("marginals")});
}

namespace {

std::string finite_summary(const Certificate& certificate) {
  const FiniteDesign& finite = *certificate.as<FiniteDesign>();
  const CentralDesign& design = finite.design;
  std::string text;
  if (finite.hint) {
    text += fmt::format(
        "spent: {} to find the support ({}), and {} on the draw from it\n", finite.hint->text(),
        to_text(*certificate.spec.own.get<CentralSpec>()->support), certificate.draw.text());
  }
  text += fmt::format("why {}: {}\n", certificate.mechanism(), design.why);
  // How near the records are depends on the support that is found.
  if (finite.hint) return text;
  text += fmt::format("total variation: {:.4g} for each record (weak)", design.total_variation_up);
  if (design.outputs.value_or(1) > 1 && design.independent_outputs) {
    const double together = design.total_variation_up * static_cast<double>(*design.outputs);
    // At 1 it promises nothing.
    if (together < 1) {
      text += fmt::format(", {:.4g} for all {} together (strong)", together, *design.outputs);
    }
  }
  return text + "\n";
}

using enum PartKind;

std::vector<std::string> names_in_central() {
  std::vector<std::string> taken = name_list<CentralMechanism>();
  taken.insert(taken.begin(), "auto");
  return taken;
}

constexpr const char* kHintPattern = "^(contiguous|bounded|heavy|width=.+|subgaussian=.+)$";
constexpr OwnPart kCentralParts[] = {
    {"/rate", "--rate", kNumber,
     "draw each row with this probability, not --count\nReleases as many records as "
     "come; for mechanism poisson-rr"},
    {"/mechanism", "--mechanism", kText,
     "one of {} (default: auto)\nauto takes the mechanism with the smallest error", "NAME",
     names_in_central},
    {"/support", "--support", kText,
     "contiguous, bounded, heavy, width=W or subgaussian=S\nWhere the records lie in a large "
     "domain of integers, as far as it is known. Half of the budget finds the place",
     "HINT", nullptr, kHintPattern},
};
constexpr OwnPart kCentralQuestions[] = {
    {"/k", "--k", kWhole},
    {"/mechanism", "--mechanism", kText, "plan this one alone (default: every mechanism)", "NAME",
     names_in_central},
    {"/support", "--support", kText, "", "HINT", nullptr, kHintPattern},
    {"/count", "--count", kWhole},
    {"/strong", "--strong", kTruth, "bound all outputs together by --alpha"},
};

constexpr MethodProfile kCentralProfile{
    .word = Method::kCentral,
    .help =
        "independent records of a table; protects each row or unit\n"
        "The domain is finite. Epsilon and delta protect each row, or with --unit each unit, "
        "against being replaced by any other. How many there are is public.",
    .plan_help =
        "Give all but one of --n, --k (or --domain), --epsilon and --alpha, and it is found for "
        "every mechanism. --delta is 0 and --count 1 unless given. With those four given, --count "
        "or --delta is found. Neighbouring data sets replace one record, so n is public. With "
        "--support, --k is how many outcomes the support has, next to each other if it is bounded "
        "or contiguous; width=W and subgaussian=S include it.",
    .parts = kCentralParts,
    .part_rules = R"({"oneOf": [
      {"required": ["count"], "properties": {"rate": false}},
      {"required": ["rate"],
       "properties": {"count": false, "mechanism": {"enum": ["auto", "poisson-rr"]}}}],
      "allOf": [{"not": {"required": ["weights", "support"]}},
                {"not": {"required": ["weights", "rate"]}}]})",
    .question_parts = kCentralQuestions,
    .chooses_mechanism = true};

class CentralMethod final : public ReleaseMethod {
 public:
  CentralMethod() : ReleaseMethod(kCentralProfile) {}

  const MethodAdvice& advice() const override { return central_advice(); }

  ReleaseSummary summary(const Certificate& certificate, const Domain&,
                         const std::string& to) const override {
    return {released_words(certificate, to, certificate.mechanism()), finite_summary(certificate)};
  }

  Held read(const PartReader& reader) const override {
    CentralSpec spec{.mechanism = read_mechanism(reader)};
    spec.rate = reader.find<double>("/rate");
    if (const auto support = reader.find<std::string>("/support")) {
      spec.support = reader.in_file([&] { return parse_support_hint(*support); });
    }
    return spec;
  }

  void write(const ReleaseSpec& spec, SpecWriter& writer) const override {
    const CentralSpec& own = *spec.own.get<CentralSpec>();
    writer.put("/rate", own.rate);
    if (own.mechanism) writer.put("/mechanism", name_of(*own.mechanism));
    if (own.support) writer.put("/support", to_text(*own.support));
  }

  void validate(const ReleaseSpec& spec) const override {
    const CentralSpec& own = own_of<CentralSpec>(spec);
    if (spec.weights && own.support)
      refuse_both("weights", "support", ": the search for a support counts rows");
    if (spec.weights && own.rate)
      refuse_both("weights", "rate", ": mechanism poisson-rr takes each row alike");
    if (!own.rate) return;
    if (spec.count) refuse_both("rate", "count", ": a rate releases as many records as come");
    if (own.mechanism.value_or(CentralMechanism::kPoissonRr) != CentralMechanism::kPoissonRr) {
      refuse_input("not-for-this-mechanism", "rate", {WayOut::leave("rate")},
                   "a rate is for mechanism poisson-rr, but the mechanism is {}",
                   name_of(*own.mechanism));
    }
  }

  OwnFacts own_facts(const ReleaseSpec& spec) const override {
    return {.needs_no_count = own_of<CentralSpec>(spec).rate.has_value()};
  }

  std::unique_ptr<const PreparedRelease> prepare(
      ReleaseSpec spec, const PublicInputs& inputs,
      std::optional<std::uint64_t> records) const override {
    Domain domain = complete_spec(spec, inputs);
    require_countable(domain);
    PublicFacts facts{.outcomes = domain.size()};
    auto roster = count_records(spec, inputs, records, facts);
    DesignedRelease made = design_release(spec, facts, domain);
    return std::make_unique<const FiniteRelease>(std::move(made), std::move(domain),
                                                 std::move(roster));
  }

  void design(const Domain& domain, const StatedCertificate* stated,
              DesignedRelease& made) const override {
    design_finite(domain, stated, made);
  }

  KeptPromise keeps_promise(const DesignedRelease& made) const override {
    return {.holds = amplification_holds(made.certificate.as<FiniteDesign>()->design)};
  }

  void imply_outputs(const nlohmann::json& said, const Certificate& certificate,
                     const Domain& domain, const std::string& /*name*/,
                     nlohmann::json& implied) const override {
    const auto measured = said.find("measured");
    if (measured == said.end()) return;
    // Which support was found, privately.
    if (auto support = implied_support(*measured, certificate, domain)) {
      implied["measured"] = *std::move(support);
    }
  }

  std::string mechanism(const Certificate& certificate) const override {
    return std::string(name_of(certificate.as<FiniteDesign>()->design.mechanism));
  }

  Json design_json(const Certificate& certificate) const override {
    return finite_json(*certificate.as<FiniteDesign>());
  }

  Json accuracy_json(const Certificate& certificate) const override {
    const CentralDesign& design = certificate.as<FiniteDesign>()->design;
    return {{"total_variation", design.total_variation_up},
            {"independent", design.independent_outputs}};
  }

  Pledge pledge(const Certificate& certificate) const override {
    return {.promises = {protection(certificate), finite_accuracy(certificate)}};
  }

  ReleaseError error(const Certificate& certificate, const Domain&) const override {
    const FiniteDesign& finite = *certificate.as<FiniteDesign>();
    const std::uint64_t outcomes = certificate.facts.outcomes;
    return finite.hint ? found_error(finite, outcomes)
                       : replacement_error(outcomes, finite.design.total_variation_up);
  }

  /// For a support that is found it is the whole domain's.
  ReleaseReport report(const Certificate& certificate, const ReleaseError&,
                       const Domain&) const override {
    const FiniteDesign& finite = *certificate.as<FiniteDesign>();
    ReleaseReport report{.total_variation = finite.design.total_variation_up,
                         .why = finite.design.why};
    report.notes.emplace_back(finite.design.independent_outputs
                                  ? "each record has noise of its own"
                                  : "the records share noise: more of them do not lessen it");
    if (const auto& weights = certificate.spec.weights) {
      report.supposition = weights->supposition();
      report.notes.emplace_back("the noise grows with the greatest weight");
    }
    if (finite.hint) report.notes.emplace_back("the error depends on the support that is found");
    return report;
  }

  std::optional<Message> noise_condition(const Certificate& certificate, const ReleaseError& error,
                                         const Domain&) const override {
    const auto most = most_outcomes_found(certificate);
    if (!error.is_least || !most) return std::nullopt;
    return noise_if(
        fmt::format("if the support that is found has more than {}", counted(*most, "outcome")));
  }

  std::optional<RecordLaw> record_law(const DesignedRelease& made) const override {
    const FiniteDesign& finite = *made.certificate.as<FiniteDesign>();
    const CentralSampler& sampler = *finite_drawing(made).sampler;
    refuse_if(finite.hint.has_value(), "not-for-this-release", {},
              "estimate is for releases from the whole domain, but this one is from an interval "
              "that was found privately");
    RecordLaw law{.records = finite.design.outputs};
    if (const auto* subset = dynamic_cast<const SubsetSampler*>(&sampler)) {
      law.response = subset->response();
      law.epsilon = finite.design.epsilon0;
    } else if (const auto* poisson = dynamic_cast<const PoissonSampler*>(&sampler)) {
      law.response = poisson->response();
      law.epsilon = finite.design.epsilon0;
      // Uniform records replace the missing ones.
      if (law.records) {
        law.failure_up = binomial_below_up(finite.design.records, poisson->rate(), *law.records);
      }
    } else if (sampler.outputs_are_independent() && !row_of(finite.design.mechanism).is_for_bits) {
      law.total_variation_up = sampler.total_variation_up();
    } else {
      refuse_input(
          "not-for-this-release", {},
          "estimate needs records that are drawn independently of one law near the population's, "
          "which mechanism {} of {} does not promise; next time {}use subset-rr",
          made.certificate.mechanism(), method_words("central"),
          made.certificate.spec.weights
              ? fmt::format("leave out {}, which no other mechanism takes, and ",
                            flag_words("weights"))
              : "");
    }
    return law;
  }

  PlanQuantities read_question(const PartReader& reader, PlanQuestion& question) const override {
    using enum PlanUnknown;
    const auto text = reader.find<std::string>("/support");
    const auto hint = text ? std::optional(parse_support_hint(*text)) : std::nullopt;
    if (hint && has_size(*hint) && reader.has("/k")) {
      refuse_input("superfluous-parameter", "k", {WayOut::leave("k")},
                   "{} follows from {} {}: leave it out", reader.called("/k"),
                   reader.called("/support"), *text);
    }
    if (hint) own_of<CentralQuestion>(question).support = hint;
    if (const auto mechanism = read_mechanism(reader)) {
      if (row_of(*mechanism).is_for_bits) {
        refuse_input("no-answer", "mechanism", {WayOut::leave("mechanism")},
                     "plan knows nothing of columns, which mechanism {} needs: leave out {}",
                     name_of(*mechanism), reader.called("/mechanism"));
      }
      own_of<CentralQuestion>(question).mechanism = mechanism;
    }
    if (auto weights = reader.find_weights(false)) {
      if (hint) refuse_both("greatest-weight", "support", ": the search for a support counts rows");
      own_of<CentralQuestion>(question).weights = std::move(weights);
    }
    const bool count = reader.has("/count");
    return {
        {{kRecords, reader.has("/n")},
         {kOutcomes, reader.has("/k") || (hint ? has_size(*hint) : question.domain.has_value())},
         {kEpsilon, reader.has("/privacy/epsilon")},
         {kAlpha, reader.has("/alpha")}},
        {{kDelta, reader.has("/privacy/delta") || !count}, {kOutputs, count}},
        false};
  }

  std::unique_ptr<const PlanModel> plan_model(PlanQuestion& question,
                                              const PublicInputs* inputs) const override {
    if (question.domain) {
      const Domain domain = inputs->domain(*question.domain);
      require_countable(domain);
      if (own_of<CentralQuestion>(question).support) {
        auto& own = own_of<CentralQuestion>(question);
        own.support = hint_in_cells(*own.support, cells_to_search(domain, question.domain->name()));
        own.domain_size = domain.size();
      } else {
        question.outcomes = domain.size();
      }
    }
    return finite_plan(own_of<CentralQuestion>(question));
  }

  void ask(const Certificate& certificate, const Domain&, PlanQuestion& question) const override {
    if (certificate.spec.weights) {
      own_of<CentralQuestion>(question).weights = certificate.spec.weights;
    }
  }

  Remedy remedy(const Certificate& certificate, const Domain& domain) const override {
    const FiniteDesign& finite = *certificate.as<FiniteDesign>();
    if (finite.hint) {
      if (*certificate.facts.records < finite.least_records) {
        return {.others = {fmt::format(
                    "no support is found of fewer than {} at this budget",
                    counted(finite.least_records, certificate.spec.unit ? "unit" : "record"))}};
      }
      const auto most = most_outcomes_found(certificate);
      if (!most) return {};
      return {.others = {fmt::format("a support of {} would do", counted(*most, "outcome"))}};
    }
    return certificate.spec.own.get<CentralSpec>()->rate
               ? Remedy()
               : ReleaseMethod::remedy(certificate, domain);
  }

 private:
  /// None for "auto".
  [[nodiscard]] std::optional<CentralMechanism> read_mechanism(const PartReader& reader) const {
    const auto name = reader.find<std::string>("/mechanism");
    if (!name || *name == "auto") return std::nullopt;
    const auto found = named<CentralMechanism>(*name);
    if (!found) reader.in_file([&] { refuse_mechanism(*name, word()); });
    return found;
  }
};

}  // namespace

const ReleaseMethod& central_method() {
  static const CentralMethod method;
  return method;
}

}  // namespace mollify
