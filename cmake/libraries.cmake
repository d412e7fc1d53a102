# Third-party libraries, static where Debian has the archive, so that build/sluice runs elsewhere.
# Each becomes a target lib_NAME; NAME is what src/layers.txt calls it.

function(sluice_library name header package)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  find_path(SLUICE_${name}_INCLUDE ${header})
  if(NOT SLUICE_${name}_INCLUDE)
    message(FATAL_ERROR "<${header}> is not installed. Type: scripts/setup   (or: apt install ${package})")
  endif()
  mark_as_advanced(SLUICE_${name}_INCLUDE)
  add_library(lib_${name} INTERFACE)
  target_include_directories(lib_${name} SYSTEM INTERFACE ${SLUICE_${name}_INCLUDE})
  foreach(link ${arg_LINK})
    find_library(SLUICE_${name}_${link} NAMES lib${link}.a ${link})
    if(NOT SLUICE_${name}_${link})
      message(FATAL_ERROR "lib${link} is not installed. Type: scripts/setup   (or: apt install ${package})")
    endif()
    mark_as_advanced(SLUICE_${name}_${link})
    target_link_libraries(lib_${name} INTERFACE ${SLUICE_${name}_${link}})
  endforeach()
endfunction()

sluice_library(expected tl/expected.hpp libexpected-dev)
sluice_library(yaml-cpp yaml-cpp/yaml.h libyaml-cpp-dev LINK yaml-cpp)
sluice_library(sqlite3 sqlite3.h libsqlite3-dev LINK sqlite3)
sluice_library(zlib zlib.h zlib1g-dev LINK z)
sluice_library(re2 re2/re2.h libre2-dev LINK re2)
sluice_library(cli11 CLI/CLI.hpp libcli11-dev)
sluice_library(json nlohmann/json.hpp nlohmann-json3-dev)
sluice_library(ncurses ncurses.h libncurses-dev LINK ncursesw tinfo)
sluice_library(utf8proc utf8proc.h libutf8proc-dev LINK utf8proc)
# Headers only: Asio and Beast need no archive.
sluice_library(boost boost/beast/http.hpp libboost1.81-dev)

# Debian ships fmt's shared library only. Its implementation is in its headers, so one source
# file of ours compiles it: static, and without the cost of FMT_HEADER_ONLY in every file.
find_path(SLUICE_fmt_INCLUDE fmt/format-inl.h)
if(NOT SLUICE_fmt_INCLUDE)
  message(FATAL_ERROR "<fmt/format.h> is not installed. Type: scripts/setup   (or: apt install libfmt-dev)")
endif()
mark_as_advanced(SLUICE_fmt_INCLUDE)
add_library(lib_fmt STATIC cmake/fmt.cc)
target_include_directories(lib_fmt SYSTEM PUBLIC ${SLUICE_fmt_INCLUDE})
