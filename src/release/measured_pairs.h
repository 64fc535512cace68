// Which pairs of columns a release by marginals measured, and which it dropped.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "marginals/recorded_answers.h"
#include "release/certificate.h"
#include "space/domain.h"

namespace mollify {

/// What the learner measured, for the member "measured" of a certificate: the measurements of pairs
/// in their order, each with its columns (by name and by place in the domain), the cells and the
/// parts of the budget that it took; what their noise is on average, and that in words; the pairs
/// that were not measured, and how many these are. It states noise and counts, and not how near
/// rows are to the table, which no public fact tells of a pair that was not measured. The choice of
/// pairs was paid for by the release, so the list is an output like the records. Empty for a
/// release that chooses no pairs: a copula's, and that of one column.
///
/// The noise of a measured pair is half of the mean sum of its counts' noise (counts_noise), in
/// records: its noisy counts are so far from the counts. A model that is fitted to them is mostly
/// nearer. Of a pair that was measured several times the finest measurement counts, with all that
/// are as fine.
[[nodiscard]] nlohmann::ordered_json measured_pairs_json(const std::vector<Measurement>& measured,
                                                         const Certificate& certificate,
                                                         const Domain& domain);

/// A certificate's text with its member "measured", or as it is if that is empty.
[[nodiscard]] std::string with_measured_pairs(const std::string& certificate,
                                              const nlohmann::ordered_json& measured);

/// What measured_pairs_json makes of the measurements that a certificate states, which must be the
/// whole member. Throws InvalidInput, one sentence naming `name`, for measurements that the
/// certificate's release cannot have made or paid. Which pairs were chosen cannot be checked.
[[nodiscard]] nlohmann::json implied_measured_pairs(const nlohmann::json& stated,
                                                    const Certificate& certificate,
                                                    const Domain& domain, const std::string& name);

}  // namespace mollify
