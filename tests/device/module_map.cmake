# Clang imports mollify/device.h as a module: by `@import`, which is how Swift imports it too, and by #include.
#
#   cmake -DCLANG=... -DSOURCES=REPOSITORY -DFOLDER=... -P module_map.cmake
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
file(WRITE ${FOLDER}/imported.m "@import mollify;
static const mollify_device_status status = MOLLIFY_DEVICE_NO_ENTROPY;
uint32_t reported(mollify_device_response* response, uint32_t value);
uint32_t reported(mollify_device_response* response, uint32_t value) {
  return mollify_device_respond(response, &value, 1, &value) == status ? 0 : value;
}
")
foreach(source objective-c:${FOLDER}/imported.m c:${SOURCES}/examples/on_a_device.c)
  string(REPLACE ":" ";" parts ${source})
  list(POP_FRONT parts language)
  execute_process(
    COMMAND ${CLANG} -x ${language} -fmodules -fmodules-cache-path=${FOLDER}/${language} -Rmodule-build -Wall -Wextra
            -pedantic -I${SOURCES}/include -fsyntax-only ${parts}
    RESULT_VARIABLE status ERROR_VARIABLE said)
  if(NOT status EQUAL 0 OR NOT said MATCHES "building module 'mollify'" OR said MATCHES "warning:")
    message(FATAL_ERROR "${parts} is not compiled with the module mollify (${status}):\n${said}")
  endif()
endforeach()
