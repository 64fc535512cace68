// Next tokens: from a row of private logits and a row of public ones to a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/band.h"
#include "core/random.h"
#include "core/table.h"

namespace mollify {

/// What a model's logits are stored as.
enum class LogitKind { kFloat64, kFloat32, kFloat16, kBfloat16 };

/// A view of one row of logits.
struct LogitRow {
  LogitKind kind = LogitKind::kFloat32;
  const void* first = nullptr;  ///< of `size` logits, one after the other
  std::size_t size = 0;
};

/// Draws tokens, each from the band about the public model's law, by the private model's law.
///
/// Definition. The allowed tokens are those whose public logit is not -inf, and of these the `top`
/// greatest, the first ones among equals. A token of public logit x has the reference mass
/// e^max(x - m, -40) in the relative band, where m is the greatest public logit. A token of private
/// logit y has the score e^(y - g), where g is the greatest private logit of an allowed token. NaN
/// and -inf score 0. If g is infinite, only the tokens that reach it score. Exponentials are in
/// double precision if either row is, else in single.
///
/// The band is made of public logits alone, so each token is epsilon-LDP by the theorem of Table,
/// whatever the exponentials are.
///
/// All memory is kept for the next token: 24 bytes a token of the vocabulary in single precision.
/// It holds private data.
class TokenDraw {
 public:
  /// `top` 0 allows all. Throws InvalidInput for an epsilon that ExpBound refuses.
  TokenDraw(double epsilon, std::size_t top);

  /// Throws InvalidInput unless a public row has 1 to 2^24 logits, each a number or -inf and not all
  /// of them -inf.
  void require_public(const LogitRow& open);

  /// Requires rows of one size. Throws for a public one as above, and never for private logits.
  [[nodiscard]] std::uint32_t draw(const LogitRow& secret, const LogitRow& open,
                                   SecureRandom& random);

  /// The law of such a draw, over allowed(). Valid until the next call. NOT PRIVATE.
  const Table& table(const LogitRow& secret, const LogitRow& open);
  /// The tokens of the last table, ascending; none: all.
  [[nodiscard]] std::span<const std::uint32_t> allowed() const { return allowed_; }

 private:
  template <class Real>
  struct Buffers {
    std::vector<Real> masses;
    std::vector<Real> scores;
    std::vector<Real> near_last;  // to find the least allowed logit
  };

  template <class Real>
  const Table& table_of(const LogitRow& secret, const LogitRow& open, Buffers<Real>& buffers);
  /// Writes the allowed tokens, and their logits to the masses and scores. Returns how many.
  template <class Real>
  std::size_t choose(std::span<const Real> open, std::span<const Real> secret, bool is_finite,
                     Buffers<Real>& buffers);

  double epsilon_;
  double floor_;
  std::size_t top_;
  std::vector<std::uint32_t> places_;  // whose first ones are allowed_
  std::span<const std::uint32_t> allowed_;
  Buffers<float> single_;
  Buffers<double> double_;
  std::unique_ptr<Band> band_;
  std::unique_ptr<Table> table_;
};

}  // namespace mollify
