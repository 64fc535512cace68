// Exact laws of the shuffled reports of small data sets, by enumeration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace mollify::test {

/// Everything that k-ary randomized response of n records can leave: counts of k outcomes, at most
/// n in all, and for every multiset of n - 1 other records the law of these counts when the
/// remaining record is 0 or 1. That is every pair of neighbouring data sets, except for the
/// outcomes' names.
class ReportLaws {
 public:
  using Law = std::vector<double>;

  /// A record is reported with weight `kept` and leaves nothing with weight `dropped`.
  ReportLaws(std::size_t n, std::size_t k, double odds, double kept, double dropped)
      : n_(n), k_(k), odds_(odds), kept_(kept), dropped_(dropped) {
    std::vector<std::size_t> counts(k, 0);
    enumerate(counts, 0, n);
    std::map<std::vector<std::size_t>, std::size_t> index;
    for (std::size_t i = 0; i < counts_.size(); ++i) index[counts_[i]] = i;
    next_.assign(counts_.size() * k, counts_.size());
    total_.assign(counts_.size(), 0);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      for (const std::size_t count : counts_[i]) total_[i] += count;
      for (std::size_t y = 0; y < k && total_[i] < n; ++y) {
        std::vector<std::size_t> more = counts_[i];
        ++more[y];
        next_[i * k + y] = index.at(more);
      }
    }
  }

  /// Calls `visit` with the laws of every pair, and whether all other records are equal. Where
  /// `chosen` reports is what remains, a law is conditional on that number.
  void for_each_pair(const std::function<void(const Law&, const Law&, bool)>& visit,
                     std::size_t chosen = 0) const {
    Law nothing(counts_.size(), 0.0);
    for (std::size_t i = 0; i < counts_.size(); ++i) nothing[i] = total_[i] == 0 ? 1.0 : 0.0;
    std::vector<std::size_t> others;
    descend(nothing, 0, others, visit, chosen);
  }

 private:
  void enumerate(std::vector<std::size_t>& counts, std::size_t at, std::size_t left) {
    if (at == k_) {
      counts_.push_back(counts);
      return;
    }
    for (std::size_t count = 0; count <= left; ++count) {
      counts[at] = count;
      enumerate(counts, at + 1, left - count);
    }
    counts[at] = 0;
  }

  Law with(const Law& law, std::size_t record) const {
    const double unit = kept_ / (odds_ + static_cast<double>(k_) - 1.0);
    Law result(law.size(), 0.0);
    for (std::size_t i = 0; i < law.size(); ++i) {
      if (law[i] == 0.0) continue;
      result[i] += dropped_ * law[i];
      for (std::size_t y = 0; y < k_; ++y) {
        result[next_[i * k_ + y]] += (y == record ? odds_ : 1.0) * unit * law[i];
      }
    }
    return result;
  }

  Law given(Law law, std::size_t chosen) const {
    if (chosen == 0) return law;
    double mass = 0;
    for (std::size_t i = 0; i < law.size(); ++i) {
      if (total_[i] != chosen) law[i] = 0;
      mass += law[i];
    }
    for (double& probability : law) probability /= mass;
    return law;
  }

  void descend(const Law& law, std::size_t first, std::vector<std::size_t>& others,
               const std::function<void(const Law&, const Law&, bool)>& visit,
               std::size_t chosen) const {
    if (others.size() + 1 == n_) {
      const bool equal = others.empty() || others.front() == others.back();
      const Law zero = given(with(law, 0), chosen);
      const Law one = given(with(law, 1), chosen);
      visit(zero, one, equal);
      visit(one, zero, equal);
      return;
    }
    for (std::size_t record = first; record < k_; ++record) {
      others.push_back(record);
      descend(with(law, record), record, others, visit, chosen);
      others.pop_back();
    }
  }

  std::size_t n_;
  std::size_t k_;
  double odds_;
  double kept_;
  double dropped_;
  std::vector<std::vector<std::size_t>> counts_;
  std::vector<std::size_t> next_;
  std::vector<std::size_t> total_;
};

}  // namespace mollify::test
