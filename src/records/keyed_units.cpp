#include "records/keyed_units.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/entropy.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The secret of one release whose draws may be repeated.

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
  if (!detail::fill_with_entropy(secret->bytes.data(), kBytes))
    stop("the operating system gives no entropy");
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

// -----------------------------------------------------------------------------------------------
// The random words of each unit of a release by its key.

/// Keyed BLAKE2b that comes in parts, of words in little-endian order.
class KeyedUnits::Hash {
 public:
  Hash(std::span<const unsigned char, ReleaseKey::kBytes> key, std::string_view context) {
    constexpr std::array<unsigned char, crypto_generichash_blake2b_PERSONALBYTES> kPurpose = {
        'm', 'o', 'l', 'l', 'i', 'f', 'y', ' ', 'd', 'r', 'a', 'w', 's', ' ', '2'};
    crypto_generichash_blake2b_init_salt_personal(&state_, key.data(), key.size(), DrawKey::kBytes,
                                                  nullptr, kPurpose.data());
    add_text(context);
  }
  Hash(const Hash&) = default;
  Hash& operator=(const Hash&) = default;
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

/// Pairs of 4 and 8 bytes, handed to a hash many at a time.
class KeyedUnits::Pairs {
 public:
  explicit Pairs(Hash& hash) : hash_(hash) {}
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;
  ~Pairs() { hash_.add_bytes(bytes_.data(), filled_); }

  template <class Second>
  void add(std::uint32_t first, Second second) {
    static_assert(sizeof first + sizeof second == kPairBytes);
    std::memcpy(&bytes_[filled_], &first, sizeof first);
    std::memcpy(&bytes_[filled_ + sizeof first], &second, sizeof second);
    filled_ += kPairBytes;
    if (filled_ < bytes_.size()) return;
    hash_.add_bytes(bytes_.data(), filled_);
    filled_ = 0;
  }

  /// Place and numerator, of those that are not lower bounds. There are few, if any, of a unit with
  /// few records, so that eight numerators at a time are looked at.
  template <class LowerAt>
  void add_above(std::span<const std::uint64_t> numerators, LowerAt lower_at) {
    constexpr std::size_t kGroup = 8;
    for (std::size_t begin = 0; begin < numerators.size(); begin += kGroup) {
      const std::size_t end = std::min(begin + kGroup, numerators.size());
      std::uint64_t other = 0;
      for (std::size_t i = begin; i < end; ++i) other |= numerators[i] ^ lower_at(i);
      for (std::size_t i = begin; other != 0 && i < end; ++i) {
        if (numerators[i] != lower_at(i)) add(static_cast<std::uint32_t>(i), numerators[i]);
      }
    }
  }

 private:
  static constexpr std::size_t kPairBytes = 12;

  Hash& hash_;
  std::size_t filled_ = 0;
  std::array<unsigned char, 256 * kPairBytes> bytes_;
};

KeyedUnits::KeyedUnits(const ReleaseKey& key, std::string_view context)
    : begun_(std::make_unique<const Hash>(key.bytes(), context)),
      of_unit_(std::make_unique<Hash>(*begun_)) {}

KeyedUnits::~KeyedUnits() = default;

SecureRandom& KeyedUnits::words_of(Hash& hash) {
  DrawKey key;
  hash.finish(key.bytes_);
  random_ = SecureRandom::keyed(key, std::move(random_));
  return random_;
}

void KeyedUnits::begin(std::string_view unit, std::span<const std::uint32_t> outcomes,
                       std::span<const double> weights) {
  *of_unit_ = *begun_;
  of_unit_->add_text(unit);
  of_unit_->add_word(outcomes.size());
  Pairs pairs(*of_unit_);
  for (std::size_t i = 0; i < outcomes.size(); ++i) pairs.add(outcomes[i], weights[i]);
}

SecureRandom& KeyedUnits::before_law() {
  Hash hash(*of_unit_);
  hash.add_word(0);
  return words_of(hash);
}

SecureRandom& KeyedUnits::of_law(const LawIntegers& law, std::size_t draws) {
  Hash hash(*of_unit_);
  hash.add_word(1);
  hash.add_word(draws);
  hash.add_word(law.outcomes.size());
  hash.add_bytes(law.outcomes.data(), law.outcomes.size_bytes());
  if (law.band == nullptr) {
    hash.add_bytes(law.numerators.data(), law.numerators.size_bytes());
  } else {  // the context determines the band, and so all numerators that are left out
    Pairs pairs(hash);
    if (law.band->is_uniform()) {
      pairs.add_above(law.numerators, [lower = law.band->lower(0)](std::size_t) { return lower; });
    } else {
      pairs.add_above(law.numerators,
                      [lowers = law.band->lowers()](std::size_t i) { return lowers[i]; });
    }
  }
  return words_of(hash);
}

}  // namespace mollify
