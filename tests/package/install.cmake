cmake_minimum_required(VERSION 3.22)

# cmake -DBUILD=… -DPREFIX=… -DMPI=… -P install.cmake: installs, and moves what was installed, so that
# whatever remembers where it was installed to, or where it was built, fails.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}-first)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}-first
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}-first ${PREFIX})

if(MPI)
  set(of_mpi bin/mercer-mpi share/man/man1/mercer-mpi.1)
endif()
foreach(path ${of_mpi} bin/mercer include/mercer/mercer.hpp include/mercer/version.hpp
        share/man/man1/mercer.1 share/bash-completion/completions/mercer
        share/zsh/site-functions/_mercer share/fish/vendor_completions.d/mercer.fish
        share/mercer/data/digits.csv share/doc/mercer/copyright)
  if(NOT EXISTS ${PREFIX}/${path})
    message(SEND_ERROR "${path} is not installed")
  endif()
endforeach()

file(GLOB_RECURSE texts ${PREFIX}/*.cmake ${PREFIX}/*.pc)
foreach(text ${texts})
  file(READ ${text} content)
  foreach(place ${BUILD} ${PREFIX}-first)
    string(FIND "${content}" "${place}" found)
    if(NOT found EQUAL -1)
      message(SEND_ERROR "${text} remembers ${place}")
    endif()
  endforeach()
endforeach()
