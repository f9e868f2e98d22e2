# SPDX-License-Identifier: MIT
# What `cmake --install` puts in place: libraries, header, CMake package and pkg-config file. The installed tree may be
# moved as a whole.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/onepass)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS onepass_shared onepass_static EXPORT onepass-targets)
install(FILES include/onepass.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(EXPORT onepass-targets NAMESPACE onepass:: DESTINATION ${package_dir})
configure_file(cmake/onepass-config.cmake.in onepass-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/onepass-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/onepass-config.cmake ${PROJECT_BINARY_DIR}/onepass-config-version.cmake
    DESTINATION ${package_dir})

# Paths in the pkg-config file are relative to the file itself.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH include_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/onepass.pc.in onepass.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/onepass.pc DESTINATION ${pkgconfig_dir})
