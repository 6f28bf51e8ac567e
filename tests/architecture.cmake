# The modules of src/CMakeLists.txt, and what programs may use of them, against what sources include.
get_property(modules GLOBAL PROPERTY MERCER_MODULES)
set(modules_file ${PROJECT_BINARY_DIR}/modules.cmake)
set(content "set(modules ${modules})\n")
foreach(module ${modules})
  get_property(uses GLOBAL PROPERTY MERCER_USES_${module})
  string(APPEND content "set(uses_${module} ${uses})\n")
endforeach()
file(WRITE ${modules_file} "${content}")

set(check ${CMAKE_CURRENT_LIST_DIR}/architecture/check.cmake)
add_test(NAME "architecture: nothing includes upwards or names a flag"
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DMODULES=${modules_file} -P ${check})

# The check itself: each kind of violation in a small tree is found.
function(finds what)
  string(REPLACE " " "[ \n]+" pattern "${ARGN}")  # CMake breaks long messages into lines
  add_test(NAME "architecture: the check finds ${what}"
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_CURRENT_LIST_DIR}/architecture/upwards
            -DMODULES=${modules_file} -P ${check})
  set_tests_properties("architecture: the check finds ${what}" PROPERTIES
                       PASS_REGULAR_EXPRESSION "${pattern}")
endfunction()
finds("an internal header from above" "low.cpp: core may not use pca: #include .pca/high.hpp")
finds("a public header from above" "low.cpp: core may not use pca: #include <mercer/fit.hpp>")
finds("an include without its module" "low.cpp: write .module/file.hpp. in #include .low.hpp")
finds("an internal header in a public one" "matrix.hpp: a public header includes an internal one")
finds("a public header in a lower one" "matrix.hpp: core may not use model")
finds("a public header of no module" "stray.hpp belongs to no module")
finds("an internal header in the command line" "main.cpp: apps/cli may not use the internal header pca/plan.hpp")
finds("an internal header in the Python package" "module.cpp: bindings/python may not use the internal header core/memory.hpp")
finds("a folder that the command line does not have" "main.cpp: apps/cli has no folder studio")
finds("an include without its folder" "main.cpp: write .folder/file.hpp. in #include .terminal.hpp")
finds("a listed header that nothing uses" "apps/cli does not use core/memory.hpp")
finds("a flag in a message" "low.cpp: a message names a flag: .*raise --memory")
finds("a short flag in a message" "low.cpp: a message names a flag: .*-k is too large")
finds("a measurement of free memory" "low.cpp: free memory is measured in core/budget alone")
