// How far apart two laws can be that a budget keeps close.
#pragma once

namespace mollify {

/// The greatest total variation between laws P and Q with P(A) <= e^epsilon Q(A) + delta and Q(A)
/// <= e^epsilon P(A) + delta for all events A, rounded up: (e^epsilon - 1 + 2 delta)/(e^epsilon +
/// 1).
///
/// Theorem [Cheu, Nayak 2024, Lemma 1, with the constant that its proof gives]. Some P' and Q'
/// within delta/(e^epsilon + 1) of P and Q are within e^epsilon of each other everywhere, and so
/// within (e^epsilon - 1)/(e^epsilon + 1). It is reached: delta on an outcome of each law's own,
/// the rest as a coin of odds e^epsilon and as the opposite coin.
///
/// So a bound on the loss is one on accuracy, too: what a table of few records can do at all.
/// epsilon at least 0, infinite included, delta from 0 to 1; InvalidInput otherwise.
[[nodiscard]] double total_variation_of_close_laws_up(double epsilon, double delta);

}  // namespace mollify
