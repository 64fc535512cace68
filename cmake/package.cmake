# What find_package(mollify) reads, whichever libraries are installed.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mollify)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/mollifyConfig.cmake.in
  ${PROJECT_BINARY_DIR}/mollifyConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mollifyConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mollifyConfig.cmake
              ${PROJECT_BINARY_DIR}/mollifyConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
