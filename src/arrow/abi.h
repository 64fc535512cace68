// The structures of the Arrow C data interface, as its specification gives them.
#pragma once

#include <stdint.h>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

extern "C" {

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_STREAM_INTERFACE

namespace mollify {

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

}  // namespace mollify
