#include "reference/product_models.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/seeded_random.h"
#include "space/sha256.h"

namespace mollify {
namespace {

/// What the largest share of a column is written as.
constexpr double kParts = 0x1p24;

}  // namespace

ProductModels::ProductModels(const Domain& domain, std::uint64_t count,
                             std::span<const std::uint32_t> reference)
    : seed_(domain.seed()), count_(count) {
  if (count < 1 || count > kMost) {
    throw InvalidInput(
        fmt::format("the number of models must be from 1 to {}, but is {}", kMost, count));
  }
  double cells = 0;
  for (const Column& column : domain.columns()) {
    sizes_.push_back(column.size());
    cells += column.size();
  }
  if (cells * static_cast<double>(count) > static_cast<double>(kMostShares)) {
    throw InvalidInput(
        fmt::format("models may have at most {} shares in all, but {} models of {} cells have "
                    "more: declare fewer bins in the domain, or ask for fewer models",
                    kMostShares, count, cells));
  }
  reference_.assign(static_cast<std::size_t>(cells), 1);
  for (std::size_t i = 0; i < reference.size();) {
    std::size_t first = 0;
    for (const std::uint32_t size : sizes_) {
      reference_[first + reference[i++]] += 1;
      first += size;
    }
  }
}

void ProductModels::visit_whole(
    const std::function<bool(std::uint64_t, std::span<const std::uint32_t>)>& visit) const {
  SeededRandom random(seed_);
  std::vector<std::uint32_t> parts(reference_.size());
  std::vector<double> drawn(reference_.size());
  for (std::uint64_t index = 0; index < count_; ++index) {
    std::size_t first = 0;
    for (const std::uint32_t size : sizes_) {
      double largest = 0;
      for (std::size_t i = first; i < first + size; ++i) {
        const double uniform = (static_cast<double>(random.word() >> 11) + 0.5) * 0x1p-53;
        drawn[i] = -std::log(uniform) * reference_[i];
        largest = std::max(largest, drawn[i]);
      }
      for (std::size_t i = first; i < first + size; ++i) {
        parts[i] = std::max(1U, static_cast<std::uint32_t>(drawn[i] / largest * kParts));
      }
      first += size;
    }
    if (!visit(index, parts)) return;
  }
}

std::vector<double> ProductModels::shares_of(std::span<const std::uint32_t> parts) const {
  std::vector<double> shares(parts.begin(), parts.end());
  std::size_t first = 0;
  for (const std::uint32_t size : sizes_) {
    double all = 0;
    for (std::size_t i = first; i < first + size; ++i) all += shares[i];
    for (std::size_t i = first; i < first + size; ++i) shares[i] /= all;
    first += size;
  }
  return shares;
}

void ProductModels::visit(
    const std::function<void(std::uint64_t, std::span<const double>)>& visit) const {
  visit_whole([&](std::uint64_t index, std::span<const std::uint32_t> parts) {
    visit(index, shares_of(parts));
    return true;
  });
}

std::vector<double> ProductModels::shares(std::uint64_t index) const {
  std::vector<double> found;
  visit_whole([&](std::uint64_t at, std::span<const std::uint32_t> parts) {
    if (at == index) found = shares_of(parts);
    return at < index;
  });
  return found;
}

std::string ProductModels::sha256() const {
  Sha256 hash;
  visit_whole([&](std::uint64_t, std::span<const std::uint32_t> parts) {
    std::vector<unsigned char> bytes;
    bytes.reserve(4 * parts.size());
    for (const std::uint32_t part : parts) {
      for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes.push_back(static_cast<unsigned char>(part >> shift));
      }
    }
    hash.add(bytes);
    return true;
  });
  return hash.hex();
}

}  // namespace mollify
