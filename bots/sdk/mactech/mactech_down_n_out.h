/* Down-N-Out, July 2001: the prototypes of the Challenge, long written as SInt32. */
#ifndef MACTECH_DOWN_N_OUT_H
#define MACTECH_DOWN_N_OUT_H

#include "mactech_toolbox.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef char CellColor; /* 0==empty, 1..numColors are valid colors */

void InitDownNOut(short boardSizeRows, short boardSizeCols, short numColors,
                  const CellColor board[], /* board[row*boardSizeCols + col] */
                  WindowPtr gameWindow     /* where results of your moves should be displayed */
);
void HandleUpdateEvent(EventRecord theEvent);
Boolean /* able to play */ PlayOneDownNOutMove(CellColor board[], /* yours to update */
                                               SInt32 score, /* points earned prior to this move */
                                               short *moveRow, short *moveCol,
                                               SInt32 *numberOfCellsRemoved);
void TermDownNOut(void);

#ifdef __cplusplus
}
#endif

#endif
