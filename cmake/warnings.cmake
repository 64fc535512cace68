# One place for the warnings every target of this project is built with. They are for those who work on
# it: looking for what is to be warned of takes a compiler some of its time.
add_library(mollify_warnings INTERFACE)
# A switch over an enumeration names every value and has no default, so that a new value is missed nowhere.
target_compile_options(mollify_warnings INTERFACE
  -Wno-psabi # vectors never cross a function boundary that is not inlined
  "$<$<BOOL:${MOLLIFY_WARNINGS_AS_ERRORS}>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wsign-conversion;-Wold-style-cast;-Wswitch-enum;-Werror>"
  "$<$<AND:$<BOOL:${MOLLIFY_WARNINGS_AS_ERRORS}>,$<CXX_COMPILER_ID:Clang>>:-Wcovered-switch-default>")
