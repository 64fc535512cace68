// The main job: private records in, private samples out, under the local or the integral model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "local/band_choice.h"
#include "local/mechanism.h"
#include "release/certificate.h"
#include "release/release_space.h"
#include "release/scorer_kind.h"
#include "space/domain.h"
#include "space/string_index.h"

namespace mollify {

/// A whole table scored at points keeps so many of its records, drawn evenly, so that memory and
/// time are bounded whatever the file.
inline constexpr std::size_t kMostScoredRows = std::size_t{1} << 17U;

/// What a user asks for. All of it is public but the content of `data`.
struct LocalReleaseRequest {
  std::string model;                  ///< "local" or "integral"
  std::string data;                   ///< the private CSV file
  std::string domain;                 ///< the domain file
  std::optional<std::string> unit;    ///< column whose values name the units; local model only
  std::optional<std::string> roster;  ///< public CSV of the units, so that membership is protected
  std::uint64_t count = 1;            ///< draws for each unit, M
  /// None: minimax, or what the other options stand for (see chosen_mechanism).
  std::optional<Mechanism> mechanism;
  std::optional<std::string> reference;  ///< public CSV of records
  std::optional<double> epsilon;         ///< of all draws of a unit together
  std::optional<double> mu;              ///< the same for gaussian-curve
  std::optional<double> c1, c2, gamma;
  std::optional<BandChoice> band;  ///< instead of a mechanism
  SpaceRequest space{};
};

/// The mechanism for options that name none, from public information: a band choice the mechanism
/// of that band, gamma neighbourhood, c1 or c2 class, mu gaussian-curve, a reference relative;
/// otherwise minimax for categories and relative for other spaces, where no sampler over all
/// distributions beats the trivial one [Park, Asoodeh, Lee 2024, Proposition III.2].
///
/// Throws InvalidInput for a band beside a mechanism, and for a mechanism that the space has not:
/// all but categories need a band, and one that is not minimax over all distributions.
Mechanism chosen_mechanism(const LocalReleaseRequest& request,
                           SpaceKind space = SpaceKind::kCategories);

/// The parameters of that mechanism over the space's outcomes, with the request's epsilon or mu.
MechanismParameters mechanism_parameters(const LocalReleaseRequest& request, SpaceKind space,
                                         std::uint64_t outcome_count,
                                         std::span<const double> reference);

/// A release that is ready to run: everything public has been read and checked.
///
/// Making one throws InvalidInput for whatever is wrong with public inputs; it opens the private
/// file for its header only. After that `run` is total: for any records whatsoever it succeeds, in
/// the same form (tests/release/local_release.cpp).
class LocalRelease {
 public:
  explicit LocalRelease(const LocalReleaseRequest& request);

  const LocalReleaseRequest& request() const { return request_; }
  const Certificate& certificate() const { return certificate_; }
  const Domain& domain() const { return domain_; }
  const ReleaseSpace& space() const { return space_; }
  const std::optional<StringIndex>& roster() const { return roster_; }
  const LocalSampler& sampler() const { return *sampler_; }
  /// What scores the space's points; none where the records are outcomes themselves, and where the
  /// points are other ones for each unit.
  const Scorer* scorer() const { return scorer_.get(); }

  /// Reads the private records and releases: CSV text with a header.
  ///
  /// With a roster: `count` rows for each unit in the roster's order, its id first. With units and
  /// no roster: the same rows without ids, securely shuffled. Without units: `count` rows.
  std::string run(SecureRandom& random) const;

 private:
  struct Drawn;

  bool draws_by_scores() const;
  Drawn draw_from_records(SecureRandom& random) const;
  Drawn draw_by_scores(SecureRandom& random) const;

  LocalReleaseRequest request_;
  Domain domain_;
  ReleaseSpace space_;
  std::optional<StringIndex> roster_;
  std::unique_ptr<LocalSampler> sampler_;
  std::unique_ptr<Scorer> scorer_;  // of the points, if there are the same for all units
  Certificate certificate_;
};

}  // namespace mollify
