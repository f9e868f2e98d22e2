# SPDX-License-Identifier: MIT
# The scan, reduction and selection kernels in the emulator: the library's own tables, compiled from its .cu files as C++, and
# narrow shapes. Included by CMakeLists.txt here.

set(lookback_sources
    fold_kernels.cpp
    ${PROJECT_SOURCE_DIR}/src/cuda/fold.c
    ${PROJECT_SOURCE_DIR}/src/cuda/select.c
    ${PROJECT_SOURCE_DIR}/src/cuda/shape.c
    ${PROJECT_SOURCE_DIR}/src/predicate.c
    ${PROJECT_SOURCE_DIR}/src/types.c
    ${PROJECT_SOURCE_DIR}/src/value.c
    ${PROJECT_SOURCE_DIR}/tests/oracle.c
    ${PROJECT_SOURCE_DIR}/tests/oracle_items.c
    ${PROJECT_SOURCE_DIR}/tests/oracle_select.c
    ${PROJECT_SOURCE_DIR}/tests/order_oracle.c
)
set(lookback_tables)
foreach(operator min or prod sum xor)
    list(APPEND lookback_tables ${PROJECT_SOURCE_DIR}/lookback/${operator}.cu)
endforeach()
list(APPEND lookback_tables ${PROJECT_SOURCE_DIR}/compaction/select.cu)
set_source_files_properties(${lookback_tables} PROPERTIES LANGUAGE CXX)

add_library(simt_lookback OBJECT ${lookback_sources} ${lookback_tables})
target_link_libraries(simt_lookback PRIVATE simt_flags)
# Every kernel of the library runs in every schedule. Few schedules: floats over three windows take longest.
foreach(part lookback lookback_library select)
    onepass_add_simt_program(test_simt_${part} SOURCES test_${part}.cpp $<TARGET_OBJECTS:simt_lookback>)
    target_link_libraries(test_simt_${part} PRIVATE m)
    add_test(NAME test_simt_${part} COMMAND test_simt_${part} --schedules 6)
    set_tests_properties(test_simt_${part} PROPERTIES LABELS simt TIMEOUT 300)
endforeach()
