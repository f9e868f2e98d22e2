/* SPDX-License-Identifier: MIT */
/*
 * What the library answers without a context: names and messages of every enumerator and of numbers that are none, the
 * version, calls that are given no context, and how a backend is chosen.
 */
#include "onepass.h"
#include "types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define ASSERT_SAYS(text, words)                                     \
    do {                                                             \
        if (strstr((text), (words)) == NULL)                         \
            fail_msg("\"%s\" does not say \"%s\"", (text), (words)); \
    } while (0)

static void test_names_of_results(void **state)
{
    (void)state;
    static const char *const names[] = { "ONEPASS_SUCCESS",   "ONEPASS_INVALID_ARGUMENT", "ONEPASS_UNSUPPORTED",
                                         "ONEPASS_OVERLAP",   "ONEPASS_NOT_RESERVED",     "ONEPASS_OUT_OF_MEMORY",
                                         "ONEPASS_NO_DEVICE", "ONEPASS_CUDA_ERROR",       "ONEPASS_CONTEXT_DEAD" };
    for (int i = 0; i < 9; ++i) {
        assert_string_equal(onepass_result_name((onepass_result)i), names[i]);
        assert_true(strlen(onepass_result_message((onepass_result)i)) > 4);
        for (int j = 0; j < i; ++j)
            assert_string_not_equal(onepass_result_message((onepass_result)i),
                                    onepass_result_message((onepass_result)j));
    }
    static const int others[] = { -1, 9, 10, 1000, -2147483647 - 1, 2147483647 };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        assert_string_equal(onepass_result_name((onepass_result)others[i]), "unknown result");
        assert_non_null(onepass_result_message((onepass_result)others[i]));
    }
}

static void test_names_of_types_and_operators(void **state)
{
    (void)state;
#define TYPE(name, storage, size, class)                           \
    assert_string_equal(onepass_type_name(ONEPASS_##name), #name); \
    assert_int_equal(onepass_type_size(ONEPASS_##name), sizeof(storage));
    ONEPASS_FOR_EACH_TYPE(TYPE)
#undef TYPE
#define OPERATOR(name, classes) assert_string_equal(onepass_operator_name(ONEPASS_##name), #name);
    ONEPASS_FOR_EACH_OPERATOR(OPERATOR)
#undef OPERATOR
    static const int others[] = { -1, 0, 13, 100, -2147483647 - 1, 2147483647 };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        assert_string_equal(onepass_type_name((onepass_type)others[i]), "unknown type");
        assert_string_equal(onepass_operator_name((onepass_operator)others[i]), "unknown operator");
        assert_int_equal(onepass_type_size((onepass_type)others[i]), 0);
    }
    assert_string_equal(onepass_operator_name((onepass_operator)8), "unknown operator");
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(onepass_version(), ONEPASS_VERSION);
    assert_int_equal(ONEPASS_VERSION,
                     10000 * ONEPASS_VERSION_MAJOR + 100 * ONEPASS_VERSION_MINOR + ONEPASS_VERSION_PATCH);
}

static void test_calls_without_a_context(void **state)
{
    (void)state;
    void *pointer = NULL;
    assert_int_equal(onepass_destroy(NULL), ONEPASS_SUCCESS);
    assert_int_equal(onepass_context_backend(NULL), ONEPASS_BACKEND_AUTO);
    assert_int_equal(onepass_context_threads(NULL), 0);
    assert_int_equal(onepass_last_cuda_error(NULL), 0);
    static const char *const functions[] = { "onepass_synchronize", "onepass_set_stream", "onepass_reserve",
                                             "onepass_allocate",    "onepass_free",       "onepass_copy" };
    for (int i = 0; i < 6; ++i) {
        const onepass_result result = i == 0   ? onepass_synchronize(NULL)
                                      : i == 1 ? onepass_set_stream(NULL, NULL)
                                      : i == 2 ? onepass_reserve(NULL, 1)
                                      : i == 3 ? onepass_allocate(NULL, &pointer, 1)
                                      : i == 4 ? onepass_free(NULL, NULL)
                                               : onepass_copy(NULL, NULL, NULL, 0);
        assert_int_equal(result, ONEPASS_INVALID_ARGUMENT);
        ASSERT_SAYS(onepass_last_error(NULL), functions[i]);
        ASSERT_SAYS(onepass_last_error(NULL), "ctx");
    }
}

/* Without options, and with AUTO: a context always comes about, on the GPU if there is one. */
static void test_default_options(void **state)
{
    (void)state;
    onepass_options options = ONEPASS_OPTIONS_INIT;
    onepass_context *ctx, *cuda;
    options.backend = ONEPASS_BACKEND_CUDA;
    const onepass_result result = onepass_create(&cuda, &options);
    if (result != ONEPASS_SUCCESS) {
        assert_int_equal(result, ONEPASS_NO_DEVICE);
        assert_null(cuda);
        ASSERT_SAYS(onepass_last_error(NULL), "CUDA");
    }
    assert_int_equal(onepass_create(&ctx, NULL), ONEPASS_SUCCESS);
    assert_int_equal(onepass_context_backend(ctx),
                     result == ONEPASS_SUCCESS ? ONEPASS_BACKEND_CUDA : ONEPASS_BACKEND_HOST);
    /* 2^31 are reserved; one more is not. */
    assert_int_equal(onepass_reduce(ctx, ONEPASS_I8, ONEPASS_SUM, NULL, NULL, UINT64_C(1) << 31),
                     ONEPASS_INVALID_ARGUMENT);
    assert_int_equal(onepass_reduce(ctx, ONEPASS_I8, ONEPASS_SUM, NULL, NULL, (UINT64_C(1) << 31) + 1),
                     ONEPASS_NOT_RESERVED);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
    assert_int_equal(onepass_destroy(cuda), ONEPASS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_results), cmocka_unit_test(test_names_of_types_and_operators),
        cmocka_unit_test(test_version),          cmocka_unit_test(test_calls_without_a_context),
        cmocka_unit_test(test_default_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
