# Copies the headers of the C++ face from SOURCE, and generated ones from BINARY, to DESTINATION; what they include of
# each other is rewritten to begin with troupe/.
function(copy_headers root folder)
  file(GLOB_RECURSE headers RELATIVE ${root} ${root}/${folder}/*.h ${root}/${folder}/*.def)
  foreach(header IN LISTS headers)
    if(header MATCHES "^actors/c_api/")
      continue()
    endif()
    file(READ ${root}/${header} text)
    string(REGEX REPLACE "(#[ ]*include \")(actors|devices|graph|proto)/" "\\1troupe/\\2/" rewritten "${text}")
    file(WRITE ${DESTINATION}/${header} "${rewritten}")
  endforeach()
endfunction()

foreach(folder IN ITEMS actors devices graph proto)
  copy_headers(${SOURCE} ${folder})
endforeach()
copy_headers(${BINARY} proto)
