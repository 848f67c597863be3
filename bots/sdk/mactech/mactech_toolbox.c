/* Stand-ins for the Macintosh calls of mactech_toolbox.h. */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mactech_toolbox.h"

/* ---- Memory */
enum { APPLICATION_HEAP = 10 * 1024 * 1024 };

/* Header of a block with its size; 16 bytes keep the block aligned. */
typedef struct header {
    _Alignas(16) Size size;
} header;

/* What a handle leads to; `block` is first, since *handle is the block. */
typedef struct master {
    Ptr block;
    Size size;
} master;

static OSErr last_error;
static int64_t used;

static header *header_of(Ptr block) { return (header *)(void *)(block - sizeof(header)); }
static master *master_of(Handle handle) { return (master *)(void *)handle; }

/* Records the error of the call, and returns its result. */
static void *got(void *block) {
    last_error = block != NULL ? noErr : memFullErr;
    return block;
}

static Ptr new_block(Size size, bool clear) {
    if (size < 0)
        return got(NULL);
    size_t room = sizeof(header) + (size_t)size;
    header *block = got(clear ? calloc(1, room) : malloc(room));
    if (block == NULL)
        return NULL;
    block->size = size;
    used += size;
    return (Ptr)(block + 1);
}

Ptr NewPtr(Size size) { return new_block(size, false); }
Ptr NewPtrClear(Size size) { return new_block(size, true); }

void DisposePtr(Ptr block) {
    last_error = noErr;
    if (block == NULL)
        return;
    used -= header_of(block)->size;
    free(header_of(block));
}

Size GetPtrSize(Ptr block) { return block == NULL ? 0 : header_of(block)->size; }

/* A block cannot move, so it can shrink but not grow. */
void SetPtrSize(Ptr block, Size size) {
    bool fits = block != NULL && size >= 0 && size <= header_of(block)->size;
    last_error = fits ? noErr : memFullErr;
    if (fits) {
        used -= header_of(block)->size - size;
        header_of(block)->size = size;
    }
}

static Handle new_handle(Size size, bool clear) {
    master *made = malloc(sizeof *made);
    Ptr block = made != NULL ? new_block(size, clear) : got(NULL);
    if (block == NULL) {
        free(made);
        return NULL;
    }
    *made = (master){block, size};
    return &made->block;
}

Handle NewHandle(Size size) { return new_handle(size, false); }
Handle NewHandleClear(Size size) { return new_handle(size, true); }
Handle NewEmptyHandle(void) { return got(calloc(1, sizeof(master))); }

Handle TempNewHandle(Size size, OSErr *error) {
    Handle made = NewHandle(size);
    if (error != NULL)
        *error = last_error;
    return made;
}

void DisposeHandle(Handle handle) {
    if (handle != NULL)
        DisposePtr(*handle);
    free(handle);
    last_error = noErr;
}

Size GetHandleSize(Handle handle) { return handle == NULL ? 0 : master_of(handle)->size; }

void SetHandleSize(Handle handle, Size size) {
    last_error = nilHandleErr;
    if (handle == NULL)
        return;
    master *of = master_of(handle);
    Ptr block = new_block(size, false);
    if (block == NULL)
        return;
    if (of->block != NULL)
        memcpy(block, of->block, (size_t)(size < of->size ? size : of->size));
    DisposePtr(of->block);
    *of = (master){block, size};
}

/* Returns the first place of these bytes from `offset` on, or -1. */
static SInt32 place_of(const char *block, Size room, SInt32 offset, const void *old, Size size) {
    for (SInt32 at = offset; at <= room - size; at++)
        if (memcmp(block + at, old, (size_t)size) == 0)
            return at;
    return -1;
}

SInt32 Munger(Handle handle, SInt32 offset, const void *old, SInt32 old_size, const void *by,
              SInt32 size) {
    Size room = GetHandleSize(handle);
    if (handle == NULL || offset < 0 || offset > room || size < 0)
        return -1;
    if (old_size < 0 || (old == NULL && old_size > room - offset))
        old_size = room - offset;
    SInt32 at = old == NULL ? offset : place_of(*handle, room, offset, old, old_size);
    if (at < 0 || by == NULL)
        return at;
    Size rest = room - at - old_size;
    Handle changed = NewHandle(at + size + rest);
    if (changed == NULL)
        return -1;
    memcpy(*changed, *handle, (size_t)at);
    memcpy(*changed + at, by, (size_t)size);
    memcpy(*changed + at + size, *handle + at + old_size, (size_t)rest);
    master swapped = *master_of(handle);
    *master_of(handle) = *master_of(changed);
    *master_of(changed) = swapped;
    DisposeHandle(changed);
    return at + size;
}

OSErr PtrToHand(const void *source, Handle *handle, Size size) {
    *handle = NewHandle(size);
    if (*handle != NULL)
        memcpy(**handle, source, (size_t)size);
    return last_error;
}

OSErr HandToHand(Handle *handle) { return PtrToHand(**handle, handle, GetHandleSize(*handle)); }

OSErr PtrAndHand(const void *source, Handle handle, Size size) {
    Size before = GetHandleSize(handle);
    SetHandleSize(handle, before + size);
    if (last_error == noErr)
        memcpy(*handle + before, source, (size_t)size);
    return last_error;
}

void HLock(Handle handle) { (void)handle; }
void HLockHi(Handle handle) { (void)handle; }
void HUnlock(Handle handle) { (void)handle; }
void HPurge(Handle handle) { (void)handle; }
void HNoPurge(Handle handle) { (void)handle; }
void MoveHHi(Handle handle) { (void)handle; }
SInt8 HGetState(Handle handle) { return (void)handle, 0; }
void HSetState(Handle handle, SInt8 flags) { (void)handle, (void)flags; }
void MaxApplZone(void) {}
void MoreMasters(void) {}

OSErr MemError(void) { return last_error; }
SInt32 FreeMem(void) { return used < APPLICATION_HEAP ? (SInt32)(APPLICATION_HEAP - used) : 0; }
SInt32 MaxBlock(void) { return FreeMem(); }
SInt32 CompactMem(Size needed) { return (void)needed, FreeMem(); }
SInt32 MaxMem(Size *grow) { return *grow = 0, FreeMem(); }
SInt32 TempFreeMem(void) { return FreeMem(); }
SInt32 TempMaxMem(Size *grow) { return MaxMem(grow); }
void PurgeSpace(SInt32 *total, SInt32 *contiguous) { *total = FreeMem(), *contiguous = MaxBlock(); }
SInt32 StackSpace(void) { return 256 * 1024; }

void BlockMove(const void *source, void *target, Size size) {
    if (size > 0)
        memmove(target, source, (size_t)size);
}

void BlockMoveData(const void *source, void *target, Size size) { BlockMove(source, target, size); }

void BlockZero(void *target, Size size) {
    if (size > 0)
        memset(target, 0, (size_t)size);
}

/* ---- Time and chance */
static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static UnsignedWide wide_of(uint64_t number) {
    return (UnsignedWide){(UInt32)(number >> 32), (UInt32)number};
}

UInt32 TickCount(void) { return (UInt32)(now_ns() * 3 / 50000000u); }
void Microseconds(UnsignedWide *time) { *time = wide_of(now_ns() / 1000); }
AbsoluteTime UpTime(void) { return wide_of(now_ns()); }
UnsignedWide AbsoluteToNanoseconds(AbsoluteTime time) { return time; }

static uint64_t bits_of(UInt32 hi, UInt32 lo) { return (uint64_t)hi << 32 | lo; }

AbsoluteTime SubAbsoluteFromAbsolute(AbsoluteTime later, AbsoluteTime earlier) {
    uint64_t a = bits_of(later.hi, later.lo), b = bits_of(earlier.hi, earlier.lo);
    return wide_of(a > b ? a - b : 0);
}

UnsignedWide AbsoluteDeltaToNanoseconds(AbsoluteTime later, AbsoluteTime earlier) {
    return SubAbsoluteFromAbsolute(later, earlier);
}

static wide *set_wide(wide *target, uint64_t bits) {
    target->hi = (SInt32)(bits >> 32);
    target->lo = (UInt32)bits;
    return target;
}

wide *WideAdd(wide *target, const wide *number) {
    uint64_t sum = bits_of((UInt32)target->hi, target->lo);
    return set_wide(target, sum + bits_of((UInt32)number->hi, number->lo));
}

wide *WideSubtract(wide *target, const wide *number) {
    uint64_t rest = bits_of((UInt32)target->hi, target->lo);
    return set_wide(target, rest - bits_of((UInt32)number->hi, number->lo));
}

static const UInt32 FROM_1904_TO_1970 = 2082844800u; /* seconds */

void GetDateTime(UInt32 *seconds) { *seconds = (UInt32)((uint64_t)time(NULL) + FROM_1904_TO_1970); }
void ReadDateTime(UInt32 *seconds) { GetDateTime(seconds); }

void SecondsToDate(UInt32 seconds, DateTimeRec *date) {
    struct tm at;
    gmtime_r(&(time_t){(time_t)seconds - FROM_1904_TO_1970}, &at);
    *date = (DateTimeRec){(SInt16)(at.tm_year + 1900), (SInt16)(at.tm_mon + 1), (SInt16)at.tm_mday,
                          (SInt16)at.tm_hour,          (SInt16)at.tm_min,       (SInt16)at.tm_sec,
                          (SInt16)(at.tm_wday + 1)};
}

void GetTime(DateTimeRec *now) {
    UInt32 seconds;
    GetDateTime(&seconds);
    SecondsToDate(seconds, now);
}

void Delay(UInt32 ticks, UInt32 *final_ticks) {
    if (final_ticks != NULL)
        *final_ticks = TickCount() + ticks;
}

/* The generator of Metrowerks' library, of 15 bits, in place of the C library's. */
static UInt32 next_rand = 1;

void srand(unsigned seed) { next_rand = seed; }

int rand(void) {
    next_rand = next_rand * 1103515245u + 12345u;
    return (int)(next_rand >> 16 & 0x7FFF);
}

/* The original's: the minimal standard generator, and the low half of its number. */
short Random(void) {
    qd.randSeed = (SInt32)((int64_t)qd.randSeed * 16807 % 0x7FFFFFFF);
    short number = (short)(qd.randSeed & 0xFFFF);
    return number == INT16_MIN ? 0 : number;
}

/* ---- Debugging */
void Debugger(void) { fputs("mactech: Debugger\n", stderr); }
void DebugStr(ConstStr255Param text) { fprintf(stderr, "%.*s\n", text[0], (const char *)text + 1); }
void SysBeep(short duration) { (void)duration; }

void ExitToShell(void) {
    fputs("mactech: the entry called ExitToShell\n", stderr);
    exit(1);
}

/* ---- The console and files: a log that cannot be written is lost, and the entry continues */
FILE *__real_fopen(const char *name, const char *mode);

FILE *__wrap_fopen(const char *name, const char *mode) {
    FILE *file = __real_fopen(name, mode);
    return file != NULL || mode[0] == 'r' ? file : __real_fopen("/dev/null", mode);
}

tSIOUXSettings SIOUXSettings;
int ccommand(char ***arguments) { return (void)arguments, 0; }

/* ---- Events */
static Boolean no_event(EventRecord *event) {
    *event = (EventRecord){.what = nullEvent, .when = TickCount()};
    return false;
}

Boolean GetNextEvent(EventMask mask, EventRecord *event) { return (void)mask, no_event(event); }
Boolean EventAvail(EventMask mask, EventRecord *event) { return (void)mask, no_event(event); }

Boolean WaitNextEvent(EventMask mask, EventRecord *event, UInt32 sleep, void *region) {
    (void)mask, (void)sleep, (void)region;
    return no_event(event);
}

void SystemTask(void) {}
void FlushEvents(EventMask mask, EventMask stop) { (void)mask, (void)stop; }
void GetMouse(Point *where) { *where = (Point){0, 0}; }
Boolean Button(void) { return false; }
Boolean StillDown(void) { return false; }

/* ---- The machine, threads */
OSErr Gestalt(OSType selector, SInt32 *response) {
    (void)selector;
    return *response = 0, gestaltUndefSelectorErr;
}
OSErr NewThread(UInt32 style, ProcPtr entry, void *argument, Size stack, OptionBits options,
                void **result, ThreadID *made) {
    (void)style, (void)entry, (void)argument, (void)stack, (void)options, (void)result;
    return *made = kNoThreadID, threadTooManyReqsErr;
}
OSErr YieldToAnyThread(void) { return noErr; }
OSErr YieldToThread(ThreadID thread) { return (void)thread, noErr; }
OSErr GetCurrentThread(ThreadID *thread) { return *thread = kApplicationThreadID, noErr; }
OSErr ThreadBeginCritical(void) { return noErr; }
OSErr ThreadEndCritical(void) { return noErr; }
