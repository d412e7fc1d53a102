# Tests, fuzz targets and benches. scripts/run-tests runs what lies in tests/ of the build folder.

sluice_library(gtest gtest/gtest.h libgtest-dev LINK gtest_main gtest)
sluice_library(rapidcheck rapidcheck.h librapidcheck-dev LINK rapidcheck)
sluice_library(valijson valijson/schema.hpp libvalijson-dev)

if(SLUICE_PCH)
  add_library(test_headers OBJECT ${CMAKE_BINARY_DIR}/empty.cc)
  target_link_libraries(test_headers PRIVATE lib_fmt lib_gtest)
  target_precompile_headers(test_headers PRIVATE ${room_headers} <gtest/gtest.h>)
  target_compile_options(test_headers PRIVATE ${SLUICE_FACE_OPTIONS})
  # Only a build that has tests needs the header; nothing else asks for this target.
  set_target_properties(test_headers PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

function(sluice_test_program name)
  add_executable(${name} ${ARGN})
  sluice_batch(${name})
  sluice_share_headers(${name} test_headers)
  target_compile_options(${name} PRIVATE ${SLUICE_FACE_OPTIONS})
  target_link_libraries(${name} PRIVATE lib_gtest)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

foreach(room ${SLUICE_ROOMS})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${room}/*_test.cc)
  if(sources)
    sluice_test_program(${room}_tests ${sources})
    if(room STREQUAL "apps")
      target_link_libraries(${room}_tests PRIVATE ${room_targets} ${libraries_apps})
    else()
      target_link_libraries(${room}_tests PRIVATE room_${room})
    endif()
  endif()
endforeach()

file(GLOB property_sources CONFIGURE_DEPENDS tests/properties/*_test.cc)
if(property_sources)
  sluice_test_program(property_tests ${property_sources})
  target_link_libraries(property_tests PRIVATE ${room_targets} lib_rapidcheck lib_valijson lib_json)
  target_include_directories(property_tests PRIVATE ${CMAKE_SOURCE_DIR})
  # g++ 12 with sanitizers takes std::regex, in valijson's headers, for uninitialized.
  if(SLUICE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_source_files_properties(tests/properties/policy_schema_test.cc
                                PROPERTIES COMPILE_OPTIONS -Wno-maybe-uninitialized)
  endif()
endif()

# A fuzz target is a libFuzzer program in the fuzz preset; everywhere else a small main() replays
# the files it is given, so that the corpus is part of the tests with sanitizers.
add_custom_target(fuzzers)
if(NOT SLUICE_FUZZ)
  add_library(replay_main OBJECT EXCLUDE_FROM_ALL tests/fuzz/replay_main.cc)
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*_fuzz.cc)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${room_targets})
  if(SLUICE_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_link_libraries(${name} PRIVATE replay_main)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  # A corpus is for the sanitizers to look at.
  if(NOT SLUICE_SANITIZE)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  add_dependencies(fuzzers ${name})
endforeach()

# Benches are measured on demand, and built with the tests of the release build so that they do not
# fall behind.
add_custom_target(benches)
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cc)
foreach(source ${bench_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} ${source})
  set_target_properties(bench_${name} PROPERTIES EXCLUDE_FROM_ALL $<BOOL:${SLUICE_SANITIZE}>)
  sluice_share_headers(bench_${name} room_headers)
  target_include_directories(bench_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(bench_${name} PRIVATE ${room_targets})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  add_dependencies(benches bench_${name})
endforeach()
