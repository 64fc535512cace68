# One place for the warnings every target of this project is built with. They are for those who work on
# it: looking for what is to be warned of takes a compiler some of its time.
add_library(mollify_warnings INTERFACE)
# Warnings that depend on how GCC optimises have other false alarms in each version, most of them in inlined code of the
# standard library. They are errors with GCC 12 only, which the project is developed with; newer versions print them.
set(optimiser_warnings array-bounds dangling-pointer free-nonheap-object maybe-uninitialized nonnull restrict
                       stringop-overflow stringop-overread use-after-free)
list(TRANSFORM optimiser_warnings PREPEND -Wno-error=)
# A switch over an enumeration names every value and has no default, so that a new value is missed nowhere.
target_compile_options(mollify_warnings INTERFACE
  -Wno-psabi # vectors never cross a function boundary that is not inlined
  "$<$<BOOL:${MOLLIFY_WARNINGS_AS_ERRORS}>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wsign-conversion;-Wold-style-cast;-Wswitch-enum;-Werror>"
  "$<$<AND:$<BOOL:${MOLLIFY_WARNINGS_AS_ERRORS}>,$<CXX_COMPILER_ID:Clang>>:-Wcovered-switch-default>"
  "$<$<AND:$<BOOL:${MOLLIFY_WARNINGS_AS_ERRORS}>,$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:${optimiser_warnings}>")
