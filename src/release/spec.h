// All that is public about a release: one spec, whatever the model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "accounting/decimal.h"
#include "accounting/names.h"
#include "accounting/neighbours.h"
#include "accounting/privacy.h"
#include "accounting/protection_scope.h"
#include "central/central_design.h"
#include "central/support_hint.h"
#include "local/mechanism.h"
#include "release/scorer_kind.h"
#include "space/space_kind.h"

namespace mollify {

/// Whose data a release protects, and against what (docs/theory). In the local model each unit's
/// records are one distribution; in the integral model the whole table is; in the central model
/// each row or unit is a record.
enum class Model { kLocal, kIntegral, kCentral };

constexpr auto names_of(Model) {
  return std::array{Named{Model::kLocal, "local"}, Named{Model::kIntegral, "integral"},
                    Named{Model::kCentral, "central"}};
}

/// What a central release takes its records for. None: outcomes of a finite domain.
enum class Family { kNone, kGaussian, kMarginals };

constexpr auto names_of(Family) {
  return std::array{Named{Family::kGaussian, "gaussian"}, Named{Family::kMarginals, "marginals"}};
}

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

/// What a local or integral release chooses from. Nothing given: what the domain suggests.
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

/// What only local and integral releases have.
struct LocalSpec {
  /// None: what the other parameters stand for (chosen_mechanism).
  std::optional<Mechanism> mechanism{};
  std::optional<PlacedBand> band{};  ///< instead of a mechanism
  std::optional<double> c1{}, c2{}, gamma{};
  std::optional<PublicFile> reference{};  ///< public records; none: uniform
  SpaceSpec space{};

  friend bool operator==(const LocalSpec&, const LocalSpec&) = default;
};

/// What only releases from finite domains in the central model have.
struct CentralSpec {
  std::optional<CentralMechanism> mechanism{};  ///< none: the most accurate
  std::optional<double> rate{};                 ///< of poisson-rr, instead of a count
  /// For a domain of one integer column: half of the budget finds the interval that the records lie
  /// in, and the rest samples from it; records outside count as its nearest end.
  std::optional<SupportHint> support{};

  friend bool operator==(const CentralSpec&, const CentralSpec&) = default;
};

/// What only Gaussian samples in the central model have.
struct GaussianSpec {
  std::vector<std::string> logarithms{};  ///< columns whose logarithms are Gaussian
  /// All rows are drawn from one noisy mean and one noisy covariance; then nothing below is given.
  bool shared = false;
  std::optional<PublicFile> covariance{};  ///< the covariance, or its lower bound; none: I
  /// K: the covariance lies between that and K times it. One of the two must be given.
  std::optional<double> covariance_bound{};
  /// R: the mean lies within R standard deviations (of the whitened coordinates, as a Euclidean
  /// norm) of the middle of the declared ranges. Without it a coarse centre is found first.
  std::optional<double> mean_bound{};
  bool paper_variance = false;  ///< as GaussianRequest::paper_variance

  friend bool operator==(const GaussianSpec&, const GaussianSpec&) = default;
};

/// What only releases from a model of a table's marginals have.
struct MarginalsSpec {
  Neighbours neighbours = Neighbours::kReplace;
  std::optional<PublicFile> reference{};  ///< public records that the model begins at
  /// Columns are joined by their rank correlations alone, instead of by measured pairs.
  bool copula = false;

  friend bool operator==(const MarginalsSpec&, const MarginalsSpec&) = default;
};

/// A release, as it is asked for. Certificates hold one, whole.
struct ReleaseSpec {
  Model model = Model::kLocal;
  SpecDomain domain{};
  std::optional<std::string> unit{};          ///< the column that names units
  std::optional<PublicFile> roster{};         ///< all units, so that membership is protected
  std::optional<std::string> units_column{};  ///< which names them there; none: as `unit` is called
  /// Draws for each unit (local), for the table (integral), or records in all (central). None with
  /// a rate alone.
  std::optional<std::uint64_t> count{};
  /// What may be spent on all of it, as it was typed: a ledger charges these decimals, and a
  /// release is made with the greatest doubles that are not above them.
  ExactPrivacy privacy{};
  std::variant<LocalSpec, CentralSpec, GaussianSpec, MarginalsSpec> method{};
  bool accept_large_delta = false;  ///< one of 1/n or more (release/acceptance.h)
  bool accept_error = false;        ///< records that are mostly noise (release/acceptance.h)

  /// Whether one of many models is released, and `count` rows of it are free.
  [[nodiscard]] bool shares_model() const {
    return local() != nullptr && local()->space.kind == SpaceKind::kModels;
  }
  [[nodiscard]] const LocalSpec* local() const { return std::get_if<LocalSpec>(&method); }
  [[nodiscard]] const CentralSpec* central() const { return std::get_if<CentralSpec>(&method); }
  [[nodiscard]] const GaussianSpec* gaussian() const { return std::get_if<GaussianSpec>(&method); }
  [[nodiscard]] const MarginalsSpec* marginals() const {
    return std::get_if<MarginalsSpec>(&method);
  }
  /// The public records that it begins at, of whatever model.
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
/// parts that the model has not.
[[nodiscard]] ReleaseSpec parse_spec(const std::string& text, const std::string& name);

/// The reverse: pretty-printed JSON that ends in a line feed. Throws InvalidInput for names that
/// are not UTF-8, which no JSON can hold.
[[nodiscard]] std::string spec_text(const ReleaseSpec& spec);

}  // namespace mollify
