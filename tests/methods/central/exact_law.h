// The exact law of a central sampler's outputs, by enumeration.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "methods/central/samplers.h"

namespace mollify::test {

/// How often each outcome occurs.
using Counts = std::vector<unsigned>;

/// All multisets of at most `most` of k outcomes, numbered; 0 is the empty one.
class Multisets {
 public:
  Multisets(unsigned outcomes, unsigned most) : outcomes_(outcomes), most_(most) {
    std::map<Counts, std::size_t> number = {{Counts(outcomes), 0}};
    counts_.emplace_back(outcomes);
    sizes_.push_back(0);
    for (std::size_t id = 0; id < counts_.size(); ++id) {
      for (unsigned y = 0; y < outcomes && sizes_[id] < most; ++y) {
        Counts more = counts_[id];
        ++more[y];
        const auto [found, is_new] = number.try_emplace(more, counts_.size());
        if (is_new) {
          counts_.push_back(more);
          sizes_.push_back(sizes_[id] + 1);
        }
        after_.push_back(found->second);
      }
    }
  }

  unsigned outcomes() const { return outcomes_; }
  unsigned most() const { return most_; }
  std::size_t count() const { return counts_.size(); }
  const Counts& counts(std::size_t id) const { return counts_[id]; }
  unsigned size(std::size_t id) const { return sizes_[id]; }
  /// The multiset with one y more; the size of `id` must be below most().
  std::size_t after(std::size_t id, unsigned y) const { return after_[id * outcomes_ + y]; }

 private:
  unsigned outcomes_;
  unsigned most_;
  std::vector<Counts> counts_;  // in the order of their sizes
  std::vector<unsigned> sizes_;
  std::vector<std::size_t> after_;
};

/// A probability for each multiset. All samplers put their outputs into a random order, or are
/// symmetric in them, and look at the records as a multiset: this is all there is to know about the
/// outputs, given the counts of the records.
using MultisetLaw = std::vector<double>;

/// The records with these counts, in ascending order.
inline std::vector<std::uint32_t> records_of(const Counts& counts) {
  std::vector<std::uint32_t> records;
  for (std::uint32_t x = 0; x < counts.size(); ++x) records.insert(records.end(), counts[x], x);
  return records;
}

/// The law of the reports if each record leaves one with weight `kept`, and none with weight
/// `skipped`; only of multisets of at most `most`.
inline MultisetLaw law_of_reports(const RandomizedResponse& response, const Multisets& multisets,
                                  const Counts& records, double kept, double skipped) {
  const auto total = static_cast<double>(response.total());
  const double same = kept * (static_cast<double>(response.kept()) / total);
  const double other = kept * (static_cast<double>(response.other()) / total);
  MultisetLaw law(multisets.count());
  law[0] = 1;
  for (const std::uint32_t x : records_of(records)) {
    MultisetLaw next(multisets.count());
    for (std::size_t id = 0; id < law.size(); ++id) {
      if (law[id] == 0) continue;
      next[id] += law[id] * skipped;
      if (multisets.size(id) == multisets.most()) continue;
      for (unsigned y = 0; y < multisets.outcomes(); ++y) {
        next[multisets.after(id, y)] += law[id] * (y == x ? same : other);
      }
    }
    law = std::move(next);
  }
  return law;
}

inline MultisetLaw only_of_size(const Multisets& multisets, MultisetLaw law, unsigned size) {
  for (std::size_t id = 0; id < law.size(); ++id) law[id] *= multisets.size(id) == size ? 1 : 0;
  return law;
}

/// m of n records: all choices of places are as likely.
inline MultisetLaw exact_law(const SubsetSampler& sampler, const Multisets& multisets,
                             const Counts& records) {
  const auto n = static_cast<double>(sampler.record_count());
  const auto m = static_cast<unsigned>(*sampler.output_count());
  MultisetLaw law =
      only_of_size(multisets, law_of_reports(sampler.response(), multisets, records, 1, 1), m);
  for (unsigned i = 0; i < m; ++i) {
    for (double& p : law) p *= (i + 1) / (n - i);  // 1 / binomial(n, m)
  }
  return law;
}

/// Of a random multiset, exactly m: the surplus is taken away at random, uniform outcomes fill up.
inline MultisetLaw with_size(const Multisets& multisets, MultisetLaw law, unsigned m) {
  for (std::size_t id = 0; id < law.size(); ++id) {
    if (multisets.size(id) >= m) continue;
    for (unsigned y = 0; y < multisets.outcomes(); ++y) {
      law[multisets.after(id, y)] += law[id] / multisets.outcomes();
    }
  }
  // Towards smaller ones, from the greatest: each after(id, y) has more than `id`.
  for (std::size_t id = law.size(); id-- > 0;) {
    if (multisets.size(id) < m || multisets.size(id) == multisets.most()) continue;
    for (unsigned y = 0; y < multisets.outcomes(); ++y) {
      const std::size_t more = multisets.after(id, y);
      law[id] += law[more] * multisets.counts(more)[y] / multisets.size(more);
    }
  }
  return only_of_size(multisets, std::move(law), m);
}

inline MultisetLaw exact_law(const PoissonSampler& sampler, const Multisets& multisets,
                             const Counts& records) {
  MultisetLaw law =
      law_of_reports(sampler.response(), multisets, records, sampler.rate(), 1 - sampler.rate());
  if (!sampler.output_count()) return law;
  return with_size(multisets, std::move(law), static_cast<unsigned>(*sampler.output_count()));
}

/// The probability of each outcome, of a sampler with one output.
inline std::vector<double> single_law(const DsRoo& sampler, const Counts& records) {
  const unsigned least = *std::min_element(records.begin(), records.end());
  const double whole = static_cast<double>(DsRoo::kTotal) *
                       static_cast<double>(sampler.record_count()) *
                       static_cast<double>(sampler.outcome_count());
  std::vector<double> law;
  for (const unsigned count : records) {
    law.push_back(static_cast<double>(sampler.numerator(least, count)) / whole);
  }
  return law;
}

/// The number of records with a one in each coordinate.
inline Counts ones_of(const Counts& records, unsigned coordinates) {
  Counts ones(coordinates);
  for (std::uint32_t x = 0; x < records.size(); ++x) {
    for (unsigned j = 0; j < coordinates; ++j) ones[j] += x >> j & 1U ? records[x] : 0;
  }
  return ones;
}

/// Independent bits with these probabilities of a one.
inline std::vector<double> law_of_bits(const std::vector<double>& one) {
  std::vector<double> law(std::size_t{1} << one.size(), 1.0);
  for (std::size_t x = 0; x < law.size(); ++x) {
    for (std::size_t j = 0; j < one.size(); ++j) law[x] *= x >> j & 1U ? one[j] : 1 - one[j];
  }
  return law;
}

/// Coordinate by coordinate the bits are m of n through binary randomized response, in an order
/// that is random; so a list's probability is the product over coordinates of that of its number of
/// ones, shared by all lists of bits with as many.
inline MultisetLaw exact_law(const ProductSampler& sampler, const Multisets& multisets,
                             const Counts& records) {
  const auto n = static_cast<unsigned>(sampler.record_count());
  const auto m = static_cast<unsigned>(*sampler.output_count());
  const SubsetSampler bits(sampler.response(), n, m, {});
  const Multisets of_bits(2, m);
  std::vector<std::vector<double>> of_ones;  // for each coordinate and number of ones
  for (const unsigned ones : ones_of(records, sampler.coordinates())) {
    const MultisetLaw law = exact_law(bits, of_bits, {n - ones, ones});
    std::vector<double> each(m + 1);
    for (std::size_t id = 0; id < law.size(); ++id) {
      const unsigned count = of_bits.counts(id)[1];
      if (of_bits.size(id) != m) continue;
      each[count] = law[id];
      for (unsigned i = 0; i < count; ++i) each[count] *= (i + 1.) / (m - i);
    }
    of_ones.push_back(each);
  }
  MultisetLaw law(multisets.count());
  std::vector<unsigned> list(m);
  for (;;) {
    double probability = 1;
    std::size_t id = 0;
    for (unsigned j = 0; j < sampler.coordinates(); ++j) {
      unsigned ones = 0;
      for (const unsigned y : list) ones += y >> j & 1U;
      probability *= of_ones[j][ones];
    }
    for (const unsigned y : list) id = multisets.after(id, y);
    law[id] += probability;
    std::size_t place = 0;
    while (place < m && list[place] + 1 == sampler.outcome_count()) list[place++] = 0;
    if (place == m) return law;
    ++list[place];
  }
}

inline std::vector<double> single_law(const ClippedMeans& sampler, const Counts& records) {
  const std::uint64_t n = sampler.record_count();
  std::vector<double> one;
  for (const std::uint64_t ones : ones_of(records, sampler.coordinates())) {
    const std::uint64_t clipped = std::clamp(ones, sampler.clip(), n - sampler.clip());
    one.push_back(static_cast<double>(clipped) / static_cast<double>(n));
  }
  return law_of_bits(one);
}

/// Whichever of the samplers with one output it is.
inline std::vector<double> single_law(const CentralSampler& sampler, const Counts& records) {
  if (const auto* ds_roo = dynamic_cast<const DsRoo*>(&sampler)) {
    return single_law(*ds_roo, records);
  }
  return single_law(dynamic_cast<const ClippedMeans&>(sampler), records);
}

/// All ways to give the records to runs: each order of the labels is as likely.
inline MultisetLaw exact_law(const DisjointRuns& sampler, const Multisets& multisets,
                             const Counts& records) {
  const auto runs = static_cast<std::size_t>(*sampler.output_count());
  const auto each = static_cast<std::size_t>(sampler.single().record_count());
  const std::vector<std::uint32_t> list = records_of(records);
  std::vector<std::size_t> labels(list.size(), runs);  // `runs` for records that are not used
  for (std::size_t i = 0; i < runs * each; ++i) labels[i] = i / each;
  MultisetLaw sum(multisets.count());
  double ways = 0;
  do {
    std::vector<Counts> parts(runs + 1, Counts(records.size()));
    for (std::size_t i = 0; i < list.size(); ++i) ++parts[labels[i]][list[i]];
    MultisetLaw law(multisets.count());
    law[0] = 1;
    for (std::size_t run = 0; run < runs; ++run) {
      const std::vector<double> single = single_law(sampler.single(), parts[run]);
      MultisetLaw next(multisets.count());
      for (std::size_t id = 0; id < law.size(); ++id) {
        if (law[id] == 0) continue;
        for (unsigned y = 0; y < multisets.outcomes(); ++y) {
          next[multisets.after(id, y)] += law[id] * single[y];
        }
      }
      law = std::move(next);
    }
    for (std::size_t id = 0; id < law.size(); ++id) sum[id] += law[id];
    ++ways;
  } while (std::next_permutation(labels.begin(), labels.end()));
  for (double& p : sum) p /= ways;
  return sum;
}

/// The law of the outputs for records with these counts. The sampler's integers are read from it;
/// the rest is written anew from its definition. `multisets` reaches to n for PoissonSampler and to
/// m for the others.
inline MultisetLaw exact_law(const CentralSampler& sampler, const Multisets& multisets,
                             const Counts& records) {
  if (const auto* subset = dynamic_cast<const SubsetSampler*>(&sampler)) {
    return exact_law(*subset, multisets, records);
  }
  if (const auto* poisson = dynamic_cast<const PoissonSampler*>(&sampler)) {
    return exact_law(*poisson, multisets, records);
  }
  if (const auto* runs = dynamic_cast<const DisjointRuns*>(&sampler)) {
    return exact_law(*runs, multisets, records);
  }
  if (const auto* product = dynamic_cast<const ProductSampler*>(&sampler)) {
    return exact_law(*product, multisets, records);
  }
  MultisetLaw law(multisets.count());
  const std::vector<double> single = single_law(sampler, records);
  for (unsigned y = 0; y < single.size(); ++y) law[multisets.after(0, y)] = single[y];
  return law;
}

/// sum (p - factor q)_+.
inline double excess(const MultisetLaw& p, const MultisetLaw& q, double factor) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::fmax(0, p[i] - factor * q[i]);
  return sum;
}

/// max ln(p / q); infinite where q is 0 and p is not.
inline double greatest_log_ratio(const MultisetLaw& p, const MultisetLaw& q) {
  double greatest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0) greatest = std::fmax(greatest, std::log(p[i] / q[i]));
  }
  return greatest;
}

/// n! / prod c! prod p^c: how likely n draws from p have these counts.
inline double multinomial(const Counts& counts, const std::vector<double>& p) {
  double probability = 1;
  unsigned n = 0;
  for (std::size_t x = 0; x < counts.size(); ++x) {
    for (unsigned i = 1; i <= counts[x]; ++i) probability *= p[x] * ++n / i;
  }
  return probability;
}

/// Calls visit(D, D') for the counts of all data sets of n records and all those with one replaced.
template <class Visit>
void for_all_neighbours(const Multisets& datasets, unsigned records, const Visit& visit) {
  for (std::size_t id = 0; id < datasets.count(); ++id) {
    if (datasets.size(id) + 1 != records) continue;  // the records that stay
    for (unsigned x = 0; x < datasets.outcomes(); ++x) {
      for (unsigned y = 0; y < datasets.outcomes(); ++y) {
        if (x != y) visit(datasets.after(id, x), datasets.after(id, y));
      }
    }
  }
}

}  // namespace mollify::test
