#include "methods/local/unit_draws.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "base/sha256.h"
#include "domain/column.h"
#include "methods/local/method.h"
#include "records/values.h"

namespace mollify {

namespace {

std::string_view bytes_at(const Values& column, std::size_t row) {
  const Value value = column[row];
  const auto* bytes = std::get_if<std::string_view>(&value);
  return bytes != nullptr ? *bytes : std::string_view();
}

std::string digest(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

/// `count` of the places below `all`, ascending, each set of them alike (R. Floyd).
std::set<uint128> chosen_places(uint128 all, std::uint64_t count, SecureRandom& random) {
  std::set<uint128> chosen;
  for (uint128 last = all - count; last < all; ++last) {
    const uint128 place = wide_below(last + 1, random);
    chosen.insert(chosen.contains(place) ? last : place);
  }
  return chosen;
}

}  // namespace

UnitDraws::UnitDraws(const LocalRelease& release, const ReleaseKey& key,
                     std::string_view certificate)
    : release_(release),
      by_outcome_(release.space().domain().is_enumerable()),
      width_(by_outcome_ ? 1 : release.space().domain().columns().size()),
      words_(key, digest(certificate)) {
  if (draws_by_scores(*release.certificate().as<LocalDesign>()))
    scored_.emplace(*release.sampler().band());
}

void UnitDraws::draw(const Source& counted, bool is_last, Sink& sink) {
  RecordWriter writer(release_.space().domain(), sink,
                      release_.roster() ? release_.certificate().spec.unit : UnitColumns());
  places_.clear();
  const std::array<std::size_t, 3> wanted = {counted.position("unit", "of counted records"),
                                             counted.position("records", "of counted records"),
                                             counted.position("counts", "of counted records")};
  counted.visit(wanted, [&](const Block& block) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::string_view name = bytes_at(block.columns[0], row);
      if (unit_ != name) {
        if (unit_) draw_unit(writer);
        unit_ = name;
      }
      add(bytes_at(block.columns[1], row), bytes_at(block.columns[2], row));
    }
  });
  if (is_last && unit_) {
    draw_unit(writer);
    unit_.reset();
  }
  writer.finish();
}

bool UnitDraws::is_record(const std::uint32_t* words) const {
  const Domain& domain = release_.space().domain();
  if (by_outcome_) return *words < domain.size();
  for (std::size_t i = 0; i < width_; ++i) {
    if (words[i] >= domain.columns()[i].size()) return false;
  }
  return true;
}

void UnitDraws::add(std::string_view records, std::string_view counts) {
  const std::size_t all = counts.size() / sizeof(std::int64_t);
  const std::size_t bytes = width_ * sizeof(std::uint32_t);
  if (records.size() != all * bytes || counts.size() != all * sizeof(std::int64_t)) return;
  for (std::size_t i = 0; i < all; ++i) {
    std::int64_t count = 0;
    std::memcpy(&count, &counts[i * sizeof count], sizeof count);
    records_.resize(records_.size() + width_);
    std::uint32_t* const words = &records_[records_.size() - width_];
    std::memcpy(words, &records[i * bytes], bytes);
    if (count > 0 && is_record(words)) {
      counts_.push_back(std::min(static_cast<std::uint64_t>(count), kGreatestCount));
    } else {
      records_.resize(records_.size() - width_);
    }
  }
}

/// Leaves distinct records, ascending.
void UnitDraws::sort_records() {
  const auto words = [this](std::size_t i) { return &records_[i * width_]; };
  order_.resize(counts_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto is_before = [&](std::size_t left, std::size_t right) {
    return std::lexicographical_compare(words(left), words(left) + width_, words(right),
                                        words(right) + width_);
  };
  if (!std::is_sorted(order_.begin(), order_.end(), is_before)) {
    std::sort(order_.begin(), order_.end(), is_before);
  }
  std::vector<std::uint32_t> records;
  std::vector<std::uint64_t> counts;
  records.reserve(records_.size());
  counts.reserve(counts_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::size_t at = order_[i];
    if (i > 0 && !is_before(order_[i - 1], at)) {
      counts.back() = sum_of_counts(counts.back(), counts_[at]);
      continue;
    }
    records.insert(records.end(), words(at), words(at) + width_);
    counts.push_back(counts_[at]);
  }
  records_.swap(records);
  counts_.swap(counts);
}

/// Of digits the list of all records' is what is tallied: the first of each has the record's count,
/// the others none, and their number is public.
void UnitDraws::begin_words() {
  weights_.assign(records_.size(), 0);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    weights_[i * width_] = static_cast<double>(counts_[i]);
  }
  words_.begin(*unit_, records_, weights_);
}

void UnitDraws::draw_unit(RecordWriter& writer) {
  sort_records();
  begin_words();
  SecureRandom& random = draw_outcomes();
  const ReleaseSpace& space = release_.space();
  const std::size_t columns = space.domain().columns().size();
  for (const std::uint32_t outcome : outcomes_) {
    if (!release_.roster()) places_.push_back({random.word(), random.word()});
    if (space.is_fresh()) {
      writer.write_digits(std::span(fresh_).subspan(outcome * columns, columns), random, *unit_);
    } else if (space.candidates()) {
      writer.write_digits((*space.candidates())[outcome], random, *unit_);
    } else {
      writer.write_outcome(outcome, random, *unit_);
    }
  }
  records_.clear();
  counts_.clear();
}

/// Returns the words that the records are written by.
SecureRandom& UnitDraws::draw_outcomes() {
  outcomes_.resize(*release_.certificate().spec.count);
  if (scored_) return draw_scored();
  SecureRandom* random = nullptr;
  const auto words = [&](const LawIntegers& law) -> SecureRandom& {
    return *(random = &words_.of_law(law, outcomes_.size()));
  };
  release_.sampler().draw_by_law({records_, weights_}, words, outcomes_);
  return *random;
}

SecureRandom& UnitDraws::draw_scored() {
  const ReleaseSpace& space = release_.space();
  SecureRandom& before = words_.before_law();
  const MixedPoints rows = space.layout().points(scored_digits(before));
  if (space.is_fresh()) return draw_fresh(rows, before);
  scored_->assign(*release_.scorer(), rows, space.densities());
  SecureRandom& random = words_.of_law(integers_of(scored_->table()), outcomes_.size());
  draw_all(scored_->table(), random, outcomes_);
  return random;
}

/// The list is what is drawn from, and so a part of the law.
SecureRandom& UnitDraws::draw_fresh(const MixedPoints& rows, SecureRandom& before) {
  const ReleaseSpace& space = release_.space();
  const Candidates list = space.fresh_candidates(before);
  const auto scorer =
      make_scorer(release_.certificate().as<LocalDesign>()->scorer,
                  space.layout().points(list.digits()), release_.certificate().draw.parameter());
  scored_->assign(*scorer, rows, list.densities());
  LawIntegers law = integers_of(scored_->table());
  law.outcomes = list.digits();
  SecureRandom& random = words_.of_law(law, outcomes_.size());
  draw_all(scored_->table(), random, outcomes_);
  fresh_.clear();
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    const auto record = list[outcomes_[i]];
    fresh_.insert(fresh_.end(), record.begin(), record.end());
    outcomes_[i] = static_cast<std::uint32_t>(i);
  }
  return random;
}

std::vector<std::uint32_t> UnitDraws::scored_digits(SecureRandom& random) const {
  const Domain& domain = release_.space().domain();
  std::vector<std::uint32_t> digits;
  const auto append = [&](std::size_t i) {
    for (std::size_t column = 0; column < domain.columns().size(); ++column) {
      digits.push_back(by_outcome_ ? domain.digit(records_[i], column)
                                   : records_[i * width_ + column]);
    }
  };
  const uint128 all = std::accumulate(counts_.begin(), counts_.end(), uint128{0});
  if (all <= kMostScoredRows) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      for (std::uint64_t record = 0; record < counts_[i]; ++record) append(i);
    }
    return digits;
  }
  std::size_t i = 0;
  uint128 end = counts_[0];
  for (const uint128 place : chosen_places(all, kMostScoredRows, random)) {
    while (place >= end) end += counts_[++i];
    append(i);
  }
  return digits;
}

}  // namespace mollify
