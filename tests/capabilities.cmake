# docs/capabilities.md: every cell of the table is run.
if(MERCER_COMPILED_TESTS)
  return()
endif()
find_package(Python COMPONENTS Interpreter REQUIRED)
set(check ${CMAKE_CURRENT_LIST_DIR}/capabilities/check.py)
set(page ${PROJECT_SOURCE_DIR}/docs/capabilities.md)
set(written ${CMAKE_CURRENT_BINARY_DIR}/capabilities.cpp)
add_custom_command(OUTPUT ${written} COMMAND ${Python_EXECUTABLE} ${check} cpp ${written}
                   DEPENDS ${check} ${page} VERBATIM)
add_executable(mercer_capabilities ${written})
target_link_libraries(mercer_capabilities PRIVATE mercer_test_support)
target_compile_options(mercer_capabilities PRIVATE -O0 -Wno-unused -Wno-shadow)

add_test(NAME "capabilities: C++"
  COMMAND ${Python_EXECUTABLE} ${check} run-cpp $<TARGET_FILE:mercer_capabilities>)
add_test(NAME "capabilities: command line"
  COMMAND ${Python_EXECUTABLE} ${check} cli $<TARGET_FILE:mercer_cli>)
if(TARGET mercer_python)
  add_test(NAME "capabilities: Python" COMMAND ${Python_EXECUTABLE} ${check} python)
  set_tests_properties("capabilities: Python" PROPERTIES ENVIRONMENT
    "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1")
endif()
