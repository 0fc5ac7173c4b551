# What packages are made of: the release, for /usr, without tests.
include(${CMAKE_CURRENT_LIST_DIR}/release.cmake)
set(TROUPE_BUILD_TESTS OFF CACHE BOOL "")
set(CMAKE_INSTALL_PREFIX /usr CACHE PATH "")
