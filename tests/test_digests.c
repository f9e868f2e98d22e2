/* SPDX-License-Identifier: MIT */
/*
 * A committed table of digests of outputs, digests.txt, against the library: one line for each of a fixed list of calls
 * on generated inputs. It ties backends, machines and versions to each other: bits that change anywhere show here.
 *
 *     test_digests [--update] [file]      (the file is tests/digests.txt unless given)
 *
 * --update writes the table anew, with the ORACLE, never with the library: a table made by the library would only say
 * that the library does what it does, and would accept a wrong result for good. Little-endian machines only.
 */
#include "backends.h"
#include "digest_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *table_path = "tests/digests.txt";

static void test_digests(void **state)
{
    (void)backend_context(state, 0);
    FILE *table = fopen(table_path, "r");
    if (table == NULL)
        fail_msg("%s cannot be read", table_path);
    unsigned num_wrong = 0;
    for (size_t i = 0; i < num_digest_rows; ++i) {
        const uint64_t expected = digest_next_in_table(table, &digest_rows[i]);
        const bool is_new = digest_rows[i].operation == PARTITION;
        if (is_new && onepass_context_backend(backend_context(state, 0)) == ONEPASS_BACKEND_CUDA) {
            print_message("SKIPPED: row %zu: the CUDA backend answers ONEPASS_UNSUPPORTED so far\n", i);
            continue;
        }
        if (i % TEST_SLOWNESS != 0)
            continue;
        const uint64_t result = digest_by_library(&digest_rows[i], backend_context(state, (unsigned)i));
        if (result != expected) {
            char key[digest_line_length];
            digest_print_key(&digest_rows[i], key);
            print_error("%s: the library has %016" PRIx64 ", the table %016" PRIx64 "\n", key, result, expected);
            ++num_wrong;
        }
    }
    char rest[2];
    assert_null(fgets(rest, sizeof rest, table));
    fclose(table);
    assert_int_equal(num_wrong, 0);
}

static int update(void)
{
    FILE *table = fopen(table_path, "w");
    if (table == NULL) {
        perror(table_path);
        return 1;
    }
    for (size_t i = 0; i < num_digest_rows; ++i) {
        char key[digest_line_length];
        digest_print_key(&digest_rows[i], key);
        fprintf(table, "%s %016" PRIx64 "\n", key, digest_by_oracle(&digest_rows[i]));
    }
    return fclose(table) != 0;
}

int main(int argc, char **argv)
{
    const bool updates = argc > 1 && strcmp(argv[1], "--update") == 0;
    if (argc > 1 + (int)updates)
        table_path = argv[1 + (int)updates];
    digest_list_rows();
    if (updates)
        return update();
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_digests),
    };
    return run_on_backends(tests);
}
