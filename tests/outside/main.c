/* SPDX-License-Identifier: MIT */
/* The smallest use of the library from outside: exit status 0 if a scan gives what it should. */
#include <onepass.h>

#include <stdio.h>

int main(void)
{
    if (onepass_version() != ONEPASS_VERSION) {
        fprintf(stderr, "the header is version %d, the library %d\n", ONEPASS_VERSION, onepass_version());
        return 1;
    }

    onepass_options options = ONEPASS_OPTIONS_INIT;
    options.backend = ONEPASS_BACKEND_HOST;
    onepass_context *ctx;
    if (onepass_create(&ctx, &options) != ONEPASS_SUCCESS) {
        fprintf(stderr, "%s\n", onepass_last_error(NULL));
        return 1;
    }

    const int32_t in[4] = { 3, 1, 4, 1 };
    int32_t out[4];
    onepass_result result = onepass_exclusive_scan(ctx, ONEPASS_I32, ONEPASS_SUM, in, out, 4);
    if (result != ONEPASS_SUCCESS)
        fprintf(stderr, "%s\n", onepass_last_error(ctx));
    onepass_destroy(ctx);
    return result == ONEPASS_SUCCESS && out[0] == 0 && out[1] == 3 && out[2] == 4 && out[3] == 8 ? 0 : 1;
}
