/* QuickDraw as far as a board is shown with it. A port is a surface of *inks*: what matters to who
 * looks at it is which places look alike, so a point remembers the colour, pattern or letter that
 * it was painted with, and nothing is ever seen on a screen. See mactech_quickdraw.c. */
#ifndef MACTECH_QUICKDRAW_H
#define MACTECH_QUICKDRAW_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RGBColor {
    UInt16 red;
    UInt16 green;
    UInt16 blue;
} RGBColor;

typedef struct Pattern {
    UInt8 pat[8];
} Pattern;
typedef Pattern *PatPtr;
typedef const Pattern *ConstPatternParam;

typedef struct Cursor {
    SInt16 data[16];
    SInt16 mask[16];
    Point hotSpot;
} Cursor;

typedef struct BitMap {
    Ptr baseAddr; /* nil: the points cannot be written directly */
    SInt16 rowBytes;
    Rect bounds;
} BitMap, PixMap;
typedef PixMap *PixMapPtr, **PixMapHandle;

typedef struct PixPat {
    RGBColor color; /* a pixel pattern is a plain colour */
} PixPat;
typedef PixPat *PixPatPtr, **PixPatHandle;

typedef struct Region {
    UInt16 rgnSize;
    Rect rgnBBox; /* a region is its rectangle: there are no others */
} Region;
typedef Region *RgnPtr, **RgnHandle;

typedef struct GrafPort {
    SInt16 device;
    BitMap portBits;
    Rect portRect;
    RgnHandle visRgn;
    RgnHandle clipRgn;
    Pattern bkPat;
    Point pnLoc;
    Point pnSize;
    SInt16 pnMode;
    Pattern pnPat;
    SInt16 txFont;
    Style txFace;
    SInt16 txMode;
    SInt16 txSize;
    RGBColor rgbFgColor;
    RGBColor rgbBkColor;
    UInt32 *inks; /* row by row; NULL if the drawing is not needed */
    PixMapPtr pixels;
    Region whole; /* of visRgn and clipRgn */
    RgnPtr whole_at;
} GrafPort, CGrafPort, WindowRecord, CWindowRecord;
typedef GrafPort *GrafPtr, *CGrafPtr, *GWorldPtr, *WindowPtr, *CWindowPtr, *WindowPeek, *WindowRef;
typedef OSErr QDErr;
typedef void *GDHandle, *CTabHandle;
typedef UInt32 GWorldFlags;

typedef struct QDGlobals {
    SInt32 randSeed;
    BitMap screenBits;
    Cursor arrow;
    Pattern dkGray;
    Pattern ltGray;
    Pattern gray;
    Pattern black;
    Pattern white;
    GrafPtr thePort;
} QDGlobals;
extern QDGlobals qd;

typedef struct PenState {
    Point pnLoc;
    Point pnSize;
    SInt16 pnMode;
    Pattern pnPat;
} PenState;

typedef struct FontInfo {
    SInt16 ascent;
    SInt16 descent;
    SInt16 widMax;
    SInt16 leading;
} FontInfo;

enum {
    whiteColor = 30,
    blackColor = 33,
    yellowColor = 69,
    magentaColor = 137,
    redColor = 205,
    cyanColor = 273,
    greenColor = 341,
    blueColor = 409
};
/* Modes: painting and text differ; all others paint. */
enum { srcCopy, srcOr, srcXor, srcBic, notSrcCopy, patCopy = 8, patOr, patXor, patBic };
enum { systemFont, applFont, newYork, geneva, monaco, helvetica = 21 };
enum { normal = 0, bold = 1, italic = 2, underline = 4 };

/* ---- Ports */
void InitGraf(void *the_port);
void GetPort(GrafPtr *port);
void SetPort(GrafPtr port);
#define SetPortWindowPort SetPort
WindowPtr GetWindowPort(WindowPtr window);
Rect *GetPortBounds(GrafPtr port, Rect *bounds);
Rect *GetWindowPortBounds(WindowPtr window, Rect *bounds);
void BeginUpdate(WindowPtr window);
void EndUpdate(WindowPtr window);
void InvalRect(const Rect *area); /* the host updates when it asks for the board */
void ValidRect(const Rect *area);
void InvalWindowRect(WindowPtr window, const Rect *area);
void ValidWindowRect(WindowPtr window, const Rect *area);
void QDFlushPortBuffer(GrafPtr port, RgnHandle region);
QDGlobals *GetQDGlobals(QDGlobals *globals);
WindowPtr NewWindow(void *storage, const Rect *bounds, ConstStr255Param title, Boolean is_visible,
                    short kind, WindowPtr behind, Boolean has_box, SInt32 value);
#define NewCWindow NewWindow /* of its own; nobody looks at it */
void DisposeWindow(WindowPtr window);
void SetWTitle(WindowPtr window, ConstStr255Param title);
void ClipRect(const Rect *area);
void GlobalToLocal(Point *point);
void LocalToGlobal(Point *point);

OSErr NewGWorld(GWorldPtr *world, short depth, const Rect *bounds, CTabHandle colors,
                GDHandle device, GWorldFlags flags);
void DisposeGWorld(GWorldPtr world);
void GetGWorld(CGrafPtr *port, GDHandle *device);
void SetGWorld(CGrafPtr port, GDHandle device);
PixMapHandle GetGWorldPixMap(GWorldPtr world);
PixMapHandle GetPortPixMap(CGrafPtr port);
const BitMap *GetPortBitMapForCopyBits(CGrafPtr port);
Boolean LockPixels(PixMapHandle pixels);
void UnlockPixels(PixMapHandle pixels);
void CopyBits(const BitMap *source, const BitMap *target, const Rect *from, const Rect *to,
              short mode, RgnHandle mask);

/* ---- Colours and the pen */
void ForeColor(SInt32 color);
void BackColor(SInt32 color);
void RGBForeColor(const RGBColor *color);
void RGBBackColor(const RGBColor *color);
void GetForeColor(RGBColor *color);
void GetBackColor(RGBColor *color);
void PenNormal(void);
void PenSize(short width, short height);
void PenMode(short mode);
void PenPat(ConstPatternParam pattern);
void BackPat(ConstPatternParam pattern);
void GetPen(Point *where);
void GetPenState(PenState *state);
void SetPenState(const PenState *state);
void MoveTo(short h, short v);
void Move(short dh, short dv);
void LineTo(short h, short v);
void Line(short dh, short dv);
void SetCPixel(short h, short v, const RGBColor *color);
void ObscureCursor(void);
void HideCursor(void);
void ShowCursor(void);
void SetCursor(const Cursor *cursor);
void InitCursor(void);

/* ---- Shapes */
void PaintRect(const Rect *area);
void FrameRect(const Rect *area);
void EraseRect(const Rect *area);
void InvertRect(const Rect *area);
void FillRect(const Rect *area, ConstPatternParam pattern);
void PaintOval(const Rect *area);
void FrameOval(const Rect *area);
void EraseOval(const Rect *area);
void FillOval(const Rect *area, ConstPatternParam pattern);
void PaintRoundRect(const Rect *area, short width, short height);
void FrameRoundRect(const Rect *area, short width, short height);
void EraseRoundRect(const Rect *area, short width, short height);
void FillRoundRect(const Rect *area, short width, short height, ConstPatternParam pattern);

void PaintArc(const Rect *area, short start, short angle); /* degrees from the top, clockwise */
void EraseArc(const Rect *area, short start, short angle);
void FillArc(const Rect *area, short start, short angle, ConstPatternParam pattern);
PixPatHandle NewPixPat(void);
void DisposePixPat(PixPatHandle pattern);
void MakeRGBPat(PixPatHandle pattern, const RGBColor *color);
void FillCRect(const Rect *area, PixPatHandle pattern);
void FillCOval(const Rect *area, PixPatHandle pattern);

/* ---- Regions */
RgnHandle NewRgn(void);
void DisposeRgn(RgnHandle region);
void RectRgn(RgnHandle region, const Rect *area);
void SetRectRgn(RgnHandle region, short left, short top, short right, short bottom);
void SetEmptyRgn(RgnHandle region);
void CopyRgn(RgnHandle source, RgnHandle target);
Boolean EmptyRgn(RgnHandle region);
Rect *GetRegionBounds(RgnHandle region, Rect *bounds);
RgnHandle GetPortVisibleRegion(GrafPtr port, RgnHandle region);
void GetClip(RgnHandle region);
void SetClip(RgnHandle region);
void EraseRgn(RgnHandle region);
void PaintRgn(RgnHandle region);
void FrameRgn(RgnHandle region);

/* ---- Text: a letter inks the whole box it stands in, a space nothing */
void DrawChar(short letter);
void DrawString(ConstStr255Param text);
void DrawText(const void *text, short first, short count);
short CharWidth(short letter);
short StringWidth(ConstStr255Param text);
short TextWidth(const void *text, short first, short count);
void GetFontInfo(FontInfo *info);
void TextFont(short font);
void TextFace(short face);
void TextMode(short mode);
void TextSize(short size);

/* ---- Rectangles and points */
void SetRect(Rect *area, short left, short top, short right, short bottom);
void OffsetRect(Rect *area, short dh, short dv);
void InsetRect(Rect *area, short dh, short dv);
Boolean SectRect(const Rect *a, const Rect *b, Rect *both);
void UnionRect(const Rect *a, const Rect *b, Rect *either);
Boolean EqualRect(const Rect *a, const Rect *b);
Boolean EmptyRect(const Rect *area);
Boolean PtInRect(Point point, const Rect *area);
void SetPt(Point *point, short h, short v);
void AddPt(Point source, Point *target);
void SubPt(Point source, Point *target);
Boolean EqualPt(Point a, Point b);

#ifdef __cplusplus
}
#endif

#endif
