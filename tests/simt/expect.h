/* SPDX-License-Identifier: MIT */
/*
 * For the emulator's own tests: a launch whose error is known beforehand.
 */
#ifndef ONEPASS_TESTS_SIMT_EXPECT_H
#define ONEPASS_TESTS_SIMT_EXPECT_H

#include "oracle.h"

/* Runs the body and expects an error that contains the text; "": no error. */
inline void expect(const char *text, unsigned num_blocks, unsigned block_threads, size_t shared_bytes,
                   const std::function<void()> &body, const std::function<void(simt::options &)> &adjust = {})
{
    simt::options how = harness::how;
    if (adjust)
        adjust(how);
    const simt::report report = simt::run(how, { { num_blocks, block_threads, shared_bytes, body } });
    const bool found = *text ? report.error.find(text) != std::string::npos : report.error.empty();
    CHECK(found, "expected \"%s\", the emulator says \"%s\"", text, report.error.c_str());
}

#endif
