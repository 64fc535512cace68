#include "formats/csv_lanes.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "every_lanes.h"

namespace mollify::detail {

namespace {

/// Bytes of all values, every third of them a separator, a quote or next to one in value.
std::string some_bytes(std::size_t size, std::mt19937_64& random) {
  constexpr std::string_view kLikely = "\n\n,,,\",\x0b\x0d\x09+-!#\x8a\xac\xa2";
  std::string bytes;
  while (bytes.size() < size) {
    bytes += random() % 3 == 0 ? kLikely[random() % kLikely.size()] : static_cast<char>(random());
  }
  return bytes;
}

TEST(CsvLanes, FindEverySeparator) {
  const auto every = test::every_lanes<CsvLanes>();
  std::mt19937_64 random(1);
  std::size_t found_in_all = 0;
  for (std::size_t size = 0; size < 400; ++size) {
    const std::string bytes =
        size % 7 == 0 ? std::string(size, size % 2 == 0 ? ',' : '\n') : some_bytes(size, random);
    std::vector<std::uint32_t> places, feeds;
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != ',' && bytes[i] != '\n') continue;
      if (bytes[i] == '\n') feeds.push_back(static_cast<std::uint32_t>(places.size()));
      places.push_back(i);
    }
    for (const auto& [name, lanes] : every) {
      SCOPED_TRACE(name);
      std::vector<std::uint32_t> found_places(size + CsvLanes::kSpare), found_feeds(size);
      const SeparatorCounts found =
          lanes.find_separators(bytes.data(), size, found_places.data(), found_feeds.data());
      ASSERT_EQ(found.separators, places.size()) << size;
      ASSERT_EQ(found.line_feeds, feeds.size()) << size;
      EXPECT_EQ(found.has_quotes, bytes.find('"') != std::string::npos);
      found_places.resize(places.size());
      found_feeds.resize(feeds.size());
      EXPECT_EQ(found_places, places) << size;
      EXPECT_EQ(found_feeds, feeds) << size;
    }
    found_in_all += places.size();
  }
  EXPECT_GT(found_in_all, 10'000U);
}

TEST(CsvLanes, EndAfterSoManyLines) {
  const auto every = test::every_lanes<CsvLanes>();
  std::mt19937_64 random(2);
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string bytes = some_bytes(size, random);
    for (const std::size_t most : {1U, 2U, 3U, 7U, 40U, 1000U}) {
      std::size_t end = 0, count = 0;
      for (std::size_t i = 0; i < size && count < most; ++i) {
        if (bytes[i] == '\n') {
          end = i + 1;
          ++count;
        }
      }
      for (const auto& [name, lanes] : every) {
        SCOPED_TRACE(name);
        std::size_t lines = most;
        EXPECT_EQ(lanes.end_of_lines(bytes.data(), size, &lines), end) << size << ' ' << most;
        EXPECT_EQ(lines, count) << size << ' ' << most;
      }
    }
  }
}

}  // namespace

}  // namespace mollify::detail
