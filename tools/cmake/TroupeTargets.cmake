# troupe_library(NAME SOURCES ... LINK ... [PRECOMPILED header or target])  one static library with the project's warnings.
# troupe_test(NAME SOURCES ... LINK ... [LABELS ...] [TIMEOUT s] [PRECOMPILED target])  one GoogleTest program, one ctest entry.
# troupe_program(NAME SOURCES ... LINK ... [PRECOMPILED header or target])  one executable.
# troupe_headers(NAME header LINK ...)  a program that does nothing, whose precompiled header others name as PRECOMPILED.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

add_library(troupe_options INTERFACE)
target_compile_options(troupe_options INTERFACE -Wall -Wextra -Wshadow)
target_include_directories(troupe_options INTERFACE ${CMAKE_SOURCE_DIR})
if(TROUPE_SANITIZE)
  add_compile_options(-fsanitize=${TROUPE_SANITIZE} -fno-omit-frame-pointer)
  add_compile_definitions(TROUPE_SANITIZED)
  if(TROUPE_SANITIZE MATCHES "thread")
    # Debian's protobuf is built without it, and lays its map fields out as its headers then say. libstdc++ must know.
    add_compile_options(-U__SANITIZE_THREAD__ -D_GLIBCXX_TSAN=1)
  endif()
  add_link_options(-fsanitize=${TROUPE_SANITIZE})
  if(TROUPE_SANITIZE MATCHES "undefined")
    # CAF 0.17.6 binds references to null in its own headers (init_fun_factory.hpp); Eigen maps empty arrays.
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=null,alignment,vptr)
  endif()
endif()

# PRECOMPILED: a header that the target's files get precompiled, or the target to take it from; files with options of their
# own cannot have it and are marked SKIP_PRECOMPILE_HEADERS.
function(troupe_precompile name what)
  if(NOT TROUPE_PRECOMPILE OR NOT what)
    return()
  endif()
  if(TARGET ${what})
    target_precompile_headers(${name} REUSE_FROM ${what})
  else()
    # As <folder/file.h>, not by its absolute path: so that ccache knows it again in another clone.
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    target_precompile_headers(${name} PRIVATE <${folder}/${what}>)
  endif()
  # For ccache.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

function(troupe_library name)
  cmake_parse_arguments(arg "" "PRECOMPILED" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC troupe_options ${arg_LINK})
  troupe_precompile(${name} "${arg_PRECOMPILED}")
endfunction()

function(troupe_program name)
  cmake_parse_arguments(arg "" "PRECOMPILED" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE troupe_options ${arg_LINK})
  troupe_precompile(${name} "${arg_PRECOMPILED}")
endfunction()

function(troupe_headers name header)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "int main() { return 0; }\n")
  troupe_program(${name} SOURCES ${source} PRECOMPILED ${header} ${ARGN})
endfunction()

function(troupe_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;PRECOMPILED" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(TROUPE_SANITIZE)
    # What is watched takes so much longer.
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE troupe_options ${arg_LINK} GTest::gmock GTest::gtest GTest::gtest_main)
  troupe_precompile(${name} "${arg_PRECOMPILED}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
