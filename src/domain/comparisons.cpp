#include "domain/comparisons.h"

namespace mollify {

bool System::narrow(const SumComparison& comparison, std::vector<Reach>& reaches,
                    bool& moves) const {
  const auto value = [&](const SumComparison::Term& term, bool least) {
    const Reach& reach = reaches[term.column];
    const double place = term.negative == least ? reach.high : reach.low;
    const double moved = calendar.moved(place, term.months);
    return term.negative ? -moved : moved;
  };
  for (const bool upper : {true, false}) {
    if (!upper && comparison.kind != SumComparison::Kind::kIs) break;
    for (const SumComparison::Term& term : comparison.terms) {
      // upper: the term is at most minus the least of the rest; else at least minus the greatest.
      double rest = comparison.constant;
      for (const SumComparison::Term& other : comparison.terms) {
        if (&other != &term) rest += value(other, upper);
      }
      double bound = -rest;
      if (comparison.kind == SumComparison::Kind::kBelow)
        bound = std::nextafter(bound, -kBoundless);
      Reach& reach = reaches[term.column];
      const double low = reach.low, high = reach.high;
      const bool fits =
          upper != term.negative
              ? reach.lower(calendar.greatest_to(term.negative ? -bound : bound, term.months))
              : reach.raise(calendar.least_to(term.negative ? -bound : bound, term.months));
      if (!fits) return false;
      moves = moves || reach.low != low || reach.high != high;
    }
  }
  return true;
}

bool System::settle(std::span<const std::uint32_t> chosen, std::vector<Reach>& reaches) const {
  constexpr int kMostRounds = 1000;
  bool moves = true;
  for (int round = 0; moves; ++round) {
    if (round == kMostRounds) return false;
    moves = false;
    for (const std::uint32_t one : chosen) {
      if (!narrow(comparisons[one], reaches, moves)) return false;
    }
  }
  return true;
}

}  // namespace mollify
