/* Stand-ins for the Macintosh calls of mactech_toolbox.h: Pascal strings. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mactech_toolbox.h"

void NumToString(SInt32 number, Str255 text) {
    text[0] = (UInt8)snprintf((char *)text + 1, 255, "%d", number);
}

void StringToNum(ConstStr255Param text, SInt32 *number) {
    char digits[256] = {0};
    memcpy(digits, text + 1, text[0]);
    *number = (SInt32)strtol(digits, NULL, 10);
}

unsigned char *c2pstr(char *text) {
    size_t size = strlen(text);
    UInt8 *bytes = (UInt8 *)text;
    size = size > 255 ? 255 : size;
    memmove(bytes + 1, bytes, size);
    bytes[0] = (UInt8)size;
    return bytes;
}

char *p2cstr(StringPtr text) {
    size_t size = text[0];
    memmove(text, text + 1, size);
    text[size] = 0;
    return (char *)text;
}

static UInt8 folded(UInt8 letter, bool cases) {
    return !cases && letter >= 'A' && letter <= 'Z' ? (UInt8)(letter - 'A' + 'a') : letter;
}

Boolean EqualString(ConstStr255Param a, ConstStr255Param b, Boolean cases, Boolean marks) {
    (void)marks;
    for (int i = 0; i <= a[0]; i++)
        if (i == 0 ? a[0] != b[0] : folded(a[i], cases) != folded(b[i], cases))
            return false;
    return true;
}

StringPtr PLstrcpy(StringPtr target, ConstStr255Param text) {
    return memmove(target, text, (size_t)text[0] + 1);
}

StringPtr PLstrcat(StringPtr target, ConstStr255Param text) {
    size_t room = 255u - target[0], size = text[0] < room ? text[0] : room;
    memmove(target + 1 + target[0], text + 1, size);
    target[0] = (UInt8)(target[0] + size);
    return target;
}

short PLstrlen(ConstStr255Param text) { return text[0]; }

void CopyCStringToPascal(const char *text, Str255 target) {
    size_t size = strlen(text);
    size = size > 255 ? 255 : size;
    memmove(target + 1, text, size);
    target[0] = (UInt8)size;
}

void CopyPascalStringToC(ConstStr255Param text, char *target) {
    size_t size = text[0];
    memmove(target, text + 1, size);
    target[size] = 0;
}
