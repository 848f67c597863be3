/* QuickDraw on surfaces of inks (mactech_quickdraw.h).
 *
 * An ink is 32 bits: 0 is blank paper; another plain colour is its complement in 24 bits, so that
 * white is 0; a pattern or letter, with its colours, is a hash with the highest bit set. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mactech_toolbox.h"
#include "mactech_window.h"

enum { TEXT_SIZE = 12 };

static GrafPort nowhere = {.pnSize = {1, 1}, .pnPat = {{255, 255, 255, 255, 255, 255, 255, 255}}};

QDGlobals qd = {
    .randSeed = 1,
    .screenBits = {.bounds = {0, 0, 768, 1024}},
    .dkGray = {{0x77, 0xDD, 0x77, 0xDD, 0x77, 0xDD, 0x77, 0xDD}},
    .ltGray = {{0x88, 0x22, 0x88, 0x22, 0x88, 0x22, 0x88, 0x22}},
    .gray = {{0xAA, 0x55, 0xAA, 0x55, 0xAA, 0x55, 0xAA, 0x55}},
    .black = {{255, 255, 255, 255, 255, 255, 255, 255}},
    .thePort = &nowhere,
};

/* ---- Inks */
static uint32_t plain(RGBColor color) {
    uint32_t rgb = (color.red >> 8 << 16) | (color.green >> 8 << 8) | color.blue >> 8;
    return rgb ^ 0xFFFFFF;
}

static uint32_t hashed(uint32_t ink, const void *bytes, size_t size) {
    for (const uint8_t *at = bytes; size > 0; size--)
        ink = (ink ^ *at++) * 16777619u;
    return ink | 0x80000000u;
}

static uint32_t ink_of(const Pattern *pattern) {
    const GrafPort *port = qd.thePort;
    if (memcmp(pattern, &qd.black, sizeof *pattern) == 0)
        return plain(port->rgbFgColor);
    if (memcmp(pattern, &qd.white, sizeof *pattern) == 0)
        return plain(port->rgbBkColor);
    uint32_t key[2] = {plain(port->rgbFgColor), plain(port->rgbBkColor)};
    return hashed(hashed(2166136261u, key, sizeof key), pattern, sizeof *pattern);
}

/* ---- Surfaces */
typedef bool shape(int h, int v, int width, int height);

static bool in_oval(int h, int v, int width, int height) {
    int64_t x = (int64_t)(2 * h + 1 - width) * height, y = (int64_t)(2 * v + 1 - height) * width;
    int64_t radius = (int64_t)width * height;
    return x * x + y * y <= radius * radius;
}

static Rect visible(const GrafPort *port, const Rect *area) {
    Rect part;
    SectRect(area, &port->portRect, &part);
    return part;
}

static UInt32 *at(const GrafPort *port, int h, int v) {
    int width = port->portRect.right - port->portRect.left;
    return port->inks + (v - port->portRect.top) * width + (h - port->portRect.left);
}

/* Inks the points of a rectangle that are inside the shape; NULL is the rectangle itself. */
static void fill(const Rect *area, shape *inside, uint32_t ink) {
    const GrafPort *port = qd.thePort;
    if (port->inks == NULL)
        return;
    Rect part = visible(port, area);
    int width = area->right - area->left, height = area->bottom - area->top;
    const UInt32 *first = at(port, part.left, part.top);
    for (int v = part.top; v < part.bottom; v++) {
        UInt32 *row = at(port, part.left, v);
        if (inside == NULL && v > part.top)
            memcpy(row, first, (size_t)(part.right - part.left) * sizeof *row);
        else
            for (int h = part.left; h < part.right; h++, row++)
                if (inside == NULL || inside(h - area->left, v - area->top, width, height))
                    *row = ink;
    }
}

static void frame(const Rect *area) {
    Point pen = qd.thePort->pnSize;
    const Rect sides[] = {
        {area->top, area->left, (short)(area->top + pen.v), area->right},
        {(short)(area->bottom - pen.v), area->left, area->bottom, area->right},
        {area->top, area->left, area->bottom, (short)(area->left + pen.h)},
        {area->top, (short)(area->right - pen.h), area->bottom, area->right},
    };
    for (int i = 0; i < 4; i++)
        PaintRect(&sides[i]);
}

void PaintRect(const Rect *area) { fill(area, NULL, ink_of(&qd.thePort->pnPat)); }
void EraseRect(const Rect *area) { fill(area, NULL, ink_of(&qd.thePort->bkPat)); }
void FillRect(const Rect *area, ConstPatternParam pattern) { fill(area, NULL, ink_of(pattern)); }
void FrameRect(const Rect *area) { frame(area); }

void InvertRect(const Rect *area) {
    const GrafPort *port = qd.thePort;
    if (port->inks == NULL)
        return;
    Rect part = visible(port, area);
    for (int v = part.top; v < part.bottom; v++)
        for (int h = part.left; h < part.right; h++)
            *at(port, h, v) ^= 0xFFFFFF;
}

void PaintOval(const Rect *area) { fill(area, in_oval, ink_of(&qd.thePort->pnPat)); }
void EraseOval(const Rect *area) { fill(area, in_oval, ink_of(&qd.thePort->bkPat)); }
void FillOval(const Rect *area, ConstPatternParam pattern) { fill(area, in_oval, ink_of(pattern)); }
/* The ring between two ovals would need the ink below; the frame of its box says as much. */
void FrameOval(const Rect *area) { frame(area); }

/* The angles of in_arc, in degrees. */
static int arc_start, arc_angle;

/* An angle of QuickDraw is of the oval stretched to a circle: its diagonals are at 45 degrees. */
static bool in_arc(int h, int v, int width, int height) {
    if (!in_oval(h, v, width, height))
        return false;
    double x = (2.0 * h + 1 - width) * height, y = (2.0 * v + 1 - height) * width;
    double degrees = atan2(x, -y) * 180 / 3.14159265358979 - arc_start;
    double around = degrees - 360 * floor(degrees / 360);
    return arc_angle >= 0 ? around <= arc_angle : around == 0 || around - 360 >= arc_angle;
}

static void fill_arc(const Rect *area, int start, int angle, uint32_t ink) {
    arc_start = start, arc_angle = angle;
    fill(area, in_arc, ink);
}

void PaintArc(const Rect *area, short start, short angle) {
    fill_arc(area, start, angle, ink_of(&qd.thePort->pnPat));
}
void EraseArc(const Rect *area, short start, short angle) {
    fill_arc(area, start, angle, ink_of(&qd.thePort->bkPat));
}
void FillArc(const Rect *area, short start, short angle, ConstPatternParam pattern) {
    fill_arc(area, start, angle, ink_of(pattern));
}

PixPatHandle NewPixPat(void) { return (PixPatHandle)(void *)NewHandleClear(sizeof(PixPat)); }
void DisposePixPat(PixPatHandle pattern) { DisposeHandle((Handle)(void *)pattern); }
void MakeRGBPat(PixPatHandle pattern, const RGBColor *color) { (*pattern)->color = *color; }
void FillCRect(const Rect *area, PixPatHandle pattern) {
    fill(area, NULL, plain((*pattern)->color));
}
void FillCOval(const Rect *area, PixPatHandle pattern) {
    fill(area, in_oval, plain((*pattern)->color));
}

/* Round corners do not affect the middle of a cell. */
void PaintRoundRect(const Rect *area, short width, short height) {
    (void)width, (void)height, PaintRect(area);
}
void FrameRoundRect(const Rect *area, short width, short height) {
    (void)width, (void)height, frame(area);
}
void EraseRoundRect(const Rect *area, short width, short height) {
    (void)width, (void)height, EraseRect(area);
}
void FillRoundRect(const Rect *area, short width, short height, ConstPatternParam pattern) {
    (void)width, (void)height, FillRect(area, pattern);
}

/* ---- Ports */
void InitGraf(void *the_port) { (void)the_port; }
void GetPort(GrafPtr *port) { *port = qd.thePort; }
void SetPort(GrafPtr port) { qd.thePort = port != NULL ? port : &nowhere; }
WindowPtr GetWindowPort(WindowPtr window) { return window; }
Rect *GetPortBounds(GrafPtr port, Rect *bounds) { return *bounds = port->portRect, bounds; }
Rect *GetWindowPortBounds(WindowPtr window, Rect *bounds) { return GetPortBounds(window, bounds); }
void BeginUpdate(WindowPtr window) { (void)window; }
void EndUpdate(WindowPtr window) { (void)window; }
void InvalRect(const Rect *area) { (void)area; }
void ValidRect(const Rect *area) { (void)area; }
void InvalWindowRect(WindowPtr window, const Rect *area) { (void)window, (void)area; }
void ValidWindowRect(WindowPtr window, const Rect *area) { (void)window, (void)area; }
void QDFlushPortBuffer(GrafPtr port, RgnHandle region) { (void)port, (void)region; }
QDGlobals *GetQDGlobals(QDGlobals *globals) { return *globals = qd, globals; }

/* The host reads the window that it hands to the entry; what is drawn in others leaves no trace. */
WindowPtr NewWindow(void *storage, const Rect *bounds, ConstStr255Param title, Boolean is_visible,
                    short kind, WindowPtr behind, Boolean has_box, SInt32 value) {
    (void)title, (void)is_visible, (void)kind, (void)behind, (void)has_box, (void)value;
    WindowPtr window = calloc(1, sizeof *window); /* `storage` has the size of a Macintosh's */
    (void)storage;
    const Rect own = {0, 0, (short)(bounds->bottom - bounds->top),
                      (short)(bounds->right - bounds->left)};
    if (window != NULL)
        mactech_open_port(window, &own, NULL);
    return window;
}

void DisposeWindow(WindowPtr window) {
    if (qd.thePort == window)
        SetPort(NULL);
    free(window);
}

void SetWTitle(WindowPtr window, ConstStr255Param title) { (void)window, (void)title; }
void ClipRect(const Rect *area) { (void)area; }
void GlobalToLocal(Point *point) { (void)point; }
void LocalToGlobal(Point *point) { (void)point; }

void mactech_open_port(GrafPtr port, const Rect *bounds, UInt32 *inks) {
    *port = (GrafPort){.portRect = *bounds, .portBits.bounds = *bounds, .inks = inks};
    port->rgbBkColor = (RGBColor){0xFFFF, 0xFFFF, 0xFFFF};
    port->pnPat = qd.black;
    port->pnSize = (Point){1, 1};
    port->pixels = &port->portBits;
    port->whole.rgnBBox = *bounds;
    port->whole_at = &port->whole;
    port->visRgn = port->clipRgn = &port->whole_at;
}

OSErr NewGWorld(GWorldPtr *world, short depth, const Rect *bounds, CTabHandle colors,
                GDHandle device, GWorldFlags flags) {
    (void)depth, (void)colors, (void)device, (void)flags;
    if (EmptyRect(bounds))
        return paramErr;
    size_t width = (size_t)(bounds->right - bounds->left);
    UInt32 *inks = calloc(width * (size_t)(bounds->bottom - bounds->top), sizeof *inks);
    GrafPtr port = malloc(sizeof *port);
    if (port == NULL || inks == NULL) {
        free(port);
        free(inks);
        return memFullErr;
    }
    mactech_open_port(port, bounds, inks);
    *world = port;
    return noErr;
}

void DisposeGWorld(GWorldPtr world) {
    if (world == NULL)
        return;
    if (qd.thePort == world)
        SetPort(NULL);
    free(world->inks);
    free(world);
}

void GetGWorld(CGrafPtr *port, GDHandle *device) { *port = qd.thePort, *device = NULL; }
void SetGWorld(CGrafPtr port, GDHandle device) { (void)device, SetPort(port); }
PixMapHandle GetGWorldPixMap(GWorldPtr world) { return &world->pixels; }
PixMapHandle GetPortPixMap(CGrafPtr port) { return &port->pixels; }
const BitMap *GetPortBitMapForCopyBits(CGrafPtr port) { return &port->portBits; }
Boolean LockPixels(PixMapHandle pixels) { return (void)pixels, true; }
void UnlockPixels(PixMapHandle pixels) { (void)pixels; }

/* Copies without scaling. A bit map always belongs to a port, as no others can be created. */
void CopyBits(const BitMap *source, const BitMap *target, const Rect *from, const Rect *to,
              short mode, RgnHandle mask) {
    const GrafPort *old = (const void *)((const char *)source - offsetof(GrafPort, portBits));
    const GrafPort *new = (const void *)((const char *)target - offsetof(GrafPort, portBits));
    int dh = from->left - to->left, dv = from->top - to->top;
    (void)mode, (void)mask;
    if (old->inks == NULL || new->inks == NULL)
        return;
    Rect part = visible(new, to), room = old->portRect;
    OffsetRect(&room, (short)-dh, (short)-dv);
    SectRect(&part, &room, &part);
    for (int v = part.top; v < part.bottom; v++)
        memmove(at(new, part.left, v), at(old, part.left + dh, v + dv),
                (size_t)(part.right - part.left) * sizeof(UInt32));
}

/* ---- Colours and the pen */
static RGBColor classic(SInt32 color) {
    static const struct {
        SInt32 name;
        RGBColor color;
    } colors[] = {
        {whiteColor, {0xFFFF, 0xFFFF, 0xFFFF}},   {yellowColor, {0xFC00, 0xF37D, 0x052F}},
        {magentaColor, {0xF2D7, 0x0856, 0x84EC}}, {redColor, {0xDD6B, 0x08C2, 0x06A2}},
        {cyanColor, {0x0241, 0xAB54, 0xEAFF}},    {greenColor, {0x0000, 0x8000, 0x11B0}},
        {blueColor, {0x0000, 0x0000, 0xD400}},
    };
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (colors[i].name == color)
            return colors[i].color;
    return (RGBColor){0, 0, 0};
}

void ForeColor(SInt32 color) { qd.thePort->rgbFgColor = classic(color); }
void BackColor(SInt32 color) { qd.thePort->rgbBkColor = classic(color); }
void RGBForeColor(const RGBColor *color) { qd.thePort->rgbFgColor = *color; }
void RGBBackColor(const RGBColor *color) { qd.thePort->rgbBkColor = *color; }
void GetForeColor(RGBColor *color) { *color = qd.thePort->rgbFgColor; }
void GetBackColor(RGBColor *color) { *color = qd.thePort->rgbBkColor; }
void PenSize(short width, short height) { qd.thePort->pnSize = (Point){height, width}; }
void PenMode(short mode) { qd.thePort->pnMode = mode; }
void PenPat(ConstPatternParam pattern) { qd.thePort->pnPat = *pattern; }
void BackPat(ConstPatternParam pattern) { qd.thePort->bkPat = *pattern; }
void PenNormal(void) { PenSize(1, 1), PenMode(patCopy), PenPat(&qd.black); }
void MoveTo(short h, short v) { qd.thePort->pnLoc = (Point){v, h}; }
void Move(short dh, short dv) { AddPt((Point){dv, dh}, &qd.thePort->pnLoc); }
void Line(short dh, short dv) {
    LineTo((short)(qd.thePort->pnLoc.h + dh), (short)(qd.thePort->pnLoc.v + dv));
}

void LineTo(short h, short v) {
    Point from = qd.thePort->pnLoc, pen = qd.thePort->pnSize;
    int dh = h - from.h, dv = v - from.v;
    int steps = abs(dh) > abs(dv) ? abs(dh) : abs(dv);
    for (int i = 0; i <= steps; i++) {
        short left = (short)(from.h + (steps ? dh * i / steps : 0));
        short top = (short)(from.v + (steps ? dv * i / steps : 0));
        PaintRect(&(Rect){top, left, (short)(top + pen.v), (short)(left + pen.h)});
    }
    MoveTo(h, v);
}

void SetCPixel(short h, short v, const RGBColor *color) {
    fill(&(Rect){v, h, (short)(v + 1), (short)(h + 1)}, NULL, plain(*color));
}

void ObscureCursor(void) {}
void HideCursor(void) {}
void ShowCursor(void) {}
void SetCursor(const Cursor *cursor) { (void)cursor; }
void InitCursor(void) {}

/* ---- Text */
static short text_size(void) { return qd.thePort->txSize > 0 ? qd.thePort->txSize : TEXT_SIZE; }

void GetFontInfo(FontInfo *info) {
    short size = text_size();
    *info = (FontInfo){(short)(size * 3 / 4), (short)(size / 4), (short)(size * 3 / 5 + 1), 2};
}

void DrawText(const void *text, short first, short count) {
    Point pen = qd.thePort->pnLoc;
    FontInfo font;
    GetFontInfo(&font);
    for (short i = 0; i < count; i++, pen.h += font.widMax) {
        char letter = ((const char *)text)[first + i];
        Rect box = {(short)(pen.v - font.ascent), pen.h, (short)(pen.v + font.descent),
                    (short)(pen.h + font.widMax)};
        if (letter != ' ')
            fill(&box, NULL, hashed(plain(qd.thePort->rgbFgColor), &letter, 1));
    }
    qd.thePort->pnLoc = pen;
}

void DrawChar(short letter) { DrawText(&(char){(char)letter}, 0, 1); }
void DrawString(ConstStr255Param text) { DrawText(text, 1, text[0]); }

short TextWidth(const void *text, short first, short count) {
    FontInfo font;
    (void)text, (void)first;
    GetFontInfo(&font);
    return (short)(count * font.widMax);
}

short CharWidth(short letter) { return (void)letter, TextWidth(NULL, 0, 1); }
short StringWidth(ConstStr255Param text) { return TextWidth(text, 1, text[0]); }
void TextFont(short font) { qd.thePort->txFont = font; }
void TextFace(short face) { qd.thePort->txFace = (Style)face; }
void TextMode(short mode) { qd.thePort->txMode = mode; }
void TextSize(short size) { qd.thePort->txSize = size; }
