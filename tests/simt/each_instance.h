/* SPDX-License-Identifier: MIT */
/*
 * Runs one test for every accumulator type and operator that src/types.h lists: what is added there is tested here.
 *
 * for_each_instance(run) calls run(instance<item, device operator, host operator>{}, "name") for each, and for the
 * test-only operator that is not commutative.
 */
#ifndef ONEPASS_TESTS_SIMT_EACH_INSTANCE_H
#define ONEPASS_TESTS_SIMT_EACH_INSTANCE_H

#include "oracle.h"

template <typename T, typename DeviceOp, typename HostOp> struct instance {
    using type = T;
    using device_op = DeviceOp;
    using host_op = HostOp;
};

/* The bitwise operators do not exist for floating types. */
template <template <typename> class DeviceOp, onepass_operator op, bool integers_only, typename Acc, typename Run>
void run_instance(Run run, const char *name)
{
    if constexpr (!integers_only || !onepass::is_floating_type<Acc>)
        run(instance<Acc, DeviceOp<Acc>, oracle::operator_of<op>>{}, name);
}

template <template <typename> class DeviceOp, onepass_operator op, bool integers_only, typename Run>
void run_types(Run run, const char *name)
{
#define RUN_TYPE(type, storage, size, type_class) \
    run_instance<DeviceOp, op, integers_only, onepass::accumulator<onepass::item_##type>>(run, name);
    ONEPASS_FOR_EACH_TYPE(RUN_TYPE)
#undef RUN_TYPE
}

template <typename Run> void for_each_instance(Run run)
{
    constexpr bool ANY = false, INTEGER = true;
#define RUN_OPERATOR(name, classes) run_types<onepass::op_##name, ONEPASS_##name, classes>(run, #name);
    ONEPASS_FOR_EACH_OPERATOR(RUN_OPERATOR)
#undef RUN_OPERATOR
    (void)ANY, (void)INTEGER;
    run(instance<oracle::affine, onepass::op_compose, oracle::compose>{}, "composition");
}

#endif
