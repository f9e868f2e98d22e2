/* SPDX-License-Identifier: MIT */
/* See inputs.h. Every item is made as bits; a floating type is a sign, an exponent field and a mantissa field. */
#include "inputs.h"

#include "types.h"

#include <math.h>
#include <string.h>

const onepass_type item_types[num_item_types] = {
#define TYPE(name, storage, size, class) ONEPASS_##name,
    ONEPASS_FOR_EACH_TYPE(TYPE)
#undef TYPE
};

const onepass_operator item_operators[num_item_operators] = {
#define OPERATOR(name, classes) ONEPASS_##name,
    ONEPASS_FOR_EACH_OPERATOR(OPERATOR)
#undef OPERATOR
};

const type_pair type_pairs[num_type_pairs] = {
#define OUTPUT(in_name, out_name) { ONEPASS_##in_name, ONEPASS_##out_name },
    ONEPASS_FOR_EACH_OUTPUT(OUTPUT)
#undef OUTPUT
};

#define COUNT(...) +1
_Static_assert(num_item_types == 0 ONEPASS_FOR_EACH_TYPE(COUNT), "inputs.h counts the types");
_Static_assert(num_item_operators == 0 ONEPASS_FOR_EACH_OPERATOR(COUNT), "inputs.h counts the operators");
_Static_assert(num_type_pairs == 0 ONEPASS_FOR_EACH_OUTPUT(COUNT), "inputs.h counts the output pairs");
#undef COUNT

enum type_class { CLASS_INT, CLASS_UINT, CLASS_FLOAT };
enum operator_class { OPERATOR_CLASS_ANY, OPERATOR_CLASS_INTEGER };

static const enum type_class classes[num_types] = {
#define TYPE(name, storage, size, class) [ONEPASS_##name] = CLASS_##class,
    ONEPASS_FOR_EACH_TYPE(TYPE)
#undef TYPE
};

static const enum operator_class operator_classes[num_operators] = {
#define OPERATOR(name, classes) [ONEPASS_##name] = OPERATOR_CLASS_##classes,
    ONEPASS_FOR_EACH_OPERATOR(OPERATOR)
#undef OPERATOR
};

static const unsigned item_bits[num_types] = {
#define TYPE(name, storage, size, class) [ONEPASS_##name] = 8 * (size),
    ONEPASS_FOR_EACH_TYPE(TYPE)
#undef TYPE
};

static const unsigned mantissa_bits[num_types] = {
    [ONEPASS_F16] = 10, [ONEPASS_BF16] = 7, [ONEPASS_F32] = 23, [ONEPASS_F64] = 52
};

bool type_is_floating(onepass_type type)
{
    return classes[type] == CLASS_FLOAT;
}

bool type_is_signed(onepass_type type)
{
    return classes[type] == CLASS_INT;
}

bool operator_goes_with(onepass_operator op, onepass_type type)
{
    return operator_classes[op] == OPERATOR_CLASS_ANY || !type_is_floating(type);
}

const char *input_kind_name(input_kind kind)
{
    static const char *const names[num_input_kinds] = { "small", "ordinary", "bits", "extreme", "huge",
                                                        "tiny",  "near_one", "rare", "zeros" };
    return names[kind];
}

/* ------------------------------------------------------------------------------------------- one item */

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The exponent fields of a floating type: of 1.0, and of infinity. */
static uint64_t exponent_of_one(onepass_type type)
{
    return low_bits(item_bits[type] - 2 - mantissa_bits[type]);
}

static uint64_t exponent_of_infinity(onepass_type type)
{
    return low_bits(item_bits[type] - 1 - mantissa_bits[type]);
}

static uint64_t floating(onepass_type type, uint64_t negative, uint64_t exponent, uint64_t mantissa)
{
    return (negative & 1) << (item_bits[type] - 1) | exponent << mantissa_bits[type] |
           (mantissa & low_bits(mantissa_bits[type]));
}

static uint64_t small_floating(onepass_type type, uint64_t r)
{
    static const struct {
        uint64_t exponent_above_one, top_mantissa_bits;
    } numbers[] = { { 0, 0 }, { 1, 0 }, { 1, 2 }, { 2, 0 } }; /* 1 2 3 4 */
    const uint64_t number = r % 5;
    if (number == 4)
        return 0;
    return floating(type, r >> 8, exponent_of_one(type) + numbers[number].exponent_above_one,
                    numbers[number].top_mantissa_bits << (mantissa_bits[type] - 2));
}

static uint64_t extreme_floating(onepass_type type, uint64_t r)
{
    const uint64_t negative = r >> 8, infinity = exponent_of_infinity(type), all = low_bits(mantissa_bits[type]);
    const uint64_t quiet = UINT64_C(1) << (mantissa_bits[type] - 1);
    switch (r % 10) {
    case 0:
        return floating(type, negative, infinity, quiet | r >> 16); /* quiet NaN with a payload */
    case 1:
        return floating(type, negative, infinity, 1); /* signalling NaN */
    case 2:
    case 3:
        return floating(type, negative, infinity, 0);
    case 4:
        return floating(type, negative, infinity - 1, all); /* the largest */
    case 5:
        return floating(type, negative, 0, 1); /* the smallest */
    case 6:
        return floating(type, negative, 0, all);
    case 7:
        return floating(type, negative, 1, 0); /* the smallest normal */
    case 8:
        return floating(type, negative, exponent_of_one(type), 0);
    default:
        return floating(type, negative, 0, 0);
    }
}

/* Mostly 1, else up to 3 last bits away. What is below 1 has smaller last bits, so it is up to 5 of them: the mean of
 * the logarithms is 0, and products of millions neither overflow nor vanish. */
static uint64_t near_one(onepass_type type, uint64_t r)
{
    const uint64_t one = exponent_of_one(type), negative = r >> 9;
    if ((r >> 10 & 7) != 0)
        return floating(type, negative, one, 0);
    return (r & 1) != 0 ? floating(type, negative, one - 1, ~((r >> 16) % 5))
                        : floating(type, negative, one, r >> 16 & 3);
}

static uint64_t floating_item(onepass_type type, input_kind kind, uint64_t r)
{
    const uint64_t mantissa = r >> 10, negative = r >> 9, one = exponent_of_one(type);
    switch (kind) {
    case INPUT_SMALL:
        return small_floating(type, r);
    case INPUT_BITS:
        return r >> 3 & low_bits(item_bits[type]);
    case INPUT_EXTREME:
        return extreme_floating(type, r >> 3);
    case INPUT_HUGE:
        return floating(type, negative, exponent_of_infinity(type) - 1 - r % 3, mantissa);
    case INPUT_TINY:
        return floating(type, negative, r % 8 == 0, mantissa);
    case INPUT_NEAR_ONE:
        return near_one(type, r);
    case INPUT_RARE:
        if (r % 5000 == 0)
            return extreme_floating(type, r / 5000);
        return floating(type, negative, one - 4 + (r >> 3) % 8, mantissa);
    case INPUT_ZEROS:
        return floating(type, r % 300 != 0, 0, 0);
    default:
        return floating(type, negative, one - 4 + r % 8, mantissa);
    }
}

static uint64_t integer_item(onepass_type type, input_kind kind, uint64_t r, uint64_t seed)
{
    const uint64_t all = low_bits(item_bits[type]), top = UINT64_C(1) << (item_bits[type] - 1);
    switch (kind) {
    case INPUT_SMALL:
        return r % 9 - (type_is_signed(type) ? 4 : 0);
    case INPUT_EXTREME: {
        const uint64_t ends[] = { 0, 1, all, top, top - 1, top + 1, all - 1, 2 };
        return ends[r >> 5 & 7];
    }
    case INPUT_HUGE:
        return ((r & 1) != 0 ? top : 0) - (r >> 1 & 3) - 1;
    case INPUT_TINY:
        return r >> 7 & 1;
    case INPUT_NEAR_ONE:
        return r >> 3 | 1;
    case INPUT_RARE:
        return r % 5000 == 0 ? r / 5000 : (seed & 1) != 0 ? all : 0;
    case INPUT_ZEROS:
        return r % 300 == 0;
    default:
        return r >> 3;
    }
}

static uint64_t item(onepass_type type, input_kind kind, uint64_t r, uint64_t seed)
{
    return type_is_floating(type) ? floating_item(type, kind, r) : integer_item(type, kind, r, seed);
}

/* ------------------------------------------------------------------------------------------ many items */

void input_fill(void *items, onepass_type type, input_kind kind, uint64_t seed, uint64_t num_items)
{
    unsigned char *bytes = items;
    uint64_t random = seed;
    for (uint64_t i = 0; i < num_items; ++i) {
        const uint64_t bits = item(type, kind, prop_random(&random), seed);
        switch (item_bits[type]) {
        case 8:
            bytes[i] = (unsigned char)bits;
            break;
        case 16:
            memcpy(bytes + 2 * i, &(uint16_t){ (uint16_t)bits }, 2);
            break;
        case 32:
            memcpy(bytes + 4 * i, &(uint32_t){ (uint32_t)bits }, 4);
            break;
        default:
            memcpy(bytes + 8 * i, &bits, 8);
        }
    }
}

/* The number that a finite item stands for. */
static double decoded(onepass_type type, uint64_t bits)
{
    const uint64_t mantissa = bits & low_bits(mantissa_bits[type]);
    const uint64_t exponent = bits >> mantissa_bits[type] & exponent_of_infinity(type);
    const uint64_t significand = mantissa | (exponent != 0 ? UINT64_C(1) << mantissa_bits[type] : 0);
    const int scale = (int)(exponent != 0 ? exponent : 1) - (int)exponent_of_one(type) - (int)mantissa_bits[type];
    const double magnitude = ldexp((double)significand, scale);
    return (bits >> (item_bits[type] - 1) & 1) != 0 ? -magnitude : magnitude;
}

/* Halfway between an item and the next one away from zero, which may be infinity; or right beside the middle. */
static double near_a_tie(onepass_type type, input_kind kind, uint64_t seed)
{
    const uint64_t infinity = exponent_of_infinity(type) << mantissa_bits[type];
    uint64_t random = seed;
    uint64_t bits = item(type, kind, prop_random(&random), seed);
    if ((bits & infinity) == infinity)
        bits -= infinity - 1;                                               /* some finite item */
    const double ulp = fabs(decoded(type, bits) - decoded(type, bits ^ 1)); /* the last bit's worth */
    const double tie = decoded(type, bits) + copysign(ulp / 2, decoded(type, bits));
    const uint64_t r = prop_random(&random);
    return r % 3 == 0 ? tie : nextafter(tie, r % 3 == 1 ? -INFINITY : INFINITY);
}

static double floating_value(onepass_type type, input_kind kind, uint64_t seed)
{
    double value;
    float narrow;
    if (type != ONEPASS_F64 && seed % 3 == 0)
        return near_a_tie(type, kind, seed);
    if (seed % 3 == 1) {
        input_fill(&narrow, ONEPASS_F32, kind, seed, 1);
        return (double)narrow;
    }
    input_fill(&value, ONEPASS_F64, kind, seed, 1);
    return value;
}

onepass_value input_value(onepass_type type, input_kind kind, uint64_t seed)
{
    if (type_is_floating(type))
        return (onepass_value){ .f = floating_value(type, kind, seed) };
    const uint64_t sign = UINT64_C(1) << (item_bits[type] - 1);
    uint64_t random = seed;
    const uint64_t bits = item(type, kind, prop_random(&random), seed) & low_bits(item_bits[type]);
    return (onepass_value){ .u = type_is_signed(type) ? (bits ^ sign) - sign : bits };
}

uint64_t draw_num_items(prop *p, size_t item_bytes, uint64_t max_bytes)
{
    const uint64_t max_items = max_bytes / item_bytes;
    switch (prop_draw(p, 3)) {
    case 0:
        return prop_draw(p, max_items);
    case 1:
        return prop_draw(p, max_items < 600 ? max_items : 600);
    default: {
        unsigned log2_bytes = 4;
        while (log2_bytes < 22 && UINT64_C(2) << log2_bytes <= max_bytes)
            ++log2_bytes;
        log2_bytes -= (unsigned)prop_draw(p, log2_bytes - 4);
        const uint64_t unit = (UINT64_C(1) << log2_bytes) / item_bytes;
        const uint64_t num_units = prop_draw(p, max_items / unit);
        const uint64_t num_items = num_units * unit + prop_draw(p, 4);
        return num_items < 2 ? 0 : num_items - 2 < max_items ? num_items - 2 : max_items;
    }
    }
}

size_t draw_shift(prop *p, size_t item_bytes)
{
    return (size_t)prop_draw(p, 64 / item_bytes) * item_bytes;
}
