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

# What runs at the start of every command lies together: each page of it is a fault.
check_linker_flag(CXX -Wl,-z,keep-text-section-prefix SLUICE_HAS_TEXT_PREFIX)
if(SLUICE_HAS_TEXT_PREFIX)
  target_link_options(sluice PRIVATE -Wl,-z,keep-text-section-prefix)
endif()
