// What a release refuses unless its spec accepts it, and what is said of it in any case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "release/certificate.h"

namespace mollify {

/// Above this total variation from the data's distribution a record is mostly noise.
inline constexpr double kMostError = 0.1;

/// Throws InvalidInput, with what would do instead, for a central release
///  - whose delta is 1/n or more, for n records or units, unless the spec accepts a large delta:
///    the guarantee then lets a mechanism publish whole records at random;
///  - whose records are further than kMostError from the data's distribution in total variation,
///    unless the spec accepts the error. With a hint of the support that is not known before.
/// Fast where nothing is refused, up to some seconds where what would do is sought.
void require_acceptable(const Certificate& certificate);

/// The delta rule: throws InvalidInput for one of 1/n or more. `delta` is not below what was typed,
/// `text` is what was, and `thing` what is counted: "record".
void require_small_delta(double delta, const std::string& text, double records,
                         const char* thing = "record");

/// What is dangerous about a release though it is made, a sentence each, from public numbers: an
/// epsilon above what a draw counts, one that means little, a large delta, records of noise.
[[nodiscard]] std::vector<std::string> warnings(const Certificate& certificate);

/// What releases and plans say of a shared Gaussian of this expected error, if it is mostly noise;
/// neither refuses it.
[[nodiscard]] std::optional<std::string> moments_warning(double total_variation);

/// The same of marginals, whose error is MarginalError::expected.
[[nodiscard]] std::optional<std::string> marginals_warning(double error);

/// Of an epsilon above what draws count, 30 each: what is released instead of what was asked for.
[[nodiscard]] std::string epsilon_cap_words(double asked, double released);

/// The two sentences about an epsilon, where they are due: that of the cap, for so many draws of
/// pure privacy (0: the model has no cap), and from epsilon 10 on that of the odds.
[[nodiscard]] std::vector<std::string> epsilon_warnings(double asked, double released,
                                                        std::uint64_t draws);

/// What epsilon allows in odds: "... a guess that is right once in 1000 times ...".
[[nodiscard]] std::string odds_words(double epsilon);

}  // namespace mollify
