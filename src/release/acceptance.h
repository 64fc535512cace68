// Dangers that a release refuses unless its spec accepts them, and its sentences about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "release/certificate.h"
#include "release/plan.h"
#include "release/release_error.h"

namespace mollify {

class Domain;

/// The total variation that advice aims at where none is asked for. Above it the central model says
/// how large it is.
inline constexpr double kUsualError = 0.1;

/// Throws InvalidInput, with what would do instead, for a release
///  - of the central model whose delta is 1/n or more, for n records or units, unless the spec
///    accepts a large delta: the guarantee then lets a mechanism publish whole records at random;
///  - of any model that cannot be told apart from the public reference (ReleaseError), unless the
///    spec accepts the error, or mollify estimate is what its records are for.
/// Otherwise returns the release's error. Depends on nothing private. Fast where nothing is
/// refused, up to some seconds where what would do is sought.
ReleaseError require_acceptable(const Certificate& certificate, const Domain& domain);

/// The question whose answer a release is, with everything given.
[[nodiscard]] PlanQuestion question_of(const Certificate& certificate, const Domain& domain);

/// What would bring a release down to less than mostly noise, one number changed at a time: "13
/// outcomes", "--epsilon 6.27"; empty if nothing within a plan's limits does. Of the mechanism of
/// that name, or of the best one if it is empty. `things` are what is counted, "records" or
/// "units". Up to some seconds.
[[nodiscard]] std::vector<WayOut> noise_remedy(const PlanQuestion& question,
                                               const std::string& mechanism,
                                               const char* things = "records");
/// The same of a release.
[[nodiscard]] std::vector<WayOut> noise_remedy(const Certificate& certificate,
                                               const Domain& domain);

/// The delta rule: throws InvalidInput for one of 1/n or more. `delta` is not below what was typed,
/// `text` is what was, and `thing` what is counted: "record".
void require_small_delta(double delta, const std::string& text, double records,
                         const char* thing = "record");

/// That a delta is more than a tenth of 1/n, where it is; `things` are "1000 records".
[[nodiscard]] std::optional<Message> delta_warning(double delta, const std::string& text,
                                                   double records, const std::string& things);

/// The dangers of a release that is made, from public numbers: an epsilon
/// above what a draw counts, one that means little, a large delta, records that are mostly
/// noise. `error` is what require_acceptable returned. Up to some seconds where it says what
/// would do.
[[nodiscard]] std::vector<Message> warnings(const Certificate& certificate,
                                            const ReleaseError& error, const Domain& domain);

/// That a release is mostly noise under a condition: "if the table has fewer than 9 rows".
[[nodiscard]] Message noise_if(const std::string& condition);

/// The sentence about an error above kUsualError that is not mostly noise, for records that are
/// drawn each by itself.
[[nodiscard]] std::optional<Message> records_warning(double total_variation);

/// The clause about noise in records that nobody is meant to look at one by one.
[[nodiscard]] std::string for_estimates();

/// An epsilon above the cap of draws, 30 each: the epsilon that is released instead.
[[nodiscard]] std::string epsilon_cap_words(double asked, double released);

/// About a budget: the cap, for a number of draws of pure privacy (0: the model has no cap), and
/// from epsilon 10 on the odds.
[[nodiscard]] std::vector<Message> epsilon_warnings(const Privacy& asked, const Privacy& released,
                                                    std::uint64_t draws);

/// A promise in odds: "epsilon 12 allows that ... a guess that was right once in 1000 times ...".
/// Of rho and mu, what their epsilon at a delta of 1e-6 allows, which is stated too.
[[nodiscard]] std::string odds_words(const Privacy& promise);

}  // namespace mollify
