// The main job: private records in, private samples out, under the local or the integral model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mollify/local/mechanism.h"
#include "mollify/release/certificate.h"
#include "mollify/space/domain.h"
#include "mollify/space/string_index.h"

namespace mollify {

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
};

/// The mechanism for options that name none, from public information: gamma means neighbourhood, c1
/// or c2 class, mu gaussian-curve, a reference relative, and otherwise minimax.
Mechanism chosen_mechanism(const LocalReleaseRequest& request);

/// A release that is ready to run: everything public has been read and checked.
///
/// Making one throws InvalidInput for whatever is wrong with public inputs; it opens the private
/// file for its header only. After that `run` is total: for any records whatsoever it succeeds, in
/// the same form (tests/release/local_release.cpp).
class LocalRelease {
 public:
  explicit LocalRelease(const LocalReleaseRequest& request);

  const Certificate& certificate() const { return certificate_; }
  const Domain& domain() const { return domain_; }
  const LocalSampler& sampler() const { return *sampler_; }

  /// Reads the private records and releases: CSV text with a header.
  ///
  /// With a roster: `count` rows for each unit in the roster's order, its id first. With units and
  /// no roster: the same rows without ids, securely shuffled. Without units: `count` rows.
  std::string run(SecureRandom& random) const;

 private:
  LocalReleaseRequest request_;
  Domain domain_;
  std::optional<StringIndex> roster_;
  std::unique_ptr<LocalSampler> sampler_;
  Certificate certificate_;
};

}  // namespace mollify
