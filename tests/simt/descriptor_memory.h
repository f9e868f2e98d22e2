/* SPDX-License-Identifier: MIT */
/* Memory for an array of descriptors of T: with the values before it if they lie apart, else exactly the descriptors,
 * so that ASan sees a look before the first or behind the last. */
#ifndef ONEPASS_TESTS_SIMT_DESCRIPTOR_MEMORY_H
#define ONEPASS_TESTS_SIMT_DESCRIPTOR_MEMORY_H

#include "lookback/descriptors.cuh"

#include <vector>

template <typename T> class descriptor_memory
{
  public:
    /* All words hold `leftover` from before: those of values too. */
    descriptor_memory(uint64_t num_descriptors, uint64_t leftover)
        : num_value_words_(onepass::is_value_apart<T> ? (num_descriptors * sizeof(T) + 7) / 8 : 0),
          words_(num_value_words_ + num_descriptors * onepass::descriptor_words<T>, leftover)
    {
    }
    descriptor_memory(const descriptor_memory &) = delete;
    uint64_t *descriptors()
    {
        return words_.data() + num_value_words_;
    }

  private:
    uint64_t num_value_words_;
    std::vector<uint64_t> words_;
};

#endif
