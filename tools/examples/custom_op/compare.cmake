# Runs the example; then, where TensorFlow is installed, compiles its two sources against TensorFlow's headers, runs them with
# its library, and compares what both print.
function(run output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}\n${text}${errors}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

run(ours ${EXAMPLE} ${PLUGIN})
message(STATUS "${ours}")

set(wheel "$ENV{TROUPE_TENSORFLOW_WHEEL}")
if(NOT wheel)
  execute_process(OUTPUT_VARIABLE wheel ERROR_QUIET COMMAND python3 -c
    "import importlib.util as u; s = u.find_spec('tensorflow'); print(s.submodule_search_locations[0] if s else '', end='')")
endif()
if(NOT EXISTS "${wheel}/libtensorflow_cc.so.2")
  message(STATUS "Not compared: no TensorFlow is installed")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(ENV{TF_CPP_MIN_LOG_LEVEL} 3)
run(ignored ${CC} -std=gnu11 -shared -fPIC -I${wheel}/include ${SOURCES}/clip_norm_op.c -o ${WORK}/op.so -lm)
run(ignored ${CC} -std=gnu11 -I${wheel}/include ${SOURCES}/use_clip_norm.c -o ${WORK}/use -L${wheel}
  -l:libtensorflow_cc.so.2 -l:libtensorflow_framework.so.2 -lm -Wl,-rpath,${wheel})
run(theirs ${WORK}/use ${WORK}/op.so)
if(NOT ours STREQUAL theirs)
  message(FATAL_ERROR "TensorFlow prints something else:\n${theirs}")
endif()
message(STATUS "TensorFlow prints the same")
