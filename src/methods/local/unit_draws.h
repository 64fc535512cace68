// A local release drawn in parts, by a key, from records that others have counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "methods/local/release.h"
#include "methods/local/sampler.h"
#include "records/keyed_units.h"
#include "records/sink.h"
#include "records/source.h"
#include "records/tallies.h"

namespace mollify {

/// Draws for the units of one part of a release, whose counts come unit after unit.
///
/// All words of a unit's draws, and of the values that are written for them, are its own under the
/// key (KeyedUnits), in the context of the release's certificate. Equal counts, in whatever order
/// and however many rows, give the same records wherever the processor makes equal integers of
/// them. Other counts, other integers, another release and another key give independent words.
///
/// A unit that is split between two parts is drawn twice: the part's maker must prevent
/// it.
class UnitDraws {
 public:
  /// `certificate` is the text of the release's. `release` must outlive this.
  UnitDraws(const LocalRelease& release, const ReleaseKey& key, std::string_view certificate);

  /// Reads rows of the columns `unit`, `records` (their words, 4 bytes each) and `counts` (8 bytes
  /// each, all in the processor's order), one unit's after the other's. Writes the records of every
  /// unit that another one follows, and if this part is the last one, of all: in the order in which
  /// they came, with a roster each with its unit first.
  ///
  /// Total in the rows: wrong records are skipped, and so are records without
  /// counts.
  void draw(const Source& counted, bool is_last, Sink& sink);

  /// Of releases without a roster: two words for each record that the last `draw` wrote. Records of
  /// all parts are to be put in the order of these, for the order of units tells whose each is.
  [[nodiscard]] std::span<const std::array<std::uint64_t, 2>> places() const { return places_; }

 private:
  void add(std::string_view records, std::string_view counts);
  [[nodiscard]] bool is_record(const std::uint32_t* words) const;
  void draw_unit(RecordWriter& writer);
  void sort_records();
  void begin_words();
  [[nodiscard]] SecureRandom& draw_outcomes();
  [[nodiscard]] SecureRandom& draw_scored();
  [[nodiscard]] SecureRandom& draw_fresh(const MixedPoints& rows, SecureRandom& before);
  [[nodiscard]] std::vector<std::uint32_t> scored_digits(SecureRandom& random) const;

  const LocalRelease& release_;
  bool by_outcome_;
  std::size_t width_;  // words of a record
  KeyedUnits words_;
  std::optional<ScoredTable> scored_{};
  std::vector<std::array<std::uint64_t, 2>> places_;

  std::optional<std::string> unit_{};  // that is coming, and its records
  std::vector<std::uint32_t> records_;
  std::vector<std::uint64_t> counts_;

  std::vector<std::size_t> order_;  // of these, at work
  std::vector<double> weights_;
  std::vector<std::uint32_t> outcomes_;  // drawn for it
  std::vector<std::uint32_t> fresh_;     // of fresh candidates: the digits of each of these
};

}  // namespace mollify
