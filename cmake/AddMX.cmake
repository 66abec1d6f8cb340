# Thin wrappers: one library, one tool, one unit test.
#
# MLIR's own add_mlir_library exports into MLIR's target set and pulls static
# archives in beside libMLIR.so, so these are written over plain CMake.

# add_mx_library(NAME sources... [DEPENDS targets...] [LINK_LIBS libs...])
function(add_mx_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(MX::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# add_mx_tool(NAME sources... [LINK_LIBS libs...])
function(add_mx_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY MX_TEST_DEPENDS ${name})
endfunction()

# add_mx_unittest(NAME sources... [SHARDS n] [LINK_LIBS libs...]): one gtest
# binary, one ctest entry, or several where it takes long, for as many cores.
function(add_mx_unittest name)
  cmake_parse_arguments(ARG "" "SHARDS" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/unittests)
  # libMLIR.so itself is not instrumented, so a container that crosses the
  # border looks overflowed.
  set(environment)
  if(MX_ENABLE_ASAN)
    set(environment ASAN_OPTIONS=detect_container_overflow=0)
  endif()
  if(ARG_SHARDS)
    math(EXPR last "${ARG_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${name}-${shard} COMMAND ${name})
      set_tests_properties(${name}-${shard} PROPERTIES ENVIRONMENT
        "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard};${environment}")
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
  endif()
  set_property(GLOBAL APPEND PROPERTY MX_TEST_DEPENDS ${name})
endfunction()
