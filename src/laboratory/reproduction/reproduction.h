// Every figure and table of the sources that is computed here, by name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laboratory/figure/figure.h"
#include "laboratory/figure/figure_files.h"

namespace mollify {

/// How much is computed.
struct ReproductionOptions {
  /// Fewer cells, repeats and steps of learning: seconds for all, for tests. Closed forms stay.
  bool quick = false;
  /// Settles samples and learning.
  std::uint64_t seed = 2026;
  /// Told about each part that is done; may be empty.
  std::function<void(const std::string& part)> progress = nullptr;

  void tell(const std::string& part) const {
    if (progress) progress(part);
  }
};

/// One figure or table, or several that show the same runs.
struct Reproduction {
  std::string_view id;
  std::string_view source;  ///< as a reader would cite it
  std::string_view title;
  Figure (*make)(const ReproductionOptions& options);
};

/// In the order of the sources. NOT PRIVATE: all start from a P that is known, or compare with a
/// baseline; everything random comes from the seed.
[[nodiscard]] std::span<const Reproduction> reproductions();

/// What a reader who knows none of the sources needs to be told first.
[[nodiscard]] std::span<const PageWord> words_of_reproductions();

/// The figure, with id, source and title as listed.
[[nodiscard]] Figure reproduced(const Reproduction& reproduction,
                                const ReproductionOptions& options);

}  // namespace mollify
