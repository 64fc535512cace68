// A program with the core alone: a band of integers, scores, a scale that somebody proposes, a
// draw.
#include <cstdint>
#include <span>
#include <vector>

#include <mollify/core/table.h>

namespace {

/// A search that knows one scale.
struct OneScale {
  double t;
  template <class Score>
  mollify::ScoreScale first(const mollify::Bounds&, std::span<const Score>) const {
    return {t};
  }
  bool again(mollify::ScoreScale&, mollify::int128) const noexcept { return false; }
};

}  // namespace

int main() {
  const mollify::Band band = mollify::Band::make({10, 20, 30}, mollify::ExpBound(1), 100);
  mollify::SecureRandom random;
  const std::vector<double> scores = {1, 2, 3};
  const mollify::Table table(band, std::span<const double>(scores), OneScale{16});
  mollify::SparseTable sparse(band);
  sparse.assign(std::vector<std::uint32_t>{1}, std::vector<double>{1}, OneScale{50});
  return table.draw(random) < 3 && sparse.draw(random) < 3 ? 0 : 1;
}
