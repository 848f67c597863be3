/* Log what a process does to the files of one folder, in order, with what it says to others.
 *
 * Preloaded into Arena's processes by power_shim.py; power_disk.py reads the log. Each entry is
 * written under a lock that also holds the operation, so that the log has the order of the disk.
 * ARENA_POWER_FOLDER is the folder, ARENA_POWER_LOG the log, which is elsewhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
enum {
    CREATE = 'C',
    SIZE = 'T',
    WRITE = 'W',
    SYNC = 'S',
    RENAME = 'R',
    LINK = 'L',
    UNLINK = 'U',
    MKDIR = 'M',
    SAY = 'P',
    SYNC_ALL = 'A'
};
struct entry {
    uint64_t what, inode, at, path, data;
};

static const char *folder, *log_path;
static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;
static int open_log = -1;

static void before_fork(void) { pthread_mutex_lock(&threads); }
static void after_fork(void) { pthread_mutex_unlock(&threads); }

__attribute__((constructor)) static void begin(void) {
    folder = getenv("ARENA_POWER_FOLDER");
    log_path = getenv("ARENA_POWER_LOG");
    pthread_atfork(before_fork, after_fork, after_fork);
}

static int lock(void) {
    if (!folder || !log_path)
        return 0;
    pthread_mutex_lock(&threads);
    open_log = (int)syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (open_log >= 0 && fcntl(open_log, F_SETLKW, &all) && errno == EINTR) {
    }
    return 1;
}

static void unlock(int is_locked) {
    int error = errno;
    if (!is_locked)
        return;
    if (open_log >= 0)
        syscall(SYS_close, open_log);
    open_log = -1;
    pthread_mutex_unlock(&threads);
    errno = error;
}

static void put(struct entry entry, const char *path, const void *data) {
    int error = errno;
    struct iovec parts[] = {
        {&entry, sizeof entry}, {(void *)path, entry.path}, {(void *)data, entry.data}};
    if (open_log >= 0 && syscall(SYS_writev, open_log, parts, 3) < 0)
        abort();
    errno = error;
}

static void note(int what, uint64_t inode, uint64_t at, const char *path, const char *other) {
    struct entry entry = {(uint64_t)what, inode, at, path ? strlen(path) : 0,
                          other ? strlen(other) : 0};
    put(entry, path, other);
}

/* Whether a path is in the folder, and no index in shared memory, which nobody needs again. */
static int is_ours(const char *path) {
    size_t length = folder ? strlen(folder) : 0;
    return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]) &&
           !strstr(path, "-shm");
}

static int path_of(int descriptor, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return length > 0;
}

/* Make a whole path of one that may begin at an open folder; return whether it is ours. */
static int whole(int from, const char *path, char result[PATH_MAX]) {
    char joined[PATH_MAX], base[PATH_MAX], parent[PATH_MAX];
    if (!folder || !path)
        return 0;
    if (path[0] == '/')
        snprintf(joined, sizeof joined, "%s", path);
    else if (from == AT_FDCWD ? !getcwd(base, sizeof base) : !path_of(from, base))
        return 0;
    else if (snprintf(joined, sizeof joined, "%s/%s", base, path) >= PATH_MAX)
        return 0;
    for (size_t end = strlen(joined); end > 1 && joined[end - 1] == '/'; end--)
        joined[end - 1] = 0;
    char *last = strrchr(joined, '/');
    *last = 0;
    if (!realpath(*joined ? joined : "/", parent))
        return 0;
    if (snprintf(result, PATH_MAX, "%s/%s", parent, last + 1) >= PATH_MAX)
        return 0;
    return is_ours(result);
}

/* Whether an open file is a file or a folder in our folder. */
static int has_ours(int descriptor, struct stat *found) {
    char path[PATH_MAX];
    return folder && !fstat(descriptor, found) &&
           (S_ISREG(found->st_mode) || S_ISDIR(found->st_mode)) && path_of(descriptor, path) &&
           is_ours(path);
}

static int opened(int from, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    struct stat found;
    if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE ||
        !whole(from, path, full))
        return NEXT(openat)(from, path, flags, mode);
    int is_locked = lock();
    int is_new = lstat(full, &found) != 0;
    int descriptor = NEXT(openat)(from, path, flags, mode);
    if (descriptor >= 0 && !fstat(descriptor, &found) && S_ISREG(found.st_mode)) {
        if (is_new)
            note(CREATE, found.st_ino, 0, full, NULL);
        else if (flags & O_TRUNC)
            note(SIZE, found.st_ino, 0, NULL, NULL);
    }
    unlock(is_locked);
    return descriptor;
}

#define OPEN(name, from, ...)                                                                      \
    int name(__VA_ARGS__, int flags, ...) {                                                        \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                    \
        va_end(more);                                                                              \
        return opened(from, path, flags, mode);                                                    \
    }
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, folder_, int folder_, const char *path)
OPEN(openat64, folder_, int folder_, const char *path)

/* Log what was written, which ended at `end`; or what is said, before it is. */
static void wrote(uint64_t inode, uint64_t at, const struct iovec *parts, int count, size_t left) {
    for (int n = 0; n < count && left; n++) {
        size_t size = parts[n].iov_len < left ? parts[n].iov_len : left;
        put((struct entry){WRITE, inode, at, 0, size}, NULL, parts[n].iov_base);
        at += size, left -= size;
    }
}

static void said(const void *data, size_t size) {
    int is_locked = lock();
    put((struct entry){SAY, 0, 0, 0, size}, NULL, data);
    unlock(is_locked);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    struct stat found;
    if (!has_ours(descriptor, &found)) {
        for (int n = 0; descriptor <= 2 && n < count; n++)
            said(parts[n].iov_base, parts[n].iov_len);
        return NEXT(writev)(descriptor, parts, count);
    }
    int is_locked = lock();
    ssize_t size = NEXT(writev)(descriptor, parts, count);
    off_t end = lseek(descriptor, 0, SEEK_CUR); /* also after O_APPEND */
    if (size > 0)
        wrote(found.st_ino, (uint64_t)(end - size), parts, count, (size_t)size);
    unlock(is_locked);
    return size;
}

ssize_t write(int descriptor, const void *data, size_t size) {
    struct iovec part = {(void *)data, size};
    struct stat found;
    if (descriptor > 2 && !has_ours(descriptor, &found))
        return NEXT(write)(descriptor, data, size);
    return writev(descriptor, &part, 1);
}

static ssize_t wrote_at(int descriptor, const void *data, size_t size, off_t at) {
    struct iovec part = {(void *)data, size};
    struct stat found;
    if (!has_ours(descriptor, &found))
        return NEXT(pwrite)(descriptor, data, size, at);
    int is_locked = lock();
    ssize_t done = NEXT(pwrite)(descriptor, data, size, at);
    if (done > 0)
        wrote(found.st_ino, (uint64_t)at, &part, 1, (size_t)done);
    unlock(is_locked);
    return done;
}
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at) {
    return wrote_at(descriptor, data, size, at);
}
ssize_t pwrite64(int descriptor, const void *data, size_t size, off_t at) {
    return wrote_at(descriptor, data, size, at);
}

/* Python copies by `write` where these fail. */
ssize_t sendfile(int to, int from, off_t *at, size_t size) {
    struct stat found;
    if (!has_ours(to, &found))
        return NEXT(sendfile)(to, from, at, size);
    errno = EINVAL;
    return -1;
}
ssize_t sendfile64(int to, int from, off_t *at, size_t size) {
    return sendfile(to, from, at, size);
}
ssize_t copy_file_range(int from, off_t *in, int to, off_t *out, size_t size, unsigned int flags) {
    struct stat found;
    if (!has_ours(to, &found))
        return NEXT(copy_file_range)(from, in, to, out, size, flags);
    errno = EINVAL;
    return -1;
}

ssize_t send(int descriptor, const void *data, size_t size, int flags) {
    said(data, size);
    return NEXT(send)(descriptor, data, size, flags);
}

static int resized(int descriptor, off_t size) {
    struct stat found;
    if (!has_ours(descriptor, &found))
        return NEXT(ftruncate)(descriptor, size);
    int is_locked = lock();
    int failed = NEXT(ftruncate)(descriptor, size);
    if (!failed)
        note(SIZE, found.st_ino, (uint64_t)size, NULL, NULL);
    unlock(is_locked);
    return failed;
}
int ftruncate(int descriptor, off_t size) { return resized(descriptor, size); }
int ftruncate64(int descriptor, off_t size) { return resized(descriptor, size); }

/* Nothing has to reach a disk here: the log says what would have. */
static int synced(int descriptor, int (*real)(int)) {
    struct stat found;
    char path[PATH_MAX];
    if (!has_ours(descriptor, &found))
        return real(descriptor);
    int is_locked = lock();
    path_of(descriptor, path);
    note(SYNC, found.st_ino, 0, S_ISDIR(found.st_mode) ? path : NULL, NULL);
    unlock(is_locked);
    return 0;
}
int fsync(int descriptor) { return synced(descriptor, NEXT(fsync)); }
int fdatasync(int descriptor) { return synced(descriptor, NEXT(fdatasync)); }
void sync(void) {
    int is_locked = lock();
    note(SYNC_ALL, 0, 0, NULL, NULL);
    unlock(is_locked);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned int flags) {
    char before[PATH_MAX], after[PATH_MAX];
    int is_ours_too = whole(from, old, before) && whole(to, new, after);
    int is_locked = lock();
    int failed = (int)syscall(SYS_renameat2, from, old, to, new, flags);
    if (!failed && is_ours_too)
        note(RENAME, 0, 0, before, after);
    unlock(is_locked);
    return failed;
}
int renameat(int from, const char *old, int to, const char *new) {
    return renameat2(from, old, to, new, 0);
}
int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }

int linkat(int from, const char *old, int to, const char *new, int flags) {
    char after[PATH_MAX];
    struct stat found;
    int is_ours_too = whole(to, new, after);
    int is_locked = lock();
    int failed = NEXT(linkat)(from, old, to, new, flags);
    if (!failed && is_ours_too && !lstat(after, &found))
        note(LINK, found.st_ino, 0, after, NULL);
    unlock(is_locked);
    return failed;
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

int unlinkat(int from, const char *path, int flags) {
    char full[PATH_MAX];
    int is_ours_too = whole(from, path, full);
    int is_locked = lock();
    int failed = NEXT(unlinkat)(from, path, flags);
    if (!failed && is_ours_too)
        note(UNLINK, 0, 0, full, NULL);
    unlock(is_locked);
    return failed;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int from, const char *path, mode_t mode) {
    char full[PATH_MAX];
    int is_ours_too = whole(from, path, full);
    int is_locked = lock();
    int failed = NEXT(mkdirat)(from, path, mode);
    if (!failed && is_ours_too)
        note(MKDIR, 0, 0, full, NULL);
    unlock(is_locked);
    return failed;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
