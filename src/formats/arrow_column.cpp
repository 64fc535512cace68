#include "formats/arrow_column.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/refusal.h"
#include "core/invalid_input.h"
#include "domain/time_text.h"
#include "domain/zones.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Decimal numbers as text.

namespace {

using Limbs = std::array<std::uint32_t, 8>;  // the lowest first

void negate(Limbs& limbs) noexcept {
  std::uint64_t carry = 1;
  for (std::uint32_t& limb : limbs) {
    carry += static_cast<std::uint32_t>(~limb);
    limb = static_cast<std::uint32_t>(carry);
    carry >>= 32U;
  }
}

std::size_t count_used(const Limbs& limbs) noexcept {
  std::size_t used = limbs.size();
  while (used > 0 && limbs[used - 1] == 0) --used;
  return used;
}

/// Divides by 10^9; returns what is left.
std::uint32_t take_nine_digits(Limbs& limbs, std::size_t used) noexcept {
  constexpr std::uint64_t kDivisor = 1'000'000'000;
  std::uint64_t left = 0;
  for (std::size_t i = used; i-- > 0;) {
    left = left << 32U | limbs[i];
    limbs[i] = static_cast<std::uint32_t>(left / kDivisor);
    left %= kDivisor;
  }
  return static_cast<std::uint32_t>(left);
}

}  // namespace

void append_decimal(const void* integer, DecimalForm form, std::string& text) {
  Limbs limbs{};
  const std::size_t held = form.bytes / sizeof(std::uint32_t);
  std::memcpy(limbs.data(), integer, form.bytes);
  if constexpr (std::endian::native == std::endian::big) {
    std::reverse(limbs.begin(), limbs.begin() + held);
  }
  if (limbs[held - 1] >> 31U != 0) {
    for (std::size_t i = held; i < limbs.size(); ++i) limbs[i] = ~std::uint32_t{0};
    negate(limbs);
    text += '-';
  }
  std::array<char, 81> buffer{};  // 2^255 has 77 digits
  std::size_t first = buffer.size();
  for (std::size_t used = count_used(limbs); used > 0; used = count_used(limbs)) {
    std::uint32_t nine = take_nine_digits(limbs, used);
    for (int i = 0; i < 9; ++i) {
      buffer[--first] = static_cast<char>('0' + nine % 10);
      nine /= 10;
    }
  }
  while (first < buffer.size() && buffer[first] == '0') ++first;
  const std::string_view digits(buffer.data() + first, buffer.size() - first);
  if (form.scale <= 0) {
    text += digits.empty() ? "0" : digits;
    if (!digits.empty()) text.append(static_cast<std::size_t>(-form.scale), '0');
    return;
  }
  const auto after_point = static_cast<std::size_t>(form.scale);
  if (digits.size() <= after_point) {
    text.append("0.").append(after_point - digits.size(), '0').append(digits);
    return;
  }
  const std::size_t before_point = digits.size() - after_point;
  text.append(digits.substr(0, before_point)).append(1, '.').append(digits.substr(before_point));
}

// -----------------------------------------------------------------------------------------------
// One column of Arrow arrays, read as values.

namespace {

using enum ArrowLayout;

/// No array is longer: a longer one is refused, and places times sizes stay in 64 bits.
constexpr std::int64_t kMostValues = std::int64_t{1} << 40U;
constexpr std::int64_t kMostOfFixedSize = std::int64_t{1} << 20U;
constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

// Buffers do not have to be aligned.
template <class T>
T loaded(const void* buffer, std::size_t index) noexcept {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + index * sizeof(T), sizeof(T));
  return value;
}

/// How Arrow holds days and instants: the beginning of the format's name, or all of it.
struct MomentFormat {
  std::string_view name;
  ArrowLayout layout;
  MomentForm form;
};

const MomentFormat* moments_of(std::string_view format) {
  using enum MomentForm::Kind;
  static constexpr std::array<MomentFormat, 6> kFormats = {
      {{"tdD", kInt32, {kDay}},
       {"tdm", kDate64, {kDay}},
       {"tss:", kInt64, {kInstant, 1}},
       {"tsm:", kInt64, {kInstant, 1'000}},
       {"tsu:", kInt64, {kInstant, 1'000'000}},
       {"tsn:", kInt64, {kInstant, 1'000'000'000}}}};
  const auto* const found = std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& one) {
    return one.name == format || (one.name.ends_with(':') && format.starts_with(one.name));
  });
  return found == kFormats.end() ? nullptr : found;
}

/// The clock that a column of times is labelled with; false for a zone that is unknown here.
bool set_zone(std::string_view zone, MomentForm& form) {
  if (zone == "UTC") zone = "Z";  // without zone data, too
  if (const auto offset = read_offset(zone)) {
    form.offset = static_cast<std::int32_t>(*offset);
  } else {
    form.zone = Zone::find(zone);
  }
  return form.states_offset();
}

std::optional<ArrowLayout> layout_of(std::string_view format) {
  constexpr std::string_view kLetters = "nbcsilCSILfg";
  constexpr std::array kLayouts = {kNull,  kBoolean, kInt8,   kInt16,  kInt32, kInt64,
                                   kUint8, kUint16,  kUint32, kUint64, kFloat, kDouble};
  if (format.size() == 1) {
    const std::size_t letter = kLetters.find(format[0]);
    if (letter != std::string_view::npos) return kLayouts[letter];
  }
  if (format == "u" || format == "z") return kText;
  if (format == "U" || format == "Z") return kLargeText;
  if (format == "vu" || format == "vz") return kTextView;
  if (const MomentFormat* const moments = moments_of(format)) return moments->layout;
  if (format.starts_with("d:")) return kDecimal;
  return std::nullopt;
}

/// "d:digits,scale" of 128 bits, or "d:digits,scale,bits". The precision is not believed: every
/// digit that is held is read.
std::optional<DecimalForm> decimal_form_of(std::string_view format) {
  constexpr int kDecimalDigits = 76;
  std::array<int, 3> parts = {0, 0, 128};
  const char* at = format.data() + 2;
  const char* const end = format.data() + format.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [after, error] = std::from_chars(at, end, parts[i]);
    if (error != std::errc()) return std::nullopt;
    at = after;
    if (at == end) {
      if (i == 0) return std::nullopt;
      break;
    }
    if (*at++ != ',' || i + 1 == parts.size()) return std::nullopt;
  }
  const auto [digits, scale, bits] = parts;
  const bool is_width = bits == 32 || bits == 64 || bits == 128 || bits == 256;
  if (!is_width || digits < 1 || digits > kDecimalDigits || std::abs(scale) > kDecimalDigits) {
    return std::nullopt;
  }
  return DecimalForm{static_cast<std::uint8_t>(bits / 8), static_cast<std::int8_t>(scale)};
}

/// True for values that would be read as others than they mean. The months of a period, counted
/// from 1970, are not integers of a table. The bytes of a geometry or of a long integer are not a
/// text. Truths of 8 bits are 0 and 1, and extended texts are texts.
bool means_more_than_it_holds(const ArrowSchema& schema) {
  const std::string_view name = extension_of(schema);
  const std::string_view format = schema.format;
  return !name.empty() && name != "arrow.bool8" && format != "u" && format != "U" && format != "vu";
}

std::optional<ArrowLists> lists_of(std::string_view format) {
  if (format == "+l") return ArrowLists{.form = ArrowLists::Form::kSmall};
  if (format == "+L") return ArrowLists{.form = ArrowLists::Form::kLarge};
  if (!format.starts_with("+w:")) return std::nullopt;
  ArrowLists lists{.form = ArrowLists::Form::kFixed};
  const std::string_view digits = format.substr(3);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), lists.size);
  const bool is_size = error == std::errc() && end == digits.data() + digits.size();
  if (!is_size || lists.size < 0 || lists.size > kMostOfFixedSize) return std::nullopt;
  return lists;
}

bool is_integer(ArrowLayout layout) { return layout >= kInt8 && layout <= kUint64; }

/// The double whose text is the shortest one that reads back as the number of 32 bits: 0.1, and not
/// 0.10000000149011612. That text is what programs write into files, and files give the same cells.
double shortest_double(float number) noexcept {
  constexpr float kAllWhole = 0x1p24F;
  if (!std::isfinite(number) || (std::fabs(number) <= kAllWhole && number == std::trunc(number))) {
    return number;
  }
  std::array<char, 32> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  double read = number;
  std::from_chars(digits.data(), end, read);
  return read;
}

/// Calls take(T()) with the type of an integer of this layout.
template <class Take>
void with_integer(ArrowLayout layout, Take take) {
  switch (layout) {
    case kInt8:
      return take(std::int8_t{});
    case kInt16:
      return take(std::int16_t{});
    case kInt32:
      return take(std::int32_t{});
    case kUint8:
      return take(std::uint8_t{});
    case kUint16:
      return take(std::uint16_t{});
    case kUint32:
      return take(std::uint32_t{});
    case kUint64:
      return take(std::uint64_t{});
    case kInt64:
    case kDate64:
    case kNull:
    case kBoolean:
    case kFloat:
    case kDouble:
    case kText:
    case kLargeText:
    case kTextView:
    case kDecimal:
      break;
  }
  return take(std::int64_t{});
}

[[noreturn]] void refuse_shape(std::string_view name, std::string_view must, std::int64_t is) {
  refuse_input("malformed-table", {}, "{} must {}, but has {}", name, must, is);
}

void require_extent(const ArrowArray& array, std::string_view name) {
  if (array.length < 0 || array.length > kMostValues) {
    refuse_shape(name, fmt::format("have from 0 to {} values", kMostValues), array.length);
  }
  if (array.offset < 0 || array.offset > kMostValues) {
    refuse_shape(name, fmt::format("have an offset from 0 to {}", kMostValues), array.offset);
  }
}

void require_plain_shape(ArrowLayout layout, const ArrowArray& array, std::string_view name) {
  const auto refuse = [name](std::string_view must, std::int64_t is) {
    refuse_shape(name, must, is);
  };
  require_extent(array, name);
  if (array.n_children != 0) refuse("have no children", array.n_children);
  if (layout == kNull) {  // 0 buffers today, 1 in the format's early versions
    if (array.n_buffers < 0 || array.n_buffers > 1) refuse("have no buffer", array.n_buffers);
    if (array.n_buffers == 1 && array.buffers == nullptr) refuse("have no buffer", 1);
    return;
  }
  const bool is_text = layout == kText || layout == kLargeText;
  const std::int64_t buffers = is_text ? 3 : 2;
  if (layout == kTextView) {
    // Validity, views, any number of texts, and the lengths of these.
    if (array.n_buffers < 3) refuse("have at least 3 buffers", array.n_buffers);
  } else if (array.n_buffers != buffers) {
    refuse(fmt::format("have {} buffers", buffers), array.n_buffers);
  }
  refuse_if(array.buffers == nullptr, "malformed-table", {}, "{} must have buffers", name);
  if (array.length == 0) return;
  refuse_if(array.buffers[1] == nullptr, "malformed-table", {},
            "{} must have a buffer of values, but has none", name);
  const auto last = static_cast<std::size_t>(array.offset + array.length);
  refuse_if(is_text && array.buffers[2] == nullptr &&
                (layout == kText ? loaded<std::int32_t>(array.buffers[1], last)
                                 : loaded<std::int64_t>(array.buffers[1], last)) > 0,
            "malformed-table", {}, "{} must have a buffer of texts, but has none", name);
  if (layout == kTextView && array.n_buffers > 3) {
    const auto* sizes = array.buffers[array.n_buffers - 1];
    for (std::int64_t i = 2; i + 1 < array.n_buffers; ++i) {
      refuse_if(
          sizes == nullptr || (array.buffers[i] == nullptr &&
                               loaded<std::int64_t>(sizes, static_cast<std::size_t>(i - 2)) > 0),
          "malformed-table", {}, "{} must have its buffers of texts, but lacks one", name);
    }
  }
}

void require_lists_shape(const ArrowLists& lists, const ArrowArray& array, std::string_view name) {
  require_extent(array, name);
  refuse_if(array.n_children != 1 || array.children == nullptr || array.children[0] == nullptr,
            "malformed-table", {}, "{} must have its lists' items, but lacks them", name);
  refuse_if(array.dictionary != nullptr, "malformed-table", {},
            "{} must have no dictionary, but has one", name);
  const bool is_fixed = lists.form == ArrowLists::Form::kFixed;
  const std::int64_t buffers = is_fixed ? 1 : 2;
  if (array.n_buffers != buffers) {
    refuse_shape(name, fmt::format("have {} buffers", buffers), array.n_buffers);
  }
  refuse_if(array.buffers == nullptr, "malformed-table", {}, "{} must have buffers", name);
  refuse_if(!is_fixed && array.length > 0 && array.buffers[1] == nullptr, "malformed-table", {},
            "{} must have a buffer of offsets, but has none", name);
}

void require_length(const ArrowArray& array, std::int64_t length, std::string_view name) {
  if (array.length >= length) return;
  refuse_input("malformed-table", {}, "{} must have {} values, but has {}", name, length,
               array.length);
}

/// The text at a place; nothing if its bounds fall or lie beyond the last.
template <class Offset>
std::optional<std::string_view> text_between(const ArrowArray& array, std::size_t place,
                                             Offset end) noexcept {
  const auto begin = loaded<Offset>(array.buffers[1], place);
  const auto stop = loaded<Offset>(array.buffers[1], place + 1);
  if (begin < 0 || stop < begin || stop > end) return std::nullopt;
  if (stop == begin) return std::string_view();
  return std::string_view(static_cast<const char*>(array.buffers[2]) + begin,
                          static_cast<std::size_t>(stop - begin));
}

std::optional<std::string_view> text_viewed(const ArrowArray& array, std::size_t place) noexcept {
  constexpr std::int32_t kMostInline = 12;
  const char* const view = static_cast<const char*>(array.buffers[1]) + 16 * place;
  const auto length = loaded<std::int32_t>(view, 0);
  if (length < 0) return std::nullopt;
  if (length <= kMostInline) return std::string_view(view + 4, static_cast<std::size_t>(length));
  const auto buffer = loaded<std::int32_t>(view, 2);
  const auto offset = loaded<std::int32_t>(view, 3);
  if (buffer < 0 || buffer >= array.n_buffers - 3 || offset < 0) return std::nullopt;
  const auto size =
      loaded<std::int64_t>(array.buffers[array.n_buffers - 1], static_cast<std::size_t>(buffer));
  if (std::int64_t{offset} + length > size) return std::nullopt;
  return std::string_view(static_cast<const char*>(array.buffers[buffer + 2]) + offset,
                          static_cast<std::size_t>(length));
}

bool same_buffers(const ArrowArray& left, const ArrowArray& right) noexcept {
  return left.length == right.length && left.offset == right.offset &&
         left.null_count == right.null_count && left.n_buffers == right.n_buffers &&
         std::equal(left.buffers, left.buffers + left.n_buffers, right.buffers);
}

}  // namespace

/// A dictionary's values, all of them.
struct ArrowColumn::List {
  explicit List(const ArrowType& type) : column(type) {}

  ArrowColumn column;
  Values values;
};

std::string_view metadata_of(const ArrowSchema& schema, std::string_view wanted) {
  if (schema.metadata == nullptr) return {};
  const char* at = schema.metadata;
  const auto take_size = [&at] {
    const auto size = loaded<std::int32_t>(at, 0);
    at += sizeof(std::int32_t);
    return static_cast<std::size_t>(std::max(size, 0));
  };
  const auto take_text = [&] {
    const std::size_t size = take_size();
    const std::string_view text(at, size);
    at += size;
    return text;
  };
  for (std::size_t left = take_size(); left > 0; --left) {
    const std::string_view key = take_text();
    const std::string_view value = take_text();
    if (key == wanted) return value;
  }
  return {};
}

std::string_view extension_of(const ArrowSchema& schema) {
  return metadata_of(schema, "ARROW:extension:name");
}

std::optional<ArrowType> ArrowType::of(const ArrowSchema& schema) {
  if (schema.format == nullptr || means_more_than_it_holds(schema)) return std::nullopt;
  if (const auto lists = lists_of(schema.format)) {
    const bool has_items = schema.n_children == 1 && schema.children != nullptr &&
                           schema.children[0] != nullptr && schema.dictionary == nullptr;
    auto items = has_items ? of(*schema.children[0]) : std::nullopt;
    if (!items || items->lists) return std::nullopt;
    items->lists = lists;
    return items;
  }
  const auto layout = layout_of(schema.format);
  if (!layout || schema.n_children != 0) return std::nullopt;
  ArrowType type{.layout = *layout};
  if (const MomentFormat* const moments = moments_of(schema.format)) {
    type.moments = moments->form;
    const auto zone = std::string_view(schema.format).substr(moments->name.size());
    if (!zone.empty() && !set_zone(zone, *type.moments)) return std::nullopt;
  }
  if (*layout == kDecimal) {
    const auto form = decimal_form_of(schema.format);
    if (!form) return std::nullopt;
    type.decimal = *form;
  }
  if (schema.dictionary != nullptr) {
    const auto values = of(*schema.dictionary);
    if (!values || values->values || values->lists || !is_integer(*layout) || type.moments) {
      return std::nullopt;
    }
    type = *values;
    type.layout = *layout;
    type.values = values->layout;
  }
  return type;
}

void require_shape(const ArrowType& type, const ArrowArray& array, std::int64_t length,
                   std::string_view name) {
  if (type.lists) {
    require_lists_shape(*type.lists, array, name);
    require_length(array, length, name);
    ArrowType items = type;
    items.lists.reset();
    const std::int64_t size = type.lists->size;  // 0 unless it is fixed
    require_shape(items, *array.children[0], (array.offset + array.length) * size,
                  fmt::format("the items of {}", name));
    return;
  }
  require_plain_shape(type.layout, array, name);
  require_length(array, length, name);
  if ((array.dictionary != nullptr) != type.values.has_value()) {
    refuse_input("malformed-table", {},
                 "{} must have a dictionary if and only if its type has, but {}", name,
                 type.values ? "lacks one" : "has one");
  }
  if (type.values) {
    require_plain_shape(*type.values, *array.dictionary, fmt::format("the dictionary of {}", name));
  }
}

ArrowColumn::ArrowColumn(const ArrowType& type) : type_(type) {}
ArrowColumn::ArrowColumn(ArrowColumn&&) noexcept = default;
ArrowColumn& ArrowColumn::operator=(ArrowColumn&&) noexcept = default;
ArrowColumn::~ArrowColumn() = default;

void ArrowColumn::open(const ArrowArray& array) {
  const ArrowArray* const before = array_;
  array_ = &array;
  if (!type_.values) return;
  if (before != nullptr && same_buffers(*before->dictionary, *array.dictionary)) return;
  // The new list is made before the old one goes: it has another address.
  ArrowType values = type_;
  values.layout = *type_.values;
  values.values.reset();
  auto list = std::make_unique<List>(values);
  list->column.open(*array.dictionary);
  list->values = list->column.read(0, static_cast<std::size_t>(array.dictionary->length));
  list_ = std::move(list);
}

void unpack_bits(const void* bits, std::size_t begin, std::size_t count,
                 std::vector<std::uint8_t>& bytes) {
  bytes.resize(count);
  const auto* const octets = static_cast<const std::uint8_t*>(bits);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bit = begin + i;
    bytes[i] = octets[bit / 8] >> (bit % 8) & 1U;
  }
}

void ArrowColumn::read_validity(const ArrowArray& array, std::size_t begin, std::size_t count) {
  valid_.clear();
  if (array.n_buffers > 0 && array.buffers != nullptr && array.buffers[0] != nullptr &&
      array.null_count != 0) {
    unpack_bits(array.buffers[0], begin, count, valid_);
  }
}

Values ArrowColumn::read(std::size_t begin, std::size_t count,
                         std::span<const std::uint8_t> present) {
  const std::size_t from = begin + static_cast<std::size_t>(array_->offset);
  if (count == 0) return {};
  if (type_.layout == kNull) return Values(count);
  read_validity(*array_, from, count);
  if (!present.empty()) {
    if (valid_.empty()) valid_.assign(count, 1);
    for (std::size_t i = 0; i < count; ++i) valid_[i] &= present[i];
  }
  if (!type_.values) return read_plain(type_.layout, *array_, from, count);
  places_.resize(count);
  with_integer(type_.layout, [&](auto kind) {
    using Place = decltype(kind);
    const auto size = static_cast<std::uint64_t>(list_->values.size());
    for (std::size_t i = 0; i < count; ++i) {
      // A negative place becomes a great one.
      const auto place = static_cast<std::uint64_t>(loaded<Place>(array_->buffers[1], from + i));
      places_[i] = place < size && place < kNoPlace ? static_cast<std::uint32_t>(place) : kNoPlace;
    }
  });
  return Values(Dictionary{places_, &list_->values}, valid_);
}

Values ArrowColumn::read_plain(ArrowLayout layout, const ArrowArray& array, std::size_t begin,
                               std::size_t count) {
  const void* const buffer = array.buffers[1];
  const auto widen = [&]<class To>(std::vector<To>& to, auto kind) {
    using From = decltype(kind);
    to.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      to[i] = static_cast<To>(loaded<From>(buffer, begin + i));
  };
  const auto lent = [&]<class T>(std::vector<T>& copy) -> std::span<const T> {
    if (reinterpret_cast<std::uintptr_t>(buffer) % alignof(T) == 0) {
      return {static_cast<const T*>(buffer) + begin, count};
    }
    widen(copy, T{});
    return copy;
  };
  const auto write_texts = [&](auto append) {
    bytes_.clear();
    ends_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      // Behind a null there may be anything.
      if (valid_.empty() || valid_[i] != 0) append(begin + i);
      ends_.push_back(bytes_.size());
    }
    return texts(count);
  };
  const auto counts = [&](std::span<const std::int64_t> integers) {
    return type_.moments ? Values(Moments{integers, *type_.moments}, valid_)
                         : Values(integers, valid_);
  };
  const auto look_up_texts = [&](auto text_at) {
    views_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      views_[i] = {};
      if (!valid_.empty() && valid_[i] == 0) continue;
      views_[i] = text_at(begin + i).value_or(std::string_view());
    }
    return Values(std::span<const std::string_view>(views_), valid_);
  };
  const auto last = static_cast<std::size_t>(array.offset + array.length);
  switch (layout) {
    case kNull:
      return Values(count);
    case kBoolean:
      unpack_bits(buffer, begin, count, truths_);
      return Values(std::span<const std::uint8_t>(truths_), valid_);
    case kInt64:
      return counts(lent(integers_));
    case kDouble:
      return Values(lent(numbers_), valid_);
    case kFloat:
      numbers_.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        numbers_[i] = shortest_double(loaded<float>(buffer, begin + i));
      }
      return Values(std::span<const double>(numbers_), valid_);
    case kUint64:
      widen(integers_, std::uint64_t{});
      // A negative value was out of range; nulls do not matter.
      if (std::any_of(integers_.begin(), integers_.end(), [](auto value) { return value < 0; })) {
        return write_texts([&](std::size_t i) {
          fmt::format_to(std::back_inserter(bytes_), "{}", loaded<std::uint64_t>(buffer, i));
        });
      }
      return Values(std::span<const std::int64_t>(integers_), valid_);
    case kText:
      return look_up_texts([&, end = loaded<std::int32_t>(buffer, last)](std::size_t i) {
        return text_between(array, i, end);
      });
    case kLargeText:
      return look_up_texts([&, end = loaded<std::int64_t>(buffer, last)](std::size_t i) {
        return text_between(array, i, end);
      });
    case kTextView:
      return look_up_texts([&](std::size_t i) { return text_viewed(array, i); });
    case kDate64:
      widen(integers_, std::int64_t{});
      for (std::int64_t& milliseconds : integers_) {
        constexpr std::int64_t kMillisecondsOfDay = 86'400'000;
        milliseconds =
            milliseconds / kMillisecondsOfDay - (milliseconds % kMillisecondsOfDay < 0 ? 1 : 0);
      }
      return counts(integers_);
    case kDecimal:
      return write_texts([&](std::size_t i) {
        const DecimalForm form = type_.decimal;
        append_decimal(static_cast<const char*>(buffer) + i * form.bytes, form, bytes_);
      });
    case kInt8:
    case kInt16:
    case kInt32:
    case kUint8:
    case kUint16:
    case kUint32:
      break;
  }
  with_integer(layout, [&](auto kind) { widen(integers_, kind); });
  return counts(integers_);
}

Values ArrowColumn::texts(std::size_t count) {
  views_.resize(count);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    views_[i] = std::string_view(bytes_).substr(begin, ends_[i] - begin);
    begin = ends_[i];
  }
  return Values(std::span<const std::string_view>(views_), valid_);
}

// -----------------------------------------------------------------------------------------------
// Rows that hold lists, as rows of the lists' items.

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Items that a block may span: more than it has records, for some may lie behind nulls.
constexpr std::size_t kMostItems = 4 * kRowsPerBlock;

/// The beginning and end of a list, untested.
template <class Offset>
std::pair<std::int64_t, std::int64_t> bounds(const ArrowArray& array, std::size_t place) noexcept {
  std::array<Offset, 2> both;
  std::memcpy(both.data(), static_cast<const char*>(array.buffers[1]) + place * sizeof(Offset),
              sizeof(both));
  return {both[0], both[1]};
}

}  // namespace

ListRows::ListRows(std::vector<ArrowType> types)
    : types_(std::move(types)), columns_(types_.size()), values_(types_.size()) {}

void ListRows::read(std::span<ArrowColumn> columns, std::span<const ArrowArray* const> arrays,
                    std::size_t begin, std::size_t rows, std::span<const std::uint8_t> present,
                    const std::function<void(const Block&)>& take) {
  counts_.assign(rows, 1);
  std::vector<std::uint8_t> valid;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (!types_[i].lists) {
      column.values = columns[i].read(begin, rows, present);
      column.turn ^= 1U;
      continue;
    }
    const ArrowArray& array = *arrays[i];
    const std::size_t from = begin + static_cast<std::size_t>(array.offset);
    const bool has_nulls = array.buffers[0] != nullptr && array.null_count != 0;
    if (has_nulls) unpack_bits(array.buffers[0], from, rows, valid);
    column.lists.assign(rows, {});
    for (std::size_t row = 0; row < rows; ++row) {
      if ((has_nulls && valid[row] == 0) || (!present.empty() && present[row] == 0)) continue;
      const std::size_t place = from + row;
      std::pair<std::int64_t, std::int64_t> ends;
      switch (types_[i].lists->form) {
        case ArrowLists::Form::kSmall:
          ends = bounds<std::int32_t>(array, place);
          break;
        case ArrowLists::Form::kLarge:
          ends = bounds<std::int64_t>(array, place);
          break;
        case ArrowLists::Form::kFixed:
          ends.first = static_cast<std::int64_t>(place) * types_[i].lists->size;
          ends.second = ends.first + types_[i].lists->size;
          break;
      }
      if (ends.first < 0 || ends.second < ends.first || ends.second > array.children[0]->length) {
        continue;
      }
      column.lists[row] = {static_cast<std::size_t>(ends.first),
                           static_cast<std::size_t>(ends.second - ends.first)};
      counts_[row] = std::max(counts_[row], column.lists[row].count);
    }
  }
  next_ = {};
  for (gather(rows); !records_.empty(); gather(rows)) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      chosen_.resize(records_.size());
      if (!types_[i].lists) {
        std::transform(records_.begin(), records_.end(), chosen_.begin(),
                       [](Record record) { return record.row; });
        values_[i] = choose(column, column.values);
        continue;
      }
      std::size_t first = kNone;
      std::size_t last = 0;
      for (std::size_t j = 0; j < records_.size(); ++j) {
        const auto item = item_of(column, records_[j]);
        chosen_[j] = item.value_or(kNone);
        if (!item) continue;
        first = std::min(first, *item);
        last = std::max(last, *item + 1);
      }
      if (first == kNone) first = last;
      for (std::size_t& item : chosen_) {
        if (item != kNone) item -= first;
      }
      column.turn ^= 1U;
      values_[i] = choose(column, columns[i].read(first, last - first));
    }
    take({records_.size(), values_});
  }
}

std::optional<std::size_t> ListRows::item_of(const Column& column, Record record) {
  const List& list = column.lists[record.row];
  if (record.item >= list.count) return std::nullopt;
  return list.begin + record.item;
}

void ListRows::gather(std::size_t rows) {
  records_.clear();
  std::vector<std::pair<std::size_t, std::size_t>> spans(columns_.size(), {kNone, 0});
  for (; next_.row < rows; next_ = {next_.row + 1, 0}) {
    for (; next_.item < counts_[next_.row]; ++next_.item) {
      if (records_.size() == kRowsPerBlock) return;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!types_[i].lists) continue;
        const auto item = item_of(columns_[i], next_);
        if (!item) continue;
        auto& [first, last] = spans[i];
        first = std::min(first, *item);
        last = std::max(last, *item + 1);
        // Lists that no writer makes may lie anywhere.
        if (last - first > kMostItems && !records_.empty()) return;
      }
      records_.push_back(next_);
    }
  }
}

Values ListRows::choose(Column& column, const Values& values) {
  constexpr std::uint32_t kNull = std::numeric_limits<std::uint32_t>::max();
  const auto* const words = std::get_if<Dictionary>(&values.data());
  const auto valid = values.valid();
  column.places.resize(chosen_.size());
  std::transform(chosen_.begin(), chosen_.end(), column.places.begin(), [&](std::size_t place) {
    if (place == kNone || (!valid.empty() && valid[place] == 0)) return kNull;
    return words == nullptr ? static_cast<std::uint32_t>(place) : words->places[place];
  });
  if (words != nullptr) return Values(Dictionary{column.places, words->values});
  Values& list = column.looked_up[column.turn];
  list = values;
  return Values(Dictionary{column.places, &list});
}

}  // namespace mollify
