#include "shapes.h"

enum { ARM = LINE_DIGITS / 2 };

uint8_t shape_table[2][LINE_WORDS];

static unsigned digit(unsigned line, int index) { return line >> (2 * index) & 3; }

/* The stones of seat 0 on one arm from the middle, counted from it until the first other point. */
static int run(unsigned line, int nearest, int step) {
    int length = 0;
    for (int i = nearest; length < ARM && digit(line, i) == FIRST; i += step)
        length++;
    return length;
}

/* Two stones of seat 1 beside the middle and one of seat 0 behind them: these two are taken. */
static unsigned pairs_taken(unsigned line, int nearest, int step) {
    return digit(line, nearest) == SECOND && digit(line, nearest + step) == SECOND &&
           digit(line, nearest + 2 * step) == FIRST;
}

/* The shape by the best result of one more stone: those lines have larger words. */
static enum shape shape_of(unsigned line) {
    enum shape best = NOTHING;
    int fives = 0;
    if (run(line, ARM - 1, -1) + 1 + run(line, ARM, 1) >= 5)
        return FIVE;
    for (int i = 0; i < LINE_DIGITS; i++) {
        if (digit(line, i) != EMPTY)
            continue;
        enum shape next = shape_table[0][line | FIRST << (2 * i)] & SHAPE_MASK;
        fives += next == FIVE;
        best = next > best ? next : best;
    }
    switch (best) {
    case FIVE:
        return fives > 1 ? OPEN_FOUR : FOUR;
    case OPEN_FOUR:
        return OPEN_THREE;
    case FOUR:
        return THREE;
    case OPEN_THREE:
        return OPEN_TWO;
    case THREE:
        return TWO;
    case OPEN_TWO:
        return ONE;
    default:
        return NOTHING;
    }
}

static unsigned swapped(unsigned line) {
    unsigned low = line & 0x5555, high = line >> 1 & 0x5555;
    return low << 1 | high;
}

void shapes_prepare(void) {
    for (unsigned line = LINE_WORDS; line-- > 0;) {
        unsigned pairs = pairs_taken(line, ARM - 1, -1) + pairs_taken(line, ARM, 1);
        shape_table[0][line] = (uint8_t)(shape_of(line) | pairs << SHAPE_BITS);
    }
    for (unsigned line = 0; line < LINE_WORDS; line++)
        shape_table[1][line] = shape_table[0][swapped(line)];
}
