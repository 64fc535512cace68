// A value of a type that its keeper does not know.
#pragma once

#include <any>
#include <utility>

namespace mollify {

/// Holds a copy of any value that can be compared. Those who know its type get it back; everybody
/// else copies and compares it.
class Held {
 public:
  Held() = default;
  template <class Value>
  Held(Value value)  // NOLINT(google-explicit-constructor): a part of a method becomes a spec's
      : value_(std::move(value)), equal_(&equal<Value>) {}

  /// Null if it holds another type, or nothing.
  template <class Value>
  [[nodiscard]] const Value* get() const {
    return std::any_cast<Value>(&value_);
  }
  template <class Value>
  [[nodiscard]] Value* get() {
    return std::any_cast<Value>(&value_);
  }

  [[nodiscard]] bool has_type_of(const Held& other) const {
    return value_.type() == other.value_.type();
  }

  friend bool operator==(const Held& one, const Held& other) {
    if (!one.has_type_of(other)) return false;
    return one.equal_ == nullptr || one.equal_(one.value_, other.value_);
  }

 private:
  template <class Value>
  static bool equal(const std::any& one, const std::any& other) {
    return *std::any_cast<Value>(&one) == *std::any_cast<Value>(&other);
  }

  std::any value_;
  bool (*equal_)(const std::any&, const std::any&) = nullptr;
};

}  // namespace mollify
