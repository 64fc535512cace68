// One private distribution over k outcomes in, or one private value, and one released outcome out;
// the key by which draws can be repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mollify/handle.h"
#include "mollify/message.h"
#include "mollify/namespace.h"
#include "mollify/privacy.h"

namespace MOLLIFY_NAMESPACE {

/// 32 bytes of the operating system's entropy, made once for a release; nobody chooses, prints or
/// stores them. The words of a unit's draw follow from the key, the unit's identity, all of its
/// records, whatever their order, and the integers that they become, by a pseudorandom function.
///
/// So a draw that is computed again has the same result, anywhere and at any time, on machines that
/// make equal integers of equal records: it is the same release and costs nothing more. Other
/// integers, other records, another unit and another sampler have independent words, and two
/// releases cost what two releases cost. Take a new key for each release. Proofs:
/// docs/theory/release-keys.md.
///
/// Cheap to copy, and safe to share between threads; the bytes are wiped with the last copy.
class ReleaseKey : public Handle<const class ReleaseKeyInside> {
 public:
  using Handle::Handle;

  /// A new one.
  ReleaseKey();

  /// A worker's bytes to draw for the same release: the key between a mark and a check.
  ///
  /// WARNING. Anyone who has these bytes and the released records can test guesses of the private
  /// records as if nothing protected them. Hand them to the workers of this release alone, in the
  /// way that the private records take, and keep them nowhere.
  [[nodiscard]] std::vector<std::uint8_t> bytes_for_workers() const;

  /// The reverse. Throws InvalidInput for any other bytes: nobody chooses a key.
  [[nodiscard]] static ReleaseKey of_worker_bytes(std::span<const std::uint8_t> bytes);
};

/// Everything public that makes a sampler of single draws.
struct SamplerParameters {
  /// "minimax", "relative", "class", "neighbourhood", "public-kernel", "randomized-response",
  /// "mixture", "gaussian-curve", "naive", "convex" or "scale-and-shift", like `mollify sample
  /// --mechanism`, or "location", like `--band location=B`.
  std::string mechanism = "minimax";
  /// Number of outcomes, from 1 to 2^24.
  std::size_t k = 0;
  /// Of one draw, from 1e-6; above 30 it counts as 30. For all but gaussian-curve.
  std::optional<double> epsilon{};
  /// Of one draw, for gaussian-curve.
  std::optional<double> mu{};
  /// A positive mass for each outcome, not necessarily normalised; none: uniform.
  std::vector<double> reference{};
  /// The mechanism's numbers other than its budget, by name. For class "c1" and "c2": c1 h <= p <=
  /// c2 h is declared of every p. For neighbourhood "gamma": h/gamma <= p <= gamma h. For location
  /// "location": the least probability of an outcome is this constant times the reference's.
  std::map<std::string, double> numbers{};
  /// For naive and convex: a public channel's rows, one after the other, each with a positive mass
  /// for each outcome; none: Laplace noise between outcomes that are equal cells of an interval.
  std::vector<double> channel{};

  /// The names that `numbers` can have.
  [[nodiscard]] static std::vector<std::string> names_of_numbers();
};

/// The dangers of one draw by these parameters, a sentence each, as in a release's report: an
/// epsilon of 10 or more, in odds; one above 30; and a draw that is mostly noise, with what would
/// do. Depends on nothing private. Throws InvalidInput as Sampler does. Up to some seconds where it
/// says what would do.
[[nodiscard]] std::vector<Message> draw_warnings(const SamplerParameters& parameters);

/// A view of numbers in memory, rows after rows.
struct Numbers {
  /// The type of each number; a half has 16 bits.
  enum class Kind {
    kFloat64,
    kFloat32,
    kFloat16,
    kBfloat16,
    kInt64,
    kInt32,
    kInt16,
    kInt8,
    kUint64,
    kUint32,
    kUint16,
    kUint8
  };

  Kind kind = Kind::kFloat32;
  /// The first of rows * width numbers. Not read if there are no rows.
  const void* first = nullptr;
  std::size_t rows = 0;
  std::size_t width = 0;
};

/// A local mechanism over k outcomes. Immutable, cheap to copy, safe to share between threads.
///
/// Each draw promises `guarantee()` to the distribution's owner, against any other distribution.
/// Draws from one distribution add up. The law of a draw lies in integers between public integer
/// bounds (docs/theory/privacy-kernel.md), so no rounding error and no score breaks the promise.
/// Randomness is the operating system's; there is no seed.
///
/// Scores and weights are private. They do not have to be normalised nor make sense: NaN and
/// negative ones count as 0, and without any weight the reference is released. None of their values
/// ever throws; only shapes, which are public, do (InvalidInput).
class Sampler : public Handle<const class SamplerInside> {
 public:
  using Handle::Handle;

  /// Throws InvalidInput, in one sentence, for parameters that are missing, that the mechanism does
  /// not have, or that are out of range. The guarantee is checked in integers. O(k).
  explicit Sampler(const SamplerParameters& parameters);

  [[nodiscard]] std::size_t k() const noexcept;
  /// What each draw promises: epsilon, or mu.
  [[nodiscard]] Privacy guarantee() const;
  /// A bound, from the sampler's public integers and rounded up, on ln of the ratio of any
  /// outcome's probabilities under any two inputs: at most epsilon. O(k).
  [[nodiscard]] double epsilon_realised_up() const;

  /// One draw; k scores. O(k).
  [[nodiscard]] std::uint32_t draw(std::span<const double> scores) const;
  [[nodiscard]] std::uint32_t draw(std::span<const float> scores) const;

  /// One draw for each row of k scores: `scores` are rows after rows, released.size() of them. O(k)
  /// for each, and no memory except for one row.
  void draw(std::span<const double> scores, std::span<std::uint32_t> released) const;
  void draw(std::span<const float> scores, std::span<std::uint32_t> released) const;
  /// One draw for each row of k scores of any type. A few rows at a time become floats, or doubles if
  /// one of their numbers is not a float.
  void draw(const Numbers& scores, std::span<std::uint32_t> released) const;

  /// One draw for each unit's records: unit u has outcomes[offsets[u]] ... outcomes[offsets[u + 1]
  /// - 1], in any order, and as many weights; without weights each counts 1. There is one offset
  /// more than there are units, released.size(). Outcomes of k or more are skipped. Offsets are
  /// clipped to the valid range.
  ///
  /// If k is above 4096, a unit costs time in its own records alone. `threads` threads share the
  /// units, each with words of its own; 0 uses all that it may.
  void draw_units(std::span<const std::uint32_t> outcomes, std::span<const std::uint64_t> offsets,
                  std::span<const double> weights, std::span<std::uint32_t> released,
                  std::size_t threads = 1) const;

  /// Draws by a key: each draw can be made again, with the same result, wherever its unit's records
  /// are, in whatever order and however counted, together with any other units. `identities` has
  /// one for each of `released`, distinct over all of the release: two units of one identity would
  /// share their words. As in tables, the identity `7.0` is `7`. Throws InvalidInput unless there
  /// are that number, and distinct in this call.
  ///
  /// The words follow from the integers of the sampler and of the unit's law, so samplers with
  /// equal integers are one sampler.
  ///
  /// O(n log n) for a unit's n records, unless its outcomes ascend. The result does not depend on
  /// the number of threads.
  void draw_units(std::span<const std::uint32_t> outcomes, std::span<const std::uint64_t> offsets,
                  std::span<const double> weights, std::span<std::uint32_t> released,
                  const ReleaseKey& key, std::span<const std::string_view> identities,
                  std::size_t threads = 1) const;
};

/// Next tokens of language models: a draw from a private model's scores, within a band around a
/// public model's. Immutable, cheap to copy, safe to share between threads. The memory of a draw is
/// kept for the next one.
///
/// Each token promises epsilon to the owner of the private logits, against any other logits
/// whatsoever. A token's law lies in integers between bounds that are made of the public logits
/// alone. A token of -inf is never drawn, and a logit counts as 40 below the greatest if it is less.
///
/// Exponentials are in double precision if either array is or has integers that are not floats, else
/// in single precision, exact to about 1e-6.
class TokenSampler : public Handle<const class TokenSamplerInside> {
 public:
  using Handle::Handle;

  /// Epsilon of one token, from 1e-6; above 30 it counts as 30. `top` is the number of tokens to
  /// choose from, the likeliest of the public model, the first ones among equals; 0: all. Throws
  /// InvalidInput for other numbers.
  explicit TokenSampler(double epsilon, std::size_t top = 0);

  /// Throws InvalidInput unless public logits can be drawn by: numbers or -inf, and no row of -inf
  /// alone. For those who pay before a draw. O(rows vocabulary).
  void check(const Numbers& open) const;

  /// A token for each row. No private logit ever throws; NaN counts as impossible. Throws
  /// InvalidInput unless both have one shape and released.size() rows, and where `check` does,
  /// before anything is drawn. O(rows vocabulary).
  void draw(const Numbers& secret, const Numbers& open, std::span<std::uint32_t> released) const;
};

/// k-ary randomized response [Kairouz et al. 2016]: reports a value of {0, ..., k - 1} as itself
/// with probability kept() / total(), and as each other one with probability other() / total().
/// kept() is at most e^epsilon other(), decided in integers. Immutable, cheap to copy, safe to
/// share between threads.
class RandomizedResponse : public Handle<const class RandomizedResponseInside> {
 public:
  using Handle::Handle;

  /// k from 1 to 2^24; epsilon of one report, from 1e-6; above 30 it counts as 30. Throws
  /// InvalidInput otherwise.
  RandomizedResponse(std::size_t k, double epsilon);

  [[nodiscard]] std::size_t k() const noexcept;
  [[nodiscard]] double epsilon() const noexcept;
  [[nodiscard]] std::uint64_t kept() const noexcept;
  [[nodiscard]] std::uint64_t other() const noexcept;
  [[nodiscard]] std::uint64_t total() const noexcept;

  /// One report for each value. Values are private: a value outside {0, ..., k - 1} counts as 0.
  /// Throws InvalidInput unless there are released.size() values.
  void draw(std::span<const std::int64_t> values, std::span<std::uint32_t> released) const;
  void draw(std::span<const std::int32_t> values, std::span<std::uint32_t> released) const;
  void draw(std::span<const std::uint32_t> values, std::span<std::uint32_t> released) const;
  void draw(std::span<const std::uint8_t> values, std::span<std::uint32_t> released) const;
};

}  // namespace MOLLIFY_NAMESPACE
