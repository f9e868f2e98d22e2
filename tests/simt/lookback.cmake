# SPDX-License-Identifier: MIT
# The scan, reduction and selection kernels in the emulator: in narrow shapes, as on sm_90 and on sm_80, and the
# library's own tables, compiled from its .cu files as C++. Included by CMakeLists.txt here.

set(oracle_sources
    ${PROJECT_SOURCE_DIR}/src/cuda/shape.c
    ${PROJECT_SOURCE_DIR}/src/types.c
    ${PROJECT_SOURCE_DIR}/src/value.c
    ${PROJECT_SOURCE_DIR}/tests/oracle.c
    ${PROJECT_SOURCE_DIR}/tests/oracle_items.c
    ${PROJECT_SOURCE_DIR}/tests/oracle_select.c
    ${PROJECT_SOURCE_DIR}/tests/order_oracle.c
)
set(lookback_sources fold_kernels.cpp ${PROJECT_SOURCE_DIR}/src/cuda/fold.c ${oracle_sources})
set(compaction_sources
    test_partition.cpp
    test_select.cpp
    test_unique.cpp
    ${PROJECT_SOURCE_DIR}/src/cuda/select.c
    ${PROJECT_SOURCE_DIR}/src/predicate.c
    ${oracle_sources}
)
set(narrow_sources test_lookback.cpp test_lookback_ends.cpp test_lookback_wide.cpp no_tables.c ${lookback_sources})
# What is quick: no more than a few tiles for each thread of the machine.
set(quick_tests floats_over_many_tiles boundaries alignments epochs_begin_again an_operator_that_does_not_commute
    more_walkers_than_slots reductions_of_nothing clearing_waits_for_all_warps clearing_waits_for_all_walks
    values_of_24_bytes values_of_24_bytes_in_one_window)

# Few schedules: floats over three windows take longest. ASan asks for addresses, which schedules hardly change.
set(lookback_schedules 6)
if("SIMT_ASAN" IN_LIST simt_definitions)
    set(lookback_schedules 3)
endif()
function(onepass_add_lookback_test name)
    cmake_parse_arguments(PARSE_ARGV 1 test "" ARCH "SOURCES;RUN")
    if(test_ARCH)
        onepass_add_simt_program(${name} ARCH ${test_ARCH} SOURCES ${test_SOURCES})
    else()
        onepass_add_simt_program(${name} SOURCES ${test_SOURCES})
    endif()
    target_link_libraries(${name} PRIVATE m)
    if(simt_tsan) # the C parts come from another compiler
        target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C>:-fno-sanitize=thread>)
    endif()
    add_test(NAME ${name} COMMAND ${name} --schedules ${lookback_schedules} ${test_RUN})
    set_tests_properties(${name} PROPERTIES LABELS simt TIMEOUT 300)
endfunction()

if(simt_tsan)
    # Two TSan runtimes do not go together, and the C compiler's own would be linked for its parts.
    list(REMOVE_ITEM CMAKE_C_IMPLICIT_LINK_LIBRARIES tsan)
    onepass_add_lookback_test(test_simt_lookback SOURCES ${narrow_sources} RUN ${quick_tests})
    return()
endif()
onepass_add_lookback_test(test_simt_lookback SOURCES ${narrow_sources})
onepass_add_lookback_test(test_simt_lookback_sm80 ARCH 800 SOURCES ${narrow_sources} RUN ${quick_tests})

# Every kernel of the library runs in every schedule.
set(lookback_tables)
foreach(operator min or prod sum xor)
    list(APPEND lookback_tables ${PROJECT_SOURCE_DIR}/lookback/${operator}.cu)
endforeach()
set(compaction_tables)
foreach(part partition select three_way unique)
    list(APPEND compaction_tables ${PROJECT_SOURCE_DIR}/compaction/${part}.cu)
endforeach()
set_source_files_properties(${lookback_tables} ${compaction_tables} PROPERTIES LANGUAGE CXX)
onepass_add_lookback_test(test_simt_lookback_library
    SOURCES test_lookback_library.cpp ${lookback_sources} ${lookback_tables})
onepass_add_lookback_test(test_simt_compaction SOURCES ${compaction_sources} ${compaction_tables})
