# cmake -DPROGRAM=troupe -DKIND=cases|scripts -DLIST=path/below/shared -DSOURCE=tree [-DFLAGS=--as-written] -P zoo.cmake
# Plays a list of the reference data with `troupe verify`; without the data it says so, and ctest counts it as skipped.
if(DEFINED ENV{TROUPE_SHARED})
  set(shared $ENV{TROUPE_SHARED})
else()
  get_filename_component(shared ${SOURCE}/../shared ABSOLUTE)
endif()
if(NOT EXISTS ${shared}/${LIST})
  message("skipped: no reference data at ${shared}/${LIST}")
  return()
endif()
execute_process(COMMAND ${PROGRAM} verify --${KIND} ${shared}/${LIST} --jobs 2 --timeout ${TIMEOUT} ${FLAGS}
  --known-differences ${SOURCE}/tests/system/zoo_differences.txt RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "troupe verify ended with ${result}")
endif()
