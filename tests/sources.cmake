# Every source compiles by itself, not only beside the others of its batch: those of the Python
# package here, all of them (some 5 minutes of compilation) with ./dev test --all.
if(NOT CMAKE_UNITY_BUILD OR MERCER_COMPILED_TESTS)
  return()
endif()
find_package(Python3 COMPONENTS Interpreter REQUIRED)

# compiled_alone(folder labels…)
function(compiled_alone folder)
  add_test(NAME "sources: each file of ${folder} compiles by itself"
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/sources/alone.py
            ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/${folder})
  set_tests_properties("sources: each file of ${folder} compiles by itself" PROPERTIES
                       TIMEOUT 3600 COST 50 LABELS "${ARGN}")
endfunction()
get_property(modules GLOBAL PROPERTY MERCER_MODULES)
list(REMOVE_ITEM modules simd)  # has no batches
foreach(module ${modules})
  compiled_alone(src/${module} rare)
endforeach()
compiled_alone(apps/cli rare)
if(TARGET mercer_python)
  compiled_alone(bindings/python slow)
endif()

# The check itself: a batch of two files, of which the second lives on the first.
set(small ${PROJECT_BINARY_DIR}/tests/alone)
set(batch ${small}/Unity/unity_0_cxx.cxx)
file(WRITE ${batch} "#include \"${CMAKE_CURRENT_SOURCE_DIR}/sources/batch/first.cpp\"
#include \"${CMAKE_CURRENT_SOURCE_DIR}/sources/batch/second.cpp\"\n")
file(WRITE ${small}/compile_commands.json "[{\"directory\": \"${small}\", \"file\": \"${batch}\",
\"command\": \"${CMAKE_CXX_COMPILER} -o batch.o -c ${batch}\"}]\n")
add_test(NAME "sources: the check finds a file that lives on its neighbours"
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/sources/alone.py ${small}
          ${CMAKE_CURRENT_SOURCE_DIR}/sources/batch)
set_tests_properties("sources: the check finds a file that lives on its neighbours" PROPERTIES
  PASS_REGULAR_EXPRESSION "second.cpp does not compile by itself.*2 files compiled.*1 failed")
