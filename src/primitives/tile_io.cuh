/* SPDX-License-Identifier: MIT */
/*
 * Rows in and out of memory: a lane's 16 bytes at a time, at any element-aligned address, forwards or backwards.
 *
 * The one idea: items belong to lanes by their position, memory comes in aligned 16-byte lines, and when the two are
 * out of step by `shift` bytes, each line is made of the lane's own bytes and its neighbour's by a funnel shift,
 * instead of an access per item. All of that is done in the order of positions; only where a line meets memory is it
 * turned round if positions run backwards. The two ends of a run go item by item: nothing outside it is read or
 * written. All lanes of the warp call, with the same arguments.
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

/* The 16 bytes that begin `words` words and `bits` bits, 0 to 24, into the 32 bytes low, high. */
template <int words> ONEPASS_DEVICE vec16 funnel_lines(const vec16 &low, const vec16 &high, unsigned bits)
{
    const uint32_t w[8] = { low.word[0],  low.word[1],  low.word[2],  low.word[3],
                            high.word[0], high.word[1], high.word[2], high.word[3] };
    vec16 line;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        line.word[i] = funnel_right(w[words + i], w[words + i + 1], bits);
    return line;
}

template <int v> struct constant {
    static constexpr int value = v;
};

/* Calls f with constant<shift / 4>: a warp, whose lanes share the shift, branches once for many lines. The shift is a
 * multiple of the size of T. */
template <typename T, typename F> ONEPASS_DEVICE void with_word_shift(unsigned shift, F f)
{
    switch (sizeof(T) == 8 ? shift / 8 * 2 : shift / 4) {
    case 0:
        return f(constant<0>());
    case 1:
        return f(constant<1>());
    case 2:
        return f(constant<2>());
    default:
        return f(constant<3>());
    }
}

/* The rest of the shift, in bits: none for items of whole words. */
template <typename T> ONEPASS_DEVICE unsigned bit_shift(unsigned shift)
{
    return sizeof(T) < 4 ? shift % 4 * 8 : 0;
}

/* lows[i] becomes the 16 bytes that begin `shift` bytes, 0 to 15, into the 32 bytes lows[i], highs[i]. */
template <typename T, int n> ONEPASS_DEVICE void funnel_pairs(vec16 (&lows)[n], const vec16 (&highs)[n], unsigned shift)
{
    with_word_shift<T>(shift, [&](auto words) {
#pragma unroll
        for (int i = 0; i < n; ++i)
            lows[i] = funnel_lines<decltype(words)::value>(lows[i], highs[i], bit_shift<T>(shift));
    });
}

/* lines[i] becomes the 16 bytes that begin `words` words and `bits` bits into the line before it and itself. */
template <int words, int n> ONEPASS_DEVICE void funnel_chain(const vec16 &before, vec16 (&lines)[n], unsigned bits)
{
#pragma unroll
    for (int i = n - 1; i > 0; --i)
        lines[i] = funnel_lines<words>(lines[i - 1], lines[i], bits);
    lines[0] = funnel_lines<words>(before, lines[0], bits);
}

/* A line with its items in the opposite order. */
template <typename T> ONEPASS_DEVICE vec16 reversed_line(const vec16 &line)
{
    static_assert(sizeof(T) <= 8, "items of up to 8 bytes");
    const uint32_t *w = line.word;
    if constexpr (sizeof(T) == 8) {
        return { { w[2], w[3], w[0], w[1] } };
    } else {
        constexpr uint32_t selector = sizeof(T) == 1 ? 0x0123 : sizeof(T) == 2 ? 0x1032 : 0x3210;
        return { { byte_perm(w[3], 0, selector), byte_perm(w[2], 0, selector), byte_perm(w[1], 0, selector),
                   byte_perm(w[0], 0, selector) } };
    }
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
 * A run of positions in memory: position p is item p from `first` on, or item -p if the run is in reverse. In the order
 * of positions it lies in lines: line 0 begins `shift` bytes before position 0. The first `lead` positions are not
 * there; they are in line 0.
 */
template <typename T> class item_run
{
  public:
    /* `first` need not be there if num_items is 0. */
    ONEPASS_DEVICE item_run(uintptr_t first, uint32_t num_items, bool reverse, unsigned lead = 0)
        : reverse_(reverse), shift_((unsigned)(reverse ? 0 - first - sizeof(T) : first) % line_bytes),
          begin_(shift_ + lead * (unsigned)sizeof(T)), end_(shift_ + num_items * (unsigned)sizeof(T)),
          edge_(reverse ? first + sizeof(T) + shift_ : first - shift_)
    {
    }

    /* Items of positions row * 32 * line_items + line_items * lane and on; `nothing` where there is none. */
    ONEPASS_DEVICE vec16 load_row(unsigned row, T nothing) const
    {
        const unsigned idx = row * warp_threads + lane_idx();
        vec16 line[1] = { load_line(idx, nothing) };
        if (shift_ != 0) {
            const vec16 next[1] = { load_line(idx + 1, nothing) };
            funnel_pairs<T>(line, next, shift_);
        }
        return line[0];
    }

  protected:
    bool reverse_;
    unsigned shift_;
    unsigned begin_, end_; /* these bytes of the lines are the run's */
    uintptr_t edge_;       /* where line 0 begins; in reverse, where it ends */

    /* Where line `idx` is in memory. */
    ONEPASS_DEVICE char *line_at(unsigned idx) const
    {
        const uintptr_t bytes = idx * line_bytes;
        return reinterpret_cast<char *>(reverse_ ? edge_ - bytes - line_bytes : edge_ + bytes);
    }
    ONEPASS_DEVICE bool is_whole(unsigned idx) const
    {
        return idx * line_bytes >= begin_ && (idx + 1) * line_bytes <= end_;
    }
    /* Whether the item that is i-th in line `idx`, counted by addresses, is of the run. */
    ONEPASS_DEVICE bool has_item(unsigned idx, int i) const
    {
        const unsigned at = idx * line_bytes + (unsigned)(reverse_ ? line_items<T> - 1 - i : i) * (unsigned)sizeof(T);
        return at >= begin_ && at < end_;
    }

    ONEPASS_DEVICE vec16 load_line(unsigned idx, T nothing) const
    {
        vec16 line;
        const char *at = line_at(idx);
        if (is_whole(idx)) {
            line = load_vec(at);
        } else {
            T items[line_items<T>];
#pragma unroll
            for (int i = 0; i < line_items<T>; ++i)
                items[i] = has_item(idx, i) ? reinterpret_cast<const T *>(at)[i] : nothing;
            line = pack(items);
        }
        return reverse_ ? reversed_line<T>(line) : line;
    }
};

/* The lines of a lane's results, line by line: a copy of them all would go through local memory. */
template <typename T, int count, int m> ONEPASS_DEVICE void pack_lines(const T (&items)[count], vec16 (&lines)[m])
{
    static_assert(m * line_items<T> == count, "whole lines");
#pragma unroll
    for (int i = 0; i < m; ++i)
        memcpy(&lines[i], &items[i * line_items<T>], line_bytes);
}

/* A run that a warp fills some rows at a time. Where lines and lanes are out of step, the last bytes of a row wait in
 * the warp for the next row: only the first and the last line of the run are written in part. */
template <typename T> class output_run : item_run<T>
{
  public:
    ONEPASS_DEVICE output_run(uintptr_t first, uint32_t num_items, bool reverse, unsigned lead = 0)
        : item_run<T>(first, num_items, reverse, lead), next_(0), before_()
    {
    }

    /* The next rows. Of each a lane has m lines, a power of two: one if items leave as wide as they came, more if they
     * were widened. Every step is done for all rows before the next, so that shuffles and stores overlap. */
    template <int rows, int m> ONEPASS_DEVICE void store_rows(vec16 (&lines)[rows][m])
    {
        if (this->shift_ != 0) {
            vec16 before[rows];
#pragma unroll
            for (int r = 0; r < rows; ++r) { /* lane 0 gets what lane 31 has of the row before */
                const vec16 last = shfl_idx(lines[r][m - 1], lane_idx() + warp_threads - 1);
                before[r] = select_line(lane_idx() == 0, before_, last);
                before_ = last;
            }
            with_word_shift<T>(line_bytes - this->shift_, [&](auto words) {
#pragma unroll
                for (int r = 0; r < rows; ++r)
                    funnel_chain<decltype(words)::value>(before[r], lines[r], bit_shift<T>(line_bytes - this->shift_));
            });
        }
#pragma unroll
        for (int r = 0; r < rows; ++r)
            transpose_lines(lines[r]);
        if (this->reverse_) {
#pragma unroll
            for (int r = 0; r < rows; ++r)
#pragma unroll
                for (int i = 0; i < m; ++i)
                    lines[r][i] = reversed_line<T>(lines[r][i]);
        }
        const unsigned first = next_ + lane_idx() / m * (m * m) + lane_idx() % m;
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
            for (int i = 0; i < m; ++i)
                if (this->is_whole(first + (r * warp_threads + i) * m))
                    store_vec_streaming(this->line_at(first + (r * warp_threads + i) * m), lines[r][i]);
        const bool has_start = next_ == 0 && this->begin_ != 0;
        next_ += rows * warp_threads * m;
        if (has_start || next_ * line_bytes > this->end_) {
#pragma unroll
            for (int r = 0; r < rows; ++r)
#pragma unroll
                for (int i = 0; i < m; ++i)
                    store_ends(first + (r * warp_threads + i) * m, lines[r][i]);
        }
    }

    /* After the last row: what is left of it. */
    ONEPASS_DEVICE void finish()
    {
        if (this->shift_ == 0 || lane_idx() != 0)
            return;
        vec16 line[1] = { before_ };
        with_word_shift<T>(line_bytes - this->shift_, [&](auto words) {
            funnel_chain<decltype(words)::value>(before_, line, bit_shift<T>(line_bytes - this->shift_));
        });
        store_ends(next_, this->reverse_ ? reversed_line<T>(line[0]) : line[0]);
    }

    /* One line by itself: the run's part of it. */
    ONEPASS_DEVICE void store_line(unsigned idx, const vec16 &line) const
    {
        if (this->is_whole(idx))
            store_vec_streaming(this->line_at(idx), line);
        else
            store_ends(idx, line);
    }

  private:
    unsigned next_; /* the first line of the next row */
    vec16 before_;  /* lane 0: the line before it, in the order of positions */

    /* A line of which only a part is the run's, item by item. */
    ONEPASS_DEVICE void store_ends(unsigned idx, const vec16 &line) const
    {
        if (this->is_whole(idx) || idx * line_bytes >= this->end_)
            return;
        char *at = this->line_at(idx);
        T items[line_items<T>];
        unpack(line, items);
#pragma unroll
        for (int i = 0; i < line_items<T>; ++i)
            if (this->has_item(idx, i))
                reinterpret_cast<T *>(at)[i] = items[i];
    }
};

/* A full row to where all is aligned and runs forwards. */
template <typename T, int m> ONEPASS_DEVICE void store_aligned_row(T *row, vec16 (&lines)[m])
{
    transpose_lines(lines);
    char *at = reinterpret_cast<char *>(row) + (lane_idx() / m * (m * m) + lane_idx() % m) * line_bytes;
#pragma unroll
    for (int i = 0; i < m; ++i)
        store_vec_streaming(at + i * m * line_bytes, lines[i]);
}

} // namespace onepass

#endif
