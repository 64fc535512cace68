// How programs hold what the library has made.
#pragma once

#include <memory>
#include <utility>

#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// A reference to the inside of a class, which programs do not see: it may change without their
/// being compiled again. Cheap to copy; copies represent the same thing.
template <class Behind>
class Handle {
 public:
  using Inside = Behind;
  explicit Handle(std::shared_ptr<Inside> inside) : inside_(std::move(inside)) {}
  [[nodiscard]] Inside& inside() const noexcept { return *inside_; }

 protected:
  Handle() = default;
  std::shared_ptr<Inside> inside_;
};

}  // namespace MOLLIFY_NAMESPACE
