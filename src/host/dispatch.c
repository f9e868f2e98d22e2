/* SPDX-License-Identifier: MIT */
/* Picks the vector code for the processor that is there. */
#include "kernels.h"

#ifdef HOST_HAVE_X86
#include <cpuid.h>

/* By hand: not every compiler's __builtin_cpu_supports knows its name. */
static bool has_f16c(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}
#endif

const struct host_kernels *host_kernels_best(void)
{
#ifdef HOST_HAVE_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2"))
        return &host_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt") && has_f16c())
        return &host_kernels_avx2;
#endif
    return &host_kernels_generic;
}
