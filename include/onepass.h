/* SPDX-License-Identifier: MIT */
/*
 * onepass - scan and compaction of arrays in one pass over memory
 *
 * This header is the whole public interface and its manual. It is C99 and C++11, and needs no CUDA header.
 *
 *     onepass_context *ctx;
 *     if (onepass_create(&ctx, NULL) != ONEPASS_SUCCESS) {
 *         fprintf(stderr, "%s\n", onepass_last_error(NULL));
 *         return 1;
 *     }
 *     onepass_exclusive_scan(ctx, ONEPASS_I32, ONEPASS_SUM, d_in, d_out, num_items);
 *     onepass_synchronize(ctx);
 *     onepass_destroy(ctx);
 *
 * Rules that hold for every function, unless its own text says otherwise
 *
 * Memory. A pointer named d_... points into the memory of the context's backend: ordinary memory for the host
 *   backend, memory that the GPU can reach (device, managed or mapped) for CUDA. onepass_allocate, onepass_copy and
 *   onepass_free work for either. That goes for single results and counts too: bring them with onepass_copy and
 *   onepass_synchronize before you look. Every other pointer is ordinary host memory, read before the call returns.
 *   A pointer to items must be aligned to the item's size, to no more; 16-byte alignment is the fast case.
 *
 * Bounds. Nothing outside the stated ranges is read or written. Items beyond the end never reach an operator or a
 *   predicate. No function reads an output range that it has not written, except where it works in place.
 *
 * Aliasing. Inputs may overlap each other. An output may overlap nothing, unless the function says that it works
 *   in place, which means: d_out == d_in exactly and items of one size. Anything else is ONEPASS_OVERLAP, and
 *   onepass_last_error names the two ranges.
 *
 * Empty input. num_items == 0 is legal everywhere. The pointers may then be NULL; outputs that are not are written:
 *   counts become 0, a reduction writes its identity or initial value, offsets write their one entry.
 *
 * Results. Every function that can fail returns an onepass_result. Arguments are checked before anything is
 *   written: after INVALID_ARGUMENT, UNSUPPORTED, OVERLAP or NOT_RESERVED no output has changed. The checks come
 *   in the order context, spec, types, operator or predicate, number of items, reserve, pointers, overlap; the first
 *   fault is the one reported.
 *
 * Time. The host backend has finished its work when a call returns. The CUDA backend has only enqueued it in the
 *   context's stream. No function waits or allocates, except onepass_create, onepass_destroy, onepass_reserve,
 *   onepass_allocate, onepass_free and onepass_synchronize.
 *
 * Threads. One thread at a time may use a context; the caller sees to that. Any number of contexts may be used side
 *   by side. A context does not survive fork: in the child every call answers ONEPASS_CONTEXT_DEAD, but
 *   onepass_destroy, which then only gives the memory back.
 *
 * Determinism. A result is a pure function of the initial value, the items that it is made of in their order, the
 *   operator and the types: the same bits on every run, for any number of threads, any stream, alignment, backend and
 *   GPU model, and whatever rounding or flush-to-zero mode the calling thread has set. ORDER.md, beside the sources,
 *   says exactly how floating SUM and PROD associate. Every NaN that a scan or a reduction writes is one fixed quiet
 *   NaN: 0x7e00 (F16), 0x7fc0 (BF16), 0x7fc00000 (F32), 0x7ff8000000000000 (F64). Selected items keep their bits.
 *
 * The process. The library never prints, and installs no handler of any kind. Its threads block all signals but those
 *   of faults (SIGSEGV, SIGBUS). A thread is not cancelled (pthread_cancel) inside a call.
 */
#ifndef ONEPASS_H
#define ONEPASS_H

#include <stddef.h>
#include <stdint.h>

#define ONEPASS_VERSION_MAJOR 0
#define ONEPASS_VERSION_MINOR 1
#define ONEPASS_VERSION_PATCH 0
/* One number that orders versions: 10000 major + 100 minor + patch. */
#define ONEPASS_VERSION (10000 * ONEPASS_VERSION_MAJOR + 100 * ONEPASS_VERSION_MINOR + ONEPASS_VERSION_PATCH)

#if defined(_WIN32)
#define ONEPASS_API
#else
#define ONEPASS_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------- results */

/* What a call came to. The numbers are part of the interface. */
typedef enum onepass_result {
    ONEPASS_SUCCESS = 0,
    ONEPASS_INVALID_ARGUMENT = 1, /* an argument that no call could accept: NULL, misaligned, not an enumerator */
    ONEPASS_UNSUPPORTED = 2,      /* each argument is valid, the combination is not in the tables below, or the
                                     backend does not have it yet (the text says so) */
    ONEPASS_OVERLAP = 3,          /* an output range overlaps another range (see Aliasing) */
    ONEPASS_NOT_RESERVED = 4,     /* more items than onepass_reserve has made room for */
    ONEPASS_OUT_OF_MEMORY = 5,    /* memory or threads could not be had; the context is as it was before */
    ONEPASS_NO_DEVICE = 6,        /* no usable GPU, or a library built without CUDA */
    ONEPASS_CUDA_ERROR = 7,       /* CUDA refused a call; onepass_last_cuda_error has its number */
    ONEPASS_CONTEXT_DEAD = 8      /* the context can only be destroyed: an earlier CUDA error, or a fork */
} onepass_result;

/* "ONEPASS_OVERLAP" and the like; "unknown result" for any other number. Static text, never NULL. */
ONEPASS_API const char *onepass_result_name(onepass_result result);

/* A sentence for people, in general terms; onepass_last_error has the particulars. Static text, never NULL. */
ONEPASS_API const char *onepass_result_message(onepass_result result);

/* The version of the library that is linked, as ONEPASS_VERSION counts it. */
ONEPASS_API int onepass_version(void);

/* ---------------------------------------------------------------------------------- types and operators */

/* Item types. F16 is IEEE binary16 and BF16 the upper half of a binary32, both held as uint16_t bits. 0 is no type,
 * so that a field left unset is found. */
typedef enum onepass_type {
    ONEPASS_I8 = 1,
    ONEPASS_U8 = 2,
    ONEPASS_I16 = 3,
    ONEPASS_U16 = 4,
    ONEPASS_I32 = 5,
    ONEPASS_U32 = 6,
    ONEPASS_I64 = 7,
    ONEPASS_U64 = 8,
    ONEPASS_F16 = 9,
    ONEPASS_BF16 = 10,
    ONEPASS_F32 = 11,
    ONEPASS_F64 = 12
} onepass_type;

/*
 * Operators, all associative. The left operand is always the earlier item.
 *
 * operator     integers                   floating types             identity
 * SUM          modulo 2^bits              in the order of ORDER.md   0
 * PROD         modulo 2^bits              in the order of ORDER.md   1
 * MIN, MAX     by value                   exact; NaN if any item     the type's largest, smallest value;
 *                                         is NaN; -0.0 < +0.0        +infinity, -infinity
 * AND, OR, XOR bit by bit                 UNSUPPORTED                all bits 1; 0; 0
 */
typedef enum onepass_operator {
    ONEPASS_SUM = 1,
    ONEPASS_PROD = 2,
    ONEPASS_MIN = 3,
    ONEPASS_MAX = 4,
    ONEPASS_AND = 5,
    ONEPASS_OR = 6,
    ONEPASS_XOR = 7
} onepass_operator;

/*
 * Which output types a scan or a reduction of each input type may have; every other pair is UNSUPPORTED.
 *
 * input              output
 * I8  U8             its own, or any of I16 U16 I32 U32 I64 U64
 * I16 U16            its own, or any of I32 U32 I64 U64
 * I32 U32            its own, or I64 U64
 * I64 U64            its own
 * F16 BF16           its own, or F32
 * F32                its own, or F64
 * F64                its own
 *
 * Each item is converted to the output type first, as C converts, and all arithmetic is in that type: the U8 items
 * 200, 100 sum to 300 in U16. Only F16 and BF16 outputs differ: they are computed in F32, and each result is rounded
 * once, to nearest even.
 */

/* Size of one item in bytes; 0 for a number that is no type. */
ONEPASS_API size_t onepass_type_size(onepass_type type);

/* "I32" and "SUM" and the like; "unknown type" and "unknown operator" for other numbers. Static text, never NULL. */
ONEPASS_API const char *onepass_type_name(onepass_type type);
ONEPASS_API const char *onepass_operator_name(onepass_operator op);

/*
 * One number, for initial values and predicates. Which member counts follows from the type it is used with: i for
 * the signed integers, u for the unsigned ones, f for the floating types.
 */
typedef union onepass_value {
    int64_t i;
    uint64_t u;
    double f;
} onepass_value;

/* --------------------------------------------------------------------------------------------- contexts */

/* A backend, its threads or GPU, its status descriptors, and the text of the last error. Opaque. */
typedef struct onepass_context onepass_context;

typedef enum onepass_backend {
    ONEPASS_BACKEND_AUTO = 0, /* CUDA if the library is built with it and a usable GPU is there, else host */
    ONEPASS_BACKEND_HOST = 1, /* the machine's own cores, on ordinary memory */
    ONEPASS_BACKEND_CUDA = 2  /* an NVIDIA GPU */
} onepass_backend;

#define ONEPASS_MAX_THREADS 1024

typedef struct onepass_options {
    size_t size;             /* sizeof(onepass_options); set by ONEPASS_OPTIONS_INIT */
    onepass_backend backend; /* AUTO */
    int device;              /* CUDA device number; not used by the host backend. 0 */
    int num_threads;         /* host backend: threads in all, the caller's included, at most ONEPASS_MAX_THREADS; 0: one
                                per core that the calling thread may run on. Not used by CUDA. 0 */
    uint64_t max_items;      /* what onepass_create reserves. 2^31 */
} onepass_options;

#define ONEPASS_OPTIONS_INIT                                                      \
    {                                                                             \
        sizeof(onepass_options), ONEPASS_BACKEND_AUTO, 0, 0, UINT64_C(2147483648) \
    }

/* A CUDA stream (CUDA's own cudaStream_t and CUstream); NULL is the default stream. */
typedef struct CUstream_st *onepass_stream;

/*
 * Makes a context: starts its threads or takes its GPU, and reserves for options->max_items.
 *
 * ctx      where the context goes; *ctx becomes NULL on failure.
 * options  NULL for the values of ONEPASS_OPTIONS_INIT.
 *
 * INVALID_ARGUMENT  ctx is NULL, or an option is out of its range
 * NO_DEVICE         CUDA was asked for and there is none to use
 * OUT_OF_MEMORY     memory or threads could not be had
 * onepass_last_error(NULL) says which and why.
 */
ONEPASS_API onepass_result onepass_create(onepass_context **ctx, const onepass_options *options);

/* Waits for the context's work, then frees all it holds; memory from onepass_allocate stays, and is the caller's to
 * free before. NULL does nothing. */
ONEPASS_API onepass_result onepass_destroy(onepass_context *ctx);

/* The backend in use, HOST or CUDA, never AUTO; AUTO for NULL. */
ONEPASS_API onepass_backend onepass_context_backend(const onepass_context *ctx);

/* How many host threads the context works with, the caller's included; 0 for NULL or a CUDA context. */
ONEPASS_API int onepass_context_threads(const onepass_context *ctx);

/*
 * The stream of all later work; a new context has NULL, the default stream. The new stream waits for what the old one
 * still holds. The host backend has no streams: INVALID_ARGUMENT for any but NULL.
 */
ONEPASS_API onepass_result onepass_set_stream(onepass_context *ctx, onepass_stream stream);

/*
 * Waits until all work of the context is done. This is where faults found only while the work ran are reported:
 * INVALID_ARGUMENT if, since the last onepass_synchronize, a count read from memory (d_num_items) was above its
 * max_items, which is then what was used.
 */
ONEPASS_API onepass_result onepass_synchronize(onepass_context *ctx);

/*
 * Makes room for any operation on any type of up to max_items items, now and for the context's life; less than what is
 * there already does nothing. OUT_OF_MEMORY leaves the earlier reserve in force. The workspace is at most 24 bytes
 * for each 4096 items and 1 MiB, besides buffers of a fixed size for each host thread.
 */
ONEPASS_API onepass_result onepass_reserve(onepass_context *ctx, uint64_t max_items);

/*
 * The text of the context's last failed call: which argument, what it was and what it should have been. It stays until
 * the next failed call. "" if none failed. With NULL: of this thread's last failed onepass_create, or of its last call
 * that was given no context. Never NULL. The text lives as long as the context (NULL: the thread).
 */
ONEPASS_API const char *onepass_last_error(const onepass_context *ctx);

/* CUDA's own number for the error behind the last ONEPASS_CUDA_ERROR or NO_DEVICE; 0 if there was none. NULL as in
 * onepass_last_error. */
ONEPASS_API int onepass_last_cuda_error(const onepass_context *ctx);

/* ------------------------------------------------------------------------------------------------ memory */

/* Memory of the context's backend, aligned to 256 bytes, not cleared. *d_ptr is NULL for 0 bytes and on failure. May
 * wait. Free it with onepass_free. */
ONEPASS_API onepass_result onepass_allocate(onepass_context *ctx, void **d_ptr, size_t num_bytes);

/* Frees what onepass_allocate gave, with this context or with another of the same backend and device; NULL does
 * nothing. May wait. */
ONEPASS_API onepass_result onepass_free(onepass_context *ctx, void *d_ptr);

/*
 * Copies num_bytes between any two places of host and backend memory, in the order of the context's stream: host memory
 * is in use until onepass_synchronize. The ranges must not overlap (OVERLAP), save that copying a range onto itself
 * does nothing.
 */
ONEPASS_API onepass_result onepass_copy(onepass_context *ctx, void *dst, const void *src, size_t num_bytes);

/* -------------------------------------------------------------------------------------- scan and reduce */

/*
 * Inclusive scan: d_out[i] = d_in[0] op ... op d_in[i].
 *
 * ctx        the context
 * type       type of the items, in and out
 * op         the operator
 * d_in       num_items items; NULL allowed only for num_items == 0
 * d_out      num_items items, all written; may equal d_in (in place)
 * num_items  any number up to what is reserved: 2^31, if neither the options nor onepass_reserve have said otherwise
 *
 * INVALID_ARGUMENT  no such type or operator; a pointer NULL or misaligned; a range past the end of the address space
 * UNSUPPORTED       a bitwise operator with a floating type
 * OVERLAP           d_in and d_out overlap without being equal
 * NOT_RESERVED      num_items is above the reserve
 * CONTEXT_DEAD      see there; CUDA_ERROR: the launch failed
 */
ONEPASS_API onepass_result onepass_inclusive_scan(onepass_context *ctx, onepass_type type, onepass_operator op,
                                                  const void *d_in, void *d_out, uint64_t num_items);

/* Exclusive scan: d_out[i] = d_in[0] op ... op d_in[i - 1], and d_out[0] is the identity (+0.0 for a floating SUM).
 * Otherwise like onepass_inclusive_scan. All num_items items may be read, the last one too. */
ONEPASS_API onepass_result onepass_exclusive_scan(onepass_context *ctx, onepass_type type, onepass_operator op,
                                                  const void *d_in, void *d_out, uint64_t num_items);

/* What a scan writes. */
typedef enum onepass_scan_kind {
    ONEPASS_INCLUSIVE = 1, /* max_items outputs; output i includes item i */
    ONEPASS_EXCLUSIVE = 2, /* max_items outputs; output i is all before item i */
    ONEPASS_OFFSETS = 3    /* max_items + 1 outputs: the exclusive scan, and the total behind it. Reads exactly
                              max_items items. Lengths in, offsets of a segmented array out */
} onepass_scan_kind;

/*
 * A scan in full. Start from ONEPASS_SCAN_SPEC_INIT, which has the values given last in each comment; "required"
 * fields are 0 there and must be set.
 */
typedef struct onepass_scan_spec {
    size_t size;            /* sizeof(onepass_scan_spec) */
    onepass_type in_type;   /* required */
    onepass_type out_type;  /* see the table of output types; 0: as in_type. 0 */
    onepass_operator op;    /* required */
    onepass_scan_kind kind; /* required */
    int reverse;            /* not 0: the scan runs from the last item to the first, so that output i is made of
                               the items from i (INCLUSIVE) or i + 1 (EXCLUSIVE) to the end; with OFFSETS the
                               last output is the initial value and output 0 the total. Item order for operators
                               and for ORDER.md is then from the end. 0 */
    int has_initial;        /* not 0: start from `initial`. 0 */
    onepass_value initial;  /* combined on the left of everything, in every kind; converted to out_type: integers
                               modulo 2^bits, floating values rounded to nearest even. {0} */
    const void *d_initial;  /* not NULL: one value of out_type to start from instead, read when the scan runs. Not
                               together with has_initial (INVALID_ARGUMENT). NULL */
    const void *d_in;       /* max_items items of in_type */
    void *d_out;            /* max_items items of out_type, OFFSETS one more. May equal d_in (in place) if the types
                               are of one size, but not for OFFSETS in reverse, which shift the items */
    uint64_t max_items;     /* number of items; with d_num_items, the most there may be. 0 */
    const uint64_t *d_num_items; /* not NULL: number of items, read when the scan runs. A larger one than max_items is
                                    taken as max_items, and the next onepass_synchronize says so. Outputs beyond it
                                    are left alone. NULL */
} onepass_scan_spec;

#define ONEPASS_SCAN_SPEC_INIT                                                                                        \
    {                                                                                                                 \
        sizeof(onepass_scan_spec), (onepass_type)0, (onepass_type)0, (onepass_operator)0, (onepass_scan_kind)0, 0, 0, \
            { 0 }, NULL, NULL, NULL, 0, NULL                                                                          \
    }

/*
 * Runs the scan that spec describes. Results as for onepass_inclusive_scan, and besides:
 *
 * INVALID_ARGUMENT  spec is NULL; spec->size is not sizeof(onepass_scan_spec), nor larger with zeros in what is beyond
 *                   (a later header, whose new fields are not used); a required field is unset
 * UNSUPPORTED       the pair of types is not in the table
 */
ONEPASS_API onepass_result onepass_scan(onepass_context *ctx, const onepass_scan_spec *spec);

/*
 * Reduction: *d_out = d_in[0] op ... op d_in[num_items - 1]; the identity (SUM: +0.0) if there are none.
 *
 * d_in   num_items items
 * d_out  one item, outside d_in
 *
 * A floating SUM or PROD associates as ORDER.md says for reductions, which need not give the bits of the last item of
 * the inclusive scan. Otherwise like onepass_inclusive_scan, but never in place.
 */
ONEPASS_API onepass_result onepass_reduce(onepass_context *ctx, onepass_type type, onepass_operator op,
                                          const void *d_in, void *d_out, uint64_t num_items);

/* A reduction in full; fields as in onepass_scan_spec. */
typedef struct onepass_reduce_spec {
    size_t size;                 /* sizeof(onepass_reduce_spec) */
    onepass_type in_type;        /* required */
    onepass_type out_type;       /* 0: as in_type. 0 */
    onepass_operator op;         /* required */
    int has_initial;             /* 0 */
    onepass_value initial;       /* combined on the left; written alone if there are no items. {0} */
    const void *d_initial;       /* NULL */
    const void *d_in;            /* max_items items of in_type */
    void *d_out;                 /* one item of out_type; overlaps nothing */
    uint64_t max_items;          /* 0 */
    const uint64_t *d_num_items; /* NULL */
} onepass_reduce_spec;

#define ONEPASS_REDUCE_SPEC_INIT                                                                                  \
    {                                                                                                             \
        sizeof(onepass_reduce_spec), (onepass_type)0, (onepass_type)0, (onepass_operator)0, 0, { 0 }, NULL, NULL, \
            NULL, 0, NULL                                                                                         \
    }

/* Runs the reduction that spec describes. Results as for onepass_scan. */
ONEPASS_API onepass_result onepass_reduce_with(onepass_context *ctx, const onepass_reduce_spec *spec);

/* ----------------------------------------------------------------------------------------------- select */

/*
 * What a predicate asks of an item x. A comparison is C's, so that it is false if x or the value is NaN, and -0.0
 * equals 0.0.
 */
typedef enum onepass_predicate_kind {
    ONEPASS_EQUAL = 1,         /* x == a */
    ONEPASS_LESS = 2,          /* x < a */
    ONEPASS_LESS_EQUAL = 3,    /* x <= a */
    ONEPASS_GREATER = 4,       /* x > a */
    ONEPASS_GREATER_EQUAL = 5, /* x >= a */
    ONEPASS_BETWEEN = 6,       /* a <= x && x <= b; nothing if a > b */
    ONEPASS_ZERO = 7,          /* x == 0 */
    ONEPASS_NAN = 8,           /* x is NaN; floating types only */
    ONEPASS_FINITE = 9,        /* x is neither NaN nor infinite; floating types only */
    ONEPASS_ANY_BITS = 10,     /* (x & a) != 0; integers only */
    ONEPASS_ALL_BITS = 11      /* (x & a) == a; integers only */
} onepass_predicate_kind;

/*
 * A predicate is data. a and b are read as the item type says (see onepass_value), and only where the kind names them.
 * For integer types they are compared as the numbers they are, also beyond the type's range: every I8 is less than
 * 1000. Bit masks count modulo 2^bits. For floating types they are first rounded to the item type, to nearest even:
 * 0.1 then equals an item that was stored as 0.1f, and 1e9 is +infinity for F16.
 *
 * Bytes that end a line, with type U8: { ONEPASS_EQUAL, 0, { .u = '\n' }, { 0 } }. Whatever is not NaN: { ONEPASS_NAN,
 * 1, { 0 }, { 0 } }.
 */
typedef struct onepass_predicate {
    onepass_predicate_kind kind;
    int negate; /* not 0: keep exactly the items that kind would not keep, NaN included */
    onepass_value a;
    onepass_value b;
} onepass_predicate;

/*
 * Keeps the items for which the predicate holds, in their order.
 *
 * type            type of the items
 * keep            the predicate; read before the call returns
 * d_in            num_items items
 * d_out           room for num_items items; the first *d_num_selected are written, the rest left alone. May equal
 *                 d_in (in place): the items behind the selected ones then keep what was there
 * d_num_selected  one uint64_t, aligned to 8, apart from both arrays: the number kept, written last
 * num_items       any number up to what is reserved
 *
 * INVALID_ARGUMENT  no such type or kind of predicate; a pointer NULL or misaligned
 * UNSUPPORTED       the predicate does not go with the type
 * OVERLAP           two ranges overlap without being d_in == d_out
 * NOT_RESERVED      num_items is above the reserve
 */
ONEPASS_API onepass_result onepass_select_if(onepass_context *ctx, onepass_type type, const onepass_predicate *keep,
                                             const void *d_in, void *d_out, uint64_t *d_num_selected,
                                             uint64_t num_items);

/* Keeps the items whose flag byte is not 0. d_flags: num_items bytes of any alignment. Otherwise like
 * onepass_select_if. */
ONEPASS_API onepass_result onepass_select_flagged(onepass_context *ctx, onepass_type type, const void *d_in,
                                                  const uint8_t *d_flags, void *d_out, uint64_t *d_num_selected,
                                                  uint64_t num_items);

/*
 * Keeps the first item of each run of equal neighbours, so that no item equals the one before it any more.
 *
 * Items compare with ==, but that any NaN equals any NaN: -0.0 equals 0.0, three NaNs in a row are one run. The first
 * item of a run is kept as it is, with its sign and its NaN payload.
 *
 * d_num_selected  the number of runs
 *
 * Otherwise like onepass_select_if; in place too.
 */
ONEPASS_API onepass_result onepass_unique(onepass_context *ctx, onepass_type type, const void *d_in, void *d_out,
                                          uint64_t *d_num_selected, uint64_t num_items);

/* How flags are written down. */
typedef enum onepass_flag_kind {
    ONEPASS_FLAG_NONZERO = 1, /* one byte an item; any but 0 keeps */
    ONEPASS_FLAG_EQUAL = 2,   /* one byte an item; flag_value keeps, any other does not */
    ONEPASS_FLAG_BITS = 3     /* one bit an item: bit i % 8, counted from the lowest, of byte i / 8. (max_items + 7) / 8
                                 bytes, of which the bits behind the last item do not count */
} onepass_flag_kind;

/* The most arrays of payload that one call moves. */
#define ONEPASS_MAX_PAYLOADS 8

/*
 * One more array to move: each of its items goes where the item of the same number goes. What the bytes mean does not
 * matter, only how many an item has, so it may be a struct. Outputs have room for as many items as the outputs of the
 * items themselves have; NULL: not wanted.
 */
typedef struct onepass_payload {
    size_t item_size; /* 1, 2, 4, 8 or 16 bytes; pointers must be aligned to as many */
    const void *d_in; /* max_items items */
    void *d_selected; /* the kept ones. In a selection it may equal this d_in, whether or not d_out equals the other */
    void *d_second;   /* the second part of a partition in three; else NULL, and with joined as well */
    void *d_rejected; /* the rejected ones of a partition; else NULL, and with joined as well */
} onepass_payload;

/*
 * A selection in full: items, their indices, or both, bounded by a capacity, and payload. Start from
 * ONEPASS_SELECT_SPEC_INIT. Exactly one of keep, d_flags and unique must be set. Without any output only the count is
 * written, whatever the capacity: the first half of "count, allocate, select".
 */
typedef struct onepass_select_spec {
    size_t size;                     /* sizeof(onepass_select_spec) */
    onepass_type type;               /* required: type of the items */
    const onepass_predicate *keep;   /* keep the items for which it holds. NULL */
    const uint8_t *d_flags;          /* or: keep the items whose flag says so. Of any alignment. NULL */
    onepass_flag_kind flag_kind;     /* what a flag is; not used without d_flags. ONEPASS_FLAG_NONZERO */
    uint8_t flag_value;              /* for ONEPASS_FLAG_EQUAL. 0 */
    int unique;                      /* or, not 0: keep the first item of each run, as onepass_unique does. 0 */
    const void *d_in;                /* max_items items; NULL allowed if they neither decide nor are wanted */
    void *d_out;                     /* the kept items; NULL: not wanted. May equal d_in. NULL */
    onepass_type index_type;         /* U32 or U64; U32 only up to 2^32 items (else INVALID_ARGUMENT). Required with
                                        d_out_indices */
    void *d_out_indices;             /* the kept items' positions in d_in, counted from 0; NULL: not wanted. NULL */
    uint64_t capacity;               /* the most entries that each output may receive: the outputs hold the smaller of
                                        it and max_items. The count still tells how many items there were to keep, and
                                        the call succeeds. UINT64_MAX */
    const onepass_payload *payloads; /* what moves along; read before the call returns. NULL */
    int num_payloads;                /* 0 to ONEPASS_MAX_PAYLOADS. 0 */
    uint64_t *d_num_selected;        /* one uint64_t, aligned to 8: the whole number kept */
    uint64_t max_items;              /* as in onepass_scan_spec. 0 */
    const uint64_t *d_num_items;     /* as in onepass_scan_spec. NULL */
} onepass_select_spec;

#define ONEPASS_SELECT_SPEC_INIT                                                                          \
    {                                                                                                     \
        sizeof(onepass_select_spec), (onepass_type)0, NULL, NULL, ONEPASS_FLAG_NONZERO, 0, 0, NULL, NULL, \
            (onepass_type)0, NULL, UINT64_MAX, NULL, 0, NULL, 0, NULL                                     \
    }

/* Runs the selection that spec describes. Results as for onepass_select_if, and as onepass_scan has them for a spec. */
ONEPASS_API onepass_result onepass_select(onepass_context *ctx, const onepass_select_spec *spec);

/* -------------------------------------------------------------------------------------------- partition */

/*
 * Parts the items in two: those for which the predicate holds, and the rest, each in their order.
 *
 * type            type of the items
 * keep            the predicate; read before the call returns
 * d_in            num_items items
 * d_selected      room for num_items items; the first *d_num_selected are written, the rest left alone
 * d_rejected      room for num_items items; the first num_items - *d_num_selected are written, the rest left alone
 * d_num_selected  one uint64_t, aligned to 8: how many went to d_selected, written last
 * num_items       any number up to what is reserved
 *
 * No range may overlap another: a partition does not work in place. Results as for onepass_select_if.
 */
ONEPASS_API onepass_result onepass_partition_if(onepass_context *ctx, onepass_type type, const onepass_predicate *keep,
                                                const void *d_in, void *d_selected, void *d_rejected,
                                                uint64_t *d_num_selected, uint64_t num_items);

/* Parts the items by their flag bytes: those of any byte but 0 are selected. d_flags: num_items bytes of any alignment.
 * Otherwise like onepass_partition_if. */
ONEPASS_API onepass_result onepass_partition_flagged(onepass_context *ctx, onepass_type type, const void *d_in,
                                                     const uint8_t *d_flags, void *d_selected, void *d_rejected,
                                                     uint64_t *d_num_selected, uint64_t num_items);

/*
 * Parts the items in three: those for which keep holds; of the others, those for which keep_second holds; and the rest.
 * An item for which both hold is a selected one.
 *
 * d_second, d_num_second  like d_selected and d_num_selected, for the second part; the rest is what is in neither
 *
 * Otherwise like onepass_partition_if.
 */
ONEPASS_API onepass_result onepass_partition_three_way(onepass_context *ctx, onepass_type type,
                                                       const onepass_predicate *keep,
                                                       const onepass_predicate *keep_second, const void *d_in,
                                                       void *d_selected, void *d_second, void *d_rejected,
                                                       uint64_t *d_num_selected, uint64_t *d_num_second,
                                                       uint64_t num_items);

/* Where one part of a partition goes. Arrays hold the smaller of capacity and max_items entries. */
typedef struct onepass_part {
    void *d_items;     /* its items; NULL: not wanted. NULL */
    void *d_indices;   /* their positions in d_in, of index_type; NULL: not wanted. NULL */
    uint64_t capacity; /* as in onepass_select_spec, for this part alone. UINT64_MAX */
} onepass_part;

/*
 * A partition in full. Start from ONEPASS_PARTITION_SPEC_INIT. What decides is as in onepass_select_spec, exactly one
 * of keep, d_flags and unique; with unique the rejected items are those that equal the one before them. With
 * keep_second the partition has three parts, else two.
 */
typedef struct onepass_partition_spec {
    size_t size;                          /* sizeof(onepass_partition_spec) */
    onepass_type type;                    /* required: type of the items */
    const onepass_predicate *keep;        /* NULL */
    const onepass_predicate *keep_second; /* only with keep: of the items for which that does not hold, the second part
                                             takes those for which this one does. NULL */
    const uint8_t *d_flags;               /* NULL */
    onepass_flag_kind flag_kind;          /* ONEPASS_FLAG_NONZERO */
    uint8_t flag_value;                   /* 0 */
    int unique;                           /* 0 */
    const void *d_in;                     /* max_items items; NULL allowed as in onepass_select_spec */
    int joined;                           /* not 0: one output for all. selected has max_items items, indices or both:
                                             first the selected ones, behind them the second part, behind that the
                                             rejected ones. Nothing may be set in second and rejected, nor a capacity
                                             (INVALID_ARGUMENT). The input is read twice. 0 */
    onepass_type index_type;              /* U32 or U64, as in onepass_select_spec */
    onepass_part selected;
    onepass_part second; /* only with keep_second */
    onepass_part rejected;
    const onepass_payload *payloads; /* NULL */
    int num_payloads;                /* 0 */
    uint64_t *d_num_selected;        /* one uint64_t, aligned to 8: the whole number, whatever the capacity */
    uint64_t *d_num_second;          /* the same for the second part. Required with keep_second, NULL without */
    uint64_t max_items;              /* as in onepass_scan_spec. 0 */
    const uint64_t *d_num_items;     /* as in onepass_scan_spec. NULL */
} onepass_partition_spec;

#define ONEPASS_PARTITION_SPEC_INIT                                                                                    \
    {                                                                                                                  \
        sizeof(onepass_partition_spec), (onepass_type)0, NULL, NULL, NULL, ONEPASS_FLAG_NONZERO, 0, 0, NULL, 0,        \
            (onepass_type)0, { NULL, NULL, UINT64_MAX }, { NULL, NULL, UINT64_MAX }, { NULL, NULL, UINT64_MAX }, NULL, \
            0, NULL, NULL, 0, NULL                                                                                     \
    }

/* Runs the partition that spec describes. Results as for onepass_partition_if, and as onepass_scan has them for a spec.
 */
ONEPASS_API onepass_result onepass_partition(onepass_context *ctx, const onepass_partition_spec *spec);

#ifdef __cplusplus
}
#endif

#endif
