# What makes a command begin and end quickly. `sluice submit` is a millisecond, most of which is the
# system's loader and pages that are touched for the first time; bench/daemon tells the figure.

# The standard streams are made by who uses them: src/apps/late_streams.h.
target_link_options(sluice PRIVATE -Wl,--wrap=_ZNSt8ios_base4InitC1Ev)
set_source_files_properties(src/apps/late_streams.cc PROPERTIES
                            COMPILE_DEFINITIONS SLUICE_LATE_STREAMS SKIP_PRECOMPILE_HEADERS ON)

# libm is loaded by who calls it: src/apps/late_math.cc.
target_link_options(sluice PRIVATE -Wl,--as-needed)
set_source_files_properties(src/apps/late_math.cc PROPERTIES
                            COMPILE_OPTIONS -fno-builtin SKIP_PRECOMPILE_HEADERS ON)

# Tables that nothing refers to are left out: each page of them would be copied to be adjusted.
target_link_options(sluice PRIVATE -Wl,--gc-sections)

# Ten thousand addresses have to be adjusted to where the program was loaded. In a packed list that
# is a fifth of the work, if the system's linker can write one and its loader reads it; mold's
# cannot be read. Code and constants are one piece of the file, as they were before 2018: each piece
# is mapped at the start and taken apart at the end.
include(CheckCXXSourceRuns)
set(system_linker -fuse-ld=bfd -Wl,-z,pack-relative-relocs -Wl,-z,noseparate-code)
set(CMAKE_REQUIRED_LINK_OPTIONS ${system_linker})
check_cxx_source_runs("int x; int* volatile p = &x; int main() { return p != &x; }"
                      SLUICE_HAS_SYSTEM_LINKER)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(SLUICE_HAS_SYSTEM_LINKER)
  target_link_options(sluice PRIVATE ${system_linker})
else()
  check_linker_flag(CXX -Wl,-z,keep-text-section-prefix SLUICE_HAS_TEXT_PREFIX)
  if(SLUICE_HAS_TEXT_PREFIX)
    target_link_options(sluice PRIVATE -Wl,-z,keep-text-section-prefix)
  endif()
endif()

# What a submission runs lies together, in front of everything else: a page fault brings in what
# lies around it. A name that matches nothing here does no harm.
set(submission_cli cli submit_verb submission connection job_request local_time)
set(submission_text sbatch_options sbatch_settings option_reader sbatch_option_table batch_script
    export_mode memory gpus dependency scan)
set(submission_views json)
set(submission_wire http_client)
set(submission_host folders)
foreach(room cli text views wire host)
  list(JOIN submission_${room} "|" names)
  target_link_options(sluice PRIVATE
                      "$<FILTER:$<TARGET_OBJECTS:room_${room}>,INCLUDE,/(${names})\\.cc\\.o$>")
endforeach()
target_link_options(sluice PRIVATE $<TARGET_OBJECTS:lib_fmt>)
