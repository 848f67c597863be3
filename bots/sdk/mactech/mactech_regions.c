/* Regions of QuickDraw (mactech_quickdraw.h): each is a rectangle. Also the state of the pen. */
#include <stdbool.h>
#include <stddef.h>

#include "mactech_toolbox.h"

enum { REGION_SIZE = 10 }; /* of a rectangle, on a Macintosh */

RgnHandle NewRgn(void) {
    RgnHandle made = (RgnHandle)(void *)NewHandleClear(sizeof(Region));
    if (made != NULL)
        (*made)->rgnSize = REGION_SIZE;
    return made;
}

void DisposeRgn(RgnHandle region) { DisposeHandle((Handle)(void *)region); }
void RectRgn(RgnHandle region, const Rect *area) { (*region)->rgnBBox = *area; }
void SetEmptyRgn(RgnHandle region) { RectRgn(region, &(Rect){0, 0, 0, 0}); }
void CopyRgn(RgnHandle source, RgnHandle target) { RectRgn(target, &(*source)->rgnBBox); }
Boolean EmptyRgn(RgnHandle region) { return EmptyRect(&(*region)->rgnBBox); }

void SetRectRgn(RgnHandle region, short left, short top, short right, short bottom) {
    RectRgn(region, &(Rect){top, left, bottom, right});
}

Rect *GetRegionBounds(RgnHandle region, Rect *bounds) {
    return *bounds = (*region)->rgnBBox, bounds;
}

RgnHandle GetPortVisibleRegion(GrafPtr port, RgnHandle region) {
    return CopyRgn(port->visRgn, region), region;
}

void GetClip(RgnHandle region) { CopyRgn(qd.thePort->clipRgn, region); }
void SetClip(RgnHandle region) { (void)region; } /* like ClipRect: all of a port is drawn */
void EraseRgn(RgnHandle region) { EraseRect(&(*region)->rgnBBox); }
void PaintRgn(RgnHandle region) { PaintRect(&(*region)->rgnBBox); }
void FrameRgn(RgnHandle region) { FrameRect(&(*region)->rgnBBox); }

void GetPen(Point *where) { *where = qd.thePort->pnLoc; }

void GetPenState(PenState *state) {
    const GrafPort *port = qd.thePort;
    *state = (PenState){port->pnLoc, port->pnSize, port->pnMode, port->pnPat};
}

void SetPenState(const PenState *state) {
    GrafPtr port = qd.thePort;
    port->pnLoc = state->pnLoc;
    port->pnSize = state->pnSize;
    port->pnMode = state->pnMode;
    port->pnPat = state->pnPat;
}
