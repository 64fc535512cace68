# What `cmake --install` lays down, and the package that an outside project finds
# with find_package(mollify). Headers of the rooms are inside: they stand in mollify/internal.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mollify)
set(libraries mollify_core mollify_kernel mollify_local mollify_release mollify_io mollify_laboratory)

install(TARGETS ${libraries} EXPORT mollifyTargets
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mollify/internal)
install(FILES ${PROJECT_SOURCE_DIR}/include/mollify/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mollify)
if(TARGET mollify_cli)
  # An installed command finds a shared library of ours wherever the prefix is moved.
  file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(mollify_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  install(TARGETS mollify_cli)
endif()
set_target_properties(${libraries} PROPERTIES INSTALL_RPATH "$ORIGIN")

install(EXPORT mollifyTargets NAMESPACE mollify:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/mollifyConfig.cmake.in
  ${PROJECT_BINARY_DIR}/mollifyConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mollifyConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mollifyConfig.cmake
              ${PROJECT_BINARY_DIR}/mollifyConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
