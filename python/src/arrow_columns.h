// Columns of any program's, put together as one Arrow batch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mollify/arrow_c.h>
#include <mollify/release.h>

namespace mollify::python {

/// What keeps memory alive that a column borrows.
using Keeper = std::shared_ptr<const void>;

/// One column: a schema and an array, owned until they are handed on.
class ArrowPair {
 public:
  ArrowPair() = default;
  /// Takes over what another program exported.
  ArrowPair(ArrowSchema* schema, ArrowArray* array) noexcept;
  /// `length` values whose buffers are, after the one of validity, those given. `valid` has a bit
  /// for each, or is empty if none is null.
  ArrowPair(std::string name, std::string format, std::int64_t length,
            std::vector<std::uint8_t> valid, std::vector<const void*> buffers, Keeper keeper);
  ArrowPair(ArrowPair&& other) noexcept;
  ArrowPair& operator=(ArrowPair&& other) noexcept;
  ArrowPair(const ArrowPair&) = delete;
  ArrowPair& operator=(const ArrowPair&) = delete;
  ~ArrowPair();

  /// The values that this one's are places in, perhaps in an order.
  void take_dictionary(ArrowPair values, bool ordered = false);
  /// What this one's lists hold.
  void take_items(ArrowPair items);
  /// Of what another program exported.
  void rename(std::string name);

  /// Of all columns together. What is wrong with their shape is found by the source.
  [[nodiscard]] static ArrowPair batch(std::vector<ArrowPair> columns, std::int64_t length);
  [[nodiscard]] Source source() &&;

  [[nodiscard]] std::int64_t length() const noexcept { return array_.length; }

 private:
  struct SchemaBody;
  struct ArrayBody;
  void take_children(std::vector<ArrowPair> children);
  void reset() noexcept;

  ArrowSchema schema_{};
  ArrowArray array_{};
};

/// Bytes, of which 0 is false, as bits.
[[nodiscard]] std::vector<std::uint8_t> packed(const std::uint8_t* truths, std::size_t count);

}  // namespace mollify::python
