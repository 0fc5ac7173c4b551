# Writes OUT, a source with the bytes of IN as troupe::kConsolePage.
file(READ ${IN} page)
string(FIND "${page}" ")page\"" end)
if(NOT end EQUAL -1)
  message(FATAL_ERROR "${IN} has the end of a raw string literal in it")
endif()
file(WRITE ${OUT} "#include \"actors/console/console_page.h\"\n\nnamespace troupe {\n\nconst std::string_view kConsolePage = R\"page(${page})page\";\n\n}  // namespace troupe\n")
