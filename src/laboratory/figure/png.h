// Small pictures as PNG, for pages that hold them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mollify {

using Colour = std::array<std::uint8_t, 3>;

/// 256 colours from dark blue over green to yellow, each lighter than the one before.
[[nodiscard]] std::array<Colour, 256> heat_colours();

/// A PNG file of `width` times `height` pixels, rows from the top, each pixel the number of its
/// colour. Stored without compression: 1 byte a pixel and some. Requires as many pixels.
[[nodiscard]] std::string png(std::size_t width, std::size_t height,
                              std::span<const std::uint8_t> pixels,
                              const std::array<Colour, 256>& colours);

/// A file's bytes as an address that holds them, for HTML and SVG.
[[nodiscard]] std::string data_address(std::string_view media_type, std::string_view bytes);

}  // namespace mollify
