#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "laboratory/figure/figure.h"

namespace mollify {
namespace {

std::uint32_t big_endian(const std::string& bytes, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[place + i]);
  }
  return value;
}

// Read as the format says: chunks in turn, one stored block, rows with a filter byte each.
TEST(Png, HoldsItsPixels) {
  const std::vector<std::uint8_t> pixels{0, 1, 2, 253, 254, 255};
  const std::string file = png(3, 2, pixels, heat_colours());
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string rows;
  std::vector<std::string> types;
  for (std::size_t place = 8; place < file.size();) {
    const std::size_t size = big_endian(file, place);
    const std::string type = file.substr(place + 4, 4);
    types.push_back(type);
    const std::string content = file.substr(place + 8, size);
    if (type == "IHDR") {
      EXPECT_EQ(big_endian(content, 0), 3U);
      EXPECT_EQ(big_endian(content, 4), 2U);
    }
    if (type == "PLTE") {
      EXPECT_EQ(size, 768U);
    }
    if (type == "IDAT") {
      EXPECT_EQ(content[2], 1) << "the last block, stored";
      EXPECT_EQ(content.substr(3, 4), std::string("\x08\x00\xf7\xff", 4));
      rows = content.substr(7, 8);
      // Adler-32 of these eight bytes, by hand: a = 1 + 765, b = the sum of all a.
      EXPECT_EQ(big_endian(content, 15), (1U + 1 + 2 + 4 + 4 + 257 + 511 + 766 + 0U) << 16 | 766U);
    }
    place += 12 + size;
  }
  EXPECT_EQ(types, (std::vector<std::string>{"IHDR", "PLTE", "IDAT", "IEND"}));
  EXPECT_EQ(rows, std::string("\x00\x00\x01\x02\x00\xfd\xfe\xff", 8));
  EXPECT_EQ(big_endian(file, file.size() - 4), 0xae426082U) << "the checksum of an empty IEND";
}

TEST(Png, ColoursBecomeLighter) {
  const auto colours = heat_colours();
  const auto light = [](const Colour& colour) {
    return 299 * colour[0] + 587 * colour[1] + 114 * colour[2];
  };
  for (std::size_t i = 1; i < colours.size(); ++i) {
    EXPECT_GE(light(colours[i]) + 500, light(colours[i - 1])) << i << ": parts are rounded";
  }
}

TEST(Png, AddressesAreBase64) {
  EXPECT_EQ(data_address("image/png", "Man"), "data:image/png;base64,TWFu");
  EXPECT_EQ(data_address("a/b", "Ma"), "data:a/b;base64,TWE=");
  EXPECT_EQ(data_address("a/b", "M"), "data:a/b;base64,TQ==");
  EXPECT_EQ(data_address("a/b", "\xff\xfe\xfd"), "data:a/b;base64,//79");
}

}  // namespace
}  // namespace mollify
