# Compiler, linker and cache settings shared by every target.
include(CheckLinkerFlag)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)

# -g1 keeps line numbers in backtraces and leaves out the variables, which cost most of the size.
# NDEBUG is not set: CHECK and assert hold in release too.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
# Faces and tests wait for other things than their own code: -O1 builds them a third faster.
set(SLUICE_FACE_OPTIONS $<$<CONFIG:Release>:-O1>)
# The scheduler is what the long tests run, and -O0 with sanitizers is several times slower. More
# than those rooms is not worth it: the compiler takes longer than the tests save.
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT SLUICE_COVERAGE)
  set(SLUICE_HOT_OPTIONS -O1)
endif()
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -fno-omit-frame-pointer")

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Werror)
# A batch has the helpers of several files in sight: there a local name may be that of another file's.
if(NOT SLUICE_BATCHES)
  add_compile_options(-Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wshadow=local)
endif()

# A fused multiply-add rounds once where two operations round twice: g++ and clang must agree.
add_compile_options(-ffp-contract=off)

# The same source gives the same objects wherever it was cloned, and messages that name a source
# file name it from the top of the repository. (ccache turns the path into one that begins with ../)
add_compile_options(-fdebug-prefix-map=${CMAKE_SOURCE_DIR}=.
                    -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/= -fmacro-prefix-map=../=)

if(SLUICE_CHECKED)
  add_compile_definitions(SLUICE_CHECKED=1 _GLIBCXX_ASSERTIONS)
endif()

if(SLUICE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
  # A question before every access, which is half of the code and a third of the time to compile:
  # what it would find, ASan finds at the access itself. Only the fuzzers ask it.
  if(NOT SLUICE_FUZZ)
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()

# What runs beside something else reports a race as the program's own failure.
if(SLUICE_THREADS)
  add_compile_options(-fsanitize=thread -O1)
  add_link_options(-fsanitize=thread)
endif()

# scripts/coverage reads the counts.
if(SLUICE_COVERAGE)
  add_compile_options(--coverage)
  add_compile_definitions(SLUICE_COVERAGE=1)
  add_link_options(--coverage)
endif()

if(SLUICE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "libFuzzer comes with clang; use: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} SLUICE_HAS_${linker})
  if(SLUICE_HAS_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE)
  # ccache must be told that a precompiled header stands for its sources; the base folder lets
  # two clones share what they compiled. It tells languages of messages apart, so there is one.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env LC_ALL=C.UTF-8 CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  if(SLUICE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  elseif(SLUICE_PCH)
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
