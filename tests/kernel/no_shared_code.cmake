# An object compiled for wider registers may define no function that the linker merges with the same
# one from elsewhere: its copy could be the one that stays, and stop an older processor.
#
#   cmake -DNM=... -DOBJECTS=... -P no_shared_code.cmake
if(OBJECTS STREQUAL "")
  message(FATAL_ERROR "there is no such object")
endif()
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  if(symbols MATCHES "[0-9a-f]+ (W [^\n]*)")
    message(FATAL_ERROR "${object} defines ${CMAKE_MATCH_1}")
  endif()
endforeach()
