/* SPDX-License-Identifier: MIT */
/*
 * Template, included once for each floating operator, accumulator type and lane size. Sums within a row, exactly as
 * ORDER.md says; what is above the rows is running_sum.h. Parameters:
 *
 * ACC           accumulator type
 * BITS          unsigned integer of its size
 * VECTOR, WIDTH of kernels_vectors.h, and how many accumulators are in one
 * WITH_ONE_NAN  of kernels_vectors.h, for its type
 * LANE_ITEMS    items in a lane: k of ORDER.md
 * COMBINE(x, y) x op y, of accumulators and of vectors of them
 * NOTHING       the exact identity
 * NAME(x)       x with the instance's suffix
 *
 * The idea: vectors across lanes. The k vectors that hold WIDTH neighbouring lanes are taken apart into one of their
 * first items, one of their second ones and so on, and results are put together again in the same way.
 */
typedef VECTOR NAME(vector);
typedef ACC NAME(unaligned) __attribute__((vector_size(wide_bytes), aligned(sizeof(ACC))));
typedef BITS NAME(places) __attribute__((vector_size(wide_bytes)));

enum {
    NAME(row_items) = LANE_ITEMS * row_lanes,
    NAME(max_rows) = block_bytes / (int)sizeof(ACC) / NAME(row_items),
    NAME(row_vectors) = row_lanes / WIDTH, /* that hold one accumulator for each lane of a row */
    NAME(group_items) = LANE_ITEMS * WIDTH /* in the lanes of one vector */
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

/* lanes[j]: item j of each of WIDTH lanes. Each round parts the accumulators at even places from those at odd ones, so
 * that the last bit of a place becomes its first; in the end the bits of j stand before those of the lane. */
static inline void NAME(load_lanes)(const ACC *items, NAME(vector) lanes[LANE_ITEMS])
{
    for (int i = 0; i < LANE_ITEMS; i++)
        lanes[i] = ((const NAME(unaligned) *)items)[i];
    for (int round = 1; round < LANE_ITEMS; round *= 2) {
        NAME(vector) parted[LANE_ITEMS];
        for (int i = 0; i < LANE_ITEMS / 2; i++) {
            parted[i] = SHUFFLE(WIDTH, lanes[2 * i], lanes[2 * i + 1], EVERY_SECOND, 0);
            parted[LANE_ITEMS / 2 + i] = SHUFFLE(WIDTH, lanes[2 * i], lanes[2 * i + 1], EVERY_SECOND, 1);
        }
        for (int i = 0; i < LANE_ITEMS; i++)
            lanes[i] = parted[i];
    }
}

/* The way back. Past the caches, results are a multiple of wide_bytes. */
static inline void NAME(store_lanes)(NAME(vector) lanes[LANE_ITEMS], ACC *results, bool past_cache)
{
    for (int round = 1; round < LANE_ITEMS; round *= 2) {
        NAME(vector) joined[LANE_ITEMS];
        for (int i = 0; i < LANE_ITEMS / 2; i++) {
            joined[2 * i] = SHUFFLE(WIDTH, lanes[i], lanes[LANE_ITEMS / 2 + i], BY_TURNS, 0);
            joined[2 * i + 1] = SHUFFLE(WIDTH, lanes[i], lanes[LANE_ITEMS / 2 + i], BY_TURNS, WIDTH / 2);
        }
        for (int i = 0; i < LANE_ITEMS; i++)
            lanes[i] = joined[i];
    }
    if (past_cache) {
        for (int i = 0; i < LANE_ITEMS; i++)
            STREAM_VECTOR(results + i * WIDTH, lanes[i]);
    } else {
        for (int i = 0; i < LANE_ITEMS; i++)
            ((NAME(unaligned) *)results)[i] = lanes[i];
    }
}

/* The sums of WIDTH lanes. */
static inline NAME(vector) NAME(fold_lanes)(const NAME(vector) lanes[LANE_ITEMS])
{
    NAME(vector) sums = lanes[0];
    for (int j = 1; j < LANE_ITEMS; j++)
        sums = COMBINE(sums, lanes[j]);
    return sums;
}

/* What stands `distance` lanes before those of sums[i]. */
#define LANES_BEFORE(sums, i, distance)                                                          \
    SHUFFLE(WIDTH, (sums)[(i) - (distance) / WIDTH - 1], (sums)[(i) - (distance) / WIDTH], FROM, \
            WIDTH - (distance) % WIDTH)

/* One step of Kogge-Stone: from the last vector on, so that what comes before is still as it was. */
#define COMBINE_LANES(sums, distance)                \
    for (int i = NAME(row_vectors) - 1; i >= 0; i--) \
    (sums)[i] = COMBINE(LANES_BEFORE(sums, i, distance), (sums)[i])

/* Scans a row and returns its sum. Asks for the row of input at `next`. */
static inline ACC NAME(scan_row)(const ACC *items, ACC *results, bool past_cache, ACC prefix, bool is_exclusive,
                                 const unsigned char *next)
{
    /* Before the sums stands nothing, in place of lanes that are not there. */
    enum { num_before = row_lanes / 2 / WIDTH + 1 };
    enum { vectors_a_line = NAME(row_vectors) * LANE_ITEMS / (row_bytes / line_bytes) }; /* of results and of input */
    NAME(vector) lanes[NAME(row_vectors)][LANE_ITEMS], padded[num_before + NAME(row_vectors)];
    NAME(vector) *sums = padded + num_before;
    for (int i = 0; i < num_before; i++)
        padded[i] = (ACC)NOTHING - (NAME(vector)){ 0 }; /* -0.0 + 0 would be 0 */
    for (int i = 0; i < NAME(row_vectors); i++) {
        NAME(load_lanes)(items + i * NAME(group_items), lanes[i]);
        sums[i] = NAME(fold_lanes)(lanes[i]);
    }
    COMBINE_LANES(sums, 1);
    COMBINE_LANES(sums, 2);
    COMBINE_LANES(sums, 4);
    COMBINE_LANES(sums, 8);
    COMBINE_LANES(sums, 16);
    for (int i = 0; i < NAME(row_vectors); i++) {
        NAME(vector) sum = COMBINE(prefix, LANES_BEFORE(sums, i, 1));
        for (int j = 0; j < LANE_ITEMS; j++) {
            NAME(vector) inclusive = COMBINE(sum, lanes[i][j]);
            lanes[i][j] = is_exclusive ? sum : inclusive;
            if (LANE_ITEMS * sizeof(ACC) == lane_bytes || sizeof(ACC) == 8) /* others are converted to 16 bits */
                lanes[i][j] = WITH_ONE_NAN(lanes[i][j]);
            sum = inclusive;
            if ((i * LANE_ITEMS + j) % vectors_a_line == 0)
                __builtin_prefetch(next + (i * LANE_ITEMS + j) / vectors_a_line * line_bytes);
        }
        NAME(store_lanes)(lanes[i], results + i * NAME(group_items), past_cache);
    }
    return sums[NAME(row_vectors) - 1][WIDTH - 1];
}

static inline void NAME(scan_rows)(struct scratch *scratch, const ACC *items, size_t num_items, bool is_exclusive,
                                   struct running_sum *sum)
{
    bool past_cache = scratch->past_cache != NULL;
    ACC *results = (ACC *)(past_cache ? scratch->past_cache : scratch->results.items);
    size_t num_rows = (num_items + NAME(row_items) - 1) / NAME(row_items);
    for (size_t row = 0; row < num_rows; row++) {
        size_t first = row * NAME(row_items);
        ACC row_sum = NAME(scan_row)(items + first, results + first, past_cache, NAME(from_bits)(sum->prefix),
                                     is_exclusive, scratch->next_input + row * row_bytes);
        sum_add(sum, NAME(combine), NAME(to_bits)(row_sum));
    }
}

static void NAME(scan)(struct scratch *scratch, const void *items, size_t num_items, bool is_exclusive,
                       struct running_sum *sum)
{
    if (is_exclusive)
        NAME(scan_rows)(scratch, items, num_items, true, sum);
    else
        NAME(scan_rows)(scratch, items, num_items, false, sum);
}

/* A row's sum is a balanced tree over its lanes. Each of its levels halves the vectors of all rows together. */
static void NAME(reduce)(const void *items, size_t num_items, struct running_sum *sum)
{
    enum { max_vectors = NAME(max_rows) * NAME(row_vectors) };
    NAME(vector) sums[max_vectors];
    size_t num_rows = (num_items + NAME(row_items) - 1) / NAME(row_items);
    size_t num_vectors = num_rows * NAME(row_vectors);
    for (size_t i = 0; i < num_vectors; i++) {
        NAME(vector) lanes[LANE_ITEMS];
        NAME(load_lanes)((const ACC *)items + i * NAME(group_items), lanes);
        sums[i] = NAME(fold_lanes)(lanes);
    }
    for (int num_lanes = row_lanes; num_lanes > 1; num_lanes /= 2) {
        if (num_vectors % 2 != 0)
            sums[num_vectors] = sums[num_vectors - 1]; /* anything */
        num_vectors = (num_vectors + 1) / 2;
        for (size_t i = 0; i < num_vectors; i++)
            sums[i] = COMBINE(SHUFFLE(WIDTH, sums[2 * i], sums[2 * i + 1], EVERY_SECOND, 0),
                              SHUFFLE(WIDTH, sums[2 * i], sums[2 * i + 1], EVERY_SECOND, 1));
    }
    for (size_t row = 0; row < num_rows; row++)
        sum_add(sum, NAME(combine), NAME(to_bits)(((ACC *)sums)[row]));
}

#undef LANES_BEFORE
#undef COMBINE_LANES
