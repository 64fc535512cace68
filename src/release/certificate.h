// The certificate.
#pragma once

#include <any>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/privacy.h"
#include "base/json.h"
#include "domain/numbers.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The public file of every release: its promise, in a form anyone can check.

/// Outcomes, ascending, and how many records each has.
using OutcomeCounts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

/// Public facts about a release that are not in its spec: they were read from public inputs, or
/// counted. With the spec and the domain it makes everything else.
struct PublicFacts {
  /// n of the central model: rows, or units. None where it is protected.
  std::optional<std::uint64_t> records{};
  /// How many units the roster lists, in the local model.
  std::optional<std::uint64_t> units{};
  /// Outcomes of the space; Gaussian samples have none.
  std::uint64_t outcomes = 0;
  /// Of a list of candidates that everybody can have; empty if there is none.
  std::string list_sha256{};
  /// The reference's records, where the band is made of them: not of candidates.
  std::optional<OutcomeCounts> reference{};
  /// All of them, as shares of one, where the band comes from a file.
  std::optional<std::vector<double>> lower_bounds{};
  /// The channel's rows, as its file has them, one after the other.
  std::optional<std::vector<double>> channel{};
  /// b, where it was found for a prior.
  std::optional<double> location{};
  /// Of gaussian-curve: how many of 2^62 parts keep the value. It is found in doubles, whose last
  /// digits processors round differently; whether it keeps what is promised is checked.
  std::optional<std::uint64_t> kept{};
  /// Of marginals and of a shared Gaussian under (epsilon, delta): the square of mu that all steps
  /// spend together. It is found in doubles, like `kept`; whether it keeps delta is checked.
  std::optional<double> amount{};
  /// Of Gaussian samples without a bound on the mean: where it lies, in whitened coordinates.
  std::vector<RealRange> mean_ranges{};

  friend bool operator==(const PublicFacts&, const PublicFacts&) = default;
};

/// The certificate of a release: its spec, and what follows from it. Nothing in it depends on
/// private data. What method marginals measured is added to its text (release/certificate.h).
struct Certificate {
  std::string version;  ///< of mollify
  ReleaseSpec spec;     ///< whole: with the hashes of all that it names
  PublicFacts facts;
  /// What each draw of a unit promises (local), or all that is drawn after a hint (central).
  Privacy draw;
  Privacy total;    ///< what all of it promises together, rounded up
  std::any design;  ///< what its method draws by: a LocalDesign, say

  /// The name of what it draws by: "minimax", "ds-roo", "gaussian", ...
  [[nodiscard]] std::string mechanism() const;
  /// Null where the method's design is another.
  template <class Design>
  [[nodiscard]] const Design* as() const {
    return std::any_cast<Design>(&design);
  }
};

/// Pretty-printed JSON, ending in a line feed, with the promise and its limits in words.
[[nodiscard]] std::string certificate_text(const Certificate& certificate);

/// The text with what the release measured as its member "measured"; as it is, if that is empty.
[[nodiscard]] std::string with_measured(const std::string& certificate, const Json& measured);

/// Whose shares the shares of released records are, as sentences for people: of rows, or of units.
[[nodiscard]] std::vector<std::string> represented(const ReleaseSpec& spec);

/// The promises, as sentences for people; and their limits.
[[nodiscard]] std::vector<std::string> promises(const Certificate& certificate);
[[nodiscard]] std::vector<std::string> non_promises(const Certificate& certificate);

/// The statements of a certificate's text, before anything is believed: the spec and the facts that
/// the rest follows from, and the rest unchecked.
struct StatedCertificate {
  std::string version;
  ReleaseSpec spec;
  PublicFacts facts;
  Privacy total;     ///< as stated
  std::string text;  ///< all of it
};

/// Throws InvalidInput, one sentence naming `name`, if the text is not a certificate of this
/// format, and for facts that no release can have had.
[[nodiscard]] StatedCertificate parse_certificate(const std::string& text, const std::string& name);

}  // namespace mollify
