# Target check_headers: every header of the project compiled alone, so that it includes what it uses. Not part of `all`; the
# test `headers` (label slow) builds it. Headers of tests, of the CUDA device and of the package for Python are left out where those are not built.
find_package(CLI11 REQUIRED)
find_package(mimalloc REQUIRED)
find_package(nlohmann_json REQUIRED)
file(GLOB_RECURSE troupe_headers RELATIVE ${CMAKE_SOURCE_DIR}
  ${CMAKE_SOURCE_DIR}/proto/*.h ${CMAKE_SOURCE_DIR}/graph/*.h ${CMAKE_SOURCE_DIR}/devices/*.h
  ${CMAKE_SOURCE_DIR}/actors/*.h ${CMAKE_SOURCE_DIR}/tools/*.h ${CMAKE_SOURCE_DIR}/tests/*.h)
list(FILTER troupe_headers EXCLUDE REGEX "^devices/cuda/")
get_property(python_includes GLOBAL PROPERTY TROUPE_PYTHON_INCLUDES)
if(NOT python_includes)
  list(FILTER troupe_headers EXCLUDE REGEX "^tools/python/")
endif()

set(troupe_header_sources)
foreach(header IN LISTS troupe_headers)
  string(REPLACE "/" "__" source ${header})
  set(source ${CMAKE_BINARY_DIR}/check_headers/${source}.cc)
  # Twice: a header without #pragma once does not survive it.
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
  list(APPEND troupe_header_sources ${source})
endforeach()

add_library(check_headers OBJECT EXCLUDE_FROM_ALL ${troupe_header_sources})
target_link_libraries(check_headers PRIVATE
  troupe_tools troupe_cpu_primitives mimalloc GTest::gtest CLI11::CLI11 nlohmann_json::nlohmann_json)
target_include_directories(check_headers PRIVATE ${CMAKE_SOURCE_DIR}/actors/c_api/include)
target_include_directories(check_headers SYSTEM PRIVATE ${python_includes})
target_compile_options(check_headers PRIVATE -O0)

add_test(NAME headers
  COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target check_headers)
set_tests_properties(headers PROPERTIES TIMEOUT 1800 LABELS slow RUN_SERIAL TRUE)
