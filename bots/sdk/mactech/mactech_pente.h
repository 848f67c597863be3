/* Pente, November 1997: the prototypes of the Challenge, long written as SInt32. */
#ifndef MACTECH_PENTE_H
#define MACTECH_PENTE_H

#include "mactech_toolbox.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Capture {
    Point stone1;
    Point stone2;
} Capture;

void InitPente(SInt32 boardHalfSize /* all coordinates between -boardHalfSize and +boardHalfSize */
);
void Pente(Point opponentsMove,     /* your opponent moved here */
           Boolean playingFirst,    /* ignore opponentsMove */
           Point *yourMove,         /* return your move here */
           Capture claimCaptures[], /* return coordinates of captured pairs here */
           SInt32 *numCaptures,     /* return number of claimCaptures here */
           Boolean *claimVictory    /* return true if you claim victory with this move */
);
void TermPente(void);

#ifdef __cplusplus
}
#endif

#endif
