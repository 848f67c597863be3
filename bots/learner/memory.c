/* A hash table of fixed size, filled with zeros by the kernel on its first use. */
#include "memory.h"

#include <string.h>

enum { PLACES = 1 << 21, LIMIT = PLACES / 4 * 3 };

static tally table[PLACES];
static uint32_t used;

static uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

uint64_t memory_hash(const arena_value *value) {
    uint64_t hash = mixed(0x243F6A8885A308D3u, (uint64_t)value->type << 32 | value->count);
    switch (value->type) {
    case ARENA_BOOL:
        return mixed(hash, value->boolean);
    case ARENA_INT:
        return mixed(hash, (uint64_t)value->integer);
    case ARENA_STR:
        for (uint32_t place = 0; place < value->count; place++)
            hash = mixed(hash, (unsigned char)value->text[place]);
        return hash;
    case ARENA_ARRAY:
    case ARENA_MAP:
        for (uint32_t place = 0; place < value->count * (value->type == ARENA_MAP ? 2 : 1); place++)
            hash = mixed(hash, memory_hash(&value->items[place]));
        return hash;
    default:
        return hash;
    }
}

uint64_t memory_key(uint64_t one, uint64_t other) {
    uint64_t key = mixed(mixed(one, other), 1);
    return key ? key : 1;
}

static tally *place_of(uint64_t key) {
    tally *place = &table[key % PLACES];
    while (place->key && place->key != key)
        place = place + 1 < table + PLACES ? place + 1 : table;
    return place;
}

const tally *memory_find(uint64_t key) {
    const tally *place = place_of(key);
    return place->key ? place : NULL;
}

void memory_add(uint64_t key, double result) {
    tally *place = place_of(key);
    if (!place->key) {
        if (used == LIMIT)
            return;
        used++;
        place->key = key;
    }
    place->sum += result;
    place->count++;
}
