// The one shape of every sampler in the central model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "accounting/privacy.h"
#include "kernel/core/secure_random.h"
#include "records/outcome_histogram.h"

namespace mollify {

/// A mechanism that turns n private records, outcomes of {0, ..., k - 1}, into released outcomes.
///
/// A sampler is made from public inputs alone (n, k, the number of outputs, the budget) and is
/// immutable, so it may be shared by threads; what is private comes in through `draw`. Every
/// implementation passes the same conformance test (tests/central/central_sampler.cpp).
class CentralSampler {
 public:
  CentralSampler() = default;
  CentralSampler(const CentralSampler&) = delete;
  CentralSampler& operator=(const CentralSampler&) = delete;
  virtual ~CentralSampler() = default;

  /// k.
  [[nodiscard]] virtual std::uint64_t outcome_count() const = 0;

  /// n, public.
  [[nodiscard]] virtual std::uint64_t record_count() const = 0;

  /// m, the number of outcomes a draw releases; none where it is random (its law is then public).
  [[nodiscard]] virtual std::optional<std::uint64_t> output_count() const = 0;

  /// What all outputs of one draw promise together.
  [[nodiscard]] virtual Privacy guarantee() const = 0;

  /// Total variation of one output, rounded up: if the records are independent draws from P, each
  /// output follows one P-hat with TV(P-hat, P) at most this, and the joint law of the m outputs is
  /// within m times this of m independent draws from P (weak and strong multi-sampling [Cheu, Nayak
  /// 2024, Lemma 9]). For every P, unless the class names those it holds for.
  [[nodiscard]] virtual double total_variation_up() const = 0;

  /// Whether the outputs are then also independent, to within a probability that
  /// total_variation_up() counts.
  [[nodiscard]] virtual bool outputs_are_independent() const { return true; }

  /// The released outcomes in an order that tells nothing, of records of which only is known how
  /// often each outcome occurs: that is all that any of these mechanisms looks at. Total: a record
  /// outside {0, ..., k - 1} counts as 0. Throws InvalidInput unless there are record_count()
  /// records, which is public and what the guarantee is for.
  [[nodiscard]] std::vector<std::uint32_t> draw(const OutcomeHistogram& histogram,
                                                SecureRandom& random) const;
  /// The same for a list of them.
  [[nodiscard]] std::vector<std::uint32_t> draw(std::span<const std::uint32_t> records,
                                                SecureRandom& random) const;

 private:
  /// Requires record_count() records, all of them in {0, ..., k - 1}.
  [[nodiscard]] virtual std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                           SecureRandom& random) const = 0;
};

}  // namespace mollify
