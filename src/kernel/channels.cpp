#include "kernel/channels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/invalid_input.h"
#include "core/ranges.h"
#include "kernel/search.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Many exact draws from one table, each in constant time.

AliasTable::AliasTable(const Table& table)
    : below_total_(table.band().total()),
      below_columns_(table.numerators().size()),
      thresholds_(table.numerators().size()),
      aliases_(table.numerators().size()) {
  const std::size_t count = thresholds_.size();
  const std::uint64_t total = below_total_.bound();
  std::vector<uint128> parts(count);
  std::vector<std::uint32_t> short_columns;
  std::vector<std::uint32_t> long_columns;
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = static_cast<uint128>(table.numerators()[i]) * count;
    (parts[i] < total ? short_columns : long_columns).push_back(static_cast<std::uint32_t>(i));
  }
  // Invariant: the parts of the columns still open sum to N for each of them, so while a short one
  // is open a long one is too, and at the end every open column holds exactly N of its own.
  while (!short_columns.empty()) {
    const std::uint32_t low = short_columns.back();
    const std::uint32_t high = long_columns.back();
    short_columns.pop_back();
    thresholds_[low] = static_cast<std::uint64_t>(parts[low]);
    aliases_[low] = high;
    parts[high] -= total - parts[low];
    if (parts[high] < total) {
      long_columns.pop_back();
      short_columns.push_back(high);
    }
  }
  for (const std::uint32_t i : long_columns) {
    thresholds_[i] = total;
    aliases_[i] = i;
  }
}

// -----------------------------------------------------------------------------------------------
// k-ary randomized response.

RandomizedResponse::RandomizedResponse(std::size_t outcome_count, double epsilon,
                                       std::uint64_t records, std::uint64_t chosen)
    : bound_(epsilon), outcome_count_(outcome_count), records_(records), chosen_(chosen) {
  require_between({"the number of outcomes", "k", "outcomes"}, outcome_count, 1,
                  Band::kMostOutcomes);
  require_between({"the number of records", "n", "records"}, records, 1, kMostRecords);
  if (chosen < 1 || chosen > records) {
    MOLLIFY_REFUSE(InvalidInput("out-of-range",
                                "the number of chosen records must be from 1 to all " +
                                    std::to_string(records) + ", but is " + std::to_string(chosen),
                                "chosen"));
  }
  // The odds K : L in parts of 2^shift, below 2^94.
  const std::uint64_t one = std::uint64_t{1} << bound_.shift();
  const uint128 odds = one + uint128{records} * (bound_.mantissa() - one) / chosen;
  // The greatest L for which K + (k - 1) L stays at most 2^62: L (odds + k - 1) <= 2^62. Numerator
  // and denominator are below 2^115 and 2^95. If the odds alone are greater, L is 1 and K is
  // cut.
  const uint128 denominator = odds + (uint128{outcome_count - 1} << bound_.shift());
  other_ =
      static_cast<std::uint64_t>((uint128{Band::kGreatestTotal} << bound_.shift()) / denominator);
  if (other_ == 0) other_ = 1;
  const uint128 kept = (other_ * odds) >> bound_.shift();
  const std::uint64_t room = Band::kGreatestTotal - other_ * (outcome_count - 1);
  kept_ = kept < room ? static_cast<std::uint64_t>(kept) : room;
  if (outcome_count == 1) other_ = 0;
  below_total_ = UniformBelow(kept_ + other_ * (outcome_count - 1));
  if (outcome_count > 1) below_others_ = UniformBelow(outcome_count - 1);
}

// -----------------------------------------------------------------------------------------------
// A public integer matrix given row by row.

MatrixChannel MatrixChannel::make(std::span<const double> rows, std::size_t outcome_count,
                                  double epsilon) {
  const ExpBound bound(epsilon);
  if (outcome_count == 0 || rows.empty() || rows.size() % outcome_count != 0 ||
      rows.size() > Band::kMostOutcomes) {
    MOLLIFY_REFUSE(InvalidInput("wrong-shape",
                                "the generators must be rows of " + std::to_string(outcome_count) +
                                    " masses, at most 16777216 in all, but there are " +
                                    std::to_string(rows.size()) + " masses",
                                "channel"));
  }
  const std::size_t row_count = rows.size() / outcome_count;
  std::vector<double> sums;
  std::vector<double> mean(outcome_count);
  for (std::size_t x = 0; x < row_count; ++x) {
    const std::span<const double> row = rows.subspan(x * outcome_count, outcome_count);
    sums.push_back(detail::validated_mass_sum(row));
    for (std::size_t j = 0; j < outcome_count; ++j) {
      mean[j] += row[j] / sums[x] / static_cast<double>(row_count);
    }
  }
  // Rows that reach e^epsilon in doubles exceed Ebar, which is 2^-40 less. Moved this little
  // towards their mean, and so staying in their own hull, they do not.
  const double pull = 0x1p-38 / (1 - 1 / bound.value());
  MatrixChannel channel;
  channel.outcome_count_ = outcome_count;
  channel.prefix_.reserve(row_count * (outcome_count + 1));
  std::vector<uint128> cumulative(outcome_count + 1);
  for (std::size_t x = 0; x < row_count; ++x) {
    for (std::size_t j = 0; j < outcome_count; ++j) {
      const double share = rows[x * outcome_count + j] / sums[x];
      const double pulled = share + pull * (mean[j] - share);
      cumulative[j + 1] = cumulative[j] + static_cast<uint128>(pulled * 0x1p62);
    }
    // One part for each outcome and the rest by rounding the cumulative sum, which adds up to the
    // total whatever the floating point did.
    const uint128 rest = kTotal - outcome_count;
    for (std::size_t j = 0; j <= outcome_count; ++j) {
      const uint128 before = cumulative[j] * rest / cumulative[outcome_count];
      channel.prefix_.push_back(static_cast<std::uint64_t>(before + j));
    }
  }
  for (std::size_t j = 0; j < outcome_count; ++j) {
    const Extremes column = channel.column(j);
    if (!bound.allows(column.greatest, column.least)) {
      [[maybe_unused]] const double factor =
          static_cast<double>(column.greatest) / static_cast<double>(column.least);
      MOLLIFY_REFUSE(InvalidInput("out-of-range",
                                  "generators may differ by at most e^" +
                                      detail::shortest(bound.epsilon()) +
                                      " at each outcome, but at outcome " + std::to_string(j) +
                                      " they differ by a factor of " + detail::shortest(factor),
                                  "channel", {}, {{"given", factor}, {"most", bound.value()}}));
    }
  }
  return channel;
}

Extremes MatrixChannel::column(std::size_t j) const {
  Extremes entries{entry(0, j), entry(0, j)};
  for (std::size_t x = 1; x < input_count(); ++x) {
    entries.greatest = std::max(entries.greatest, entry(x, j));
    entries.least = std::min(entries.least, entry(x, j));
  }
  return entries;
}

bool MatrixChannel::satisfies(const ExpBound& bound) const {
  for (std::size_t j = 0; j < outcome_count_; ++j) {
    const Extremes entries = column(j);
    if (!bound.allows(entries.greatest, entries.least)) return false;
  }
  return true;
}

std::size_t MatrixChannel::locate(std::size_t row, std::uint64_t position) const {
  const std::size_t inside = row < input_count() ? row : 0;
  const auto begin = prefix_.begin() + static_cast<std::ptrdiff_t>(inside * (outcome_count_ + 1));
  const auto end = begin + static_cast<std::ptrdiff_t>(outcome_count_ + 1);
  return static_cast<std::size_t>(std::upper_bound(begin, end, position) - begin) - 1;
}

// -----------------------------------------------------------------------------------------------
// Keep the value or replace it by a draw from a public reference, with exact probabilities.

MixtureChannel::MixtureChannel(std::span<const double> reference) {
  const double sum = detail::validated_mass_sum(reference);
  prefix_.resize(reference.size() + 1);
  for (std::size_t j = 0; j < reference.size(); ++j) {
    const double share = std::floor(reference[j] / sum * 0x1p62);
    prefix_[j + 1] = prefix_[j] + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  }
}

MixtureChannel MixtureChannel::pure(std::span<const double> reference, double epsilon) {
  const ExpBound bound(epsilon);
  MixtureChannel channel(reference);
  if (channel.outcome_count() == 1) return channel;
  std::size_t rarest = 0;
  for (std::size_t j = 1; j < channel.outcome_count(); ++j) {
    if (channel.reference(j) < channel.reference(rarest)) rarest = j;
  }
  // The ratio of the rarest outcome's column grows with a, so bisection ends at the largest.
  std::uint64_t refused = kKeepTotal;
  for (std::uint64_t allowed = 0; refused - allowed > 1;) {
    const std::uint64_t middle = allowed + (refused - allowed) / 2;
    channel.keep_ = middle;
    const Extremes entries = channel.column(rarest);
    (bound.allows(entries.greatest, entries.least) ? allowed : refused) = middle;
  }
  channel.keep_ = refused - 1;
  return channel;
}

MixtureChannel MixtureChannel::with_weight(std::span<const double> reference, double weight) {
  require_between({"the weight of the value", ""}, weight, 0, 1);
  return with_kept(reference, static_cast<std::uint64_t>(weight * static_cast<double>(kKeepTotal)));
}

MixtureChannel MixtureChannel::with_kept(std::span<const double> reference, std::uint64_t kept) {
  require_between({"the parts of 2^62 that keep the value", ""}, kept, 0, kKeepTotal);
  MixtureChannel channel(reference);
  channel.keep_ = kept;
  return channel;
}

Extremes MixtureChannel::column(std::size_t j) const {
  const uint128 least = replaced_entry(j);
  return {kept_entry() + least, outcome_count() > 1 ? least : kept_entry() + least};
}

bool MixtureChannel::satisfies(const ExpBound& bound) const {
  for (std::size_t j = 0; j < outcome_count(); ++j) {
    const Extremes entries = column(j);
    if (!bound.allows(entries.greatest, entries.least)) return false;
  }
  return true;
}

std::size_t MixtureChannel::locate(std::uint64_t position) const {
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  return static_cast<std::size_t>(after - prefix_.begin()) - 1;
}

// -----------------------------------------------------------------------------------------------
// The public-data kernel of Zamanlooy, Diaz and Asoodeh as an exact integer matrix.

namespace {

/// About x * share for a share in [0, 1], to 2^-52 relative, and never above x.
uint128 part_of(uint128 x, double share) {
  int exponent = 0;
  const double fraction = std::frexp(share, &exponent);  // share = fraction 2^exponent
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const uint128 low = static_cast<uint128>(static_cast<std::uint64_t>(x)) * mantissa;
  const uint128 high = (x >> 64) * mantissa + (low >> 64);
  // (high 2^64 + low's low half) / 2^(53 - exponent); high stays below 2^(62 + 53).
  const int shift = 53 - exponent;
  if (shift >= 64 + 116) return 0;
  if (shift >= 64) return high >> (shift - 64);
  return std::min(x, (high << (64 - shift)) | (static_cast<std::uint64_t>(low) >> shift));
}

}  // namespace

StaircaseChannel StaircaseChannel::make(std::span<const double> reference, double epsilon) {
  const ExpBound bound(epsilon);
  const double sum = detail::validated_mass_sum(reference);
  std::vector<std::uint32_t> order(reference.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return reference[a] < reference[b]; });
  StaircaseChannel channel = in_order(reference, sum, std::move(order), bound);
  if (!channel.satisfies(bound)) {
    MOLLIFY_REFUSE(InvalidInput(
        "not-representable",
        "the public-data kernel of this reference cannot be built exactly at epsilon "
        "= " +
            detail::shortest(epsilon) + ": its smallest mass is too small next to the others",
        "reference"));
  }
  return channel;
}

StaircaseChannel StaircaseChannel::in_order(std::span<const double> reference, double sum,
                                            std::vector<std::uint32_t> order,
                                            const ExpBound& bound) {
  const std::size_t count = reference.size();
  StaircaseChannel channel;
  channel.order_ = std::move(order);
  channel.rank_.resize(count);
  channel.prefix_.resize(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    channel.rank_[channel.order_[i]] = static_cast<std::uint32_t>(i);
    const double share = std::floor(reference[channel.order_[i]] / sum * 0x1p60);
    channel.prefix_[i + 1] =
        channel.prefix_[i] + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  }
  // A hair less than Ebar, so that rounding the entries leaves every column within Ebar itself.
  const double e = bound.value() * (1 - 0x1p-46);
  channel.steps_.resize(count + 1);
  channel.stays_.resize(count);
  channel.moves_.resize(count);
  channel.steps_[0] = channel.total();
  for (std::size_t i = 0; i < count; ++i) {
    const uint128 step = channel.steps_[i];
    const double own = static_cast<double>(channel.weight(i));
    const double after = static_cast<double>(channel.weight_after(i));
    const double w = e * own + after;
    // Of the two parts of the step the smaller is computed and the larger is the rest, so that
    // both are right to many digits.
    const uint128 leaving =
        after < e * own ? part_of(step, after / w) : step - part_of(step, e * own / w);
    channel.steps_[i + 1] = step - part_of(step, own / w);
    channel.stays_[i] = step;
    if (i + 1 == count) break;  // the last outcome moves nowhere
    // Moves are the least entries of their columns, so they are rounded up, at the cost of d.
    channel.moves_[i] = leaving / channel.weight_after(i) + 1;
    if (i > 0) channel.moves_[i] = std::min(channel.moves_[i], channel.moves_[i - 1]);
    channel.stays_[i] -= std::max(leaving, channel.moves_[i] * channel.weight_after(i));
  }
  channel.last_column_ = {channel.stays_[count - 1], channel.stays_[count - 1]};
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const uint128 entry = channel.moves_[i] * channel.weight(count - 1) + channel.rest_entry(i);
    channel.last_column_.greatest = std::max(channel.last_column_.greatest, entry);
    channel.last_column_.least = std::min(channel.last_column_.least, entry);
  }
  return channel;
}

uint128 StaircaseChannel::entry(std::size_t x, std::size_t j) const {
  const std::size_t from = rank_[x];
  const std::size_t to = rank_[j];
  if (to < from) return stop_entry(to);
  if (to == from) return stay_entry(from);
  return moves_[from] * weight(to) + (to + 1 == outcome_count() ? rest_entry(from) : 0);
}

Extremes StaircaseChannel::column(std::size_t j) const {
  const std::size_t to = rank_[j];
  if (to + 1 == outcome_count()) return last_column_;
  Extremes entries{stay_entry(to), stay_entry(to)};
  const auto include = [&](uint128 entry) {
    entries.greatest = std::max(entries.greatest, entry);
    entries.least = std::min(entries.least, entry);
  };
  include(stop_entry(to));
  if (to > 0) {
    include(moves_[to - 1] * weight(to));
    include(moves_[0] * weight(to));
  }
  return entries;
}

bool StaircaseChannel::satisfies(const ExpBound& bound) const {
  for (std::size_t j = 0; j < outcome_count(); ++j) {
    const Extremes entries = column(j);
    if (!bound.allows(entries.greatest, entries.least)) return false;
  }
  return true;
}

std::size_t StaircaseChannel::outcome_at(std::size_t x, uint128 position) const {
  const std::size_t rank = rank_[x];
  const uint128 stopped_before = total() - steps_[rank];
  if (position < stopped_before) {
    // steps_ descends: find the last rank whose part of the staircase begins at or before it.
    const uint128 height = total() - position;
    const auto after = std::partition_point(steps_.begin(), steps_.end(),
                                            [&](uint128 step) { return step >= height; });
    return order_[static_cast<std::size_t>(after - steps_.begin()) - 1];
  }
  position -= stopped_before;
  const uint128 staying = stay_entry(rank);
  if (position < staying) return x;
  const uint128 beyond = (position - staying) / moves_[rank];
  if (beyond >= weight_after(rank)) return order_.back();
  return locate_weight(prefix_[rank + 1] + static_cast<std::uint64_t>(beyond));
}

std::size_t StaircaseChannel::locate_weight(std::uint64_t position) const {
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  return order_[static_cast<std::size_t>(after - prefix_.begin()) - 1];
}

}  // namespace mollify
