# The shared library shows the functions that mollify_c.h declares, each of them, and nothing else.
#
#   cmake -DNM=... -DLIBRARY=... -P exports.cmake
execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY}
                OUTPUT_VARIABLE shown COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${shown}")
list(TRANSFORM lines REPLACE " .*" "")
list(SORT lines)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../include/mollify/mollify_c.h header)
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" header "${header}")
string(REGEX MATCHALL "mollify_[a-z_]+\\(" declared "${header}")
list(TRANSFORM declared REPLACE "\\(" "")
list(SORT declared)
list(LENGTH declared count)
if(count LESS 10 OR NOT lines STREQUAL declared)
  message(FATAL_ERROR "declared: ${declared}\nshown: ${lines}")
endif()
message(STATUS "${count} functions")
