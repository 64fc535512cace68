// The structures of the Arrow C data interface, owned.
#pragma once

#include "mollify/arrow_c.h"

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
