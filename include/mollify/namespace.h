// The namespace of these headers.
#pragma once

// A program says mollify::Domain. The full name is mollify::front::Domain, so that it never meets
// the library's own mollify::Domain at the linker; only the library itself, which knows both, says
// it.
#if defined(MOLLIFY_INSIDE)
namespace mollify::front {}
#else
namespace mollify {
inline namespace front {}
}  // namespace mollify
#endif
