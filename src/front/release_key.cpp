#include "front/release_key.h"

#include <utility>

#include "kernel/core/invalid_input.h"

namespace mollify::front {

ReleaseKey::ReleaseKey() : inside_(std::make_shared<const Inside>()) {}

ReleaseKey::ReleaseKey(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}

std::vector<std::uint8_t> ReleaseKey::bytes_for_workers() const {
  return inside_->key.bytes_for_workers();
}

ReleaseKey ReleaseKey::of_worker_bytes(std::span<const std::uint8_t> bytes) {
  auto key = inside::ReleaseKey::of_worker_bytes(bytes);
  if (!key) {
    throw InvalidInput(
        "a release key must be the bytes that another one gave for its workers, unchanged, "
        "but is not");
  }
  return ReleaseKey(std::make_shared<const Inside>(Inside{*std::move(key)}));
}

}  // namespace mollify::front
