# cmake --install: libraries, headers, find_package(troupe) and pkg-config for the C and the C++ face.
#   lib/libtroupe_c.so*              the C API, with the copies of libraries that it takes along beside it
#   include/troupe/c/tensorflow/c/   its headers, in a folder of their own so that a TensorFlow beside it is not shadowed
#   lib/libtroupe.a                  the C++ face and all below it
#   include/troupe/...               its headers, with their includes rewritten to that prefix
#   bin/                             the command line
# The components, libraries, development, tools and python3, become packages: TroupePackages.cmake.
include(GNUInstallDirs)

install(TARGETS troupe_c LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries NAMELINK_COMPONENT development)
get_property(private_libraries GLOBAL PROPERTY TROUPE_PRIVATE_LIBRARIES)
install(FILES ${private_libraries} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/actors/c_api/include/tensorflow
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/troupe/c COMPONENT development FILES_MATCHING PATTERN "*.h")
if(TROUPE_BUILD_TOOLS)
  install(TARGETS troupe troupe-bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()

# One archive of all libraries of the C++ face, made anew by every install.
set(archives)
get_property(kernel_libraries GLOBAL PROPERTY TROUPE_KERNEL_LIBRARIES)
foreach(library IN ITEMS troupe_console troupe_actors troupe_step troupe_cuda_kernels troupe_cuda_libraries troupe_cuda
        troupe_cpu troupe_cpu_kernels ${kernel_libraries} troupe_common troupe_cpu_loops
        troupe_cpu_primitives troupe_checkpoint troupe_memory troupe_devices troupe_gradients troupe_passes troupe_ir troupe_ops troupe_tensor_proto
        troupe_tensor troupe_proto)
  list(APPEND archives $<TARGET_FILE:${library}>)
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/libtroupe.mri
  CONTENT "create ${CMAKE_BINARY_DIR}/lib/libtroupe.a\naddlib $<JOIN:${archives},\naddlib >\nsave\nend\n")
install(CODE "execute_process(COMMAND ${CMAKE_AR} -M INPUT_FILE ${CMAKE_BINARY_DIR}/libtroupe.mri COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/lib/libtroupe.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(CODE "
  set(SOURCE ${CMAKE_SOURCE_DIR})
  set(BINARY ${CMAKE_BINARY_DIR})
  set(DESTINATION \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/troupe\")
  include(${CMAKE_SOURCE_DIR}/tools/cmake/install_headers.cmake)"
  COMPONENT development)

# Where the installed files are is said relative to themselves: they may be installed anywhere, and moved.
file(RELATIVE_PATH TROUPE_PKGCONFIG_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" TROUPE_PKGCONFIG_TO_PREFIX "${TROUPE_PKGCONFIG_TO_PREFIX}")
foreach(file IN ITEMS troupe-config.cmake troupe.pc troupe_c.pc)
  configure_file(${CMAKE_SOURCE_DIR}/tools/cmake/${file}.in ${CMAKE_BINARY_DIR}/install/${file} @ONLY)
endforeach()
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/troupe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/install/troupe-config.cmake ${CMAKE_BINARY_DIR}/install/troupe-config-version.cmake
              ${CMAKE_SOURCE_DIR}/tools/cmake/FindCAF.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/troupe COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/install/troupe.pc ${CMAKE_BINARY_DIR}/install/troupe_c.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
