# The examples in the comments of headers compile. A sanitizer has nothing to say of them.
if(MERCER_COMPILED_TESTS)
  return()
endif()
find_package(Python3 COMPONENTS Interpreter REQUIRED)

# compiled_examples(name folder prelude)
function(compiled_examples name folder prelude)
  string(MAKE_C_IDENTIFIER "${name}" output)
  add_test(NAME "examples: ${name}"
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/examples/examples.py ${folder}
            ${PROJECT_BINARY_DIR}/tests/examples_${output}.cpp
            ${CMAKE_CURRENT_SOURCE_DIR}/examples/${prelude}
            ${CMAKE_CXX_COMPILER} -std=c++20 -Wall -Wextra -Werror -Wno-unused
            "-isystem$<JOIN:$<FILTER:$<TARGET_PROPERTY:mercer_test_main,INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include$>,;-isystem>"
            "-D$<JOIN:$<TARGET_PROPERTY:mercer_test_main,COMPILE_DEFINITIONS>,;-D>"
    COMMAND_EXPAND_LISTS)
endfunction()
compiled_examples("of public headers compile" ${PROJECT_SOURCE_DIR}/include public.hpp)
compiled_examples("of the headers in src compile" ${PROJECT_SOURCE_DIR}/src internal.hpp)

# The check itself: an undeclared name and a number that overflows are found, at their lines.
compiled_examples("the check finds what does not compile" ${CMAKE_CURRENT_SOURCE_DIR}/examples/broken
                  public.hpp)
set_tests_properties("examples: the check finds what does not compile" PROPERTIES
  PASS_REGULAR_EXPRESSION "broken.hpp:9.*mistyped.*broken.hpp:13: error: 4 << 30 overflows an int")
