#include "reference/reference_candidates.h"

#include <span>
#include <utility>

namespace mollify {
namespace {

MixedPoints points_of(const RecordLayout& layout, const std::vector<std::uint32_t>& digits) {
  const std::size_t columns = layout.digits();
  const std::size_t count = digits.size() / columns;
  constexpr std::size_t kMost = ReferenceCandidates::kMostRecords;
  if (count <= kMost) return layout.points(digits);
  std::vector<std::uint32_t> some;
  some.reserve(kMost * columns);
  for (std::size_t i = 0; i < kMost; ++i) {
    const auto record = std::span(digits).subspan(i * count / kMost * columns, columns);
    some.insert(some.end(), record.begin(), record.end());
  }
  return layout.points(some);
}

}  // namespace

ReferenceCandidates::ReferenceCandidates(Domain domain, const std::vector<std::uint32_t>& digits)
    : domain_(std::move(domain)), layout_(domain_), records_(points_of(layout_, digits)) {}

template <class Random>
Candidates ReferenceCandidates::draw(std::uint64_t count, Random& random) const {
  Candidates::require_count(count);
  std::vector<std::uint32_t> digits(static_cast<std::size_t>(count) * layout_.digits());
  std::vector<float> point(layout_.columns().size());
  for (std::size_t begin = 0; begin < digits.size(); begin += layout_.digits()) {
    records_.draw(random, point);
    layout_.digits_of(point, std::span(digits).subspan(begin, layout_.digits()));
  }
  std::vector<float> densities(static_cast<std::size_t>(count));
  records_.densities(layout_.points(digits), densities);
  return Candidates::of(domain_, std::move(digits), std::move(densities));
}

Candidates ReferenceCandidates::seeded(std::uint64_t count) const {
  SeededRandom random(domain_.seed());
  return draw(count, random);
}

Candidates ReferenceCandidates::fresh(std::uint64_t count, SecureRandom& random) const {
  return draw(count, random);
}

}  // namespace mollify
