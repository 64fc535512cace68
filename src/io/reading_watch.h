// Who is told how far files are read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace mollify {

/// Told how many bytes of a regular file have been read, of how many: all of them when its reader
/// is done with it, which may be before the end. Must not throw.
using ReadingWatch =
    std::function<void(const std::string& path, std::uint64_t read, std::uint64_t bytes)>;

/// Sets who is told by every LineReader of the program, because files are read deep within jobs: a
/// terminal. Call it before any file is read.
void watch_reading(ReadingWatch watch);

}  // namespace mollify
