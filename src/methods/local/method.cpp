#include "methods/local/method.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/special_functions/beta.hpp>
#include <fmt/format.h>

#include "accounting/composition.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/numbers.h"
#include "methods/local/bands.h"
#include "methods/local/release.h"
#include "methods/local/typical_band.h"
#include "release/acceptance.h"
#include "release/method.h"
#include "scores/public_models.h"
#include "scores/references.h"

namespace mollify {

std::vector<std::string> draws_promise(const Privacy& total, const std::string& whom) {
  if (total.notion == PrivacyNotion::kGaussian) {
    return {fmt::format(
        "Telling from the output whether {} were one set of values or any other is no easier than "
        "telling one draw of N(0,1) from one of N({:.6g},1).",
        whom, total.mu)};
  }
  return {
      fmt::format("Changing {} in any way changes the probability of any output, and of any "
                  "later decision, by at most a factor e^{:.6g} = {:.4g}.",
                  whom, total.epsilon, same_exp(total.epsilon)),
      fmt::format("This holds for any data, any prior knowledge and any later use of the output; "
                  "it was checked in integers, and `{}` recomputes it.",
                  command_words("verify"))};
}

std::string lift_words(double lower_factor, double largest_lift) {
  return fmt::format(
      "whatever the data, an outcome is released with {:.4g} to {:.4g} times its reference mass",
      lower_factor, largest_lift);
}

std::string space_text(const Certificate& certificate) {
  const LocalDesign& design = *certificate.as<LocalDesign>();
  const SpaceSpec& space = certificate.spec.own.get<LocalSpec>()->space;
  std::string list;
  if (design.list == CandidateList::kSeeded) list = " of the domain's seed";
  if (design.list == CandidateList::kFresh) list = ", drawn anew for each unit";
  if (design.list == CandidateList::kFile) list = fmt::format(" of {}", space.list->name);
  std::string what = counted(certificate.facts.outcomes, "outcome");
  if (design.space == SpaceKind::kGrid) what = counted(certificate.facts.outcomes, "cell");
  if (design.space == SpaceKind::kCandidates) what = counted(certificate.facts.outcomes, "record");
  if (design.space == SpaceKind::kModels)
    what = fmt::format("{} {} of columns", certificate.facts.outcomes,
                       space.trees ? "products and trees" : "products");
  return fmt::format("{} ({}{}), scored by {}", name_of(design.space), what, list,
                     name_of(design.scorer));
}

// -----------------------------------------------------------------------------------------------
// A local spec.

namespace {

/// The names of an enumeration, without its last.
template <class Enumeration>
std::vector<std::string> names_but_last() {
  std::vector<std::string> found = name_list<Enumeration>();
  found.pop_back();
  return found;
}

}  // namespace

LocalSpec local_spec(const PartReader& reader, Method method) {
  LocalSpec spec;
  if (const auto name = reader.find<std::string>("/mechanism")) {
    for (const auto& known : named_mechanisms()) {
      if (known.name == *name) spec.mechanism = known.value;
    }
    if (!spec.mechanism) reader.in_file([&] { refuse_mechanism(*name, method); });
  }
  if (const auto band = reader.find<std::string>("/band"))
    spec.band = reader.in_file([&] { return parse_band(*band); });
  for (const MechanismNumber& number : mechanism_numbers()) {
    if (*number.place != '\0') spec.numbers.*number.value = reader.find<double>(number.place);
  }
  spec.reference = reader.find_file("/reference");
  spec.channel = reader.find_file("/channel");
  SpaceSpec& space = spec.space;
  if (const auto kind = reader.find<std::string>("/space/kind")) {
    space.kind = named<SpaceKind>(*kind);
    if (space.kind == SpaceKind::kModels) {
      refuse_input("not-for-this-method", "space", {WayOut::use("integral-model")},
                   "space models is {}: use that, not {}", method_words("integral-model"),
                   method_words(name_of(method)));
    }
    if (!space.kind)
      reader.in_file([&] { refuse_name("space", *kind, names_but_last<SpaceKind>()); });
  }
  if (method == Method::kIntegralModel) space.kind = SpaceKind::kModels;
  space.cells = reader.find<std::uint64_t>("/space/cells");
  space.candidates = reader.find<std::uint64_t>("/space/candidates");
  space.fresh = reader.find<bool>("/space/fresh").value_or(false);
  space.trees = reader.find<bool>("/space/trees").value_or(false);
  space.list = reader.find_file("/space/list");
  if (const auto scorer = reader.find<std::string>("/space/scorer")) {
    space.scorer = named<ScorerKind>(*scorer);
    if (!space.scorer || space.scorer == ScorerKind::kLikelihood) {
      reader.in_file([&] { refuse_name("score", *scorer, names_but_last<ScorerKind>()); });
    }
  }
  return spec;
}

namespace {

void put_local(SpecWriter& writer, const LocalSpec& spec) {
  if (spec.mechanism) writer.put("/mechanism", name_of(*spec.mechanism));
  if (spec.band) writer.put("/band", to_text(*spec.band));
  for (const MechanismNumber& number : mechanism_numbers()) {
    if (*number.place != '\0') writer.put(number.place, spec.numbers.*number.value);
  }
  writer.put("/reference", spec.reference);
  writer.put("/channel", spec.channel);
  const SpaceSpec& space = spec.space;
  if (space.kind && space.kind != SpaceKind::kModels) {
    writer.put("/space/kind", name_of(*space.kind));
  }
  writer.put("/space/cells", space.cells);
  writer.put("/space/candidates", space.candidates);
  writer.put_truth("/space/fresh", space.fresh);
  writer.put_truth("/space/trees", space.trees);
  writer.put("/space/list", space.list);
  if (space.scorer) writer.put("/space/scorer", name_of(*space.scorer));
}

// -----------------------------------------------------------------------------------------------
// What certificates and reports say of one exact draw.

/// How the reference follows from its records, or its density.
const char* masses_text(const LocalSpec& spec, SpaceKind kind) {
  if (is_density(spec.reference)) return "its density's masses in the cells, in parts of 2^52";
  switch (kind) {
    case SpaceKind::kCategories:
      return "(records + 1) / (all records + outcomes)";
    case SpaceKind::kGrid:
      return "the mean of their histograms of 1, 2, 4, ... parts an axis";
    case SpaceKind::kCandidates:
      break;
    case SpaceKind::kModels:
      return "one for each model, which were drawn around its records";
  }
  return "one for each candidate, which were drawn after its records";
}

Json draw_json(const LocalDesign& design, const LocalSpec& spec) {
  Json json{{"space", name_of(design.space)}, {"scorer", name_of(design.scorer)}};
  if (design.list) json["list"] = name_of(*design.list);
  json["reference"] = spec.reference ? masses_text(spec, design.space) : "uniform";
  if (spec.band && !spec.band->file.empty()) json["reference"] = "lower bounds / floor";
  if (design.c1) json["c1"] = *design.c1;
  if (design.floor) {
    json["floor"] = *design.floor;
    json["floor_integers"] = dyadic_json(*design.floor);
    json["N"] = std::to_string(Band::kGreatestTotal);
  }
  if (design.bound) json["bound_integers"] = dyadic_json(design.bound->value());
  if (!design.floor) json["law"] = row_of(design.mechanism).law;
  if (row_of(design.mechanism).has_channel) json["channel"] = spec.channel ? "given" : "laplace";
  json["integers_of"] = design.is_of_band ? "band" : "matrix";
  json["integers_sha256"] = design.integers_sha256;
  return json;
}

/// All records of one unit, or the whole table.
std::string protected_whole(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  return unit ? fmt::format("all records of one {}", unit.words())
              : std::string("any or all rows of the data");
}

std::string mechanism_reason(const Certificate& certificate) {
  const LocalDesign& design = *certificate.as<LocalDesign>();
  const LocalSpec& spec = *certificate.spec.own.get<LocalSpec>();
  if (spec.mechanism || spec.band) {
    return fmt::format("{} was asked for", spec.mechanism ? std::string(name_of(*spec.mechanism))
                                                          : "band " + to_text(*spec.band));
  }
  std::string_view why = row_of(design.mechanism).why;
  if (why.empty()) why = "its parameters were given";
  if (design.mechanism == Mechanism::kClass && is_density(spec.reference)) {
    why =
        "of all that lies between c1 and c2 times the reference, as mixtures below an envelope do";
  }
  if (spec.reference && design.mechanism == Mechanism::kRelative) {
    why = "its band is made about the public reference";
  }
  return fmt::format("{}: {}", name_of(design.mechanism), why);
}

/// A band for a prior lies where the prior says. Found anew, to its last digit: processors may
/// round differently.
void require_location_of_prior(const Certificate& certificate, const std::string& name) {
  const auto& [version, spec, facts, draw, total, design] = certificate;
  const auto& band = spec.own.get<LocalSpec>()->band;
  if (!band || !band->typical) return;
  const double epsilon = draw_budget_down(spec.budget(), *spec.count).epsilon;
  const double found =
      typical_location(static_cast<std::size_t>(facts.outcomes), epsilon, *band->typical);
  const double digit = std::pow(10, std::floor(std::log10(found)) - 2);
  if (std::abs(found - *facts.location) <= 1.001 * digit) return;
  refuse_input("certificate-altered", {},
               "{} was altered: its part /facts/location does not follow from its prior, which "
               "gives {:.3g}",
               name, found);
}

/// Throws for a number of outcomes that the release's spec and domain do not have.
void require_outcomes(bool hold) {
  refuse_if(!hold, "internal-error", {},
            "a release must have the outcomes of its space, but has others");
}

}  // namespace

const char* data_supposed(const LocalSpec& spec) {
  const MechanismNumbers& numbers = spec.numbers;
  return numbers.c1 || numbers.c2 || numbers.gamma ? ", if data are as declared" : "";
}

std::string draw_supposition(const Certificate& certificate) {
  const bool smooths = !smoothing_words(certificate.as<LocalDesign>()->scorer).empty();
  return std::string(data_supposed(own_of<LocalSpec>(certificate.spec))) +
         (smooths ? ", plus smoothing" : "");
}

namespace {

/// How far a draw's law may be from the private distribution, and how much it can say at most.
std::string risk_text(const WorstCaseRisk& risk, const MechanismRow& row, const LocalSpec& spec,
                      ScorerKind scorer) {
  const std::string lift =
      risk.largest_lift > 0
          ? fmt::format("no outcome more than {:.4g} times as likely as by the reference",
                        risk.largest_lift)
      : row.is_linear
          ? fmt::format("a record is kept with probability {:.4g} at least", risk.extreme_output[0])
          : std::string(row.law);
  return fmt::format("{}; worst-case total variation {:.4g} from the data's distribution{}", lift,
                     risk.quoted_total_variation(), data_supposed(spec) + smoothing_words(scorer));
}

ReleaseSummary local_summary(const Certificate& certificate, const Domain& domain,
                             const std::string& to) {
  const LocalDesign& design = *certificate.as<LocalDesign>();
  std::string drawn = counted(*certificate.spec.count, "record");
  if (certificate.facts.units) {
    drawn += " for each of " + counted(*certificate.facts.units, "unit");
  } else {
    drawn += certificate.spec.unit ? " for each unit" : " for all rows of this file";
  }
  return {fmt::format("released {}{} by {} with {} in all", drawn, to, certificate.mechanism(),
                      certificate.total.text()),
          fmt::format("space: {}\neach draw: {}; {}\n", space_text(certificate),
                      certificate.draw.text(),
                      risk_text(draw_risk(certificate, domain), row_of(design.mechanism),
                                own_of<LocalSpec>(certificate.spec), design.scorer))};
}

using enum PartKind;

std::vector<std::string> names_of_mechanisms() {
  std::vector<std::string> found;
  for (const auto& known : named_mechanisms()) found.emplace_back(known.name);
  return found;
}

constexpr OwnPart kBandParts[] = {
    {"/mechanism", "--mechanism", kText, "one of {} (default: minimax)", "NAME",
     names_of_mechanisms},
    {"/band", "--band", kText,
     "instead of --mechanism: minimax, relative, location=B, typical, file=F\nWhere the band of "
     "allowed probabilities lies. minimax is for --c2; typical or typical=STRENGTH,RECORDS is for "
     "a Dirichlet prior; file=F is from tune --best",
     "CHOICE", nullptr, "^(minimax|relative|location=.+|typical|typical=.+|file=.+)$"},
    {"/reference", "--reference", kFile,
     "public CSV of records, or a density NAME.json\nRecords make relative the default mechanism. "
     "A density, as mollify law reads it, goes with a grid of numbers. An envelope of Gaussian "
     "mixtures sets c2"}};
constexpr OwnPart kOutcomeParts[] = {
    {"/channel", "--channel", kFile,
     "for naive and convex: a JSON array of rows of masses\nA row for each input, with a mass for "
     "each outcome. Without it the channel is Laplace noise between the cells of one column"},
    {"/space", "", kObject, "The space of possible records; by default the domain suggests it"},
    {"/space/kind", "--space", kText, "{} (default: by the domain)", "KIND",
     names_but_last<SpaceKind>},
    {.place = "/space/cells",
     .flag = "--cells",
     .kind = kWhole,
     .help = "cells of a grid, in all (default: 65536)",
     .least = 1},
    {.place = "/space/candidates",
     .flag = "--candidates",
     .kind = kWhole,
     .help = "how many public records to choose from (default: 65536)",
     .least = 1},
    {"/space/fresh", "--fresh", kTruth, "new candidates for each unit, instead of one shared list"},
    {"/space/list", "--candidates-file", kFile, "a list made by mollify candidates"},
    {"/space/scorer", "--score", kText,
     "how rows become an estimate: {}\nBy default empirical for categories, kernel otherwise",
     "NAME", names_but_last<ScorerKind>},
};
constexpr OwnPart kModelParts[] = {
    {"/band", "--band", kText, "instead of --mechanism: minimax (for --c2), relative or location=B",
     "CHOICE", nullptr, "^(minimax|relative|location=.+)$"},
    {"/space", "", kObject, "Which public models are chosen from"},
    {.place = "/space/candidates",
     .flag = "--candidates",
     .kind = kWhole,
     .help = "how many public models to choose from (default: 20000)",
     .least = 1},
    {"/space/trees", "--trees", kTruth,
     "make every second model a tree of columns\nBest with a --reference, whose tree it is"},
};
constexpr OwnPart kModelQuestions[] = {
    {"/region", "--region", kTexts,
     "COLUMN=VALUE[,VALUE]: bounds the probability of these records\nSeveral narrow it. Without a "
     "domain it is the region's reference mass",
     "REGION"},
};
constexpr OwnPart kDrawQuestions[] = {
    {"/k", "--k", kWhole, "number of possible records, without a domain"},
    {"/count", "--count", kWhole},
    kModelQuestions[0],
};

/// The parts that say which band or matrix, and others.
std::vector<OwnPart> draw_parts(std::span<const OwnPart> others) {
  std::vector<OwnPart> parts(std::begin(kBandParts), std::end(kBandParts));
  for (const MechanismNumber& number : mechanism_numbers()) {
    if (*number.place == '\0') continue;
    parts.insert(parts.end() - 1, {.place = number.place,
                                   .flag = number.flag,
                                   .kind = kNumber,
                                   .help = number.help,
                                   .least = number.least,
                                   .is_open = number.is_open,
                                   .below = number.below});
  }
  for (const OwnPart& other : others) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const OwnPart& part) {
      return std::string_view(part.place) == other.place;
    });
    if (same == parts.end()) {
      parts.push_back(other);
    } else {
      *same = other;
    }
  }
  return parts;
}

/// The profile of a method that draws from outcomes. Methods of models have other parts.
MethodProfile draw_profile(Method word, const char* help) {
  static const std::vector<OwnPart> parts = draw_parts(kOutcomeParts);
  return {.word = word,
          .help = help,
          .plan_help =
              "Give --epsilon to find the error, or --alpha to find the least --epsilon, or the "
              "greatest --k or --count. --mechanism all compares every mechanism. Prints the "
              "worst-case total variation, the largest lift, bounds on a region's probability, and "
              "what a larger epsilon, fewer outcomes or a better reference would change.",
          .parts = parts,
          .question_parts = kDrawQuestions,
          .stand_in = {"one distributed as the public reference", "the reference's shares"}};
}

/// What methods local, integral and integral-model share: one exact draw from a band or a matrix.
class DrawMethod : public ReleaseMethod {
 public:
  using ReleaseMethod::ReleaseMethod;

  Held read(const PartReader& reader) const override { return local_spec(reader, word()); }

  ExactPrivacy read_privacy(const PartReader& reader, const ReleaseSpec& spec) const override {
    const auto& asked = spec.own.get<LocalSpec>()->mechanism;
    const auto epsilon = reader.find_decimal("/privacy/epsilon");
    const auto mu = reader.find_decimal("/privacy/mu");
    if (mu && epsilon) reader.in_file([&] { refuse_two_budgets(asked); });
    if (mu) return ExactPrivacy::gaussian(*mu);
    const bool in_mu = asked && row_of(*asked).in_mu && !epsilon;
    if (!epsilon && !asked) reader.require_budget(word());
    reader.require_given(in_mu ? "/privacy/mu" : "/privacy/epsilon");
    return ExactPrivacy::approximate(*epsilon, Decimal());
  }

  void visit_files(ReleaseSpec& spec,
                   const std::function<void(std::optional<PublicFile>&)>& visit) const override {
    auto& own = *spec.own.get<LocalSpec>();
    visit(own.reference);
    visit(own.channel);
    visit(own.space.list);
  }

  OwnFacts own_facts(const ReleaseSpec& spec) const override {
    return {.reference = own_of<LocalSpec>(spec).reference};
  }

  void write(const ReleaseSpec& spec, SpecWriter& writer) const override {
    put_local(writer, *spec.own.get<LocalSpec>());
  }

  void validate(const ReleaseSpec& spec) const override {
    const bool of_models = own_of<LocalSpec>(spec).space.kind == SpaceKind::kModels;
    if (of_models == draws_models()) return;
    refuse_input("not-for-this-method", "space", {WayOut::set("space")},
                 "{} must choose among {}, but does not", method_words(name_of(word())),
                 draws_models() ? "models" : "outcomes");
  }

  std::unique_ptr<const PreparedRelease> prepare(ReleaseSpec spec, const PublicInputs& inputs,
                                                 std::optional<std::uint64_t>) const override {
    return prepare_local(std::move(spec), inputs);
  }

  void design(const Domain& domain, const StatedCertificate*,
              DesignedRelease& made) const override {
    design_draws(domain, draws_of(made.certificate.spec), made);
  }

  KeptPromise keeps_promise(const DesignedRelease& made) const override {
    const HeldLocalSampler sampler = local_sampler(made);
    return {sampler->guarantee_holds(), sampler->epsilon_realised_up()};
  }

  void look_at_space(const StatedCertificate& stated, const Domain& domain,
                     const KnownInputs& known, CertificateCheck& check) const override {
    const std::uint64_t count = stated.facts.outcomes;
    const LocalSpec* local = stated.spec.own.get<LocalSpec>();
    const SpaceKind kind = space_kind(domain, local->space);
    if (kind == SpaceKind::kModels) {
      require_outcomes(count == local->space.candidates.value_or(PublicModels::kUsual));
      if (local->reference.has_value() == known.reference.has_value()) {
        const PublicModels models(domain, count, model_shapes(local->space),
                                  known.reference.value_or(std::vector<std::uint32_t>()));
        check.list_matches = models.sha256() == stated.facts.list_sha256;
      }
      return;
    }
    if (kind != SpaceKind::kCandidates) {
      const Domain space = space_domain(domain, local->space);
      require_outcomes(space.is_enumerable() && count == space.size());
      return;
    }
    static_cast<void>(space_domain(domain, local->space));  // refuses what contradicts itself
    require_outcomes(local->space.list ||
                     count == local->space.candidates.value_or(Candidates::kUsual));
    if (candidate_list(kind, local->space) == CandidateList::kFresh) return;
    const auto matches = [&](const Candidates& list) {
      return list.size() == count && candidates_hash(list, domain) == stated.facts.list_sha256;
    };
    if (known.list) {
      check.list_matches = matches(*known.list);
    } else if (local->reference && known.reference) {
      check.list_matches = matches(ReferenceCandidates(domain, *known.reference).seeded(count));
    } else if (!local->space.list && !local->reference) {
      check.list_matches = matches(Candidates::seeded(domain, count));
    }
  }

  void imply_outputs(const nlohmann::json&, const Certificate& certificate, const Domain&,
                     const std::string& name, nlohmann::json&) const override {
    require_location_of_prior(certificate, name);
  }

  std::string mechanism(const Certificate& certificate) const override {
    return std::string(name_of(certificate.as<LocalDesign>()->mechanism));
  }

  Json design_json(const Certificate& certificate) const override {
    return draw_json(*certificate.as<LocalDesign>(), *certificate.spec.own.get<LocalSpec>());
  }

  Pledge pledge(const Certificate& certificate) const override {
    return {.promises = draws_promise(certificate.total, protected_whole(certificate))};
  }

  ReleaseError error(const Certificate& certificate, const Domain& domain) const override {
    const LocalDesign& local = *certificate.as<LocalDesign>();
    if (local.floor) return error_of_band(certificate, domain, local.scorer);
    ReleaseError error =
        replacement_error(certificate.facts.outcomes, draw_risk(certificate, domain).risk.tv);
    error.is_for_estimates = is_for_estimates(certificate);
    return error;
  }

  ReleaseReport report(const Certificate& certificate, const ReleaseError& error,
                       const Domain& domain) const override {
    return {.total_variation = draw_risk(certificate, domain).quoted_total_variation(),
            .supposition = draw_supposition(certificate),
            .why = mechanism_reason(certificate),
            .notes = notes(certificate, error, domain)};
  }

  std::optional<Message> noise_condition(const Certificate& certificate, const ReleaseError& error,
                                         const Domain& domain) const override {
    const LocalDesign& local = *certificate.as<LocalDesign>();
    // A declared class has no data on few outcomes, and the stated error is for the class.
    const bool is_declared = *data_supposed(*certificate.spec.own.get<LocalSpec>()) != '\0';
    if (!local.floor || is_declared || row_of(local.scorer).counts_records ||
        error.is_mostly_noise()) {
      return std::nullopt;
    }
    const ReleaseError sparse = error_of_band(certificate, domain, ScorerKind::kEmpirical);
    if (!sparse.is_mostly_noise()) return std::nullopt;
    PlanQuestion counting = question_of(certificate, domain);
    own_of<LocalQuestion>(counting).spec.space.scorer = ScorerKind::kEmpirical;
    return Message{
        .code = "noise-if-sparse",
        .verdict = fmt::format("the release is mostly noise if the data lie on few of {}",
                               counted(certificate.facts.outcomes, "outcome")),
        .reason = error_words(sparse),
        .remedy = {.ways_out = noise_remedy(counting, mechanism(certificate))},
        .severity = Severity::kNoise,
        .quantities = sparse.quantities()};
  }

  ReleaseSummary summary(const Certificate& certificate, const Domain& domain,
                         const std::string& to) const override {
    return local_summary(certificate, domain, to);
  }

  std::optional<Message> error_warning(const ReleaseError&) const override { return std::nullopt; }

  PlanQuantities read_question(const PartReader& reader, PlanQuestion& question) const override {
    if (!reader.has("/alpha")) {
      if (!question.domain && !reader.has("/k")) {
        refuse_input("missing-parameter", "k",
                     {WayOut::set("domain"), WayOut::set("k"), WayOut::set("alpha")},
                     "give {} or {}, or {} to find the greatest k", reader.called("/domain"),
                     reader.called("/k"), reader.called("/alpha"));
      }
      if (!reader.has("/privacy/mu") && !reader.has("/privacy/epsilon")) {
        refuse_input(
            "missing-parameter", "epsilon", {WayOut::set("epsilon"), WayOut::set("alpha")},
            "the budget is missing: give {} (mollify finds alpha) or {} (mollify finds epsilon)",
            reader.called("/privacy/epsilon"), reader.called("/alpha"));
      }
    }
    auto& own = own_of<LocalQuestion>(question);
    own.spec = local_spec(reader, word());
    own.region =
        reader.find<std::vector<std::string>>("/region").value_or(std::vector<std::string>());
    own.has_weights = reader.find_weights(false).has_value();
    if (!question.domain && own.spec.reference) {
      refuse_missing(reader.called("/domain"), reader.called("/reference") + " needs it", "domain");
    }
    const auto kind = draws_models() ? own.spec.space.kind : std::nullopt;
    if (!question.domain && own.spec.space != SpaceSpec{.kind = kind}) {
      for (const OwnPart& part : profile().parts) {
        if (!std::string_view(part.place).starts_with("/space/") || !reader.has(part.place))
          continue;
        refuse_input("missing-parameter", "domain",
                     {WayOut::set("domain"), WayOut::leave(parameter_of(part.flag))},
                     "{} is missing: {} needs it", reader.called("/domain"),
                     reader.called(part.place));
      }
    }
    using enum PlanUnknown;
    return {{{kOutcomes, reader.has("/k") || question.domain},
             {kEpsilon, reader.has("/privacy/epsilon") || reader.has("/privacy/mu")},
             {kAlpha, reader.has("/alpha")}},
            {{kOutputs, reader.has("/count")}},
            false};
  }

  // A band that was found for these numbers is one for no others, and has no answer.
  void settle(PlanQuestion& question, const std::string& mechanism) const override {
    auto& [spec, masses, region, has_weights] = own_of<LocalQuestion>(question);
    spec.mechanism = named<Mechanism>(mechanism);
    spec.band.reset();
    spec.reference.reset();
    spec.channel.reset();
    spec.space = {.kind = spec.space.kind, .scorer = spec.space.scorer};
    region.clear();
  }

  std::unique_ptr<const PlanModel> plan_model(PlanQuestion& question,
                                              const PublicInputs* inputs) const override {
    return local_plan_model(question, inputs);
  }

  void ask(const Certificate& certificate, const Domain& domain,
           PlanQuestion& question) const override {
    auto& own = own_of<LocalQuestion>(question);
    own.spec = *certificate.spec.own.get<LocalSpec>();
    own.spec.space.kind = certificate.as<LocalDesign>()->space;
    own.masses = reference_masses(certificate, domain);
    question.outputs = draws_of(certificate.spec);
  }

 protected:
  /// Whether one of many public models is drawn, and not outcomes.
  [[nodiscard]] virtual bool draws_models() const { return false; }
  [[nodiscard]] virtual std::uint64_t draws_of(const ReleaseSpec& spec) const {
    return *spec.count;
  }
  /// As ReleaseError's.
  [[nodiscard]] virtual bool is_for_estimates(const Certificate&) const { return false; }
  [[nodiscard]] virtual std::vector<std::string> notes(const Certificate& certificate,
                                                       const ReleaseError& error,
                                                       const Domain& domain) const {
    std::vector<std::string> notes;
    if (const auto& floor = certificate.as<LocalDesign>()->floor) {
      notes.push_back(lift_words(*floor, *floor * std::exp(certificate.draw.epsilon)));
    } else if (const MechanismRow& row = row_of(certificate.as<LocalDesign>()->mechanism);
               row.is_linear) {
      notes.push_back(fmt::format(
          "a record is one of the unit's own or noise: {} finds the population from all records",
          command_words("estimate")));
    } else {
      notes.push_back(row.law);
    }
    if (const auto sparse = noise_condition(certificate, error, domain)) {
      notes.push_back(sparse->text());
    }
    if (*certificate.spec.count > 1) {
      notes.push_back(fmt::format("each of {} of a unit has {} of the budget",
                                  counted(*certificate.spec.count, "draw"),
                                  certificate.draw.text()));
    }
    return notes;
  }
};

MethodProfile local_profile() {
  MethodProfile profile = draw_profile(
      Method::kLocal,
      "records of each unit; protects all rows of a unit\n"
      "With --unit, each unit releases --count records of its own rows, and epsilon protects all "
      "of them. Without --unit, the file is one unit.");
  profile.without_units = "the whole file is one unit, as on a person's own device";
  return profile;
}

class LocalMethod final : public DrawMethod {
 public:
  LocalMethod() : DrawMethod(local_profile()) {}

  const MethodAdvice& advice() const override { return local_advice(); }

  Remedy remedy(const Certificate& certificate, const Domain& domain) const override {
    Remedy found = ReleaseMethod::remedy(certificate, domain);
    if (certificate.spec.unit && !is_for_estimates(certificate) &&
        certificate.as<LocalDesign>()->space == SpaceKind::kCategories) {
      found.others.push_back(fmt::format("for shares of all units together use {} and {}",
                                         setting_words("mechanism", "randomized-response"),
                                         command_words("estimate")));
      found.told.push_back(WayOut::set("mechanism", "randomized-response"));
      found.told.push_back(WayOut::run("estimate"));
    }
    return found;
  }

 protected:
  bool is_for_estimates(const Certificate& certificate) const override {
    return row_of(certificate.as<LocalDesign>()->mechanism).is_linear;
  }
};

class IntegralMethod final : public DrawMethod {
 public:
  IntegralMethod()
      : DrawMethod(draw_profile(
            Method::kIntegral,
            "a few records of a table; protects the whole table\n"
            "Epsilon protects the whole table at once, and so any group of its rows. Every further "
            "record costs budget.")) {}

  const MethodAdvice& advice() const override { return integral_advice(); }

  Remedy remedy(const Certificate& certificate, const Domain& domain) const override {
    Remedy found = ReleaseMethod::remedy(certificate, domain);
    if (certificate.spec.count.value_or(1) > 1) {
      found.others.push_back(
          fmt::format("for many rows of one public model use {}", method_words("integral-model")));
      found.told.push_back(WayOut::use("integral-model"));
    }
    return found;
  }
};

MethodProfile model_profile() {
  static const std::vector<OwnPart> parts = draw_parts(kModelParts);
  MethodProfile profile = draw_profile(
      Method::kIntegralModel,
      "rows of one public model; protects the whole table\n"
      "One of many public models is drawn, and then any number of its rows is free. Epsilon "
      "protects the whole table at once.");
  profile.parts = parts;
  profile.question_parts = kModelQuestions;
  return profile;
}

/// One draw of a model, and any number of rows of it.
class IntegralModelMethod final : public DrawMethod {
 public:
  IntegralModelMethod() : DrawMethod(model_profile()) {}

  const MethodAdvice& advice() const override { return integral_model_advice(); }

  ReleaseSummary summary(const Certificate& certificate, const Domain&,
                         const std::string& to) const override {
    return {fmt::format("released {}{} of one model by {} with {} in all",
                        counted(*certificate.spec.count, "record"), to, certificate.mechanism(),
                        certificate.total.text()),
            fmt::format("space: {}\n", space_text(certificate))};
  }

  void validate(const ReleaseSpec& spec) const override {
    DrawMethod::validate(spec);
    const auto& band = spec.own.get<LocalSpec>()->band;
    if (!band || (!band->typical && band->file.empty())) return;
    refuse_input("not-for-this-method", "band", {WayOut::set("band")},
                 "{} takes a band that is named or at a location, but it is {}",
                 method_words("integral-model"), to_text(*band));
  }

  std::unique_ptr<const PreparedRelease> prepare(ReleaseSpec spec, const PublicInputs& inputs,
                                                 std::optional<std::uint64_t>) const override {
    return prepare_models(std::move(spec), inputs);
  }

  Json accuracy_json(const Certificate& certificate) const override {
    const ModelsOutlook outlook = models_outlook(certificate);
    return {{"best_models", outlook.best}, {"best_models_probability", outlook.probability}};
  }

  Pledge pledge(const Certificate& certificate) const override {
    const ModelsOutlook outlook = models_outlook(certificate);
    Pledge pledge = DrawMethod::pledge(certificate);
    pledge.limits = {
        "The released records all come from one model, which was chosen among public ones: they "
        "reveal no more about the table than which model it was, and more of them reveal no more.",
        fmt::format("If the table distinguishes models, this one is among the {} likeliest of {} "
                    "with probability {:.4g} at least.",
                    outlook.best, certificate.facts.outcomes, outlook.probability),
        fmt::format(
            "How near the model is to the table is not promised: no model among them may be near, "
            "and columns are independent in {}.",
            certificate.spec.own.get<LocalSpec>()->space.trees ? "every second one" : "each")};
    return pledge;
  }

  std::unique_ptr<const PlanModel> plan_model(PlanQuestion& question,
                                              const PublicInputs* inputs) const override {
    question.outputs = 1;
    return DrawMethod::plan_model(question, inputs);
  }

 protected:
  bool draws_models() const override { return true; }
  std::uint64_t draws_of(const ReleaseSpec&) const override { return 1; }
  std::vector<std::string> notes(const Certificate& certificate, const ReleaseError&,
                                 const Domain&) const override {
    return {models_outlook(certificate).words(certificate.facts.outcomes),
            "all rows are drawn from the one released model"};
  }
};

}  // namespace

const ReleaseMethod& local_method() {
  static const LocalMethod method;
  return method;
}

const ReleaseMethod& integral_method() {
  static const IntegralMethod method;
  return method;
}

const ReleaseMethod& integral_model_method() {
  static const IntegralModelMethod method;
  return method;
}

}  // namespace mollify
