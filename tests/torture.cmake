# Faults at call sites of library functions: all with ./dev torture --faults, some of them here.
# A sanitizer replaces the functions that this would.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR MERCER_COMPILED_TESTS)
  return()
endif()
find_package(Python3 COMPONENTS Interpreter)
add_library(mercer_faults MODULE ${CMAKE_CURRENT_LIST_DIR}/torture/faults.cpp)
set_target_properties(mercer_faults PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_link_libraries(mercer_faults PRIVATE ${CMAKE_DL_LIBS})
if(Python3_FOUND)
  add_test(NAME "torture: M_P6 faults" COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_LIST_DIR}/torture/faults.py --build ${PROJECT_BINARY_DIR} --jobs 2
    --function write,read,fsync,rename,open,mmap,thread --slice 12)
  set_tests_properties("torture: M_P6 faults" PROPERTIES TIMEOUT 300 COST 20 LABELS slow)
endif()
