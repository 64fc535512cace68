// The certificate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "accounting/privacy.h"
#include "core/band.h"
#include "domain/domain.h"
#include "methods/central/design.h"
#include "methods/gaussian/design.h"
#include "methods/gaussian/moments.h"
#include "methods/marginals/answers.h"
#include "methods/marginals/design.h"
#include "release/public_inputs.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What goes out with every release: what was promised, in a form anyone can check.

/// Outcomes, ascending, and how many records each has.
using OutcomeCounts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

/// What is public about a release and no part of its spec: it was read from public inputs, or
/// counted. With the spec and the domain it makes everything else.
struct PublicFacts {
  /// n of the central model: rows, or units. None where it is protected.
  std::optional<std::uint64_t> records{};
  /// How many units the roster lists, in the local model.
  std::optional<std::uint64_t> units{};
  /// Of the space that is chosen from; of Gaussian samples there are none.
  std::uint64_t outcomes = 0;
  /// Of a list of candidates that everybody can have; empty if there is none.
  std::string list_sha256{};
  /// The reference's records, where the band is made of them: not of candidates.
  std::optional<OutcomeCounts> reference{};
  /// All of them, as shares of one, where the band comes from a file.
  std::optional<std::vector<double>> lower_bounds{};
  /// b, where it was found for a prior.
  std::optional<double> location{};
  /// Of gaussian-curve: how many of 2^62 parts keep the value. It is found in doubles, whose last
  /// digits processors round differently; whether it keeps what is promised is checked.
  std::optional<std::uint64_t> kept{};
  /// Of marginals and of a shared Gaussian under (epsilon, delta): the square of mu that all steps
  /// spend together. It is found in doubles, like `kept`; whether it keeps delta is checked.
  std::optional<double> amount{};
  /// Of Gaussian samples without a bound on the mean: where it lies, in whitened coordinates.
  std::vector<WhitenedRange> mean_ranges{};

  friend bool operator==(const PublicFacts&, const PublicFacts&) = default;
};

/// What a local or integral release draws by.
struct LocalDesign {
  Mechanism mechanism = Mechanism::kMinimax;
  SpaceKind space = SpaceKind::kCategories;
  std::optional<CandidateList> list{};  ///< of candidates
  ScorerKind scorer = ScorerKind::kEmpirical;
  std::optional<double> c1{};     ///< as chosen, where it was not given
  std::optional<double> floor{};  ///< b, where the mechanism has a band
  /// Ebar, at most e^epsilon of a draw: of all but gaussian-curve.
  std::optional<ExpBound> bound{};
  /// SHA-256 of the integers that decide privacy: every lower and upper bound of a band, or a
  /// matrix's defining integers.
  std::string integers_sha256{};
};

/// What a central release from a finite domain draws by. With a hint the design is made for the
/// interval that is found; this one is for the whole domain, which is the worst.
struct FiniteDesign {
  CentralDesign design{};
  std::optional<Privacy> hint{};  ///< what finding the interval costs
  /// SupportFinder::least_records and least_size, with a hint.
  std::uint64_t least_records = 0;
  std::uint64_t least_outcomes = 0;
};

/// The certificate of a release: its spec, and what follows from it. Nothing in it depends on
/// private data. What method marginals measured is added to its text (release/certificate.h).
struct Certificate {
  std::string version;  ///< of mollify
  ReleaseSpec spec;     ///< whole: with the hashes of all that it names
  PublicFacts facts;
  /// What each draw of a unit promises (local), or all that is drawn after a hint (central).
  Privacy draw;
  Privacy total;  ///< what all of it promises together, rounded up
  std::variant<LocalDesign, FiniteDesign, GaussianDesign, MomentDesign, MarginalDesign> design;

  /// The name of what it draws by: "minimax", "ds-roo", "gaussian", ...
  [[nodiscard]] std::string mechanism() const;
  [[nodiscard]] const LocalDesign* local() const { return std::get_if<LocalDesign>(&design); }
  [[nodiscard]] const FiniteDesign* finite() const { return std::get_if<FiniteDesign>(&design); }
  [[nodiscard]] const GaussianDesign* gaussian() const {
    return std::get_if<GaussianDesign>(&design);
  }
  /// Of a shared Gaussian.
  [[nodiscard]] const MomentDesign* moments() const { return std::get_if<MomentDesign>(&design); }
  [[nodiscard]] const MarginalDesign* marginals() const {
    return std::get_if<MarginalDesign>(&design);
  }
};

/// Pretty-printed JSON, ending in a line feed, with the promise and its limits in words.
[[nodiscard]] std::string certificate_text(const Certificate& certificate);

/// Whose shares the shares of released records are, as sentences for people: of rows, or of units.
[[nodiscard]] std::vector<std::string> represented(const ReleaseSpec& spec);

/// What is promised, as sentences for people; and what is not.
[[nodiscard]] std::vector<std::string> promises(const Certificate& certificate);
[[nodiscard]] std::vector<std::string> non_promises(const Certificate& certificate);

/// What a certificate's text states, before anything is believed: the spec and the facts that all
/// the rest follows from, and the rest as it stands.
struct StatedCertificate {
  std::string version;
  ReleaseSpec spec;
  PublicFacts facts;
  Privacy total;     ///< as stated
  std::string text;  ///< all of it
};

/// Throws InvalidInput, one sentence naming `name`, for anything that is no certificate of this
/// format, and for facts that no release can have had.
[[nodiscard]] StatedCertificate parse_certificate(const std::string& text, const std::string& name);

}  // namespace mollify
