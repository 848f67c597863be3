/* What <time.h> was to C in 1997: time_t is an unsigned long of 32 bits, so that an entry may give
 * `time` the address of one. Included after the header of today. */
#if !defined(MACTECH_TIME_H) && !defined(__cplusplus)
#define MACTECH_TIME_H

typedef unsigned int mactech_time_t;

static __inline__ mactech_time_t mactech_time(mactech_time_t *at) {
    mactech_time_t now = (mactech_time_t)time((void *)0);
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

#define time_t mactech_time_t
#define time(at) mactech_time(at)
#define localtime(at) mactech_localtime(at)
#define gmtime(at) mactech_gmtime(at)
#define ctime(at) mactech_ctime(at)

#endif
