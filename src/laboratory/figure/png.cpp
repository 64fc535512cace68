#include "laboratory/figure/png.h"

#include <algorithm>
#include <cmath>

namespace mollify {
namespace {

void add_big_endian(std::string& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) == 0 ? 0 : 0xedb88320);
  }
  return ~crc;
}

void add_chunk(std::string& file, std::string_view type, std::string_view content) {
  add_big_endian(file, static_cast<std::uint32_t>(content.size()));
  std::string checked(type);
  checked += content;
  file += checked;
  add_big_endian(file, checksum(checked));
}

/// The zlib stream of bytes in stored blocks.
std::string stored(std::string_view bytes) {
  constexpr std::size_t kMost = 65'535;
  std::string stream("\x78\x01", 2);
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kMost) {
    const std::string_view block = bytes.substr(begin, kMost);
    const auto size = static_cast<std::uint32_t>(block.size());
    stream += static_cast<char>(begin + kMost >= bytes.size() ? 1 : 0);
    for (const std::uint32_t length : {size, ~size}) {
      stream += static_cast<char>(length & 0xff);
      stream += static_cast<char>(length >> 8 & 0xff);
    }
    stream += block;
    for (const char byte : block) {
      a = (a + static_cast<unsigned char>(byte)) % 65'521;
      b = (b + a) % 65'521;
    }
  }
  add_big_endian(stream, b << 16 | a);
  return stream;
}

}  // namespace

std::array<Colour, 256> heat_colours() {
  constexpr std::array<Colour, 6> kStops{{{{13, 20, 60}},
                                          {{38, 68, 134}},
                                          {{33, 122, 140}},
                                          {{62, 170, 112}},
                                          {{170, 208, 64}},
                                          {{253, 240, 150}}}};
  std::array<Colour, 256> colours{};
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const double place = static_cast<double>(i) / 255 * (kStops.size() - 1);
    const std::size_t below = std::min<std::size_t>(static_cast<std::size_t>(place), 4);
    const double share = place - static_cast<double>(below);
    for (std::size_t part = 0; part < 3; ++part) {
      colours[i][part] = static_cast<std::uint8_t>(
          std::lround((1 - share) * kStops[below][part] + share * kStops[below + 1][part]));
    }
  }
  return colours;
}

std::string png(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                const std::array<Colour, 256>& colours) {
  std::string header;
  add_big_endian(header, static_cast<std::uint32_t>(width));
  add_big_endian(header, static_cast<std::uint32_t>(height));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits a pixel, a palette
  std::string palette;
  for (const Colour& colour : colours) {
    for (const std::uint8_t part : colour) palette += static_cast<char>(part);
  }
  std::string rows;
  rows.reserve(height * (width + 1));
  for (std::size_t row = 0; row < height; ++row) {
    rows += '\0';  // as it is
    for (const std::uint8_t pixel : pixels.subspan(row * width, width)) {
      rows += static_cast<char>(pixel);
    }
  }
  std::string file("\x89PNG\r\n\x1a\n", 8);
  add_chunk(file, "IHDR", header);
  add_chunk(file, "PLTE", palette);
  add_chunk(file, "IDAT", stored(rows));
  add_chunk(file, "IEND", "");
  return file;
}

std::string data_address(std::string_view media_type, std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "data:";
  text += media_type;
  text += ";base64,";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

}  // namespace mollify
