#include "records/keyed_units.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernel/core/chacha20.h"

namespace mollify {

// One batch to begin with, at the buffer's end: a draw takes few words, and a refill has many.
void KeyedRandom::restart(const DrawKey& key) {
  constexpr std::size_t kBatchWords = detail::kChaChaBatchBytes / sizeof(std::uint64_t);
  constexpr std::size_t kBegin = kKeyWords + kWords - kBatchWords;
  constexpr std::uint32_t kNonce[3] = {0, 0, 0};
  std::uint64_t* const batch = state_->stream + kBegin;
  if (state_->position < kBegin) {  // what is left of the words before
    sodium_memzero(state_->stream + state_->position,
                   (kBegin - state_->position) * sizeof(std::uint64_t));
  }
  std::uint32_t words[8];
  static_assert(sizeof words == DrawKey::kBytes);
  std::memcpy(words, key.bytes_.data(), sizeof words);
  detail::chacha20(words, kNonce, 0, reinterpret_cast<unsigned char*>(batch), 1);
  sodium_memzero(words, sizeof words);
  std::memcpy(state_->stream, batch, kKeyWords * sizeof(std::uint64_t));
  sodium_memzero(batch, kKeyWords * sizeof(std::uint64_t));
  state_->position = kBegin + kKeyWords;
  state_->alive = fork_count_;
}

/// Keyed BLAKE2b that comes in parts, of words in little-endian order.
class KeyedUnits::Hash {
 public:
  Hash(std::span<const unsigned char, ReleaseKey::kBytes> key, std::string_view context) {
    constexpr std::array<unsigned char, crypto_generichash_blake2b_PERSONALBYTES> kPurpose = {
        'm', 'o', 'l', 'l', 'i', 'f', 'y', ' ', 'd', 'r', 'a', 'w', 's', ' ', '1'};
    crypto_generichash_blake2b_init_salt_personal(&state_, key.data(), key.size(), DrawKey::kBytes,
                                                  nullptr, kPurpose.data());
    add_text(context);
  }
  Hash(const Hash&) = default;
  Hash& operator=(const Hash&) = delete;
  ~Hash() { sodium_memzero(&state_, sizeof state_); }

  void add_bytes(const void* bytes, std::size_t size) {
    crypto_generichash_blake2b_update(&state_, static_cast<const unsigned char*>(bytes), size);
  }
  void add_word(std::uint64_t word) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "workers read the same bytes");
    add_bytes(&word, sizeof word);
  }
  void add_text(std::string_view text) {
    add_word(text.size());
    add_bytes(text.data(), text.size());
  }
  void finish(std::span<unsigned char, DrawKey::kBytes> digest) {
    crypto_generichash_blake2b_final(&state_, digest.data(), digest.size());
  }

 private:
  crypto_generichash_blake2b_state state_;
};

KeyedUnits::KeyedUnits(const ReleaseKey& key, std::string_view context)
    : begun_(std::make_unique<const Hash>(key.bytes(), context)) {}

KeyedUnits::~KeyedUnits() = default;

SecureRandom& KeyedUnits::words_of(Hash& hash) {
  DrawKey key;
  hash.finish(key.bytes_);
  if (random_) {
    random_->restart(key);
  } else {
    random_.emplace(key);
  }
  return *random_;
}

SecureRandom& KeyedUnits::of_tallies(std::string_view unit, std::span<const std::uint32_t> outcomes,
                                     std::span<const double> weights) {
  constexpr std::size_t kEntryBytes = sizeof(std::uint32_t) + sizeof(double);
  constexpr std::size_t kAtOnce = 256;
  std::array<unsigned char, kAtOnce * kEntryBytes> entries;
  Hash hash(*begun_);
  hash.add_text(unit);
  hash.add_word(outcomes.size());
  for (std::size_t begin = 0; begin < outcomes.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, outcomes.size() - begin);
    unsigned char* place = entries.data();
    for (std::size_t i = begin; i < begin + count; ++i, place += kEntryBytes) {
      std::memcpy(place, &outcomes[i], sizeof outcomes[i]);
      std::memcpy(place + sizeof outcomes[i], &weights[i], sizeof weights[i]);
    }
    hash.add_bytes(entries.data(), count * kEntryBytes);
  }
  return words_of(hash);
}

}  // namespace mollify
