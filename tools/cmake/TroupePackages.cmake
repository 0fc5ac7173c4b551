# Debian packages, made by `cpack` in a build of the configuration `package`: troupe, libtroupe, libtroupe-dev and python3-troupe, one of
# each component that TroupeInstall.cmake installs. What they depend on is read off the files, but for the headers' packages.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT TARGET troupe)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME troupe)
set(CPACK_PACKAGE_VENDOR Troupe)
set(CPACK_PACKAGE_CONTACT "The Troupe team <troupe@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Copies of libraries that libtroupe_c.so takes along.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_COMPONENTS_ALL libraries development tools)
if(TARGET troupe_python)
  list(APPEND CPACK_COMPONENTS_ALL python3)
endif()

# package(COMPONENT NAME SECTION "What it is" ["More about it"])
function(package component name section summary)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}\n${ARGN}" PARENT_SCOPE)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/${name} RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

package(libraries libtroupe libs "TensorFlow's C API on actors"
  "libtroupe_c.so.2 runs dataflow graphs for programs in C, and for all languages that call C.")
package(development libtroupe-dev libdevel "Headers and the static library of Troupe"
  "The C and the C++ face, for CMake's find_package and for pkg-config.")
package(tools troupe science "Runs, inspects, verifies and serves dataflow graphs"
  "The command line of Troupe, an actor-based runtime for TensorFlow-compatible graphs.")
package(python3 python3-troupe python "TensorFlow 1's graphs and sessions for Python"
  "import troupe as tf: graphs, sessions, variables, gradients, layers, checkpoints.")

# What the C++ face includes and links.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtroupe (= ${PROJECT_VERSION}), libabsl-dev, libcaf-dev, libdnnl-dev, libeigen3-dev, \
libgif-dev, libicu-dev, libjpeg62-turbo-dev, libmimalloc-dev, libpng-dev, libprotobuf-dev, libre2-dev, libsnappy-dev, libspdlog-dev, \
libsqlite3-dev, ocl-icd-opencl-dev, zlib1g-dev")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "libtroupe-dev, python3-troupe")
if(TARGET troupe_python)
  # The module is for one version of Python.
  get_property(version GLOBAL PROPERTY TROUPE_PYTHON_VERSION)
  list(POP_BACK version minor)
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_DEPENDS "python3 (>= ${version}.${minor}~), python3 (<< ${version}.${next}~), python3-numpy")
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_CONTROL_EXTRA
    "${CMAKE_SOURCE_DIR}/tools/cmake/debian/postinst;${CMAKE_SOURCE_DIR}/tools/cmake/debian/prerm")
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endif()
include(CPack)
