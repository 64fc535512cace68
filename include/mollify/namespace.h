// The namespace of these headers.
#pragma once

// A program says mollify::Domain. The full name is mollify::front::Domain, so that it never meets
// the library's own mollify::Domain at the linker; only the library itself, which knows both, says
// it.
#if defined(MOLLIFY_INSIDE)
#define MOLLIFY_NAMESPACE mollify::front
#else
#define MOLLIFY_NAMESPACE mollify::inline front
#endif
