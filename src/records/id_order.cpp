#include "records/id_order.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace mollify {
namespace {

/// The first eight bytes as a number in the same order; what is shorter ends in zeros.
std::uint64_t beginning_of(std::string_view id) {
  std::uint64_t beginning = 0;
  for (std::size_t i = 0; i < sizeof beginning; ++i) {
    beginning = beginning << 8U | (i < id.size() ? static_cast<unsigned char>(id[i]) : 0U);
  }
  return beginning;
}

}  // namespace

std::vector<std::uint32_t> in_order_of_bytes(const StringIndex& ids) {
  struct Id {
    std::uint64_t beginning;
    std::uint32_t place;
  };
  std::vector<Id> sorted;
  sorted.reserve(ids.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) sorted.push_back({beginning_of(ids[i]), i});
  std::sort(sorted.begin(), sorted.end(), [&](const Id& left, const Id& right) {
    return left.beginning != right.beginning ? left.beginning < right.beginning
                                             : ids[left.place] < ids[right.place];
  });
  std::vector<std::uint32_t> order;
  order.reserve(sorted.size());
  for (const Id& id : sorted) order.push_back(id.place);
  return order;
}

}  // namespace mollify
