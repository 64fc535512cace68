// The Arrow C data interface: columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mollify/arrow_c.h"
#include "records/values.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The structures of the Arrow C data interface, owned.

/// One of the structures, owned: moved in as the interface says, and released once.
template <class Structure>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  /// Takes it over; what `from` points to is released from then on.
  explicit ArrowOwned(Structure* from) noexcept : structure_(*from) { from->release = nullptr; }
  ArrowOwned(ArrowOwned&& other) noexcept : ArrowOwned(&other.structure_) {}
  ArrowOwned& operator=(ArrowOwned&& other) noexcept {
    if (this != &other) {
      reset();
      structure_ = other.structure_;
      other.structure_.release = nullptr;
    }
    return *this;
  }
  ArrowOwned(const ArrowOwned&) = delete;
  ArrowOwned& operator=(const ArrowOwned&) = delete;
  ~ArrowOwned() { reset(); }

  void reset() noexcept {
    if (structure_.release != nullptr) structure_.release(&structure_);
    structure_.release = nullptr;
  }
  /// False if it was released: of arrays, the end of a stream.
  [[nodiscard]] explicit operator bool() const noexcept { return structure_.release != nullptr; }
  [[nodiscard]] Structure* get() noexcept { return &structure_; }
  [[nodiscard]] const Structure& operator*() const noexcept { return structure_; }
  [[nodiscard]] const Structure* operator->() const noexcept { return &structure_; }

 private:
  Structure structure_{};
};

// -----------------------------------------------------------------------------------------------
// Decimal numbers as text.

/// How the decimals of an array lie in memory: each an integer in two's complement, which is the
/// number's times 10^scale.
struct DecimalForm {
  std::uint8_t bytes = 16;  ///< 4, 8, 16 or 32
  std::int8_t scale = 0;    ///< digits after the point; below 0: zeros before it that are not held
};

/// Appends every digit of the number, with its scale's number of digits after the point: `-0.50`,
/// so write databases their decimals into CSV files. Reads `form.bytes` bytes; total; at most 155
/// characters.
void append_decimal(const void* integer, DecimalForm form, std::string& text);

// -----------------------------------------------------------------------------------------------
// One column of Arrow arrays, read as values.

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
  kDate64,  // milliseconds
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

/// The value of the key in a schema's metadata; empty if they lack it.
[[nodiscard]] std::string_view metadata_of(const ArrowSchema& schema, std::string_view wanted);

/// The name of an extension type in a schema's metadata; empty if it names none.
[[nodiscard]] std::string_view extension_of(const ArrowSchema& schema);

/// A type of Arrow's that a column can be read from.
struct ArrowType {
  ArrowLayout layout = ArrowLayout::kNull;
  /// The unit of integers that are days or instants.
  std::optional<MomentForm> moments{};
  DecimalForm decimal{};  ///< of decimals
  /// For dictionaries, the values' layout; `layout` is the places'.
  std::optional<ArrowLayout> values{};
  /// Of lists; all else is then of their items.
  std::optional<ArrowLists> lists{};

  /// Empty for other types: extension types except of texts, lists of lists, structs, durations,
  /// times of day, timestamps of a zone that this machine's zone data lack, decimals of other widths than 32, 64, 128 and 256 bits or of more than 76
  /// digits.
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
/// are their texts (append_decimal), none of whose digits is lost; dates and times are days and
/// instants, shown by the clock that they are labelled with.
class ArrowColumn {
 public:
  explicit ArrowColumn(const ArrowType& type);
  ArrowColumn(ArrowColumn&&) noexcept;
  ArrowColumn& operator=(ArrowColumn&&) noexcept;
  ~ArrowColumn();

  /// The values to read from now on. Requires the right shape, and that the array read before is
  /// not yet released. It must outlive the last `read`.
  void open(const ArrowArray& array);

  /// Values begin ... begin + count - 1, valid until the next call. Requires that there are this
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

// -----------------------------------------------------------------------------------------------
// Rows that hold lists, as rows of the lists' items.

/// Passes rows of lists on as records: the items of a row's lists side by side, with one record for
/// each item of its longest list and at least one, nulls where a list has no item left, and the
/// row's other values in each. So do the functions called `explode` elsewhere.
///
/// A list that is null, or whose bounds fall or lie beyond the last item, has no items: of private
/// values nothing is refused.
class ListRows {
 public:
  /// `types` of the columns; some hold lists.
  explicit ListRows(std::vector<ArrowType> types);

  /// Rows begin ... begin + rows - 1 of arrays that have the shape of their types (require_shape).
  /// `columns` are open: columns of lists on the lists' items. `present` as for ArrowColumn::read.
  void read(std::span<ArrowColumn> columns, std::span<const ArrowArray* const> arrays,
            std::size_t begin, std::size_t rows, std::span<const std::uint8_t> present,
            const std::function<void(const Block&)>& take);

 private:
  /// The place of the items of one row's list.
  struct List {
    std::size_t begin = 0;
    std::size_t count = 0;
  };
  struct Column {
    std::vector<List> lists{};            ///< of each row, if it holds lists
    Values values{};                      ///< of all rows, if it does not
    std::vector<std::uint32_t> places{};  ///< of each record, in one of the two below
    /// In turns, so that what a block looks its values up in has another address than before.
    std::array<Values, 2> looked_up{};
    std::size_t turn = 0;
  };
  struct Record {
    std::size_t row = 0;
    std::size_t item = 0;
  };

  /// Takes records from `next_` on, as many as make a block, into records_.
  void gather(std::size_t rows);
  /// The place among all items of a record's item, if it has one.
  [[nodiscard]] static std::optional<std::size_t> item_of(const Column& column, Record record);
  /// The records' values at `chosen` places of `values`.
  Values choose(Column& column, const Values& values);

  std::vector<ArrowType> types_;
  std::vector<Column> columns_;
  std::vector<std::size_t> counts_;  // of records, of each row
  std::vector<Record> records_;
  Record next_{};
  std::vector<std::size_t> chosen_;
  std::vector<Values> values_;
};

}  // namespace mollify
