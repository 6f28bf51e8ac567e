# Jobs whose processes run out of memory; and for ./dev test --all, on another MPI and on several hosts.
if(MERCER_COMPILED_TESTS)
  return()
endif()
find_package(Python3 COMPONENTS Interpreter REQUIRED)

# The tests of mercer-mpi once more, with mercer-mpich.
if(TARGET mercer_mpich)
  add_dependencies(distributed_tests mercer_mpich)
  add_test(NAME "distributed: MPICH" COMMAND distributed_tests --gtest_filter=Mpi.*)
  set_tests_properties("distributed: MPICH" PROPERTIES LABELS rare TIMEOUT 1200
                       ENVIRONMENT "MERCER_TEST_MPICH=1")
endif()

# Hosts are network namespaces; the bytes on their links are compared with those that Mercer counts.
add_executable(mercer_traffic distributed/traffic.cpp)
target_link_libraries(mercer_traffic PRIVATE mercer_distributed mercer_test_support)
add_test(NAME "distributed: network namespaces"
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/distributed/namespaces.py
          --mpirun ${MPIEXEC_EXECUTABLE} --bin ${PROJECT_BINARY_DIR}/bin
          --data ${PROJECT_SOURCE_DIR}/data)
set_tests_properties("distributed: network namespaces" PROPERTIES LABELS rare TIMEOUT 600)

# As tests/torture/faults.py, on one process of a job.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  foreach(part "slice 300 slow" "all 30 rare")
    separate_arguments(part)
    list(POP_FRONT part name slice label)
    add_test(NAME "distributed: M_G6 faults of one process, ${name}"
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/distributed/faults.py
              --mpirun ${MPIEXEC_EXECUTABLE} --build ${PROJECT_BINARY_DIR}
              --data ${PROJECT_SOURCE_DIR}/data --slice ${slice})
    set_tests_properties("distributed: M_G6 faults of one process, ${name}" PROPERTIES
                         LABELS ${label} TIMEOUT 1800)
  endforeach()
endif()
