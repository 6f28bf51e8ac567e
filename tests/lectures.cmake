# docs/lectures: the commands of every page are run, and their outputs compared.
if(MERCER_COMPILED_TESTS)
  return()
endif()
find_package(Python COMPONENTS Interpreter REQUIRED)
file(GLOB pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/docs/lectures
     ${PROJECT_SOURCE_DIR}/docs/lectures/*.md)
foreach(page ${pages})
  add_test(NAME "lectures: M_T11 ${page}"
    COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/lectures/check.py $<TARGET_FILE:mercer_cli> ${page})
endforeach()
