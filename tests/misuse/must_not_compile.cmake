# A misuse is caught if its file compiles without MISUSE, which shows that nothing else is wrong
# with it, and with MISUSE does not, for the reason that its line "expected:" gives.
#
#   cmake -DCOMPILER=... -DFLAGS=... -DINCLUDE=... -DFILE=... -P must_not_compile.cmake
file(STRINGS ${FILE} expected REGEX "^// expected: " LIMIT_COUNT 1)
string(REPLACE "// expected: " "" expected "${expected}")
if(expected STREQUAL "")
  message(FATAL_ERROR "${FILE} does not say which error is expected")
endif()
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
set(ENV{LC_ALL} C)
set(compile ${COMPILER} ${flags} -std=c++20 -fsyntax-only -I${INCLUDE} ${FILE})

execute_process(COMMAND ${compile} RESULT_VARIABLE status ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the proper use does not compile:\n${errors}")
endif()
execute_process(COMMAND ${compile} -DMISUSE RESULT_VARIABLE status ERROR_VARIABLE errors)
if(status EQUAL 0)
  message(FATAL_ERROR "the misuse compiles")
endif()
if(NOT errors MATCHES "error: [^\n]*${expected}")
  message(FATAL_ERROR "the misuse fails for another reason than \"${expected}\":\n${errors}")
endif()
