# What `cmake --install` lays down, and the package that an outside project finds
# with find_package(mollify): the front's headers and the core's, and the libraries.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mollify)
set(libraries mollify_core mollify_kernel mollify_local mollify_methods mollify_release mollify_formats mollify_analysis mollify_mollify
              mollify_c mollify_laboratory)

install(TARGETS ${libraries} EXPORT mollifyTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mollify DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mollify
        FILES_MATCHING PATTERN *.h PATTERN *lanes.h EXCLUDE PATTERN chacha20.h EXCLUDE)
if(TARGET mollify_cli)
  # An installed command finds a shared library of ours wherever the prefix is moved.
  file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(mollify_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  install(TARGETS mollify_cli)
  # man and the shells find these where they look; zsh's is for `source`.
  install(CODE "set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
execute_process(COMMAND ${CMAKE_COMMAND} \"-DCOMMAND=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:mollify_cli>\"
  -DMANUALS=\${root}/${CMAKE_INSTALL_MANDIR}/man1
  -DBASH=\${root}/${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  -DFISH=\${root}/${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  -DZSH=\${root}/${CMAKE_INSTALL_DATADIR}/mollify
  -P ${CMAKE_CURRENT_LIST_DIR}/manuals.cmake COMMAND_ERROR_IS_FATAL ANY)")
endif()
set_target_properties(${libraries} PROPERTIES INSTALL_RPATH "$ORIGIN")

install(EXPORT mollifyTargets NAMESPACE mollify:: DESTINATION ${package_dir})
include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)

# For C programs without CMake: pkg-config --cflags --libs mollify_c.
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/mollify_c.pc @ONLY CONTENT
"prefix=\${pcfiledir}/@to_prefix@
Name: mollify_c
Description: @PROJECT_DESCRIPTION@, for C
Version: @PROJECT_VERSION@
Cflags: -I\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
Libs: -L\${prefix}/@CMAKE_INSTALL_LIBDIR@ -lmollify_c
")
install(FILES ${PROJECT_BINARY_DIR}/mollify_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
