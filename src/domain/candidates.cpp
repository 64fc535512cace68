#include "domain/candidates.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/possible.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Reproducible randomness for analysis and tests.

void SeededRandom::refill() {
  const std::uint32_t key[8] = {static_cast<std::uint32_t>(seed_),
                                static_cast<std::uint32_t>(seed_ >> 32)};
  const std::uint32_t nonce[3] = {batch_++, 0, 0};
  constexpr std::size_t kBatches = sizeof words_ / detail::kChaChaBatchBytes;
  static_assert(kBatches * detail::kChaChaBatchBytes == sizeof words_);
  detail::chacha20(key, nonce, 0, reinterpret_cast<unsigned char*>(words_), kBatches);
  position_ = 0;
}

// -----------------------------------------------------------------------------------------------
// The records that candidates are drawn from when there is no public reference.

UniformRecords::UniformRecords(const Domain& domain) {
  constexpr std::uint32_t kMostRivals = 10;
  for (const Column& column : domain.columns()) {
    if (!is_ordered(column.cells()) || column.codes_and_nulls() == 0) {
      columns_.push_back({column.size(), 0, 0, 1, 1});
      continue;
    }
    const std::uint32_t cells = column.cell_count();
    const std::uint32_t codes_and_nulls = column.codes_and_nulls();
    const std::uint32_t among = std::min(cells, kMostRivals) + codes_and_nulls;
    const double each = 1.0 / among;
    // Few integers are levels that count one each; then a value's density is its own share.
    const double spread = is_continuous(column.cells()) ? 1 : cells;
    columns_.push_back(
        {cells, codes_and_nulls, among, each, (1 - each * codes_and_nulls) / spread});
    flat_ = false;
  }
}

double UniformRecords::density(std::span<const std::uint32_t> digits) const noexcept {
  double product = 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    product *= digits[i] >= columns_[i].cells ? columns_[i].if_null : columns_[i].if_value;
  }
  return product;
}

// -----------------------------------------------------------------------------------------------
// A public list of records to choose from.

void Candidates::require_count(std::uint64_t count) {
  require_between({"the number of candidates", "candidates", "candidates"}, count, 1, kMost);
}

namespace {

/// Number of records to draw before asking whether to go on.
constexpr std::size_t kRecordsAtOnce = 1024;
/// Draws of a record that rules allow; after them the last one is mapped to one that they do.
constexpr int kMostTries = 64;

}  // namespace

template <class Random>
Candidates Candidates::uniform(const Domain& domain, std::uint64_t count, Random& random) {
  require_count(count);
  const UniformRecords records(domain);
  const std::size_t columns = records.columns();
  std::vector<std::uint32_t> digits(static_cast<std::size_t>(count) * columns);
  std::vector<float> densities;
  if (!records.is_flat()) densities.reserve(static_cast<std::size_t>(count));
  for (std::size_t begin = 0; begin < digits.size(); begin += columns) {
    if (begin % (kRecordsAtOnce * columns) == 0) keep_going();
    const auto record = std::span(digits).subspan(begin, columns);
    records.draw(random, record);
    if (domain.possible() != nullptr) {
      for (int tries = 1; tries < kMostTries && !domain.possible()->has(record); ++tries) {
        records.draw(random, record);
      }
      domain.possible()->map(record);
    }
    if (!records.is_flat()) densities.push_back(static_cast<float>(records.density(record)));
  }
  return {columns, std::move(digits), std::move(densities)};
}

Candidates Candidates::seeded(const Domain& domain, std::uint64_t count) {
  SeededRandom random(domain.seed());
  return uniform(domain, count, random);
}

Candidates Candidates::fresh(const Domain& domain, std::uint64_t count, SecureRandom& random) {
  return uniform(domain, count, random);
}

Candidates Candidates::of(const Domain& domain, std::vector<std::uint32_t> digits,
                          std::vector<float> densities) {
  const auto& columns = domain.columns();
  const std::size_t count = digits.size() / columns.size();
  require_count(count);
  refuse_if(count * columns.size() != digits.size(), "wrong-shape", "candidates",
            "candidates must have {} digits each, but there are {} in all", columns.size(),
            digits.size());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const Column& column = columns[i % columns.size()];
    if (digits[i] < column.size()) continue;
    refuse_input("out-of-range", "candidates",
                 "candidate {} must have a digit below {} for column \"{}\", but has {}",
                 i / columns.size(), column.size(), column.name(), digits[i]);
  }
  for (std::size_t begin = 0; begin < digits.size(); begin += columns.size()) {
    const auto record = std::span(digits).subspan(begin, columns.size());
    refuse_if(domain.possible() != nullptr && !domain.possible()->has(record),
              "contradictory-rules", "candidates",
              "candidate {} must keep the domain's rules, but does not", begin / columns.size());
  }
  refuse_if(!densities.empty() && densities.size() != count, "wrong-shape", "candidates",
            "{} candidates must have as many densities, but have {}", count, densities.size());
  for (std::size_t i = 0; i < densities.size(); ++i) {
    if (densities[i] > 0 && std::isfinite(densities[i])) continue;
    refuse_input("not-a-distribution", "candidates",
                 "candidate {} must have a positive, finite density, but has {}", i, densities[i]);
  }
  return {columns.size(), std::move(digits), std::move(densities)};
}

// -----------------------------------------------------------------------------------------------
// How lists of candidates are written.

namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 16U;

}  // namespace

void write_candidates(const Candidates& candidates, const Domain& domain,
                      const std::function<void(std::string_view)>& take) {
  const bool dense = !candidates.densities().empty();
  std::string part =
      fmt::format("{}\ndomain {}\nrecords {} columns {}{}\n", kCandidatesFormat, domain.hash(),
                  candidates.size(), candidates.columns(), dense ? " densities" : "");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto out = std::back_inserter(part);
    for (const std::uint32_t digit : candidates[i]) fmt::format_to(out, "{},", digit);
    if (dense) {
      part += hexadecimal(static_cast<double>(candidates.densities()[i])) + "\n";
    } else {
      part.back() = '\n';
    }
    if (part.size() < kPartBytes) continue;
    take(part);
    part.clear();
  }
  take(part);
}

std::string candidates_hash(const Candidates& candidates, const Domain& domain) {
  Sha256 hash;
  write_candidates(candidates, domain, [&](std::string_view part) { hash.add(part); });
  return hash.hex();
}

}  // namespace mollify
