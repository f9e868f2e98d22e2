# SPDX-License-Identifier: MIT
# The tests, for ctest. Each has a label: host (what runs on any machine), static (what only reads the sources).

find_path(CMOCKA_INCLUDE_DIR cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    message(FATAL_ERROR "onepass: the tests need CMocka (Debian: libcmocka-dev); -DONEPASS_BUILD_TESTS=OFF skips them")
endif()

add_library(onepass_cmocka INTERFACE)
target_include_directories(onepass_cmocka SYSTEM INTERFACE ${CMOCKA_INCLUDE_DIR})
target_link_libraries(onepass_cmocka INTERFACE ${CMOCKA_LIBRARY})

# What several test programs share: oracles, inputs, guarded buffers, the property runner.
add_library(onepass_test_support OBJECT
    tests/argument_faults.c
    tests/digest_rows.c
    tests/fold_case.c
    tests/fold_cases.c
    tests/guard.c
    tests/inputs.c
    tests/oracle.c
    tests/oracle_error.c
    tests/oracle_items.c
    tests/oracle_select.c
    tests/order_oracle.c
    tests/prop.c
    tests/select_buffers.c
    tests/select_case.c
    tests/select_inputs.c
)
target_link_libraries(onepass_test_support PRIVATE onepass_flags onepass_cmocka)

# All programs with the label host, for who wants no others built.
add_custom_target(host_tests)

# onepass_add_test(name LABEL label SOURCES source...)
# A test program. It links the library with its internals visible, so that it reaches what src/ keeps to itself.
function(onepass_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 test "" LABEL SOURCES)
    add_executable(${name} ${test_SOURCES} $<TARGET_OBJECTS:onepass_test_support>)
    target_link_libraries(${name} PRIVATE onepass_flags onepass_internal onepass_cmocka Threads::Threads m)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    add_dependencies(${test_LABEL}_tests ${name})
    set_tests_properties(${name} PROPERTIES LABELS ${test_LABEL} TIMEOUT 300)
endfunction()

# onepass_add_check(name argument...)
# A test that is a script: tests/name.sh. Status 77 says that something it needs is not on this machine.
function(onepass_add_check name)
    add_test(NAME ${name} COMMAND bash ${PROJECT_SOURCE_DIR}/tests/${name}.sh ${ARGN} COMMAND_EXPAND_LISTS)
    set_tests_properties(${name} PROPERTIES
        LABELS host TIMEOUT 120 SKIP_RETURN_CODE 77 ENVIRONMENT CC=${CMAKE_C_COMPILER})
endfunction()

foreach(name
        test_arguments
        test_arguments_partition
        test_arguments_payload
        test_arguments_select
        test_cases
        test_cases_large
        test_cases_values
        test_context
        test_digests
        test_kernels
        test_lookback
        test_modes
        test_names
        test_oracle
        test_oracle_order
        test_oracle_select
        test_oracle_partition
        test_oracle_special
        test_partition
        test_past_cache
        test_payload
        test_process
        test_prop
        test_reduce
        test_reserve
        test_scan
        test_select
        test_select_flags
        test_threads
        test_unique)
    onepass_add_test(${name} LABEL host SOURCES tests/${name}.c)
endforeach()

# The scripts look at the sources and at what users get. A sanitizer changes neither, and its library does not load
# into a program built without it.
if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    onepass_add_check(check_header)
    onepass_add_check(check_includes)
    onepass_add_check(check_exports $<TARGET_FILE:onepass_shared> $<TARGET_FILE:onepass_static>)
    onepass_add_check(check_install ${PROJECT_BINARY_DIR})
    # Half a minute, and the same whatever the compiler: a label of its own.
    set(toolkit)
    if(onepass_cuda_objects)
        cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH toolkit)
        cmake_path(GET toolkit PARENT_PATH toolkit)
    endif()
    onepass_add_check(check_tidy ${toolkit})
    set_tests_properties(check_tidy PROPERTIES LABELS static TIMEOUT 300)
endif()

if(onepass_cuda_objects)
    set(kernel_objects ${CMAKE_CUDA_COMPILER_VERSION} "$<FILTER:${onepass_cuda_objects},INCLUDE,[.]cu[.]o>")
    onepass_add_check(check_resources ${kernel_objects})
    # Writes the table that check_resources compares with.
    add_custom_target(kernel_resources
        COMMAND bash ${PROJECT_SOURCE_DIR}/tests/check_resources.sh --write ${kernel_objects}
        COMMAND_EXPAND_LISTS VERBATIM)
    add_dependencies(kernel_resources onepass_cuda)
endif()

add_subdirectory(tests/gpu)
add_subdirectory(tests/model)
add_subdirectory(tests/simt)
