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
#include "core/invalid_input.h"
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

/// A unit of the roster that has no rows: the record it counts as, and the shares it pulls towards.
struct StandIn {
  const char* record = "a uniform record";
  const char* pulled_to = "uniform shares";
};

/// What a release is, for people.
struct ReleaseSummary {
  std::string
      released;  ///< in a line: "released 10 records from 2000 rows by ds-roo with epsilon 1"
  std::string details;  ///< lines
};

/// One method. Specs, designs and certificates that are handed to it have its word. Immutable.
class ReleaseMethod {
 public:
  explicit ReleaseMethod(Method word) : word_(word) {}
  ReleaseMethod(const ReleaseMethod&) = delete;
  ReleaseMethod& operator=(const ReleaseMethod&) = delete;
  virtual ~ReleaseMethod() = default;

  [[nodiscard]] Method word() const noexcept { return word_; }

  /// For the command's help: the release and its protection, in a line of at most 62 characters and
  /// then in sentences; and the unknowns of its plans.
  [[nodiscard]] virtual const char* help() const = 0;
  [[nodiscard]] virtual const char* plan_help() const = 0;

  // The spec's parts of its own.

  /// Those that it alone has, or has like a few others.
  [[nodiscard]] virtual std::span<const OwnPart> parts() const = 0;
  /// Which of a spec's parts go together: members of a JSON Schema.
  [[nodiscard]] virtual const char* part_rules() const { return "{}"; }
  [[nodiscard]] virtual Held read(const PartReader& reader) const = 0;
  /// Rows: rho, or epsilon and at most a delta.
  [[nodiscard]] virtual ExactPrivacy read_privacy(const PartReader& reader,
                                                  const ReleaseSpec& spec) const;
  virtual void write(const ReleaseSpec& spec, SpecWriter& writer) const = 0;
  /// Throws InvalidInput for parts of another method, and for those that contradict each other.
  virtual void validate(const ReleaseSpec& spec) const = 0;
  /// Whether the spec says how many records come out without a count.
  [[nodiscard]] virtual bool needs_no_count(const ReleaseSpec&) const { return false; }

  /// Each file that its parts may name.
  virtual void visit_files(ReleaseSpec&,
                           const std::function<void(std::optional<PublicFile>&)>&) const {}
  [[nodiscard]] virtual std::optional<PublicFile> reference(const ReleaseSpec&) const {
    return std::nullopt;
  }
  [[nodiscard]] virtual bool hides_count(const ReleaseSpec&) const { return false; }

  // A release, from what is public about it.

  /// `records` is their number, where it is public and no roster says it. Throws InvalidInput for a
  /// wrong public input.
  [[nodiscard]] virtual std::unique_ptr<const PreparedRelease> prepare(
      ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records) const = 0;
  /// Adds to the certificate's spec and facts all that follows from them. The result of a search in
  /// doubles is taken as `stated`, if that is given. Throws InvalidInput for facts that the spec
  /// does not have, and for requests that no mechanism can meet.
  virtual void design(const Domain& domain, const StatedCertificate* stated,
                      DesignedRelease& made) const = 0;
  /// Throws InvalidInput unless the design's integers keep what is promised. Methods whose samplers
  /// keep it by their construction look at nothing before a release.
  virtual void require_guarantee(const DesignedRelease&) const {}
  /// Whether a certificate's design keeps what is promised: the same answer on every machine. No
  /// method has it unasked; its own definition asks require_guarantee.
  [[nodiscard]] virtual bool keeps_promise(const DesignedRelease& made) const = 0;
  /// Of one draw, by the design's integers, rounded up; 0 where it is not of that kind.
  [[nodiscard]] virtual double epsilon_realised_up(const DesignedRelease&) const { return 0; }
  /// Whether what the release chooses from is what the certificate says, into `check`.
  virtual void look_at_space(const StatedCertificate& stated, const Domain& domain,
                             const KnownInputs& known, CertificateCheck& check) const = 0;

  /// Throws InvalidInput, naming `name`, where what a search in doubles found is not as stated.
  virtual void require_found(const StatedCertificate&, const std::string&) const {}
  /// Adds the members that follow from outputs to a certificate's implied ones, as it states them.
  virtual void imply_outputs(const nlohmann::json&, const Certificate&, const Domain&,
                             const std::string&, nlohmann::json&) const {}

  // A certificate's contents.

  /// The mechanism: "minimax", "ds-roo", "gaussian", ...
  [[nodiscard]] virtual std::string mechanism(const Certificate& certificate) const = 0;
  [[nodiscard]] virtual Json design_json(const Certificate& certificate) const = 0;
  /// Null where nothing is stated.
  [[nodiscard]] virtual Json accuracy_json(const Certificate& certificate) const = 0;
  /// The promises, and their limits, of this method alone: sentences for people.
  [[nodiscard]] virtual std::vector<std::string> promises(const Certificate& certificate) const = 0;
  [[nodiscard]] virtual std::vector<std::string> limits(const Certificate& certificate) const = 0;
  [[nodiscard]] virtual StandIn stand_in() const { return {}; }
  /// The public things that it was chosen from or began at, which `verify` looks for; mostly none.
  [[nodiscard]] virtual const char* begun_at(const StatedCertificate& stated) const {
    return stated.spec.reference() ? "public records" : "";
  }

  // The expected error of a release, from public facts.

  [[nodiscard]] virtual ReleaseError error(const Certificate& certificate,
                                           const Domain& domain) const = 0;
  /// How far each record's law may be from the data's (ReleaseReport::total_variation).
  [[nodiscard]] virtual std::optional<double> total_variation(const Certificate& certificate,
                                                              const ReleaseError& error,
                                                              const Domain& domain) const;
  /// What that supposes of the data, to end a sentence: ", if ..."; empty if it holds for all data.
  [[nodiscard]] virtual std::string supposition(const Certificate&) const { return ""; }
  /// Why this mechanism and these parameters, in one sentence.
  [[nodiscard]] virtual std::string why(const Certificate& certificate) const = 0;
  [[nodiscard]] virtual std::vector<std::string> notes(const Certificate& certificate,
                                                       const ReleaseError& error,
                                                       const Domain& domain) const = 0;
  /// The release with its file (" to FILE", or nothing), and how near it is, for people.
  [[nodiscard]] virtual ReleaseSummary summary(const Certificate& certificate, const Domain& domain,
                                               const std::string& to) const = 0;
  /// Whom the release protects, where that is easily taken for more; empty elsewhere.
  [[nodiscard]] virtual std::string protection_note(const ReleaseSpec& spec) const;
  /// The sentence about an error above kUsualError that is not mostly noise.
  [[nodiscard]] virtual std::optional<Message> error_warning(const ReleaseError& error) const = 0;
  /// When a release whose error is the least that public facts allow is mostly noise.
  [[nodiscard]] virtual std::optional<std::string> noise_condition(const Certificate&) const {
    return std::nullopt;
  }
  /// Of a release that is judged by smooth data and is not mostly noise: that it is, if the data
  /// lie on few outcomes, and what would do. Up to some seconds.
  [[nodiscard]] virtual std::optional<Message> sparse_noise(const Certificate&, const ReleaseError&,
                                                            const Domain&) const {
    return std::nullopt;
  }
  /// Whether nobody is meant to look at its records one by one, because mollify estimate finds the
  /// population from all of them.
  [[nodiscard]] virtual bool is_for_estimates(const Certificate&) const { return false; }

  /// Its words for someone who asks which method to take.
  [[nodiscard]] virtual const MethodAdvice& advice() const = 0;

  // Plans.

  /// The parts that a question about such a release has, in addition to every question's.
  [[nodiscard]] virtual std::span<const OwnPart> question_parts() const = 0;
  /// What may be left to be found of a question.
  [[nodiscard]] virtual PlanQuantities quantities(const PartReader& reader,
                                                  const PlanQuestion& question) const = 0;
  /// The question's parts of its own.
  virtual void read_question(const PartReader& reader, PlanQuestion& question) const = 0;
  /// Fills in what the question's domain and files say; `inputs` may be null if it names none.
  [[nodiscard]] virtual std::unique_ptr<const PlanModel> plan_model(
      PlanQuestion& question, const PublicInputs* inputs) const = 0;
  /// Adds the numbers of its own to the question whose answer a release is.
  virtual void ask(const Certificate& certificate, const Domain& domain,
                   PlanQuestion& question) const = 0;
  /// Whether it takes the most accurate of its mechanisms where none is asked for.
  [[nodiscard]] virtual bool chooses_mechanism() const { return false; }
  /// The one that a release is bound to; empty where it may have another for other numbers.
  [[nodiscard]] virtual std::string bound_mechanism(const Certificate& certificate) const {
    return mechanism(certificate);
  }
  /// A question as of that mechanism and no files: all that these say of the numbers is in it.
  virtual void settle(PlanQuestion&, const std::string&) const {}
  /// What would bring a release down to less than mostly noise. Up to some seconds.
  [[nodiscard]] virtual Remedy remedy(const Certificate& certificate, const Domain& domain) const;

 private:
  Method word_;
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
[[noreturn]] void refuse_mechanism(const std::string& name, Method method);

/// Throws InvalidInput unless a spec's facts are those that its method has.
void require_facts(bool hold);

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
