/* SPDX-License-Identifier: MIT */
/* Names, sizes and the rules of which types and operators go together, all made from the lists in types.h. */
#include "types.h"

#include <assert.h>

#define COUNT(...) +1
static_assert(num_types == 1 ONEPASS_FOR_EACH_TYPE(COUNT), "types.h must list every onepass_type");
static_assert(num_operators == 1 ONEPASS_FOR_EACH_OPERATOR(COUNT), "types.h must list every onepass_operator");
#undef COUNT

enum type_class { CLASS_INT, CLASS_UINT, CLASS_FLOAT };
enum operator_classes { CLASSES_ANY, CLASSES_INTEGER };

static const struct {
    const char *name;
    unsigned char size;
    unsigned char class;
} type_traits[num_types] = {
#define TYPE(name, storage, size, class) [ONEPASS_##name] = { #name, size, CLASS_##class },
    ONEPASS_FOR_EACH_TYPE(TYPE)
#undef TYPE
};

static const struct {
    const char *name;
    unsigned char classes;
} operator_traits[num_operators] = {
#define OPERATOR(name, classes) [ONEPASS_##name] = { #name, CLASSES_##classes },
    ONEPASS_FOR_EACH_OPERATOR(OPERATOR)
#undef OPERATOR
};

static const bool outputs[num_types][num_types] = {
#define OUTPUT(in, out) [ONEPASS_##in][ONEPASS_##out] = true,
    ONEPASS_FOR_EACH_OUTPUT(OUTPUT)
#undef OUTPUT
};

bool is_type(int type)
{
    return type > 0 && type < num_types;
}

bool is_operator(int op)
{
    return op > 0 && op < num_operators;
}

bool is_floating(onepass_type type)
{
    return type_traits[type].class == CLASS_FLOAT;
}

bool is_signed(onepass_type type)
{
    return type_traits[type].class == CLASS_INT;
}

bool is_output(onepass_type in_type, onepass_type out_type)
{
    return outputs[in_type][out_type];
}

bool is_defined(onepass_operator op, onepass_type type)
{
    return operator_traits[op].classes == CLASSES_ANY || !is_floating(type);
}

size_t onepass_type_size(onepass_type type)
{
    return is_type((int)type) ? type_traits[type].size : 0;
}

const char *onepass_type_name(onepass_type type)
{
    return is_type((int)type) ? type_traits[type].name : "unknown type";
}

const char *onepass_operator_name(onepass_operator op)
{
    return is_operator((int)op) ? operator_traits[op].name : "unknown operator";
}
