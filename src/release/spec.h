// A release's public side.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "accounting/privacy.h"
#include "base/decimals.h"
#include "base/json.h"
#include "base/names.h"
#include "domain/domain.h"
#include "methods/central/design.h"
#include "methods/central/support.h"
#include "methods/local/mechanism.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The scorers that a user can choose, by name.

/// How private rows become scores of candidates (docs/guide/scorers.md).
enum class ScorerKind {
  kKernel,
  kEmpirical,
  kHistogram,
  kGaussianMixture,
  kRatio,
  kBoosted,
  kLikelihood,  ///< of models, and of these alone
};

constexpr auto names_of(ScorerKind) {
  return std::array{Named{ScorerKind::kKernel, "kernel"},
                    Named{ScorerKind::kEmpirical, "empirical"},
                    Named{ScorerKind::kHistogram, "histogram"},
                    Named{ScorerKind::kGaussianMixture, "gaussian-mixture"},
                    Named{ScorerKind::kRatio, "ratio"},
                    Named{ScorerKind::kBoosted, "mbde"},
                    Named{ScorerKind::kLikelihood, "likelihood"}};
}

/// Whether the scorer learns to tell rows from points of the reference, and so needs candidates,
/// which are such points.
[[nodiscard]] bool needs_candidates(ScorerKind kind) noexcept;

/// Whether a row counts for one outcome or candidate alone, so that an estimate is as sparse as its
/// rows are few. The others spread rows over what is near them.
[[nodiscard]] bool counts_records(ScorerKind kind) noexcept;

/// Requires another kind than kLikelihood. A scorer of these candidates with its default settings,
/// for draws at `epsilon` each (which only kBoosted heeds).
[[nodiscard]] std::unique_ptr<Scorer> make_scorer(ScorerKind kind, const MixedPoints& candidates,
                                                  double epsilon);

// -----------------------------------------------------------------------------------------------
// All that is public about a release: one spec, whatever the method.

/// How a release is made. It decides what is protected, which parts a spec has and what is drawn.
enum class Method {
  kLocal,          ///< each unit's records are one distribution, all of which is protected
  kIntegral,       ///< the whole table is one distribution, all of which is protected
  kIntegralModel,  ///< the same; one of many public models is released, and rows of it are free
  kCentral,        ///< independent records of a finite domain; each row or unit is protected
  kGaussian,       ///< independent rows of numbers, of one Gaussian; each row or unit is protected
  kGaussianModel,  ///< a noisy mean and covariance, whose rows are free; the same is protected
  kMarginals,      ///< a model of noisy marginals, whose rows are free; the same is protected
};

constexpr auto names_of(Method) {
  return std::array{Named{Method::kLocal, "local"},
                    Named{Method::kIntegral, "integral"},
                    Named{Method::kIntegralModel, "integral-model"},
                    Named{Method::kCentral, "central"},
                    Named{Method::kGaussian, "gaussian"},
                    Named{Method::kGaussianModel, "gaussian-model"},
                    Named{Method::kMarginals, "marginals"}};
}

/// Some of the methods.
class Methods {
 public:
  constexpr Methods() = default;
  constexpr Methods(std::initializer_list<Method> some) {
    for (const Method one : some) bits_ |= 1U << static_cast<unsigned>(one);
  }
  [[nodiscard]] constexpr bool has(Method one) const {
    return (bits_ >> static_cast<unsigned>(one) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool intersects(Methods others) const {
    return (bits_ & others.bits_) != 0;
  }
  /// "methods local and central".
  [[nodiscard]] std::string text() const;

 private:
  unsigned bits_ = 0;
};

inline constexpr Methods kEveryMethod = {
    Method::kLocal,    Method::kIntegral,      Method::kIntegralModel, Method::kCentral,
    Method::kGaussian, Method::kGaussianModel, Method::kMarginals};
/// Those that protect all that a unit or a table holds, by one draw.
inline constexpr Methods kDrawMethods = {Method::kLocal, Method::kIntegral, Method::kIntegralModel};
/// Those that protect each row or unit of a table.
inline constexpr Methods kRowMethods = {Method::kCentral, Method::kGaussian, Method::kGaussianModel,
                                        Method::kMarginals};
/// Those that release a model, of which any number of rows costs the same.
inline constexpr Methods kModelMethods = {Method::kIntegralModel, Method::kGaussianModel,
                                          Method::kMarginals};
inline constexpr Methods kGaussianMethods = {Method::kGaussian, Method::kGaussianModel};

/// A public input by its name: PublicInputs knows what stands behind it.
struct PublicFile {
  std::string name;
  /// What it must be, in hexadecimal digits; where it is empty, anything will do. A certificate's
  /// spec has it filled in.
  std::string sha256{};

  friend bool operator==(const PublicFile&, const PublicFile&) = default;
};

/// The domain: a file, or itself. Its hash is that of the domain's canonical text (Domain::hash),
/// so that blanks and comments are of no account.
struct SpecDomain {
  std::string file{};
  std::string text{};  ///< what a domain file holds; only where `file` is empty
  std::string sha256{};

  /// What sentences call it.
  [[nodiscard]] std::string name() const { return file.empty() ? "the domain" : file; }
  friend bool operator==(const SpecDomain&, const SpecDomain&) = default;
};

/// What a draw chooses from. Nothing given: what the domain suggests.
struct SpaceSpec {
  std::optional<SpaceKind> kind{};
  std::optional<std::uint64_t> cells{};       ///< of a grid, in all
  std::optional<std::uint64_t> candidates{};  ///< how many; of models too
  bool fresh = false;                         ///< new candidates for each unit
  bool trees = false;                         ///< every second model is a tree of columns
  std::optional<PublicFile> list{};           ///< of candidates, made before
  std::optional<ScorerKind> scorer{};         ///< none: usual_scorer

  friend bool operator==(const SpaceSpec&, const SpaceSpec&) = default;
};

/// What only the draw methods have.
struct LocalSpec {
  /// None: what the other parameters stand for (chosen_mechanism).
  std::optional<Mechanism> mechanism{};
  std::optional<PlacedBand> band{};  ///< instead of a mechanism
  std::optional<double> c1{}, c2{}, gamma{};
  std::optional<PublicFile> reference{};  ///< public records; none: uniform
  SpaceSpec space{};

  friend bool operator==(const LocalSpec&, const LocalSpec&) = default;
};

/// What only method central has.
struct CentralSpec {
  std::optional<CentralMechanism> mechanism{};  ///< none: the most accurate
  std::optional<double> rate{};                 ///< of poisson-rr, instead of a count
  /// For a domain of one integer column: half of the budget finds the interval that the records lie
  /// in, and the rest samples from it; records outside count as its nearest end.
  std::optional<SupportHint> support{};

  friend bool operator==(const CentralSpec&, const CentralSpec&) = default;
};

/// What only methods gaussian and gaussian-model have.
struct GaussianSpec {
  std::vector<std::string> logarithms{};  ///< columns whose logarithms are Gaussian
  // Of independent rows only.
  std::optional<PublicFile> covariance{};  ///< the covariance, or its lower bound; none: I
  /// K: the covariance lies between that and K times it. One of the two must be given.
  std::optional<double> covariance_bound{};
  /// R: the mean lies within R standard deviations (of the whitened coordinates, as a Euclidean
  /// norm) of the middle of the declared ranges. Without it a coarse centre is found first.
  std::optional<double> mean_bound{};
  bool paper_variance = false;  ///< as GaussianRequest::paper_variance

  friend bool operator==(const GaussianSpec&, const GaussianSpec&) = default;
};

/// What only method marginals has.
struct MarginalsSpec {
  Neighbours neighbours = Neighbours::kReplace;
  std::optional<PublicFile> reference{};  ///< public records that the model begins at
  /// Columns are joined by their rank correlations alone, instead of by measured pairs.
  bool copula = false;

  friend bool operator==(const MarginalsSpec&, const MarginalsSpec&) = default;
};

/// What only one method has, or a few of them.
using OwnSpec = std::variant<LocalSpec, CentralSpec, GaussianSpec, MarginalsSpec>;

/// A release, as it is asked for. Certificates hold one, whole.
struct ReleaseSpec {
  Method method = Method::kLocal;
  SpecDomain domain{};
  std::optional<std::string> unit{};          ///< the column that names units
  std::optional<PublicFile> roster{};         ///< all units, so that membership is protected
  std::optional<std::string> units_column{};  ///< which names them there; none: as `unit` is called
  /// Draws for each unit (local) or for the table (integral), or records in all. None with a rate
  /// alone.
  std::optional<std::uint64_t> count{};
  /// What may be spent on all of it, as it was typed: a ledger charges these decimals, and a
  /// release is made with the greatest doubles that are not above them.
  ExactPrivacy privacy{};
  OwnSpec own{};                    ///< its method's parts
  bool accept_large_delta = false;  ///< one of 1/n or more (release/acceptance.h)
  bool accept_error = false;        ///< records that are mostly noise (release/acceptance.h)

  [[nodiscard]] const LocalSpec* local() const { return std::get_if<LocalSpec>(&own); }
  [[nodiscard]] const CentralSpec* central() const { return std::get_if<CentralSpec>(&own); }
  [[nodiscard]] const GaussianSpec* gaussian() const { return std::get_if<GaussianSpec>(&own); }
  [[nodiscard]] const MarginalsSpec* marginals() const { return std::get_if<MarginalsSpec>(&own); }
  /// The public records that it begins at, of whatever method.
  [[nodiscard]] std::optional<PublicFile> reference() const {
    if (local() != nullptr) return local()->reference;
    return marginals() != nullptr ? marginals()->reference : std::nullopt;
  }
  /// Whether the number of records is protected.
  [[nodiscard]] bool hides_count() const {
    return marginals() != nullptr && marginals()->neighbours == Neighbours::kAddRemove;
  }

  /// Whose replacement the release hides.
  [[nodiscard]] ProtectionScope scope() const;
  /// `privacy` in doubles, none above its decimal.
  [[nodiscard]] Privacy budget() const;

  friend bool operator==(const ReleaseSpec&, const ReleaseSpec&) = default;
};

/// The spec of a JSON text (docs/guide, schema/release-spec.schema.json). Throws InvalidInput, one
/// sentence naming `name` or what is wrong, for anything else: unknown keys, wrong types, and
/// parts that the method has not.
[[nodiscard]] ReleaseSpec parse_spec(const std::string& text, const std::string& name);

/// The reverse: pretty-printed JSON that ends in a line feed. Throws InvalidInput for names that
/// are not UTF-8, which no JSON can hold.
[[nodiscard]] std::string spec_text(const ReleaseSpec& spec);

// -----------------------------------------------------------------------------------------------
// The parts of a JSON object that says what is asked for: of a release's spec, of a plan's
// question.

/// What a part holds.
enum class PartKind { kObject, kText, kWhole, kNumber, kDecimal, kTruth, kTexts, kFile, kDomain };

/// A part: its place in the JSON form, and the command's flag that gives it; empty if none does.
struct Part {
  const char* place;
  const char* flag;
  PartKind kind;
  Methods methods;  ///< that have it
};

/// An object checked part by part. Sentences name parts by their place in the file `name`, or by
/// their flags if `name` is empty.
class PartReader {
 public:
  /// Throws InvalidInput unless it is an object of these parts alone, each of its kind; `what` says
  /// what the object is. All of them must outlive the reader.
  PartReader(std::span<const Part> parts, const Json& json, const std::string& name,
             const char* what);

  [[nodiscard]] bool has(const char* place) const;
  template <class Value>
  [[nodiscard]] std::optional<Value> find(const char* place) const {
    if (!has(place)) return std::nullopt;
    return at(place).get<Value>();
  }
  [[nodiscard]] std::optional<PublicFile> find_file(const char* place) const;
  [[nodiscard]] std::optional<SpecDomain> find_domain(const char* place) const;
  /// A privacy parameter, as it was typed.
  [[nodiscard]] std::optional<Decimal> find_decimal(const char* place) const;

  /// How sentences call the part of that place.
  [[nodiscard]] std::string called(const std::string& place) const;

  void require_given(const char* place) const;
  /// The only refusal of what is given for another method.
  void refuse_strangers(Method method) const;

 private:
  [[nodiscard]] std::string flag_of(const std::string& place) const;
  [[nodiscard]] const Json& at(const char* place) const;
  void require_known(const Json& object, const std::string& place) const;
  void require_kind(const Part& part) const;

  std::span<const Part> parts_;
  const Json& json_;
  const std::string& name_;
  const char* what_;
};

/// The method named; refuses an unknown one, none, and parts of other methods.
[[nodiscard]] Method method_of(const PartReader& reader);
// -----------------------------------------------------------------------------------------------
// A spec as JSON and as the command's flags.

/// All parts of a spec, with the flags of `mollify sample`; the only list of what may be given, and
/// for which releases.
[[nodiscard]] std::span<const Part> spec_parts() noexcept;

/// The spec of a JSON object in which every part has its place. Sentences name parts by their
/// place in the file `name`, or by their flags if `name` is empty.
[[nodiscard]] ReleaseSpec spec_of(const Json& json, const std::string& name);

/// The reverse.
[[nodiscard]] Json spec_json(const ReleaseSpec& spec);

/// Puts parts into a spec's JSON, in whatever order.
class SpecWriter {
 public:
  template <class Value>
  void put(const char* place, const Value& value) {
    json_[Json::json_pointer(place)] = value;
  }
  template <class Value>
  void put(const char* place, const std::optional<Value>& value) {
    if (value) put(place, *value);
  }
  void put(const char* place, const std::optional<PublicFile>& file);
  void put_truth(const char* place, bool value) {
    if (value) put(place, true);
  }
  /// In the order of spec_parts.
  [[nodiscard]] Json take() const;

 private:
  Json json_ = Json::object();
};

/// Throws InvalidInput for a spec whose parts contradict each other.
void validate_spec(const ReleaseSpec& spec);

/// "auto, subsampled-rr, ..." and "minimax, relative, ...": the mechanisms that can be named.
/// Throws InvalidInput: the name is none of a mechanism that the method has.
[[noreturn]] void refuse_mechanism(const std::string& name, Method method);
/// Throws InvalidInput: the spec has the parts of another method than its own.
[[noreturn]] void refuse_own(Method method);
[[nodiscard]] std::string central_mechanisms_text();
[[nodiscard]] std::string local_mechanisms_text();

}  // namespace mollify
