// Results of searches that take long, kept for the next question.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "base/spare.h"

namespace mollify {

/// The last results of a search, by all the numbers that they depend on: a plan asks for the same
/// ones again and again, and so do a release and its comparison. Threads that ask at the same time
/// may search for the same. No number of a question may be NaN, which is no key.
template <std::size_t kNumbers>
class KeptSearches {
 public:
  using Question = std::array<double, kNumbers>;

  template <class Search>
  double get(const Question& question, const Search& search) {
    constexpr std::size_t kMost = 1024;
    auto found = kept_.take();
    if (!found || found->size() >= kMost) found = std::make_unique<Found>();
    const auto known = found->find(question);
    const double answer = known == found->end() ? search() : known->second;
    found->emplace(question, answer);
    kept_.leave(std::move(found));
    return answer;
  }

 private:
  using Found = std::map<Question, double>;

  Spare<Found> kept_;
};

}  // namespace mollify
