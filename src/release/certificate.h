// What goes out with every release: what was promised, in a form anyone can check.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "local/mechanism.h"
#include "release/release_space.h"
#include "release/scorer_kind.h"

namespace mollify {

/// A public reference, whole: its records' counts, and where they were said to come from.
struct CertifiedReference {
  std::string origin;  ///< the file's name as it was given
  /// Outcome, records; ascending. None for candidates: they are drawn after the records.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counts;
};

/// The certificate of a local or integral release. Nothing in it depends on private data: it is
/// made of the flags, the domain, the reference and the roster, all public, and of what follows
/// from them.
struct Certificate {
  std::string version;                 ///< of mollify
  std::string model;                   ///< "local" or "integral"
  std::optional<std::string> unit;     ///< the unit column; none: the whole table is one unit
  std::optional<std::string> roster;   ///< the public list of units, as it was given
  std::optional<std::uint64_t> units;  ///< how many it lists; absent without a roster
  std::uint64_t draws_per_unit = 0;    ///< M
  Mechanism mechanism = Mechanism::kMinimax;
  CertifiedSpace space{};
  ScorerKind scorer = ScorerKind::kEmpirical;
  Privacy per_draw{};                   ///< what each draw promises
  double total = 0;                     ///< epsilon or mu of all draws of a unit, rounded up
  std::optional<double> c1, c2, gamma;  ///< where the mechanism has them
  std::optional<double> floor;          ///< b, where the mechanism has a band
  std::optional<CertifiedReference> reference;  ///< none: uniform
  std::string domain_sha256;
  std::uint64_t outcome_count = 0;     ///< of the space
  std::string public_integers_sha256;  ///< of the band's bounds or the matrix (public_digest)
};

/// Pretty-printed JSON, ending in a line feed, with the promise and its limits in words.
std::string certificate_json(const Certificate& certificate);

/// The reverse. Throws InvalidInput, one sentence naming `name`, for anything that is not a
/// certificate of this format; also where its words say something else than its numbers.
Certificate parse_certificate(const std::string& text, const std::string& name);

/// What is promised, as sentences for people: no event, and no decision taken later on the output,
/// changes its probability by more than e^epsilon whatever the data [Husain et al. 2019, Lemma 9];
/// and what is not.
std::vector<std::string> promises(const Certificate& certificate);
std::vector<std::string> non_promises(const Certificate& certificate);

/// The sampler that the certificate speaks of, rebuilt from it and, where it has the cells of a
/// grid and a reference, its domain. Throws InvalidInput for parameters that no release can have
/// had.
std::unique_ptr<LocalSampler> sampler_of(const Certificate& certificate, const Domain& domain);

/// The b that a certificate states for a sampler made with these parameters; none without a band.
std::optional<double> stated_floor(const LocalSampler& sampler,
                                   const MechanismParameters& parameters);

/// SHA-256 of the integers that decide privacy: every lower and upper bound of a band, or a
/// matrix's defining integers. 64 hexadecimal digits. O(k).
std::string public_digest(const LocalSampler& sampler);

}  // namespace mollify
