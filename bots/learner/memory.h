/* Memory of the learner: the average result of each key, a hash. */
#ifndef MEMORY_H
#define MEMORY_H

#include "arena_bot.h"

/* Results seen behind a key. */
typedef struct {
    uint64_t key; /* 0 is a free place */
    double sum;
    uint32_t count;
} tally;

/* The hash of a value of a call: equal values have equal hashes. */
uint64_t memory_hash(const arena_value *value);
/* The hash of two hashes in this order, never 0. */
uint64_t memory_key(uint64_t one, uint64_t other);

/* The tally of a key, or NULL. */
const tally *memory_find(uint64_t key);
/* Adds a result behind a key. A full memory learns nothing new. */
void memory_add(uint64_t key, double result);

#endif
