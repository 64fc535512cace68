# The libraries that a file needs at run time are the compiler's, the C library's (and, in their
# builds, the sanitizers' own), and the kernel itself where it is shared.
#
#   cmake -DREADELF=... -DFILES=... -P needs_nothing.cmake
foreach(file ${FILES})
  execute_process(COMMAND ${READELF} -d ${file} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" needed "${dynamic}")
  if(needed STREQUAL "")
    message(FATAL_ERROR "${file} seems to need nothing at all:\n${dynamic}")
  endif()
  foreach(entry ${needed})
    string(REGEX REPLACE ".*\\[(.*)\\]" "\\1" library "${entry}")
    message(STATUS "${file} needs ${library}")
    if(NOT library MATCHES "^(lib(stdc\\+\\+|m|gcc_s|c|pthread|dl|rt|resolv|asan|ubsan|mollify_(core|kernel))\\.so|ld-linux)")
      message(FATAL_ERROR "${file} needs ${library}, but the kernel may not")
    endif()
  endforeach()
endforeach()
