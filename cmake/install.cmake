# cmake --install: the library, its headers, the command line, and what others find them by.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)
set(generated ${PROJECT_BINARY_DIR}/install)
get_target_property(library_type mercer TYPE)
# Programs for MPI are a separate package: the others do without it.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME mercer)

install(TARGETS mercer EXPORT mercer-targets)
if(MERCER_CLI)
  install(TARGETS mercer_cli)
endif()
if(TARGET mercer_mpi)
  install(TARGETS mercer_mpi COMPONENT mpi)
  # Its commands are some of those of mercer.
  file(WRITE ${generated}/mercer-mpi.1 ".so man1/mercer.1\n")
  install(FILES ${generated}/mercer-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mercer ${PROJECT_BINARY_DIR}/include/mercer
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)

# find_package(mercer CONFIG)
install(EXPORT mercer-targets NAMESPACE mercer:: DESTINATION ${config_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/mercer-config.cmake.in
  ${generated}/mercer-config.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${generated}/mercer-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/mercer-config.cmake ${generated}/mercer-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindOpenBLAS.cmake DESTINATION ${config_dir})

# The same from the build folder, without an installation: -Dmercer_DIR=<build folder>.
export(EXPORT mercer-targets NAMESPACE mercer:: FILE ${PROJECT_BINARY_DIR}/mercer-targets.cmake)
foreach(file ${generated}/mercer-config.cmake ${generated}/mercer-config-version.cmake
        ${CMAKE_CURRENT_LIST_DIR}/FindOpenBLAS.cmake)
  configure_file(${file} ${PROJECT_BINARY_DIR} COPYONLY)
endforeach()

# pkg-config. A static library needs its own libraries named, a shared one knows them itself.
set(private_packages "fmt, libhwy, zlib, openblas")
if(library_type STREQUAL "STATIC_LIBRARY")
  set(pkgconfig_requires "Requires: eigen3, ${private_packages}")
else()
  set(pkgconfig_requires "Requires: eigen3\nRequires.private: ${private_packages}")
endif()
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pkgconfig_up /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" pkgconfig_up ${pkgconfig_up})
configure_file(${CMAKE_CURRENT_LIST_DIR}/mercer.pc.in ${generated}/mercer.pc @ONLY)
install(FILES ${generated}/mercer.pc DESTINATION ${pkgconfig_dir})

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

if(MERCER_CLI)
  # Read by mercer lecture.
  install(FILES ${PROJECT_SOURCE_DIR}/data/digits.csv ${PROJECT_SOURCE_DIR}/data/iris.csv
                ${PROJECT_SOURCE_DIR}/data/wine.csv DESTINATION ${CMAKE_INSTALL_DATADIR}/mercer/data)
  # The program prints its manual page and its completions itself.
  install(CODE "
    foreach(text \"mercer.1 help --man\" \"mercer.bash completion bash\" \"_mercer completion zsh\"
                 \"mercer.fish completion fish\")
      separate_arguments(text)
      list(POP_FRONT text file)
      execute_process(COMMAND \"$<TARGET_FILE:mercer_cli>\" \${text}
                      OUTPUT_FILE \"${generated}/\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
  install(FILES ${generated}/mercer.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${generated}/mercer.bash RENAME mercer
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${generated}/mercer.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  # zsh looks into the first of these below /usr/local, into the second below /usr.
  foreach(folder site-functions vendor-completions)
    install(FILES ${generated}/_mercer DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
  endforeach()
endif()

# cpack -G DEB
set(CPACK_PACKAGE_NAME mercer)
set(CPACK_PACKAGE_CONTACT "Mercer developers <mercer@localhost>")
set(CPACK_PACKAGE_VENDOR Mercer)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "principal component analysis: library and command line")
set(CPACK_PACKAGE_DESCRIPTION "Mercer finds the principal components of tables of numbers:
 larger than memory, sparse or weighted, from the command line or from C++.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_MERCER_PACKAGE_NAME mercer)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME mercer-mpi)
set(CPACK_DEBIAN_MPI_DESCRIPTION "principal component analysis: the command line for MPI jobs")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "mercer (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS "openmpi-bin")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libeigen3-dev, libfmt-dev, libhwy-dev, libopenblas-pthread-dev, zlib1g-dev")
include(CPack)
