#include "space/string_index.h"

#include <sodium.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace mollify {
namespace {

/// SipHash-2-4 with a key of this process, so that nobody can write down texts that collide. The
/// key is the 16 bytes that the operating system starts every program with: domains are read before
/// a release is charged, and until then nothing may be asked of its generator.
std::uint64_t hash_of(std::string_view text) noexcept {
  static const auto key = [] {
    std::array<unsigned char, crypto_shorthash_KEYBYTES> made{};
    if (const auto* given = reinterpret_cast<const unsigned char*>(::getauxval(AT_RANDOM))) {
      std::copy_n(given, made.size(), made.begin());
    }
    return made;
  }();
  static_assert(crypto_shorthash_BYTES == sizeof(std::uint64_t));
  std::array<unsigned char, crypto_shorthash_BYTES> bytes{};
  crypto_shorthash(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                   key.data());
  return std::bit_cast<std::uint64_t>(bytes);
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

}  // namespace

std::string_view StringIndex::operator[](std::size_t index) const noexcept {
  const std::uint64_t begin = index == 0 ? 0 : ends_[index - 1];
  return {bytes_.data() + begin, static_cast<std::size_t>(ends_[index] - begin)};
}

std::size_t StringIndex::slot_of(std::string_view text, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  while (slots_[slot].index != kAbsent &&
         (slots_[slot].tag != tag_of(hash) || (*this)[slots_[slot].index] != text)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::uint32_t StringIndex::find(std::string_view text) const noexcept {
  if (slots_.empty()) return kAbsent;
  return slots_[slot_of(text, hash_of(text))].index;
}

std::uint32_t StringIndex::insert(std::string_view text) {
  if (2 * (ends_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.index == kAbsent) {
    if (ends_.size() >= kAbsent) throw std::length_error("too many distinct strings");
    bytes_ += text;
    ends_.push_back(bytes_.size());
    slot = {tag_of(hash), static_cast<std::uint32_t>(ends_.size() - 1)};
  }
  return slot.index;
}

void StringIndex::grow() {
  std::vector<Slot> larger(slots_.empty() ? 16 : 2 * slots_.size());
  slots_.swap(larger);
  for (std::size_t index = 0; index < ends_.size(); ++index) {
    const std::uint64_t hash = hash_of((*this)[index]);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    while (slots_[slot].index != kAbsent) slot = (slot + 1) & mask;
    slots_[slot] = {tag_of(hash), static_cast<std::uint32_t>(index)};
  }
}

}  // namespace mollify
