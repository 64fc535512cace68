// The search for separators in a CSV file's bytes, once for each instruction set. Chosen at run
// time: one binary works on every processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mollify::detail {

/// The separators found in some bytes.
struct SeparatorCounts {
  std::size_t separators;
  std::size_t line_feeds;
  bool has_quotes;
};

struct CsvLanes {
  /// How many places more than there are bytes `find_separators` may write to.
  static constexpr std::size_t kSpare = 8;

  /// The places of all commas and line feeds, and in `line_feeds` which of these places are line
  /// feeds. There may be at most 2^32 - 1 bytes.
  SeparatorCounts (*find_separators)(const char* bytes, std::size_t size, std::uint32_t* places,
                                     std::uint32_t* line_feeds);

  /// Behind the last line feed among the first `*lines` ones, 0 if there is none; sets `*lines` to
  /// how many of them there are.
  std::size_t (*end_of_lines)(const char* bytes, std::size_t size, std::size_t* lines);

  static const CsvLanes kBaseline, kAvx2;
};

}  // namespace mollify::detail
