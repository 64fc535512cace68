// Work that threads share.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace mollify {

inline constexpr std::size_t kMostThreads = 1024;

/// As many threads as are asked for, or if that is 0 as many as this process may run at once; at
/// most kMostThreads.
[[nodiscard]] std::size_t thread_count(std::size_t asked) noexcept;

/// Does the work of places begin ... end - 1. Each thread has its own.
using RangeWork = std::function<void(std::size_t begin, std::size_t end)>;

/// Cuts places 0 ... count - 1 into ranges, which `threads` threads take as they come; this thread
/// is one of them. `make_work` is called by each thread once, also by several at a time. Fewer
/// threads do the work if no more can be made. Rethrows what work threw first, when all threads
/// have ended.
///
/// Between ranges, which are small where they take long, this thread asks its watch whether to stop
/// (base/progress.h). In the other threads `keep_going` throws when any thread has failed. Progress
/// is shown if the places have a name, such as "units", which says that their number is public.
void in_threads(std::size_t count, std::size_t threads, const std::function<RangeWork()>& make_work,
                const std::string& steps_name = {});

}  // namespace mollify
