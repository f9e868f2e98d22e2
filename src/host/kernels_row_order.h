/* SPDX-License-Identifier: MIT */
/*
 * Template, included once for each floating operator, accumulator type and lane size. Sums within a row, exactly as
 * ORDER.md says; what is above the rows is running_sum.h. Parameters:
 *
 * ACC           accumulator type
 * BITS          unsigned integer of its size
 * LANE_ITEMS    items in a lane: k of ORDER.md
 * COMBINE(x, y) x op y
 * NOTHING       the exact identity
 * NAME(x)       x with the instance's suffix
 *
 * A block holds several rows, and each step is done for all of them before the next, with the lanes of a row side by
 * side: one loop over 32 lanes, which compilers turn into vector code.
 */
enum {
    NAME(row_items) = LANE_ITEMS * row_lanes,
    NAME(max_rows) = block_bytes / (int)sizeof(ACC) / NAME(row_items),
    NAME(pitch) = row_lanes + 16 /* before the lanes of a row stand 16 times nothing */
};

static inline ACC NAME(from_bits)(uint64_t bits)
{
    BITS narrow = (BITS)bits;
    ACC value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

static inline uint64_t NAME(to_bits)(ACC value)
{
    BITS bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t NAME(combine)(uint64_t left, uint64_t right)
{
    return NAME(to_bits)(COMBINE(NAME(from_bits)(left), NAME(from_bits)(right)));
}

/* Lane sums, those of a row side by side, the rows `pitch` apart. */
static inline void NAME(fold_lanes)(const ACC *restrict items, ACC *restrict sums, size_t num_rows, size_t pitch)
{
    for (size_t row = 0; row < num_rows; row++) {
        const ACC *x = items + row * NAME(row_items);
        ACC *lane_sums = sums + row * pitch;
        for (int lane = 0; lane < row_lanes; lane++) {
            ACC sum = x[(size_t)lane * LANE_ITEMS];
            for (int j = 1; j < LANE_ITEMS; j++)
                sum = COMBINE(sum, x[lane * LANE_ITEMS + j]);
            lane_sums[lane] = sum;
        }
    }
}

/* One step of Kogge-Stone; the nothing before each row stands for the lanes that are not there. */
static inline void NAME(combine_lanes)(const ACC *restrict src, ACC *restrict dst, size_t num_rows, int distance)
{
    for (size_t row = 0; row < num_rows; row++) {
        const ACC *later = src + row * NAME(pitch) + 16;
        const ACC *earlier = later - distance;
        ACC *sums = dst + row * NAME(pitch) + 16;
        for (int lane = 0; lane < row_lanes; lane++)
            sums[lane] = COMBINE(earlier[lane], later[lane]);
    }
}

/* Inclusive sums over the lanes of each row, in lanes[1]. */
static inline void NAME(scan_lanes)(const ACC *items, ACC lanes[2][NAME(max_rows) * NAME(pitch)], size_t num_rows)
{
    for (size_t row = 0; row < num_rows; row++)
        for (size_t i = 0; i < 16; i++)
            lanes[0][row * NAME(pitch) + i] = lanes[1][row * NAME(pitch) + i] = NOTHING;
    NAME(fold_lanes)(items, lanes[0] + 16, num_rows, NAME(pitch));
    NAME(combine_lanes)(lanes[0], lanes[1], num_rows, 1);
    NAME(combine_lanes)(lanes[1], lanes[0], num_rows, 2);
    NAME(combine_lanes)(lanes[0], lanes[1], num_rows, 4);
    NAME(combine_lanes)(lanes[1], lanes[0], num_rows, 8);
    NAME(combine_lanes)(lanes[0], lanes[1], num_rows, 16);
}

/* From the sum of everything before each lane to the results of its items. */
static inline void NAME(finish_lanes)(const ACC *restrict items, const ACC *restrict before, ACC *restrict results,
                                      ACC prefix, bool is_exclusive)
{
    for (int lane = 0; lane < row_lanes; lane++) {
        ACC sum = COMBINE(prefix, before[lane]);
        for (int j = 0; j < LANE_ITEMS; j++) {
            ACC next = COMBINE(sum, items[lane * LANE_ITEMS + j]);
            results[lane * LANE_ITEMS + j] = is_exclusive ? sum : next;
            sum = next;
        }
    }
}

static void NAME(scan)(struct scratch *scratch, const void *input, size_t num_items, bool is_exclusive,
                       struct running_sum *sum)
{
    _Alignas(line_bytes) ACC lanes[2][NAME(max_rows) * NAME(pitch)];
    const ACC *items = input;
    ACC *results = (ACC *)scratch->results.items;
    size_t num_rows = (num_items + NAME(row_items) - 1) / NAME(row_items);
    NAME(scan_lanes)(items, lanes, num_rows);
    size_t next_step = scratch->next_bytes / num_rows;
    for (size_t row = 0; row < num_rows; row++) {
        for (size_t i = row * next_step; i < (row + 1) * next_step; i += line_bytes)
            __builtin_prefetch(scratch->next_input + i);
        const ACC *inclusive = lanes[1] + row * NAME(pitch) + 16;
        size_t first = row * NAME(row_items);
        ACC prefix = NAME(from_bits)(sum->prefix);
        if (is_exclusive)
            NAME(finish_lanes)(items + first, inclusive - 1, results + first, prefix, true);
        else
            NAME(finish_lanes)(items + first, inclusive - 1, results + first, prefix, false);
        sum_add(sum, NAME(combine), NAME(to_bits)(inclusive[row_lanes - 1]));
    }
}

/* The row's sum is a balanced tree over its lanes: half as many sums at each step. */
static inline void NAME(halve)(const ACC *restrict src, ACC *restrict dst, size_t num_sums)
{
    for (size_t i = 0; i < num_sums; i++)
        dst[i] = COMBINE(src[2 * i], src[2 * i + 1]);
}

static void NAME(reduce)(const void *items, size_t num_items, struct running_sum *sum)
{
    _Alignas(line_bytes) ACC sums[2][NAME(max_rows) * row_lanes];
    size_t num_rows = (num_items + NAME(row_items) - 1) / NAME(row_items);
    NAME(fold_lanes)(items, sums[0], num_rows, row_lanes);
    NAME(halve)(sums[0], sums[1], num_rows * 16);
    NAME(halve)(sums[1], sums[0], num_rows * 8);
    NAME(halve)(sums[0], sums[1], num_rows * 4);
    NAME(halve)(sums[1], sums[0], num_rows * 2);
    NAME(halve)(sums[0], sums[1], num_rows);
    for (size_t row = 0; row < num_rows; row++)
        sum_add(sum, NAME(combine), NAME(to_bits)(sums[1][row]));
}
