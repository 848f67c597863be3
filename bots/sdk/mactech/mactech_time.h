/* What <time.h> was in 1997: time_t is an unsigned long of 32 bits, so that an entry may give
 * `time` the address of one. Included after the header of today. */
#ifndef MACTECH_TIME_H
#define MACTECH_TIME_H

typedef unsigned int mactech_time_t;

#ifdef __cplusplus
extern "C++" {
#endif

static __inline__ mactech_time_t mactech_time(mactech_time_t *at) {
    mactech_time_t now = (mactech_time_t)time((time_t *)0);
    if (at)
        *at = now;
    return now;
}

static __inline__ struct tm *mactech_localtime(const mactech_time_t *at) {
    time_t wide = *at;
    return localtime(&wide);
}

static __inline__ struct tm *mactech_gmtime(const mactech_time_t *at) {
    time_t wide = *at;
    return gmtime(&wide);
}

static __inline__ char *mactech_ctime(const mactech_time_t *at) {
    time_t wide = *at;
    return ctime(&wide);
}

#ifdef __cplusplus
/* Overloaded, so that a class may have members of these names; for time(0) and time(NULL), too. */
inline mactech_time_t time(mactech_time_t *at) { return mactech_time(at); }
inline mactech_time_t time(int) { return mactech_time(0); }
inline mactech_time_t time(long) { return mactech_time(0); }
inline struct tm *localtime(const mactech_time_t *at) { return mactech_localtime(at); }
inline struct tm *gmtime(const mactech_time_t *at) { return mactech_gmtime(at); }
inline char *ctime(const mactech_time_t *at) { return mactech_ctime(at); }
}
#define time_t mactech_time_t
#else
#define time_t mactech_time_t
#define time(at) mactech_time(at)
#define localtime(at) mactech_localtime(at)
#define gmtime(at) mactech_gmtime(at)
#define ctime(at) mactech_ctime(at)
#endif

#endif
