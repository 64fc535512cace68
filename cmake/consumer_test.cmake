# Whatever was built, static or shared, an outside project is built against the installed package
# and run. Costs no build time, so every preset has it.
set(consumer_prefix ${PROJECT_BINARY_DIR}/consumer/prefix)
add_test(NAME consumer/install
         COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${consumer_prefix})
if(CMAKE_C_COMPILER)
  set(c_compiler -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_C_FLAGS=${CMAKE_C_FLAGS})
endif()
add_test(NAME consumer/build_and_run
         COMMAND ${CMAKE_CTEST_COMMAND}
                 --build-and-test ${PROJECT_SOURCE_DIR}/tests/consumer
                                  ${PROJECT_BINARY_DIR}/consumer/build
                 --build-generator ${CMAKE_GENERATOR}
                 --build-options -DCMAKE_PREFIX_PATH=${consumer_prefix}
                                 -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}
                                 -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
                                 ${c_compiler}
                                 -DCMAKE_EXE_LINKER_FLAGS=${CMAKE_EXE_LINKER_FLAGS}
                                 -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
                 --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure)
set_tests_properties(consumer/install PROPERTIES FIXTURES_SETUP installed_package)
# A compiler cache may take installed headers for headers that never change, and answer with an
# object of an older library.
set_tests_properties(consumer/build_and_run PROPERTIES FIXTURES_REQUIRED installed_package
                                                       ENVIRONMENT CCACHE_DISABLE=1)
