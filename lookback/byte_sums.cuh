/* SPDX-License-Identifier: MIT */
/*
 * Wide sums of bytes: what turns flags or lengths into offsets, where a row of input becomes four or eight of output.
 *
 * A lane does not compute what its own items come to, for then lines of output would have to change lanes. It computes
 * what the line that it stores holds: it reads the items' line again from the slot, and since it always stands at the
 * same place in that line, the sums inside are dp4a with masks that it makes once.
 */
#ifndef ONEPASS_LOOKBACK_BYTE_SUMS_CUH
#define ONEPASS_LOOKBACK_BYTE_SUMS_CUH

#include "tile.cuh"

namespace onepass
{

template <typename Fold>
constexpr bool
    is_wide_byte_sum = sizeof(typename Fold::in) == 1 &&
                       sizeof(typename Fold::out) >= 4 && is_same<typename Fold::op, op_SUM<typename Fold::acc>>;

/* Weights for dp4a: bytes begin to end - 1 of a word, 0 to 4. */
ONEPASS_DEVICE uint32_t byte_weights(unsigned begin, unsigned end)
{
    uint32_t weights = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
        weights |= i >= begin && i < end ? 1u << 8 * i : 0;
    return weights;
}

/* A writer's rows of a tile of unsigned bytes that is plain, as are its outputs; as write_rows (scan.cuh). */
template <typename Fold, typename Shape, typename Slot>
ONEPASS_DEVICE void write_byte_sums(const fold_params &params, const launch_view<Fold, Shape> &all,
                                    const tile_view<Fold, Shape> &view, uint64_t tile_idx, unsigned phase, Slot &slot)
{
    using acc = typename Fold::acc;
    using out = typename Fold::out;
    using op = typename Fold::op;
    constexpr int rows = Shape::rows / Shape::writers;
    constexpr unsigned m = sizeof(out), line_outputs = line_items<out>; /* lines out for a line in; items of each */
    const unsigned first_row = (warp_idx() - Shape::first_writer) * rows;
    const unsigned char *data = view.data + first_row * row_bytes;
    /* Where in a line of items the lane's outputs begin. */
    const unsigned word = lane_idx() % m * line_outputs / 4, byte = lane_idx() % m * line_outputs % 4;
    uint32_t before[4], own[line_outputs];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
        before[i] = byte_weights(0, i < word ? 4 : i == word ? byte : 0);
#pragma unroll
    for (unsigned i = 0; i < line_outputs; ++i)
        own[i] = byte_weights(byte, byte + i + (params.exclusive ? 0 : 1));

    uint32_t sums[rows]; /* a row's is less than 2^17 */
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        const vec16 line = load_vec(data + i * row_bytes + lane_idx() * line_bytes);
        sums[i] = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j)
            sums[i] = dp4a(line.word[j], byte_weights(0, 4), sums[i]);
    }
    warp_inclusive_scan(sums, op_SUM<uint32_t>());
    mbar_wait(&slot.ready, phase); /* the reducers' block sums and the walker's prefix */
    const acc row_start = row_prefix<Shape::rows>(slot.prefix, slot.block_sums, first_row + lane_idx() % rows, op());
    unsigned char *to = reinterpret_cast<unsigned char *>(static_cast<out *>(params.out) + tile_idx * all.tile_items +
                                                          first_row * all.row_items) +
                        lane_idx() * line_bytes;
#pragma unroll 1
    for (int i = 0; i < rows; ++i, data += row_bytes) {
        const acc start = shfl_idx(row_start, i);
        uint32_t lanes = sums[0]; /* the row's, without an index into registers */
#pragma unroll
        for (int j = 0; j + 1 < rows; ++j)
            sums[j] = sums[j + 1];
        lanes = warp_before(lanes, 0u);
#pragma unroll
        for (unsigned j = 0; j < m; ++j, to += row_bytes) {
            const unsigned lane = j * (warp_threads / m) + lane_idx() / m; /* whose items they are */
            const unsigned char *line_at = data + lane * line_bytes;
            const vec16 line = load_vec(line_at);
            const uint32_t own_word = *reinterpret_cast<const uint32_t *>(line_at + word * 4);
            uint32_t sum = shfl_idx(lanes, lane);
#pragma unroll
            for (int w = 0; w < 4; ++w)
                sum = dp4a(line.word[w], before[w], sum);
            out results[line_outputs];
#pragma unroll
            for (unsigned r = 0; r < line_outputs; ++r)
                results[r] = (out)(start + dp4a(own_word, own[r], sum));
            store_vec_streaming(to, pack(results));
        }
    }
    leave_slot(slot);
}

} // namespace onepass

#endif
