# One place for the warnings every target of this project is built with.
add_library(mollify_warnings INTERFACE)
target_compile_options(mollify_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wno-psabi # vectors never cross a function boundary that is not inlined
  $<$<BOOL:${MOLLIFY_WARNINGS_AS_ERRORS}>:-Werror>)
