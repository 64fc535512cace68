// Everything that depends on a release's method: one class for each, and the table of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/message.h"
#include "kernel/channels.h"
#include "kernel/naturals.h"
#include "records/units.h"
#include "release/advice.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/plan.h"
#include "release/public_inputs.h"
#include "release/release.h"
#include "release/release_error.h"
#include "release/spec.h"
#include "release/verification.h"

namespace mollify {

class Domain;
struct Measurements;

/// A unit of the roster that has no rows: the record it counts as, and the shares it pulls towards.
struct StandIn {
  const char* record = "a uniform record";
  const char* pulled_to = "uniform shares";
};

/// Facts that hold for all releases by a method.
struct MethodProfile {
  Method word;
  /// For the command's help: the release and its protection, in a line of at most 62 characters and
  /// then in sentences; and the unknowns of its plans.
  const char* help;
  const char* plan_help =
      "Give --domain and all but one of --n, if the number of rows is public, --epsilon and "
      "--alpha, and it is found. With those given, --count or --delta is found.";
  /// The spec's parts that it alone has, or has like a few others.
  std::span<const OwnPart> parts{};
  /// Which of a spec's parts go together: members of a JSON Schema.
  const char* part_rules = "{}";
  /// The parts that a question about such a release has, in addition to every question's. Empty:
  /// the question has the spec's parts and --count.
  std::span<const OwnPart> question_parts{};
  StandIn stand_in{};
  /// Whom a release without units protects, where that is easily taken for more.
  const char* without_units = "";
  /// Whether it takes the most accurate of its mechanisms where none is asked for.
  bool chooses_mechanism = false;
};

/// Facts about a release that the spec's parts of its method decide.
struct OwnFacts {
  std::optional<PublicFile> reference{};  ///< the public records that it begins at
  bool hides_count = false;               ///< whether the number of records is protected
  bool needs_no_count = false;            ///< whether it is said how many come out without a count
};

/// Promises of one method alone, and their limits: sentences for people.
struct Pledge {
  std::vector<std::string> promises{}, limits{};
};

/// What a release is, for people.
struct ReleaseSummary {
  std::string
      released;  ///< in a line: "released 10 records from 2000 rows by ds-roo with epsilon 1"
  std::string details{};  ///< lines
};

/// How released records come from the population, where each is an independent draw: a report of
/// one of its records, or of a law near its own.
struct RecordLaw {
  std::optional<std::uint64_t> records{};        ///< how many there are, if it is known
  std::optional<RandomizedResponse> response{};  ///< what made the reports
  std::optional<double> epsilon{};               ///< of each report
  double failure_up = 0;                         ///< with what probability they are something else
  double total_variation_up = 0;                 ///< without a response
};

/// Whether a design keeps what is promised.
struct KeptPromise {
  bool holds = false;
  double epsilon_realised_up = 0;  ///< of one draw; 0 where it is not of that kind
};

// -----------------------------------------------------------------------------------------------
// A method is three things, each with defaults. A new one needs `prepare`, `design`,
// `keeps_promise` and `error`.

/// Its statements: in certificates, reports, warnings.
class MethodStatement {
 public:
  /// The mechanism: "minimax", "ds-roo", ... By default the method's own name.
  [[nodiscard]] virtual std::string mechanism(const Certificate& certificate) const;
  /// By default nothing: all of it follows from the spec and the facts.
  [[nodiscard]] virtual Json design_json(const Certificate&) const { return Json::object(); }
  /// Null where nothing is stated.
  [[nodiscard]] virtual Json accuracy_json(const Certificate&) const { return nullptr; }
  /// By default each row or unit is protected, whatever the data are.
  [[nodiscard]] virtual Pledge pledge(const Certificate& certificate) const;

  /// The expected error of a release, from public facts.
  [[nodiscard]] virtual ReleaseError error(const Certificate& certificate,
                                           const Domain& domain) const = 0;
  /// Why it is as it is, and how near to the data: all but the warnings. By default that error is
  /// each record's total variation.
  [[nodiscard]] virtual ReleaseReport report(const Certificate& certificate,
                                             const ReleaseError& error, const Domain& domain) const;
  /// The release with its file (" to FILE", or nothing), and how near it is, for people.
  [[nodiscard]] virtual ReleaseSummary summary(const Certificate& certificate, const Domain& domain,
                                               const std::string& to) const;
  /// The sentence about an error above kUsualError that is not mostly noise: by default about
  /// records that are drawn each by itself.
  [[nodiscard]] virtual std::optional<Message> error_warning(const ReleaseError& error) const;
  /// Of a release whose error is the least that public facts allow, or is judged by smooth data,
  /// and is not mostly noise by it: when it is. Up to some seconds where it says what would do.
  [[nodiscard]] virtual std::optional<Message> noise_condition(const Certificate&,
                                                               const ReleaseError&,
                                                               const Domain&) const {
    return std::nullopt;
  }
  /// For mollify estimate, which refuses a method without one. Throws InvalidInput for a release
  /// whose records do not show the population.
  [[nodiscard]] virtual std::optional<RecordLaw> record_law(const DesignedRelease&) const {
    return std::nullopt;
  }

 protected:
  ~MethodStatement() = default;
};

/// How its releases are planned and advised. The defaults design a release for each number that is
/// tried, for the domain that is given: plan_by_design.cpp.
class MethodPlans {
 public:
  /// Reads the question's parts of its own; returns what may be left to be found of it.
  [[nodiscard]] virtual PlanQuantities read_question(const PartReader& reader,
                                                     PlanQuestion& question) const;
  /// Fills in what the question's domain and files say; `inputs` may be null if it names none.
  [[nodiscard]] virtual std::unique_ptr<const PlanModel> plan_model(
      PlanQuestion& question, const PublicInputs* inputs) const;
  /// Adds the numbers of its own to the question whose answer a release is.
  virtual void ask(const Certificate& certificate, const Domain& domain,
                   PlanQuestion& question) const;
  /// A question as of that mechanism and no files: all that these say of the numbers is in it.
  virtual void settle(PlanQuestion&, const std::string& /*mechanism*/) const {}
  /// What would bring a release down to less than mostly noise. Up to some seconds.
  [[nodiscard]] virtual Remedy remedy(const Certificate& certificate, const Domain& domain) const;
  /// Its words for someone who asks which method to take.
  [[nodiscard]] virtual const MethodAdvice& advice() const;

 protected:
  ~MethodPlans() = default;
};

/// One method: its parts of a spec, and its design. Specs, designs and certificates that are handed
/// to it have its word. Immutable.
class ReleaseMethod : public MethodStatement, public MethodPlans {
 public:
  explicit ReleaseMethod(const MethodProfile& profile) : profile_(profile) {}
  ReleaseMethod(const ReleaseMethod&) = delete;
  ReleaseMethod& operator=(const ReleaseMethod&) = delete;
  virtual ~ReleaseMethod() = default;

  [[nodiscard]] Method word() const noexcept { return profile_.word; }
  [[nodiscard]] const MethodProfile& profile() const noexcept { return profile_; }

  // The spec's parts of its own. The defaults are for a method without.

  [[nodiscard]] virtual Held read(const PartReader&) const { return {}; }
  /// Rows: rho, or epsilon and at most a delta.
  [[nodiscard]] virtual ExactPrivacy read_privacy(const PartReader& reader,
                                                  const ReleaseSpec& spec) const;
  virtual void write(const ReleaseSpec&, SpecWriter&) const {}
  /// Throws InvalidInput for parts of another method, and for those that contradict each other.
  virtual void validate(const ReleaseSpec& spec) const;
  [[nodiscard]] virtual OwnFacts own_facts(const ReleaseSpec&) const { return {}; }
  /// Each file that its parts may name.
  virtual void visit_files(ReleaseSpec&,
                           const std::function<void(std::optional<PublicFile>&)>&) const {}

  // A release, from what is public about it.

  /// `records` is their number, where it is public and no roster says it. Throws InvalidInput for a
  /// wrong public input.
  [[nodiscard]] virtual std::unique_ptr<const PreparedRelease> prepare(
      ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records) const = 0;
  /// Adds to the certificate's spec and facts all that follows from them. The result of a search in
  /// doubles is taken as `stated`, if that is given; if not, integers that do not keep what is
  /// promised throw InvalidInput. So do facts that the spec does not have, and requests that no
  /// mechanism can meet.
  virtual void design(const Domain& domain, const StatedCertificate* stated,
                      DesignedRelease& made) const = 0;
  /// Whether the integers of a certificate's design keep what is promised: the same answer on every
  /// machine.
  [[nodiscard]] virtual KeptPromise keeps_promise(const DesignedRelease& made) const = 0;
  /// Whether what the release chooses from is what the certificate says, into `check`; throws
  /// InvalidInput for what no release can have. By default its outcomes, if it has any, are the
  /// domain's.
  virtual void look_at_space(const StatedCertificate& stated, const Domain& domain,
                             const KnownInputs& known, CertificateCheck& check) const;
  /// Adds the members that follow from outputs to a certificate's implied ones, as it states them.
  /// Throws InvalidInput, naming `name`, where what a search in doubles found is not as stated.
  virtual void imply_outputs(const nlohmann::json& /*said*/, const Certificate&, const Domain&,
                             const std::string& /*name*/, nlohmann::json& /*implied*/) const {}
  /// Whether a release of this certificate can have made these measurements of its domain and paid
  /// for them. The choice of tables, and the counts, cannot be checked. By default it
  /// makes none.
  virtual bool can_have_measured(const Certificate&, const Measurements* made) const {
    return made == nullptr;
  }

 private:
  MethodProfile profile_;
};

/// By its word (release/methods.h).
[[nodiscard]] const ReleaseMethod& release_method(Method word);

#define MOLLIFY_FUNCTION(word, name, function, traits) \
  [[nodiscard]] const ReleaseMethod& function();
MOLLIFY_METHODS(MOLLIFY_FUNCTION)
#undef MOLLIFY_FUNCTION

// -----------------------------------------------------------------------------------------------
// What several methods say or ask alike.

/// The names that a spec of the method may give as its mechanism; none where there is no choice.
[[nodiscard]] std::vector<std::string> mechanisms_of(Method method);
/// Throws InvalidInput: the name is none of a mechanism that the method has.
[[noreturn]] void refuse_mechanism(const std::string& name, Method method, bool takes_all = false);

/// For a question that takes "all": refuses a name that the method does not have.
void require_mechanism_or_all(const Json& parts, Method method);

/// Throws InvalidInput unless a spec's facts are those that its method has.
void require_facts(bool hold);

/// Whether a check of a design throws no InvalidInput.
[[nodiscard]] KeptPromise kept_if_accepted(const std::function<void()>& check);

/// Whom the release protects, where that is easily taken for more; empty elsewhere.
[[nodiscard]] std::string protection_note(const ReleaseSpec& spec);

/// The method's own parts; throws InvalidInput for another method's.
template <class Own>
const Own& own_of(const ReleaseSpec& spec) {
  if (const Own* own = spec.own.get<Own>()) return *own;
  refuse_own(spec.method);
}

/// Fills in the number of records; returns the roster that they are of, if there is one.
[[nodiscard]] std::optional<Roster> count_records(const ReleaseSpec& spec,
                                                  const PublicInputs& inputs,
                                                  std::optional<std::uint64_t> records,
                                                  PublicFacts& facts);

/// Whether a stated number differs from what is found here by no more than last digits could make
/// it. Whether it is private is for the design's or the sampler's check, not for this one.
[[nodiscard]] bool is_as_found(double stated, double found);

/// The total spent of an (epsilon, delta) by steps that depend on the outputs before them: as found
/// here, or as stated unless that is noticeably less. Whether delta allows what is stated is for
/// the design's check. None of other budgets, where it is the budget itself.
[[nodiscard]] std::optional<double> steps_amount(const Privacy& budget, std::string_view method,
                                                 PublicFacts& facts);

/// How certificates write integers: as texts, because programs that read JSON numbers as doubles
/// would lose digits.
[[nodiscard]] Json ratio_json(const Ratio& ratio);
/// A positive number as mantissa / 2^shift, exactly: in integers.
[[nodiscard]] Json dyadic_json(double value);
[[nodiscard]] Json privacy_json(const Privacy& privacy);

/// "released 10 records from 2000 rows by ds-roo with epsilon 1".
[[nodiscard]] std::string released_words(const Certificate& certificate, const std::string& to,
                                         const std::string& by);

/// How near each released record, and this many together, are to the `assumed` source of the data:
/// "distribution" or "Gaussian", and more about it.
[[nodiscard]] std::string accuracy_words(const Certificate& certificate, const char* assumed,
                                         const std::string& more, double total_variation);
[[nodiscard]] std::string together_words(std::uint64_t outputs, double total_variation);

/// The meaning of a promise for a row or a unit.
[[nodiscard]] std::string protection(const Certificate& certificate);

/// "This holds for any values whatever ...".
inline constexpr const char* kHoldsForAnyValues =
    "This holds for all values: it depends on no assumption about the data.";
inline constexpr const char* kSharedNoise =
    "The released records are not independent: all share the noise of one model. If it errs "
    "they err together, and more of them do not make it better.";
inline constexpr const char* kSharedNoiseNote =
    "all rows share one noisy model: more of them do not lessen its error";

}  // namespace mollify
