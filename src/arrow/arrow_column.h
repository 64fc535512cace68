// One column of Arrow arrays, read as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/abi.h"
#include "arrow/decimal_text.h"
#include "records/values.h"

namespace mollify {

/// How the values of an array lie in memory.
enum class ArrowLayout : std::uint8_t {
  kNull,
  kBoolean,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kText,       // 32-bit offsets
  kLargeText,  // 64-bit offsets
  kTextView,
  kDate32,
  kDate64,
  kTimestamp,
  kDecimal,
};

/// How an array of lists says where each of its lists lies among the items.
struct ArrowLists {
  enum class Form : std::uint8_t {
    kSmall,  // 32-bit offsets
    kLarge,  // 64-bit offsets
    kFixed,  // all of one size
  };
  Form form = Form::kSmall;
  std::int64_t size = 0;  ///< of each list, if it is fixed
};

/// A type of Arrow's that a column can be read from.
struct ArrowType {
  ArrowLayout layout = ArrowLayout::kNull;
  std::int64_t per_second = 0;  ///< of timestamps
  bool has_zone = false;        ///< of timestamps: then they are of UTC
  DecimalForm decimal{};        ///< of decimals
  /// Of dictionaries, the values' layout; `layout` is that of the places.
  std::optional<ArrowLayout> values{};
  /// Of lists; all else is then of their items.
  std::optional<ArrowLists> lists{};

  /// Nothing if it is none of them: of lists of lists, structs, durations, times of day, decimals
  /// of other widths than 32, 64, 128 and 256 bits or of more than 76 digits.
  [[nodiscard]] static std::optional<ArrowType> of(const ArrowSchema& schema);
};

/// Throws InvalidInput, calling the array `name`, unless it has the shape of its type and holds at
/// least `length` values: what of it can be known without reading values.
void require_shape(const ArrowType& type, const ArrowArray& array, std::int64_t length,
                   std::string_view name);

/// Reads one array after another, each in parts. Of lists it reads the items, which are an array.
///
/// What private values alone show is never refused. A place beyond its dictionary is a null, and so
/// is a text whose bounds fall or lie beyond the array's last. Texts may be of any bytes.
///
/// A float is the double that it equals, an integer beyond 64 bits with a sign its digits; decimals
/// are their texts (append_decimal), none of whose digits is lost; dates and times are their
/// ISO 8601 texts, times in UTC whatever zone they are labelled with.
class ArrowColumn {
 public:
  explicit ArrowColumn(const ArrowType& type);
  ArrowColumn(ArrowColumn&&) noexcept;
  ArrowColumn& operator=(ArrowColumn&&) noexcept;
  ~ArrowColumn();

  /// The values to read from now on. Requires the right shape, and that the array read before is
  /// not yet released. It must outlive the last `read`.
  void open(const ArrowArray& array);

  /// Values begin ... begin + count - 1, valid until the next call. Requires that there are so
  /// many. `present` has a byte for each, 0 where it is null whatever the array says, or none.
  [[nodiscard]] Values read(std::size_t begin, std::size_t count,
                            std::span<const std::uint8_t> present = {});

 private:
  struct List;

  [[nodiscard]] Values read_plain(ArrowLayout layout, const ArrowArray& array, std::size_t begin,
                                  std::size_t count);
  [[nodiscard]] Values texts(std::size_t count);
  void read_validity(const ArrowArray& array, std::size_t begin, std::size_t count);

  ArrowType type_;
  const ArrowArray* array_ = nullptr;
  std::vector<std::uint8_t> valid_;  // none if all are
  std::vector<std::int64_t> integers_;
  std::vector<double> numbers_;
  std::vector<std::uint8_t> truths_;
  std::vector<std::uint32_t> places_;
  std::vector<std::string_view> views_;
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::unique_ptr<List> list_;
};

/// Bits begin ... begin + count - 1 as bytes.
void unpack_bits(const void* bits, std::size_t begin, std::size_t count,
                 std::vector<std::uint8_t>& bytes);

}  // namespace mollify
