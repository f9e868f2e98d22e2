/* SPDX-License-Identifier: MIT */
/*
 * Template, included once for each operator and accumulator type whose order does not matter. Parameters:
 *
 * ACC                   accumulator type
 * COMBINE(x, y)         x op y
 * COMBINE_VECTORS(x, y) the same on two vectors of the compiler's own, item by item
 * IDENTITY              of the operator
 * NAME(x)               x with the instance's suffix
 *
 * The idea: w[i] = the sum of the 16 bytes of items that end with item i; then result[i] = result[i - 16 bytes] op w[i]
 * is one operation a vector, and the only one that waits for the vector before. w comes in log2 steps: add what is 1,
 * 2, 4, 8 bytes back, each taken from two neighbouring registers by one shuffle, so that nothing but the items is
 * loaded. After Hillis and Steele, "Data Parallel Algorithms", 1986, cut off at the vector's width.
 */
typedef ACC NAME(vector) __attribute__((vector_size(vector_bytes)));

/* Adds to each sum the one that ends `distance` bytes earlier; `previous` is the vector before, and moves on. */
#define WIDEN(sums, previous, distance)                                                                    \
    do {                                                                                                   \
        NAME(vector) earlier = (NAME(vector))SHIFT_IN(distance, (byte_vector)previous, (byte_vector)sums); \
        previous = sums;                                                                                   \
        sums = COMBINE_VECTORS(earlier, sums);                                                             \
    } while (0)

static uint64_t NAME(combine)(uint64_t left, uint64_t right)
{
    return (uint64_t)COMBINE((ACC)left, (ACC)right);
}

static void NAME(scan)(struct scratch *scratch, const void *items, size_t num_items, bool is_exclusive,
                       struct running_sum *sum)
{
    enum { width = vector_bytes / sizeof(ACC) };
    size_t num_vectors = (num_items + width - 1) / width;
    size_t next_step = scratch->next_bytes / num_vectors;
    ACC *results = (ACC *)scratch->results.items;
    results[0] = (ACC)sum->prefix;
    ACC *inclusive = results + is_exclusive; /* an exclusive scan is the inclusive one, an item later */
    NAME(vector) before = (NAME(vector)){ 0 } + (ACC)sum->prefix;
    NAME(vector) nothing = (NAME(vector)){ 0 } + (ACC)IDENTITY;
    /* Only 1-byte items need all four. NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores) */
    NAME(vector) previous1 = nothing, previous2 = nothing, previous4 = nothing, previous8 = nothing;
    for (size_t i = 0; i < num_vectors; i++) {
        NAME(vector) sums;
        memcpy(&sums, (const ACC *)items + i * width, sizeof sums);
        __builtin_prefetch(scratch->next_input + i * next_step);
        if (sizeof(ACC) <= 1)
            WIDEN(sums, previous1, 1);
        if (sizeof(ACC) <= 2)
            WIDEN(sums, previous2, 2);
        if (sizeof(ACC) <= 4)
            WIDEN(sums, previous4, 4);
        WIDEN(sums, previous8, 8);
        before = COMBINE_VECTORS(before, sums);
        memcpy(inclusive + i * width, &before, sizeof before);
    }
    sum->prefix = (uint64_t)inclusive[num_items - 1];
}

static void NAME(reduce)(const void *items, size_t num_items, struct running_sum *sum)
{
    const ACC *x = items;
    ACC total = (ACC)sum->prefix;
    for (size_t i = 0; i < num_items; i++)
        total = COMBINE(total, x[i]);
    sum->prefix = (uint64_t)total;
}

#undef WIDEN
