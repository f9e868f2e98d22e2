/* SPDX-License-Identifier: MIT */
/* See argument_faults.h. */
#include "argument_faults.h"

#include "guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { background = 0x11 };

static void apply(arguments *a, const fault *f, unsigned char *d_arena)
{
    for (int i = 0; i < max_changes; ++i) {
        const change *c = &f->changes[i];
        const uint64_t value = c->to == CHANGE_PLACE ? (uint64_t)(uintptr_t)(d_arena + c->value) : c->value;
        const uint32_t word = (uint32_t)value;
        const unsigned char byte = (unsigned char)value;
        if (c->to != CHANGE_NONE)
            memcpy((unsigned char *)a + c->offset,
                   c->width == 1   ? &byte
                   : c->width == 4 ? (const void *)&word
                                   : &value,
                   c->width);
    }
}

/* A short function calls two arguments by other names than its spec does. */
static const char *own_name(const function_under_test *function, const char *word)
{
    if (function->is_short && strcmp(word, "in_type") == 0)
        return "type";
    if (function->is_short && strcmp(word, "max_items") == 0)
        return "num_items";
    return word;
}

/* The text must have the function, the words, and the address that is at fault. */
static void check_text(const function_under_test *function, const fault *f, const unsigned char *d_arena,
                       const char *text)
{
    char address[40] = "";
    if (f->stage >= POINTER && f->stage <= OVERLAP && f->changes[0].to == CHANGE_PLACE)
        snprintf(address, sizeof address, "%p", (const void *)(d_arena + f->changes[0].value));
    const char *const words[] = { function->name, address, f->says[0], f->says[1], f->says[2] };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (words[i] != NULL && strstr(text, own_name(function, words[i])) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", text, own_name(function, words[i]));
}

static const char *first_word(const fault *f)
{
    return f == NULL ? "no fault" : f->says[0] == NULL ? "valid" : f->says[0];
}

/* The answer must be that of `reported`, whatever the other one is. */
static void check_call(onepass_context *ctx, const function_under_test *function, const fault *reported,
                       const fault *other)
{
    const uint64_t count = num_valid_items;
    unsigned char before[arena_bytes];
    memset(before, background, sizeof before);
    memcpy(before + COUNT, &count, sizeof count);
    guard arena = guard_copy_of(ctx, GUARD_CANARIES, before, sizeof before, 0);
    arguments a;
    memset(&a, 0, sizeof a);
    a.ctx = ctx;
    function->set_valid(&a, arena.d_items);
    if (other != NULL)
        apply(&a, other, arena.d_items);
    apply(&a, reported, arena.d_items);

    const onepass_result result = function->call(&a);
    char text[1000];
    snprintf(text, sizeof text, "%s", onepass_last_error(a.ctx));
    const onepass_result done = onepass_synchronize(ctx);
    guard_fetch(&arena);
    if (result != reported->result)
        fail_msg("%s (%s; %s) answers %s, not %s: \"%s\"", function->name, first_word(reported), first_word(other),
                 onepass_result_name(result), onepass_result_name(reported->result), text);
    assert_int_equal(done, ONEPASS_SUCCESS);
    assert_true(guard_intact(&arena));
    if (result != ONEPASS_SUCCESS) {
        check_text(function, reported, arena.d_items, text);
        assert_memory_equal(arena.items, before, sizeof before);
    }
    guard_drop(&arena);
}

void check_faults(onepass_context *ctx, const function_under_test *function, const fault *faults, size_t num_faults)
{
    for (size_t i = 0; i < num_faults; ++i)
        if ((faults[i].functions & function->bit) != 0)
            check_call(ctx, function, &faults[i], NULL);
}

static stage first_stage(const fault *f)
{
    return f->stage == SPEC_TO_OPERATOR ? SPEC : f->stage == TYPE_TO_OPERATOR ? TYPE : f->stage;
}

static stage last_stage(const fault *f)
{
    return f->stage == SPEC_TO_OPERATOR || f->stage == TYPE_TO_OPERATOR ? OPERATOR : f->stage;
}

static bool change_the_same(const fault *x, const fault *y)
{
    for (int i = 0; i < max_changes; ++i)
        for (int j = 0; j < max_changes; ++j)
            if (x->changes[i].to != CHANGE_NONE && y->changes[j].to != CHANGE_NONE &&
                x->changes[i].offset == y->changes[j].offset)
                return true;
    return false;
}

void check_fault_pairs(onepass_context *ctx, const function_under_test *function, const fault *faults,
                       size_t num_faults)
{
    for (size_t i = 0; i < num_faults; ++i)
        for (size_t j = 0; j < num_faults; ++j) {
            const fault *first = &faults[i], *second = &faults[j];
            if (first->result != ONEPASS_SUCCESS && second->result != ONEPASS_SUCCESS &&
                (first->functions & second->functions & function->bit) != 0 &&
                last_stage(first) < first_stage(second) && !change_the_same(first, second))
                check_call(ctx, function, first, second);
        }
}
