// ChaCha20, compiled once for each instruction set: see mollify_add_library in CMake. Eight blocks
// side by side: word j of all eight is one vector.

#include "core/random.h"

namespace mollify::detail {

namespace {

typedef std::uint32_t Word8 __attribute__((vector_size(32)));
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the keystream is stored as it stands");

inline Word8 rotate(Word8 x, int bits) { return (x << bits) | (x >> (32 - bits)); }

inline void quarter_round(Word8& a, Word8& b, Word8& c, Word8& d) {
  a += b;
  d = rotate(d ^ a, 16);
  c += d;
  b = rotate(b ^ c, 12);
  a += b;
  d = rotate(d ^ a, 8);
  c += d;
  b = rotate(b ^ c, 7);
}

inline Word8 eight(std::uint32_t x) { return Word8{x, x, x, x, x, x, x, x}; }

void keystream(const std::uint32_t* key, const std::uint32_t* nonce, std::uint32_t counter,
               unsigned char* out, std::size_t batches) {
  for (std::size_t batch = 0; batch < batches; ++batch) {
    Word8 start[16] = {eight(0x61707865), eight(0x3320646e), eight(0x79622d32), eight(0x6b206574)};
    for (int j = 0; j < 8; ++j) start[4 + j] = eight(key[j]);
    start[12] = eight(counter) + Word8{0, 1, 2, 3, 4, 5, 6, 7};
    for (int j = 0; j < 3; ++j) start[13 + j] = eight(nonce[j]);
    Word8 x[16];
    for (int j = 0; j < 16; ++j) x[j] = start[j];
    for (int round = 0; round < 10; ++round) {
      quarter_round(x[0], x[4], x[8], x[12]);
      quarter_round(x[1], x[5], x[9], x[13]);
      quarter_round(x[2], x[6], x[10], x[14]);
      quarter_round(x[3], x[7], x[11], x[15]);
      quarter_round(x[0], x[5], x[10], x[15]);
      quarter_round(x[1], x[6], x[11], x[12]);
      quarter_round(x[2], x[7], x[8], x[13]);
      quarter_round(x[3], x[4], x[9], x[14]);
    }
    for (int j = 0; j < 16; ++j) {
      const Word8 sum = x[j] + start[j];
      for (int block = 0; block < 8; ++block) {
        const std::uint32_t word = sum[block];
        __builtin_memcpy(out + 64 * block + 4 * j, &word, 4);
      }
    }
    counter += 8;
    out += kChaChaBatchBytes;
  }
#if defined(__AVX2__)
  __builtin_ia32_vzeroall();  // the next to save the registers must not find the keystream there
#endif
}

constexpr ChaCha20Lanes kChaCha20Passes = {keystream};

}  // namespace

const ChaCha20Lanes ChaCha20Lanes::MOLLIFY_LANES = kChaCha20Passes;

}  // namespace mollify::detail
