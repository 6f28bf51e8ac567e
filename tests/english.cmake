# Documentation, comments, help and messages avoid the phrases of english/phrases.txt.
if(MERCER_COMPILED_TESTS)
  return()
endif()
find_package(Python COMPONENTS Interpreter REQUIRED)
add_test(NAME "english: M_L9 no phrase of the list"
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/english/check.py $<TARGET_FILE:mercer_cli>)
