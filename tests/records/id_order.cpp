#include "records/id_order.h"

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mollify {
namespace {

// Of few letters, so that many ids begin alike and some are the beginning of others.
RC_GTEST_PROP(IdOrder, IsThatOfTheBytes, ()) {
  using Id = std::string;
  const auto texts = *rc::gen::container<std::vector<Id>>(
      rc::gen::container<Id>(rc::gen::element('\0', 'a', '\x7f', '\xff')));
  StringIndex ids;
  for (const Id& text : texts) {
    ids.insert(text);
    ids.insert("eight letters" + text);
  }
  std::vector<Id> seen, expected;
  for (const std::uint32_t place : in_order_of_bytes(ids)) seen.emplace_back(ids[place]);
  for (std::size_t i = 0; i < ids.size(); ++i) expected.emplace_back(ids[i]);
  std::sort(expected.begin(), expected.end());
  RC_ASSERT(seen == expected);
}

}  // namespace
}  // namespace mollify
