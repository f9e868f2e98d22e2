/* SPDX-License-Identifier: MIT */
/*
 * Runs a relacy suite and checks what comes of it: the same suite must hold as it is and fail, for the reason given,
 * with a bug planted.
 */
#ifndef ONEPASS_TESTS_MODEL_SEARCH_H
#define ONEPASS_TESTS_MODEL_SEARCH_H

#include <iostream>
#include <streambuf>
#include <string_view>

#include <relacy/relacy.hpp>

/* What relacy prints. It must not allocate: relacy takes over `new` while it runs. What does not fit is lost. */
class report_buffer : public std::streambuf
{
  public:
    report_buffer()
    {
        setp(text_, text_ + sizeof text_);
    }
    std::string_view text() const
    {
        return { text_, (size_t)(pptr() - text_) };
    }

  private:
    char text_[1 << 16];
};

/* Tries schedules, and for each load what it may read: all of them, or `num_schedules` at random. Prints the execution
 * that led to anything but the expected result, and returns whether it was as expected. */
template <typename Suite> bool search(const char *name, rl::test_result_e expected, rl::iteration_t num_schedules)
{
    report_buffer buffer;
    std::ostream report(&buffer);
    rl::test_params params;
    params.search_type = num_schedules == 0 ? rl::sched_full : rl::sched_random;
    params.iteration_count = num_schedules;
    params.output_stream = &report;
    params.progress_stream = &report;
    rl::simulate<Suite>(params);
    const bool as_expected = params.test_result == expected;
    std::cout << (as_expected ? "ok   " : "FAIL ") << name << ": " << rl::test_result_str(params.test_result)
              << " after " << params.stop_iteration << " schedules\n";
    if (!as_expected)
        std::cout << "expected: " << rl::test_result_str(expected) << "\n" << buffer.text();
    return as_expected;
}

#endif
