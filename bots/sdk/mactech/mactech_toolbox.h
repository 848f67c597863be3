/* The Macintosh types and calls of 1997-2002 that entries to the Programmer's Challenge commonly
 * use, in their original sizes. mactech_build.py includes this file before everything else, as
 * CodeWarrior did with MacHeaders, and lets <Types.h>, <Memory.h>, <Events.h> and their like stand
 * for it.
 *
 * It includes nothing and is C89, so that old C finds no other names here than it expects. An entry
 * that has names of its own for what is here, like a struct Move, gets less of it: the builder then
 * defines some of MACTECH_NO_QUICKDRAW, MACTECH_TYPES_ONLY and MACTECH_NO_BOOL. `long` is 32 bits:
 * the builder turns that of an entry into int; in this file it is written SInt32. */
#ifndef MACTECH_TOOLBOX_H
#define MACTECH_TOOLBOX_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- MacTypes */
typedef unsigned char UInt8, Byte, Boolean, Style;
typedef signed char SInt8, SignedByte;
typedef unsigned short UInt16, UniChar;
typedef short SInt16;
typedef unsigned int UInt32, ByteCount, ItemCount, OptionBits;
typedef int SInt32, Size, OSStatus, Fixed, Fract;
typedef unsigned long long UInt64;
typedef long long SInt64;
typedef float Float32;
typedef double Float64, double_t;
typedef SInt16 OSErr;
typedef UInt32 OSType, ResType, FourCharCode;
typedef char *Ptr, **Handle;
typedef void *LogicalAddress;
typedef int (*ProcPtr)();
typedef ProcPtr UniversalProcPtr;
typedef unsigned char Str15[16], Str27[28], Str31[32], Str32[33], Str63[64], Str255[256];
typedef unsigned char *StringPtr, **StringHandle;
typedef const unsigned char *ConstStr255Param, *ConstStringPtr;

typedef struct Point {
    short v;
    short h;
} Point;

typedef struct Rect {
    short top;
    short left;
    short bottom;
    short right;
} Rect;

typedef struct UnsignedWide {
    UInt32 hi;
    UInt32 lo;
} UnsignedWide, AbsoluteTime;

typedef struct wide {
    SInt32 hi;
    UInt32 lo;
} wide;

#if !defined(__cplusplus) && !defined(MACTECH_NO_BOOL)
#ifndef bool /* else the file has <stdbool.h>, and with it the next three */
typedef unsigned char bool;
enum { false, true };
#endif
#endif

#ifndef MACTECH_NO_BOOL
#ifndef TRUE
enum { FALSE, TRUE };
#endif
#endif

#ifndef NULL
#ifdef __cplusplus
#define NULL 0
#else
#define NULL ((void *)0)
#endif
#endif
#define nil NULL
#define pascal

enum {
    noErr = 0,
    paramErr = -50,
    memFullErr = -108,
    nilHandleErr = -109,
    kUnknownType = 0x3F3F3F3F
};

#ifndef MACTECH_TYPES_ONLY

/* ---- Memory: a block comes from malloc and counts towards the limit of the entry */
Ptr NewPtr(Size size);
Ptr NewPtrClear(Size size);
#define NewPtrSys NewPtr
#define NewPtrSysClear NewPtrClear
void DisposePtr(Ptr block);
#define DisposPtr DisposePtr
#define StripAddress(address) (address)
Size GetPtrSize(Ptr block);
void SetPtrSize(Ptr block, Size size);

Handle NewHandle(Size size);
Handle NewHandleClear(Size size);
#define NewHandleSys NewHandle
Handle TempNewHandle(Size size, OSErr *error);
Handle NewEmptyHandle(void);
void DisposeHandle(Handle handle);
#define DisposHandle DisposeHandle
Size GetHandleSize(Handle handle);
void SetHandleSize(Handle handle, Size size);
OSErr HandToHand(Handle *handle);
OSErr PtrToHand(const void *source, Handle *handle, Size size);
/* Replaces the first `old_size` bytes like `old` from `offset` on; returns the offset after them,
 * or with a `by` of nil that of the bytes found; negative if there are none. */
SInt32 Munger(Handle handle, SInt32 offset, const void *old, SInt32 old_size, const void *by,
              SInt32 size);
OSErr PtrAndHand(const void *source, Handle handle, Size size);

/* Blocks never move here, so these do nothing. */
void HLock(Handle handle);
void HLockHi(Handle handle);
void HUnlock(Handle handle);
void HPurge(Handle handle);
void HNoPurge(Handle handle);
void MoveHHi(Handle handle);
SInt8 HGetState(Handle handle);
void HSetState(Handle handle, SInt8 flags);
void MaxApplZone(void);
void MoreMasters(void);

OSErr MemError(void); /* of the last of these calls */
SInt32 FreeMem(void); /* rest of the limit; 10 MB without a limit */
SInt32 MaxBlock(void);
SInt32 CompactMem(Size needed);
SInt32 MaxMem(Size *grow);
void PurgeSpace(SInt32 *total, SInt32 *contiguous);
SInt32 TempFreeMem(void);
SInt32 TempMaxMem(Size *grow);
SInt32 StackSpace(void);

void BlockMove(const void *source, void *target, Size size);
void BlockMoveData(const void *source, void *target, Size size);
void BlockZero(void *target, Size size);

/* ---- Time and chance */
UInt32 TickCount(void); /* sixtieths of a second, from some moment on */
#define LMGetTicks TickCount
void Microseconds(UnsignedWide *time);
AbsoluteTime UpTime(void);
UnsignedWide AbsoluteToNanoseconds(AbsoluteTime time);
void GetDateTime(UInt32 *seconds); /* since 1904 */
void ReadDateTime(UInt32 *seconds);
typedef struct DateTimeRec {
    SInt16 year, month, day, hour, minute, second, dayOfWeek; /* from 1: January, Sunday */
} DateTimeRec;
void SecondsToDate(UInt32 seconds, DateTimeRec *date);
#define Secs2Date SecondsToDate
void GetTime(DateTimeRec *now);
UnsignedWide AbsoluteDeltaToNanoseconds(AbsoluteTime later, AbsoluteTime earlier);
AbsoluteTime SubAbsoluteFromAbsolute(AbsoluteTime later, AbsoluteTime earlier);
wide *WideAdd(wide *target, const wide *number); /* changes and returns the target */
wide *WideSubtract(wide *target, const wide *number);
void Delay(UInt32 ticks, UInt32 *final_ticks); /* does not wait: a bot has better uses for time */
#define LMGetRndSeed() (qd.randSeed)
#define LMSetRndSeed(seed) ((void)(qd.randSeed = (seed)))
short Random(void); /* from qd.randSeed, set by the match's seed */

/* ---- Debugging: to standard error, stored with the match; the entry continues */
void Debugger(void);
void DebugStr(ConstStr255Param text);
void SysBeep(short duration);
void ExitToShell(void); /* ends the bot: its crash */

/* ---- Events: only the update event of the host */
typedef UInt16 EventKind, EventMask, EventModifiers;

typedef struct EventRecord {
    EventKind what;
    UInt32 message; /* of an update event: the window */
    UInt32 when;
    Point where;
    EventModifiers modifiers;
} EventRecord;

enum {
    nullEvent = 0,
    mouseDown = 1,
    mouseUp = 2,
    keyDown = 3,
    keyUp = 4,
    autoKey = 5,
    updateEvt = 6,
    diskEvt = 7,
    activateEvt = 8,
    osEvt = 15,
    everyEvent = 0xFFFF
};

Boolean GetNextEvent(EventMask mask, EventRecord *event);
Boolean EventAvail(EventMask mask, EventRecord *event);
Boolean WaitNextEvent(EventMask mask, EventRecord *event, UInt32 sleep, void *region);
void SystemTask(void);
void FlushEvents(EventMask mask, EventMask stop);
void GetMouse(Point *where); /* always (0, 0) */
Boolean Button(void);
Boolean StillDown(void);

/* ---- The machine, threads: no feature is there, and no thread but the entry */
typedef UInt32 ThreadID;
enum { gestaltUndefSelectorErr = -5551, threadTooManyReqsErr = -617 };
enum { kNoThreadID, kCurrentThreadID, kApplicationThreadID };
OSErr Gestalt(OSType selector, SInt32 *response); /* the error of an unknown selector */
OSErr NewThread(UInt32 style, ProcPtr entry, void *argument, Size stack, OptionBits options,
                void **result, ThreadID *made); /* refused: too many threads */
OSErr YieldToAnyThread(void);
OSErr YieldToThread(ThreadID thread);
OSErr GetCurrentThread(ThreadID *thread);
OSErr ThreadBeginCritical(void);
OSErr ThreadEndCritical(void);

/* ---- ToolUtils, TextUtils */
short HiWord(SInt32 number);
short LoWord(SInt32 number);
SInt32 BitAnd(SInt32 a, SInt32 b);
SInt32 BitOr(SInt32 a, SInt32 b);
SInt32 BitXor(SInt32 a, SInt32 b);
SInt32 BitNot(SInt32 a);
SInt32 BitShift(SInt32 number, short left);
Boolean BitTst(const void *bytes, SInt32 bit); /* bit 0 is the highest of the first byte */
void BitSet(void *bytes, SInt32 bit);
void BitClr(void *bytes, SInt32 bit);
void NumToString(SInt32 number, Str255 text);
void StringToNum(ConstStr255Param text, SInt32 *number);
unsigned char *c2pstr(char *text);
char *p2cstr(StringPtr text);
Boolean EqualString(ConstStr255Param a, ConstStr255Param b, Boolean cases, Boolean marks);
#define C2PStr c2pstr
#define P2CStr p2cstr
void CopyCStringToPascal(const char *text, Str255 target); /* at most 255 characters */
void CopyPascalStringToC(ConstStr255Param text, char *target);
StringPtr PLstrcpy(StringPtr target, ConstStr255Param text);
StringPtr PLstrcat(StringPtr target, ConstStr255Param text); /* at most 255 characters */
short PLstrlen(ConstStr255Param text);

/* ---- Fixed-point numbers */
Fixed FixMul(Fixed a, Fixed b);
Fixed FixDiv(Fixed a, Fixed b);
Fixed FixRatio(short numerator, short denominator);
short FixRound(Fixed number);
SInt32 Fix2Long(Fixed number);
Fixed Long2Fix(SInt32 number);
Fixed X2Fix(double number);
double Fix2X(Fixed number);

/* ---- Instructions of the PowerPC that Metrowerks' compiler had as functions */
int __abs(int number);
#define __labs __abs
#ifdef __cplusplus
double __fabs(double number) throw();
#else
double __fabs(double number);
#endif
int __cntlzw(UInt32 bits);          /* leading zeros: 32 for 0 */
SInt32 __mulhw(SInt32 a, SInt32 b); /* the upper half of the product */
UInt32 __mulhwu(UInt32 a, UInt32 b);
UInt32 __rlwinm(UInt32 bits, int left, int first, int last); /* rotated; bit 0 is the highest */

/* ---- The console of Metrowerks, for a `main` that tests the entry */
typedef struct tSIOUXSettings {
    Boolean initializeTB, standalone, setupmenus, autocloseonquit, asktosaveonclose;
    Boolean showstatusline;
    short tabspaces, columns, rows, toppixel, leftpixel, fontid, fontsize, fontface;
    Boolean enabledraganddrop, outlinehilite, wasteusetempmemory;
} tSIOUXSettings;
extern tSIOUXSettings SIOUXSettings;
int ccommand(char ***arguments);

#endif

#ifdef __cplusplus
}
#endif

#if !defined(MACTECH_NO_QUICKDRAW) && !defined(MACTECH_TYPES_ONLY)
#include "mactech_quickdraw.h"
#endif

#endif
