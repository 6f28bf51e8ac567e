# mercer_module(name [INNER_LOOPS] USES modules…): an object library of src/name/**/*.cpp.
# INNER_LOOPS: -O3; everything else is compiled with -O2, which takes up to a fifth less time.
# mercer_library(): all of them together, as mercer::mercer.

function(mercer_module name)
  cmake_parse_arguments(arg "INNER_LOOPS" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_library(mercer_${name} OBJECT ${sources})
  target_include_directories(mercer_${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(mercer_${name} PRIVATE
    Eigen3::Eigen fmt::fmt hwy::hwy nlohmann_json::nlohmann_json OpenBLAS::OpenBLAS ZLIB::ZLIB
    Threads::Threads)
  mercer_compile_options(mercer_${name})
  # Most of a module's compile time is these headers: they are read once per level of optimisation.
  set(level 2)
  if(arg_INNER_LOOPS)
    set(level 3)
  endif()
  target_compile_options(mercer_${name} PRIVATE $<$<CONFIG:Release>:-O${level}>)
  if(arg_INNER_LOOPS)
    # Immediate operands of vector instructions are constants only after inlining: GCC does not
    # compile them without optimisation.
    target_compile_options(mercer_${name} PRIVATE $<$<CONFIG:Debug>:-O1>)
  endif()
  get_property(first GLOBAL PROPERTY MERCER_PRECOMPILED_O${level})
  if(first)
    target_precompile_headers(mercer_${name} REUSE_FROM mercer_${first})
  else()
    target_precompile_headers(mercer_${name} PRIVATE <Eigen/Core> <fmt/format.h> <algorithm>
      <functional> <memory> <optional> <string> <vector>)
    set_property(GLOBAL PROPERTY MERCER_PRECOMPILED_O${level} ${name})
  endif()
  # Twice the preset's: a fifth less time for all of a module, more for one file of it. A small
  # -DCMAKE_UNITY_BUILD_BATCH_SIZE suits work on a few files.
  if(CMAKE_UNITY_BUILD_BATCH_SIZE)
    math(EXPR batch "2 * ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
    set_target_properties(mercer_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
  set_property(GLOBAL APPEND PROPERTY MERCER_MODULES ${name})
  set_property(GLOBAL PROPERTY MERCER_USES_${name} ${arg_USES})
endfunction()

function(mercer_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                         -Wno-sign-conversion)
  # Fused multiply-adds only where the source has them: GCC compiles a loop twice, with and without
  # vectors, and which one runs depends on the distance of the arrays in memory. Results did too.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  # GCC takes the sources that are compiled together for headers.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

function(mercer_library)
  get_property(modules GLOBAL PROPERTY MERCER_MODULES)
  set(objects "")
  foreach(module ${modules})
    list(APPEND objects $<TARGET_OBJECTS:mercer_${module}>)
  endforeach()
  add_library(mercer ${objects})
  add_library(mercer::mercer ALIAS mercer)
  target_compile_features(mercer PUBLIC cxx_std_20)
  target_include_directories(mercer PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(mercer PUBLIC Eigen3::Eigen
    PRIVATE fmt::fmt hwy::hwy OpenBLAS::OpenBLAS ZLIB::ZLIB Threads::Threads)
  set_target_properties(mercer PROPERTIES VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()
