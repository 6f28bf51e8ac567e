cmake_minimum_required(VERSION 3.22)

# cmake -DBUILD=… -DMPI=… -P deb.cmake: cpack makes one .deb with the right content and dependencies,
# and another one for what needs MPI.
set(folder ${BUILD}/package-test/deb)
file(REMOVE_RECURSE ${folder})
execute_process(COMMAND ${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD}/CPackConfig.cmake -B ${folder}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB package ${folder}/mercer_*.deb)
list(LENGTH package count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "cpack made ${count} packages: ${package}")
endif()

execute_process(COMMAND dpkg-deb --contents ${package} OUTPUT_VARIABLE content
                COMMAND_ERROR_IS_FATAL ANY)
foreach(path bin/mercer lib/libmercer.a include/mercer/fit.hpp include/mercer/version.hpp
        lib/cmake/mercer/mercer-config.cmake lib/pkgconfig/mercer.pc share/man/man1/mercer.1
        share/bash-completion/completions/mercer share/zsh/vendor-completions/_mercer
        share/fish/vendor_completions.d/mercer.fish share/mercer/data/digits.csv share/doc/mercer/copyright)
  if(NOT content MATCHES " ./usr/${path}\n")
    message(SEND_ERROR "the package lacks /usr/${path}")
  endif()
endforeach()

execute_process(COMMAND dpkg-deb --field ${package} OUTPUT_VARIABLE fields
                COMMAND_ERROR_IS_FATAL ANY)
foreach(field "Package: mercer" "Section: math" "Depends: [^\n]*libfmt" "Depends: [^\n]*libopenblas"
        "Depends: [^\n]*zlib1g")
  if(NOT fields MATCHES "${field}")
    message(SEND_ERROR "the package's control file lacks '${field}':\n${fields}")
  endif()
endforeach()
if(fields MATCHES "Depends: [^\n]*mpi" OR content MATCHES "mercer-mpi")
  message(SEND_ERROR "the package of mercer needs MPI:\n${fields}")
endif()

file(GLOB package ${folder}/mercer-mpi_*.deb)
if(NOT MPI)
  return()
endif()
execute_process(COMMAND dpkg-deb --contents ${package} OUTPUT_VARIABLE content
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND dpkg-deb --field ${package} OUTPUT_VARIABLE fields
                COMMAND_ERROR_IS_FATAL ANY)
foreach(path bin/mercer-mpi share/man/man1/mercer-mpi.1)
  if(NOT content MATCHES " ./usr/${path}\n")
    message(SEND_ERROR "the package lacks /usr/${path}")
  endif()
endforeach()
foreach(field "Package: mercer-mpi" "Depends: [^\n]*mercer \\(=" "Depends: [^\n]*mpi")
  if(NOT fields MATCHES "${field}")
    message(SEND_ERROR "the package's control file lacks '${field}':\n${fields}")
  endif()
endforeach()
