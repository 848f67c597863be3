/* Rectangles and points of QuickDraw (mactech_quickdraw.h). */
#include <stdbool.h>
#include <string.h>

#include "mactech_toolbox.h"

static short least(short a, short b) { return a < b ? a : b; }
static short most(short a, short b) { return a > b ? a : b; }

void SetRect(Rect *area, short left, short top, short right, short bottom) {
    *area = (Rect){top, left, bottom, right};
}

void OffsetRect(Rect *area, short dh, short dv) {
    *area = (Rect){(short)(area->top + dv), (short)(area->left + dh), (short)(area->bottom + dv),
                   (short)(area->right + dh)};
}

void InsetRect(Rect *area, short dh, short dv) {
    *area = (Rect){(short)(area->top + dv), (short)(area->left + dh), (short)(area->bottom - dv),
                   (short)(area->right - dh)};
    if (EmptyRect(area))
        *area = (Rect){0, 0, 0, 0};
}

Boolean SectRect(const Rect *a, const Rect *b, Rect *both) {
    *both = (Rect){most(a->top, b->top), most(a->left, b->left), least(a->bottom, b->bottom),
                   least(a->right, b->right)};
    if (!EmptyRect(both))
        return true;
    *both = (Rect){0, 0, 0, 0};
    return false;
}

void UnionRect(const Rect *a, const Rect *b, Rect *either) {
    *either = (Rect){least(a->top, b->top), least(a->left, b->left), most(a->bottom, b->bottom),
                     most(a->right, b->right)};
}

Boolean EqualRect(const Rect *a, const Rect *b) { return memcmp(a, b, sizeof *a) == 0; }
Boolean EmptyRect(const Rect *area) {
    return area->bottom <= area->top || area->right <= area->left;
}
Boolean PtInRect(Point point, const Rect *area) {
    return point.v >= area->top && point.v < area->bottom && point.h >= area->left &&
           point.h < area->right;
}
void SetPt(Point *point, short h, short v) { *point = (Point){v, h}; }
void AddPt(Point source, Point *target) {
    *target = (Point){(short)(target->v + source.v), (short)(target->h + source.h)};
}
void SubPt(Point source, Point *target) {
    *target = (Point){(short)(target->v - source.v), (short)(target->h - source.h)};
}
Boolean EqualPt(Point a, Point b) { return a.v == b.v && a.h == b.h; }
