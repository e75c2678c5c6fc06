/* Makes a program's writes to some files fail, or kills the program at one of them. Preloaded with LD_PRELOAD.

   FAULT_PATH   the beginning of the paths of the files
   FAULT_KIND   ENOSPC, EIO, KILL (before the write) or KILL-AFTER; without it nothing fails
   FAULT_AT     the number of the write, from 1
   FAULT_LASTS  if it is set, all later writes fail, too
   FAULT_ARMED  a file, for a program that has many processes: a write fails if it can remove the file, which has the kind,
                and after it ` for good` if the file stays, or ` at fdatasync` for the next call of this name
   FAULT_TRACE  a file to which each write adds a line, so that a driver can count them

   A write is a call that changes a file, makes one, or waits for the disk. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_int writes;

static int is_ours(const char *path)
{
    const char *beginning = getenv("FAULT_PATH");
    return beginning != NULL && strncmp(path, beginning, strlen(beginning)) == 0;
}

/* Returns the path of an open file, or an empty one. */
static const char *path_of(int fd, char *path, size_t size)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    return path;
}

static void trace(int number, const char *call, const char *path)
{
    const char *file = getenv("FAULT_TRACE");
    if (file == NULL)
        return;
    char line[4200];
    int length = snprintf(line, sizeof line, "%d %s %s\n", number, call, path);
    int fd = REAL(open)(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd >= 0) {
        if (REAL(write)(fd, line, length) < 0)
            _exit(99);
        close(fd);
    }
}

/* Takes the kind of a fault from the file for it. Of several processes, one gets it. */
static const char *armed_kind(const char *call, char *kind, size_t size)
{
    const char *armed = getenv("FAULT_ARMED");
    int fd = armed == NULL ? -1 : REAL(open)(armed, O_RDONLY);
    if (fd < 0)
        return NULL;
    ssize_t length = read(fd, kind, size - 1);
    close(fd);
    if (length <= 0)
        return NULL;
    kind[length] = '\0';
    char *name = strstr(kind, " at ");
    if (name != NULL && strcmp(name + strlen(" at "), call) != 0)
        return NULL;
    if (strstr(kind, " for good") == NULL && unlink(armed) != 0)
        return NULL;
    kind[strcspn(kind, " ")] = '\0';
    return kind;
}

/* Returns the kind of fault that a write has, or NULL. */
static const char *fault_of(int number, const char *call, char *kind, size_t size)
{
    const char *at = getenv("FAULT_AT");
    if (at == NULL)
        return armed_kind(call, kind, size);
    int is_due = number == atoi(at) || (number > atoi(at) && getenv("FAULT_LASTS") != NULL);
    return is_due ? getenv("FAULT_KIND") : NULL;
}

enum fate { IS_MADE, FAILS, IS_THE_LAST };

/* Counts a write, and decides what becomes of it. */
static enum fate fate_of(const char *call, const char *path)
{
    if (!is_ours(path))
        return IS_MADE;
    int number = atomic_fetch_add(&writes, 1) + 1;
    trace(number, call, path);
    char armed[32];
    const char *kind = fault_of(number, call, armed, sizeof armed);
    if (kind == NULL)
        return IS_MADE;
    if (strcmp(kind, "KILL-AFTER") == 0)
        return IS_THE_LAST;
    if (strcmp(kind, "KILL") == 0)
        raise(SIGKILL);
    errno = strcmp(kind, "EIO") == 0 ? EIO : ENOSPC;
    return FAILS;
}

static enum fate fate_of_fd(const char *call, int fd)
{
    char path[4096];
    return fate_of(call, path_of(fd, path, sizeof path));
}

/* Defines a call on an open file. */
#define INTERCEPT(type, name, parameters, arguments)          \
    type name parameters                                      \
    {                                                         \
        enum fate fate = fate_of_fd(#name, fd);               \
        if (fate == FAILS)                                    \
            return -1;                                        \
        type result = REAL(name) arguments;                   \
        if (fate == IS_THE_LAST)                              \
            raise(SIGKILL);                                   \
        return result;                                        \
    }

INTERCEPT(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
INTERCEPT(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
INTERCEPT(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
INTERCEPT(int, ftruncate, (int fd, off_t size), (fd, size))
INTERCEPT(int, ftruncate64, (int fd, off64_t size), (fd, size))
INTERCEPT(int, fsync, (int fd), (fd))
INTERCEPT(int, fdatasync, (int fd), (fd))

/* Defines a call that may make a file. */
#define INTERCEPT_OPEN(name)                                                             \
    int name(const char *path, int flags, ...)                                           \
    {                                                                                    \
        va_list rest;                                                                    \
        va_start(rest, flags);                                                           \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;          \
        va_end(rest);                                                                    \
        int is_new = flags & O_CREAT && access(path, F_OK) != 0;                         \
        enum fate fate = is_new ? fate_of(#name, path) : IS_MADE;                        \
        if (fate == FAILS)                                                               \
            return -1;                                                                   \
        int result = REAL(name)(path, flags, mode);                                      \
        if (fate == IS_THE_LAST)                                                         \
            raise(SIGKILL);                                                              \
        return result;                                                                   \
    }

INTERCEPT_OPEN(open)
INTERCEPT_OPEN(open64)
