/* Matchsticks, June 2002: the prototypes of the Challenge. */
#ifndef MACTECH_MATCHSTICKS_H
#define MACTECH_MATCHSTICKS_H

#include "mactech_toolbox.h"

#ifdef __cplusplus
extern "C" {
#endif

void InitMatchsticks(short dimension,
                     const char *board, /* board[row*dimension + col]: 1 a matchstick, 0 none */
                     bool playFirst, bool lastMatchstickLoses, short opponent);
void OpponentMove(bool playingRow, short rowOrColumnNumber, short startingColOrRow,
                  short endingColOrRow, const char *board /* after your opponent's move */
);
const char *YourMove(bool *playingRow, short *rowOrColumnNumber, short *startingColOrRow,
                     short *endingColOrRow); /* returns the board after your move */
void TermMatchsticks(void);

#ifdef __cplusplus
}
#endif

#endif
