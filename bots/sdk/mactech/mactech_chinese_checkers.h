/* Chinese Checkers, February 1999: the prototypes of the Challenge, long written as SInt32. */
#ifndef MACTECH_CHINESE_CHECKERS_H
#define MACTECH_CHINESE_CHECKERS_H

#include "mactech_toolbox.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Position {
    SInt32 row;
    SInt32 col;
} Position;

void InitChineseCheckers(SInt32 numPlayers,        /* 2..6 */
                         SInt32 gameSize,          /* base of home triangle */
                         SInt32 playerPosition[6], /* 0..5, entries 0..numPlayers-1 are valid */
                         SInt32 yourIndex          /* your position is playerPosition[yourIndex] */
);
void YourMove(Position *from, Position *to);
void OpponentMove(SInt32 opponent, /* index in playerPosition[] of the player making the move */
                  Position from, Position to);
void TermChineseCheckers(void);

#ifdef __cplusplus
}
#endif

#endif
