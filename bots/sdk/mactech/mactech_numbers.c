/* Stand-ins for the Macintosh calls of mactech_toolbox.h: numbers, and instructions of the PowerPC.
 */
#include <stdint.h>

#include "mactech_toolbox.h"

/* ---- Bits */
short HiWord(SInt32 number) { return (short)((UInt32)number >> 16); }
short LoWord(SInt32 number) { return (short)((UInt32)number & 0xFFFF); }
SInt32 BitAnd(SInt32 a, SInt32 b) { return a & b; }
SInt32 BitOr(SInt32 a, SInt32 b) { return a | b; }
SInt32 BitXor(SInt32 a, SInt32 b) { return a ^ b; }
SInt32 BitNot(SInt32 a) { return ~a; }

SInt32 BitShift(SInt32 number, short left) {
    UInt32 bits = (UInt32)number;
    if (left <= -32 || left >= 32)
        return 0;
    return (SInt32)(left >= 0 ? bits << left : bits >> -left);
}

static UInt8 *byte_of(const void *bytes, SInt32 bit) { return (UInt8 *)bytes + (bit >> 3); }
static UInt8 mask_of(SInt32 bit) { return (UInt8)(0x80 >> (bit & 7)); }
Boolean BitTst(const void *bytes, SInt32 bit) { return (*byte_of(bytes, bit) & mask_of(bit)) != 0; }
void BitSet(void *bytes, SInt32 bit) { *byte_of(bytes, bit) |= mask_of(bit); }
void BitClr(void *bytes, SInt32 bit) { *byte_of(bytes, bit) &= (UInt8)~mask_of(bit); }

/* ---- Fixed-point numbers */
static Fixed within(int64_t number) {
    return number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : (Fixed)number;
}

Fixed FixMul(Fixed a, Fixed b) { return within(((int64_t)a * b + 0x8000) >> 16); }

Fixed FixDiv(Fixed a, Fixed b) {
    if (b == 0)
        return a < 0 ? INT32_MIN : INT32_MAX;
    return within((int64_t)a * 65536 / b);
}

Fixed FixRatio(short numerator, short denominator) { return FixDiv(numerator, denominator); }
short FixRound(Fixed number) { return (short)(((int64_t)number + 0x8000) >> 16); }
SInt32 Fix2Long(Fixed number) { return FixRound(number); }
Fixed Long2Fix(SInt32 number) { return within((int64_t)number * 65536); }
Fixed X2Fix(double number) { return within((int64_t)(number * 65536.0)); }
double Fix2X(Fixed number) { return number / 65536.0; }

/* ---- Instructions of the PowerPC */
int __abs(int number) { return number < 0 ? (int)-(UInt32)number : number; }
double __fabs(double number) { return number < 0 ? -number : number; }
int __cntlzw(UInt32 bits) { return bits == 0 ? 32 : __builtin_clz(bits); }
SInt32 __mulhw(SInt32 a, SInt32 b) { return (SInt32)(((int64_t)a * b) >> 32); }
UInt32 __mulhwu(UInt32 a, UInt32 b) { return (UInt32)(((uint64_t)a * b) >> 32); }

UInt32 __rlwinm(UInt32 bits, int left, int first, int last) {
    UInt32 rotated = bits << (left & 31) | bits >> (-left & 31);
    UInt32 from = 0xFFFFFFFFu >> (first & 31), to = 0xFFFFFFFFu << (31 - (last & 31));
    return rotated & (first <= last ? from & to : from | to);
}
