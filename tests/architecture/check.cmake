cmake_minimum_required(VERSION 3.22)

# cmake -DROOT=… -DMODULES=… -P check.cmake: nothing includes upwards, programs include what they
# may, the library names no flags, and free memory is measured in one place. MODULES is a file that
# sets `modules` and, for each, `uses_<module>`.

include(${MODULES})

# Whose public header is it?
set(core_headers error matrix operator progress rows seed team team_ledger version)
set(data_headers data datasets named_matrix source)
set(kernels_headers kernel)
set(maps_headers expression feature_space features map)
set(operators_headers moments)
set(model_headers model relations)
set(learn_headers compare_rules hebbian kernel_hebbian learn rate theorem trace)
set(diagnostics_headers export gradient loadings score)
set(pictures_headers figures picture)
set(preimages_headers compress preimage)
set(tune_headers tune)
set(solvers_headers eigs eigs_memory)
set(pca_headers approx fit fit_checkpoint fit_operator impute incremental incremental_kernel matrices merge
  part_moments plan plan_text significance team_plan)

# What each program may use beside the public headers: its own folders, and internal headers of the
# library. Each of the latter is something that another program would have to do without.
set(programs apps/cli apps/mpi bindings/python)
set(apps/cli_folders commands describe flags lectures rows terminal)
set(apps/cli_internal_headers
  core/budget core/closest_name core/json_text core/memory core/output_file core/packed core/parallel core/require core/spelled core/team
  data/bytes data/file_map data/same_files data/share data/shortest data/sink
  diagnostics/limits
  maps/from_text
  model/codec model/parts
  pictures/run_chart
  preimages/compressed_file
  simd/targets
  tune/grid)
set(apps/mpi_folders commands terminal)  # of apps/cli
set(apps/mpi_internal_headers distributed/mpi_team)
set(bindings/python_folders "")
set(bindings/python_internal_headers
  core/budget core/parallel core/spelled core/team
  pca/select/significance)

macro(complain text)
  message(SEND_ERROR "${text}")
endmacro()

# The list of modules is in order: each uses only what stands before it.
set(before "")
foreach(module ${modules})
  foreach(used ${uses_${module}})
    if(NOT used IN_LIST before)
      complain("module ${module} uses ${used}, which does not come before it in src/CMakeLists.txt")
    endif()
  endforeach()
  list(APPEND before ${module})
  foreach(header ${${module}_headers})
    set(owner_${header} ${module})
  endforeach()
endforeach()

# The umbrella belongs to nobody and may include everything.
set(owner_mercer umbrella)
set(uses_umbrella ${modules})

# check(file module): every include of the file is one that the module may have.
function(check file module)
  file(STRINGS ${ROOT}/${file} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(line ${includes})
    if(line MATCHES "\"([a-z_]+)/[^\"]*\"")
      set(other ${CMAKE_MATCH_1})
      if(file MATCHES "^include/")
        complain("${file}: a public header includes an internal one: ${line}")
      endif()
    elseif(line MATCHES "<mercer/([a-z_]+)\\.hpp>")
      set(other ${owner_${CMAKE_MATCH_1}})
      if(NOT other)
        complain("${file}: <mercer/${CMAKE_MATCH_1}.hpp> belongs to no module of check.cmake")
        continue()
      endif()
    elseif(line MATCHES "\"" AND NOT line MATCHES "<")
      complain("${file}: write \"module/file.hpp\" in ${line}")
      continue()
    else()
      continue()
    endif()
    if(NOT other STREQUAL module AND NOT other IN_LIST uses_${module})
      complain("${file}: ${module} may not use ${other}: ${line}")
    endif()
  endforeach()
endfunction()

# Messages of the library name options as C++ does, in backquotes: what a front end calls them is in
# its own table.
function(check_flags file)
  file(STRINGS ${ROOT}/${file} flags REGEX "\"([^\"]*[^a-zA-Z0-9\"])?(--[a-z]|-k[^a-z])")
  foreach(line IN LISTS flags)
    complain("${file}: a message names a flag: ${line}")
  endforeach()
endfunction()

# Free memory is measured in one place, once for each call.
function(check_budget file)
  if(file MATCHES "^src/core/(budget|cgroup_memory)\\.")
    return()
  endif()
  file(STRINGS ${ROOT}/${file} lines REGEX "available_memory_bytes|cgroup_memory_left|MemAvailable")
  foreach(line IN LISTS lines)
    complain("${file}: free memory is measured in core/budget alone: ${line}")
  endforeach()
endfunction()

set(checked 0)
foreach(module ${modules})
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/src/${module}/*.?pp)
  foreach(file ${files})
    check(${file} ${module})
    check_flags(${file})
    check_budget(${file})
    math(EXPR checked "${checked} + 1")
  endforeach()
endforeach()
file(GLOB files RELATIVE ${ROOT} ${ROOT}/include/mercer/*.hpp)
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  if(owner_${name})
    check(${file} ${owner_${name}})
    math(EXPR checked "${checked} + 1")
  else()
    complain("${file} belongs to no module of check.cmake")
  endif()
endforeach()
# check_program(file program): its own headers, and those internal ones that are listed.
function(check_program file program)
  file(STRINGS ${ROOT}/${file} includes REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
  foreach(line ${includes})
    string(REGEX REPLACE ".*\"(.*)\\.hpp\".*" "\\1" header "${line}")
    if(header IN_LIST ${program}_internal_headers)
      set_property(GLOBAL APPEND PROPERTY used_by_${program} ${header})
      continue()
    endif()
    string(REGEX REPLACE "/.*" "" folder "${header}")
    if(folder IN_LIST modules)
      complain("${file}: ${program} may not use the internal header ${header}.hpp")
    elseif(header MATCHES "/" AND NOT folder IN_LIST ${program}_folders)
      complain("${file}: ${program} has no folder ${folder}: ${line}")
    elseif(NOT header MATCHES "/" AND ${program}_folders AND NOT header STREQUAL "completion_scripts")
      complain("${file}: write \"folder/file.hpp\" in ${line}")
    endif()
  endforeach()
endfunction()

foreach(program ${programs})
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${program}/*.?pp)
  foreach(file ${files})
    check_program(${file} ${program})
    check_budget(${file})
    math(EXPR checked "${checked} + 1")
  endforeach()
  get_property(used GLOBAL PROPERTY used_by_${program})
  foreach(header ${${program}_internal_headers})
    if(files AND NOT header IN_LIST used)
      complain("${program} does not use ${header}.hpp, which check.cmake lists")
    endif()
  endforeach()
endforeach()
message(STATUS "${checked} files checked")
