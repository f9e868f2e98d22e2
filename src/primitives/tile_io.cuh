/* SPDX-License-Identifier: MIT */
/*
 * Rows in and out of memory: a lane's 16 bytes at a time, at any element-aligned address.
 *
 * The one idea: items belong to lanes by their index, memory comes in aligned 16-byte lines, and when the two are out
 * of step by `shift` bytes, each line is made of the lane's own bytes and its neighbour's: one shuffle and a funnel
 * shift, instead of an access per item. Only the two ends of a row go item by item. Nothing outside the row's
 * num_items items is read or written. All lanes of the warp call, with the same arguments.
 */
#ifndef ONEPASS_PRIMITIVES_TILE_IO_CUH
#define ONEPASS_PRIMITIVES_TILE_IO_CUH

#include "warp.cuh"

namespace onepass
{

constexpr unsigned line_bytes = 16;
constexpr unsigned row_bytes = warp_threads * line_bytes;

/* Items of T in a line. */
template <typename T> constexpr int line_items = (int)(line_bytes / sizeof(T));

/* How far an address is behind the start of its line. */
ONEPASS_DEVICE unsigned line_shift(const void *p)
{
    return (unsigned)(uintptr_t)p % line_bytes;
}

/* A line as items, and items as a line. */
template <typename T> ONEPASS_DEVICE void unpack(const vec16 &line, T (&items)[line_items<T>])
{
    memcpy(items, &line, line_bytes);
}

template <typename T> ONEPASS_DEVICE vec16 pack(const T (&items)[line_items<T>])
{
    vec16 line;
    memcpy(&line, items, line_bytes);
    return line;
}

/* By words: a choice between two structs is a choice between addresses, and puts both into local memory. */
ONEPASS_DEVICE vec16 select_line(bool first, const vec16 &a, const vec16 &b)
{
    vec16 line;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        line.word[i] = first ? a.word[i] : b.word[i];
    return line;
}

/* The 16 bytes that begin `shift` bytes, 0 to 15, into the 32 bytes low, high. */
ONEPASS_DEVICE vec16 funnel_lines(const vec16 &low, const vec16 &high, unsigned shift)
{
    uint32_t w[8] = { low.word[0],  low.word[1],  low.word[2],  low.word[3],
                      high.word[0], high.word[1], high.word[2], high.word[3] };
    if (shift & 8) {
#pragma unroll
        for (int i = 0; i < 6; ++i)
            w[i] = w[i + 2];
    }
    if (shift & 4) {
#pragma unroll
        for (int i = 0; i < 5; ++i)
            w[i] = w[i + 1];
    }
    vec16 line;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        line.word[i] = funnel_right(w[i], w[i + 1], shift % 4 * 8);
    return line;
}

/* Bytes begin to end of the lines at `lines` hold items. Line `line` of them; what is outside reads as `nothing`. */
template <typename T>
ONEPASS_DEVICE vec16 load_line(const char *lines, unsigned line, unsigned begin, unsigned end, T nothing)
{
    const unsigned first = line * line_bytes;
    if (first >= begin && first + line_bytes <= end)
        return load_vec(lines + first);
    T items[line_items<T>];
#pragma unroll
    for (int i = 0; i < line_items<T>; ++i) {
        const unsigned at = first + i * (unsigned)sizeof(T);
        items[i] = at >= begin && at < end ? *reinterpret_cast<const T *>(lines + at) : nothing;
    }
    return pack(items);
}

/* The same, for a store: what is outside is left as it is. */
template <typename T>
ONEPASS_DEVICE void store_line(char *lines, unsigned line, unsigned begin, unsigned end, const vec16 &value)
{
    const unsigned first = line * line_bytes;
    if (first >= begin && first + line_bytes <= end) {
        store_vec_streaming(lines + first, value);
        return;
    }
    T items[line_items<T>];
    unpack(value, items);
#pragma unroll
    for (int i = 0; i < line_items<T>; ++i) {
        const unsigned at = first + i * (unsigned)sizeof(T);
        if (at >= begin && at < end)
            *reinterpret_cast<T *>(lines + at) = items[i];
    }
}

/* A row's first num_items items, from global or shared memory; the others become `nothing`. The lane gets items
 * line_items * lane and on. */
template <typename T>
ONEPASS_DEVICE void load_row(const T *row, unsigned num_items, T nothing, T (&items)[line_items<T>])
{
    const unsigned shift = line_shift(row);
    const char *lines = reinterpret_cast<const char *>(row) - shift;
    const unsigned end = shift + num_items * (unsigned)sizeof(T);
    vec16 line = load_line(lines, lane_idx(), shift, end, nothing);
    if (shift != 0) {
        vec16 next = shfl_idx(line, lane_idx() + 1);
        if (lane_idx() == warp_threads - 1)
            next = load_line(lines, warp_threads, shift, end, nothing);
        line = funnel_lines(line, next, shift);
    }
    unpack(line, items);
}

/*
 * Lane j of each group of m lanes holds lines j * m to j * m + m - 1 of the group's m * m; afterwards it holds, as its
 * line i, line i * m + j, so that a store of line i by all lanes writes whole runs of m lines. m is a power of two.
 */
template <int m> ONEPASS_DEVICE void transpose_lines(vec16 (&lines)[m])
{
#pragma unroll
    for (int delta = 1; delta < m; delta *= 2) {
        const bool upper = lane_idx() & (unsigned)delta;
#pragma unroll
        for (int i = 0; i < m; ++i) {
            if (i & delta)
                continue;
            const vec16 received = shfl_xor(select_line(upper, lines[i], lines[i + delta]), (unsigned)delta);
            lines[i] = select_line(upper, received, lines[i]);
            lines[i + delta] = select_line(upper, lines[i + delta], received);
        }
    }
}

/*
 * A row's first num_items items to global memory, where each lane has count items, a power of two of lines: one line
 * if items leave as wide as they came, more if they were widened. The lane's are items count * lane and on.
 */
template <typename T, int count> ONEPASS_DEVICE void store_row(T *row, unsigned num_items, const T (&items)[count])
{
    constexpr int m = count / line_items<T>;
    static_assert(m * line_items<T> == count && (m & (m - 1)) == 0, "whole lines, a power of two of them");
    const unsigned shift = line_shift(row);
    char *row_lines = reinterpret_cast<char *>(row) - shift;
    const unsigned end = shift + num_items * (unsigned)sizeof(T);
    vec16 lines[m];
#pragma unroll
    for (int i = 0; i < m; ++i) /* line by line: a copy of it all would go through local memory */
        memcpy(&lines[i], &items[i * line_items<T>], line_bytes);
    if (shift != 0) {
        vec16 before = lines[m - 1];
        if (lane_idx() == warp_threads - 1)
            store_line<T>(row_lines, warp_threads * m, shift, end, funnel_lines(before, before, line_bytes - shift));
        bool in_range;
        before = shfl_up(before, 1, in_range);
#pragma unroll
        for (int i = 0; i < m; ++i) {
            const vec16 own = lines[i];
            lines[i] = funnel_lines(before, own, line_bytes - shift);
            before = own;
        }
    }
    transpose_lines(lines);
    const unsigned group = lane_idx() / m * (m * m), in_group = lane_idx() % m;
#pragma unroll
    for (int i = 0; i < m; ++i)
        store_line<T>(row_lines, group + i * m + in_group, shift, end, lines[i]);
}

} // namespace onepass

#endif
