#include "records/release_key.h"

#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace mollify {

struct ReleaseKey::Secret {
  std::array<unsigned char, kBytes> bytes;
};

namespace {

constexpr std::string_view kMark = "mollify release key 1\n";
constexpr std::size_t kCheckBytes = 16;

[[noreturn]] void stop(const char* why) {
  std::fprintf(stderr, "mollify: %s; stopping, because nothing private can be released safely\n",
               why);
  std::abort();
}

/// Finds out that bytes are whole; it keeps nothing secret.
std::array<unsigned char, kCheckBytes> check_of(std::span<const unsigned char> marked) {
  std::array<unsigned char, kCheckBytes> check{};
  crypto_generichash_blake2b(check.data(), check.size(), marked.data(), marked.size(), nullptr, 0);
  return check;
}

}  // namespace

ReleaseKey::ReleaseKey(std::shared_ptr<Secret> secret) noexcept : secret_(std::move(secret)) {}

// libsodium wipes what it frees, and keeps it out of core dumps and of swap where it may.
std::shared_ptr<ReleaseKey::Secret> ReleaseKey::empty_secret() {
  if (sodium_init() < 0) stop("the operating system gives no entropy");
  void* memory = sodium_malloc(sizeof(Secret));
  if (memory == nullptr) stop("there is no memory for the key of a release");
  sodium_memzero(memory, sizeof(Secret));
  return {static_cast<Secret*>(memory), [](Secret* gone) { sodium_free(gone); }};
}

ReleaseKey::ReleaseKey() {
  auto secret = empty_secret();
  if (getentropy(secret->bytes.data(), kBytes) != 0) stop("the operating system gives no entropy");
  secret_ = std::move(secret);
}

std::span<const unsigned char, ReleaseKey::kBytes> ReleaseKey::bytes() const noexcept {
  return secret_->bytes;
}

std::vector<unsigned char> ReleaseKey::bytes_for_workers() const {
  std::vector<unsigned char> all;
  all.reserve(kMark.size() + kBytes + kCheckBytes);  // so that no copy of the key is left behind
  all.insert(all.end(), kMark.begin(), kMark.end());
  all.insert(all.end(), secret_->bytes.begin(), secret_->bytes.end());
  const auto check = check_of(all);
  all.insert(all.end(), check.begin(), check.end());
  return all;
}

std::optional<ReleaseKey> ReleaseKey::of_worker_bytes(std::span<const unsigned char> bytes) {
  if (bytes.size() != kMark.size() + kBytes + kCheckBytes) return std::nullopt;
  const auto marked = bytes.first(kMark.size() + kBytes);
  const auto check = check_of(marked);
  if (!std::equal(kMark.begin(), kMark.end(), bytes.begin()) ||
      !std::equal(check.begin(), check.end(), bytes.begin() + kMark.size() + kBytes)) {
    return std::nullopt;
  }
  auto secret = empty_secret();
  const auto key = marked.last(kBytes);
  std::copy(key.begin(), key.end(), secret->bytes.begin());
  return ReleaseKey(std::move(secret));
}

}  // namespace mollify
