#include "base/sha256.h"

#include <gtest/gtest.h>

namespace mollify {

namespace {

// The examples of FIPS 180-4.
TEST(Sha256, IsTheStandard) {
  Sha256 abc;
  abc.add("abc");
  EXPECT_EQ(abc.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 parts;
  parts.add("abcdbcdecdefdefgefghfghighij");
  parts.add("");
  parts.add("hijkijkljklmklmnlmnomnopnopq");
  EXPECT_EQ(parts.hex(), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace

}  // namespace mollify
