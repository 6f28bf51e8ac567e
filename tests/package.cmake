# The installed package, as an outside project meets it. A sanitized library is nothing to install.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  return()
endif()

set(package_test ${PROJECT_BINARY_DIR}/package-test)
set(prefix ${package_test}/prefix)
set(outside ${CMAKE_CURRENT_LIST_DIR}/package/outside)

add_test(NAME "package: installs and can be moved"
  COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DPREFIX=${prefix}
          -DMPI=$<TARGET_EXISTS:mercer_mpi>
          -P ${CMAKE_CURRENT_LIST_DIR}/package/install.cmake)
add_test(NAME "package: an outside project finds it with CMake"
  COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${outside} ${package_test}/cmake
          --build-generator Ninja --build-noclean
          --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Debug
          -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
          --test-command ${package_test}/cmake/outside)
add_test(NAME "package: an outside project finds it in the build folder"
  COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${outside} ${package_test}/build-folder
          --build-generator Ninja --build-noclean
          --build-options -Dmercer_DIR=${PROJECT_BINARY_DIR} -DCMAKE_BUILD_TYPE=Debug
          -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
          --test-command ${package_test}/build-folder/outside)

# As a part of a project the library is built once more, so only what differs is: the project is
# configured and compiles its own source. The whole of it is for --all.
foreach(way SUBDIRECTORY FETCHED)
  string(TOLOWER ${way} folder)
  set(options --build-generator Ninja --build-noclean
      --build-options -DMERCER_${way}=${PROJECT_SOURCE_DIR} -DCMAKE_BUILD_TYPE=Debug
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
  add_test(NAME "package: part of a project, ${folder}"
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${outside} ${package_test}/${folder}
            --build-target CMakeFiles/outside.dir/main.cpp.o ${options})
  add_test(NAME "package: part of a project, ${folder}, built and run"
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${outside} ${package_test}/${folder}
            ${options} --test-command ${package_test}/${folder}/outside)
  set_tests_properties("package: part of a project, ${folder}" PROPERTIES LABELS slow
    RESOURCE_LOCK package-${folder})
  set_tests_properties("package: part of a project, ${folder}, built and run" PROPERTIES
    LABELS rare RESOURCE_LOCK package-${folder})
endforeach()

add_test(NAME "package: an outside project finds it with pkg-config"
  COMMAND sh -ec "mkdir -p '${package_test}'
export PKG_CONFIG_PATH='${prefix}/${CMAKE_INSTALL_LIBDIR}/pkgconfig'
'${CMAKE_CXX_COMPILER}' -std=c++20 '${outside}/main.cpp' -o '${package_test}/outside' $(pkg-config --cflags --libs mercer)
'${package_test}/outside'")
add_test(NAME "package: cpack makes a Debian package"
  COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DCMAKE_CPACK_COMMAND=${CMAKE_CPACK_COMMAND}
          -DMPI=$<TARGET_EXISTS:mercer_mpi>
          -P ${CMAKE_CURRENT_LIST_DIR}/package/deb.cmake)

set_tests_properties("package: installs and can be moved" PROPERTIES FIXTURES_SETUP installed)
set_tests_properties("package: an outside project finds it with CMake"
                     "package: an outside project finds it with pkg-config"
                     PROPERTIES FIXTURES_REQUIRED installed)
set_tests_properties("package: installs and can be moved"
                     "package: an outside project finds it with CMake"
                     "package: an outside project finds it in the build folder"
                     "package: an outside project finds it with pkg-config"
                     "package: cpack makes a Debian package" PROPERTIES LABELS slow)
# cpack and install write the same manifest in the build folder.
set_tests_properties("package: installs and can be moved" "package: cpack makes a Debian package"
                     PROPERTIES RESOURCE_LOCK install)
