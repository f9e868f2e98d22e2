# SPDX-License-Identifier: MIT
# The CUDA backend, where there is a toolkit: leaves onepass_cuda_objects, onepass_cuda_libraries and, for pkg-config,
# onepass_cuda_link_flags, and defines ONEPASS_HAVE_CUDA for the project's own C. Without it all three are empty.

set(onepass_cuda_objects)
set(onepass_cuda_libraries)
set(onepass_cuda_link_flags)

# Why there will be no device code; empty if there will.
set(reason)
if(ONEPASS_CUDA STREQUAL "OFF")
    set(reason "ONEPASS_CUDA is OFF")
elseif(NOT onepass_device_sources)
    set(reason "the CUDA backend is not there yet")
else()
    # 12.0 is the first toolkit that knows sm_90 and its bulk copies.
    find_package(CUDAToolkit 12.0 QUIET)
    if(NOT CUDAToolkit_FOUND)
        set(reason "no CUDA toolkit, 12.0 or later, found")
    else()
        # The toolkit is also looked for where nvcc is not on PATH.
        if(NOT DEFINED ENV{CUDACXX})
            set(ENV{CUDACXX} ${CUDAToolkit_NVCC_EXECUTABLE})
        endif()
        include(CheckLanguage)
        check_language(CUDA)
        if(NOT CMAKE_CUDA_COMPILER)
            set(reason "nvcc does not work with this host compiler")
        endif()
    endif()
endif()

if(reason)
    if(ONEPASS_CUDA STREQUAL "ON")
        message(FATAL_ERROR "onepass: ONEPASS_CUDA is ON, but ${reason}")
    endif()
    message(STATUS "onepass: host backend only (${reason})")
    return()
endif()

# Machine code for the H100 and H200, and PTX that newer GPUs compile for themselves.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90-real 90-virtual CACHE STRING "GPU architectures to build for")
endif()
enable_language(CUDA)
# Users of a C library need no C++ run-time library: nothing asks for one here, and the flags below keep it so.
set(CMAKE_CUDA_IMPLICIT_LINK_LIBRARIES)
message(STATUS "onepass: host and CUDA backends (nvcc ${CMAKE_CUDA_COMPILER_VERSION}, ${CMAKE_CUDA_ARCHITECTURES})")

target_compile_definitions(onepass_flags INTERFACE ONEPASS_HAVE_CUDA)

add_library(onepass_cuda OBJECT ${onepass_device_sources})
target_include_directories(onepass_cuda PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(onepass_cuda SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(onepass_cuda PRIVATE onepass_flags)
set_target_properties(onepass_cuda PROPERTIES
    CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF CUDA_VISIBILITY_PRESET hidden)
# -fmad=false: as -ffp-contract=off for C. A kernel that spills registers is a fault, so it is an error.
# -fno-threadsafe-statics is for the stubs that nvcc makes for <<<>>>. Threads may launch at once, so launches must go
# through cudaLaunchKernel and its like, which do not call the stubs.
target_compile_options(onepass_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:
    -fmad=false -Xcompiler=-fno-exceptions,-fno-threadsafe-statics
    "SHELL:-Xptxas -warn-spills" "SHELL:-Xptxas -warn-lmem-usage"
    $<$<BOOL:${ONEPASS_WERROR}>:SHELL:-Werror all-warnings>>)

# For tests/check_resources.sh: what each kernel takes of a multiprocessor. Without tests too, since objects that are
# there already are not built again when tests are asked for.
set(launcher ${PROJECT_SOURCE_DIR}/cmake/record-resources ${CMAKE_CUDA_COMPILER_LAUNCHER})
set_target_properties(onepass_cuda PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
set(kernel_sources ${onepass_device_sources})
list(FILTER kernel_sources INCLUDE REGEX "[.]cu$")
set_source_files_properties(${kernel_sources} PROPERTIES
    OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/record-resources)

set(onepass_cuda_objects $<TARGET_OBJECTS:onepass_cuda>)
set(onepass_cuda_libraries CUDA::cudart_static)
set(onepass_cuda_link_flags " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
