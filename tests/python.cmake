# The Python package: pytest, one entry per file so that ctest runs them side by side.
if(NOT TARGET mercer_python)
  return()
endif()
file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_LIST_DIR}/python
     ${CMAKE_CURRENT_LIST_DIR}/python/test_*.py)
foreach(file ${files})
  string(REGEX REPLACE "test_(.*)\\.py" "\\1" name ${file})
  string(REPLACE "_" " " name ${name})
  add_test(NAME "python: ${name}"
    COMMAND ${Python_EXECUTABLE} -m pytest -q -p no:cacheprovider --rootdir=${CMAKE_CURRENT_LIST_DIR}/python
            ${CMAKE_CURRENT_LIST_DIR}/python/${file})
  set_tests_properties("python: ${name}" PROPERTIES TIMEOUT 1200 ENVIRONMENT
    "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1;MERCER_PROGRAM=$<TARGET_FILE:mercer_cli>;MERCER_BUILD=${PROJECT_BINARY_DIR}")
endforeach()
set_tests_properties("python: running" PROPERTIES COST 50 LABELS slow)
set_tests_properties("python: package" PROPERTIES LABELS slow)
