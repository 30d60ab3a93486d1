/* A power failure for one process: SIGUSR1 undoes all writes to files under $POWER_LOSS that no fsync or
   fdatasync has followed, removes new files whose folder was not synced, and ends the process. Preload it.
   Paths are absolute. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct change { /* what a file had before a write, or that it was not there */
  struct change *before;
  char path[512];
  ino_t inode;
  int is_new;
  off_t offset, size;
  size_t length;
  char old[];
} change;

static change *last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }
#define NEXT(type, name, ...) ((type(*)(__VA_ARGS__))next(name))

static void begin(sigset_t *before) { /* the signal must not interrupt a thread that has the lock */
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, before);
  pthread_mutex_lock(&lock);
}

static void end(sigset_t *before) {
  pthread_mutex_unlock(&lock);
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

static int watched(int fd, char *path, struct stat *status) {
  char link[64];
  const char *folder = getenv("POWER_LOSS");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, 511);
  if (length < 0 || folder == NULL) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0 && fstat(fd, status) == 0;
}

static void remember(const char *path, struct stat *status, int is_new, int fd, off_t offset, size_t length) {
  change *one = calloc(1, sizeof(change) + length);
  strcpy(one->path, path);
  one->inode = status->st_ino;
  one->is_new = is_new;
  one->offset = offset;
  one->size = status->st_size;
  if (length > 0) {
    ssize_t got = NEXT(ssize_t, "pread64", int, void *, size_t, off_t)(fd, one->old, length, offset);
    one->length = got < 0 ? 0 : (size_t)got;
  }
  one->before = last;
  last = one;
}

static void forget(const char *path, struct stat *status) { /* a file, or a folder, is synced */
  int is_folder = S_ISDIR(status->st_mode);
  size_t length = strlen(path);
  for (change **place = &last; *place != NULL;) {
    change *one = *place;
    int inside = strncmp(one->path, path, length) == 0 && one->path[length] == '/' && !strchr(one->path + length + 1, '/');
    if (is_folder ? one->is_new && inside : !one->is_new && one->inode == status->st_ino) {
      *place = one->before;
      free(one);
    } else {
      place = &one->before;
    }
  }
}

static void fail(int signal) {
  (void)signal;
  pthread_mutex_lock(&lock); /* nobody writes any more */
  for (change *one = last; one != NULL; one = one->before) {
    if (one->is_new) {
      unlink(one->path);
      continue;
    }
    int fd = NEXT(int, "open64", const char *, int, ...)(one->path, O_WRONLY);
    if (fd < 0) continue;
    if (NEXT(ssize_t, "pwrite64", int, const void *, size_t, off_t)(fd, one->old, one->length, one->offset) < 0 ||
        NEXT(int, "ftruncate64", int, off_t)(fd, one->size) < 0)
      _exit(3);
    close(fd);
  }
  _exit(9);
}

__attribute__((constructor)) static void prepare(void) {
  struct sigaction action = {.sa_handler = fail};
  sigaction(SIGUSR1, &action, NULL);
}

static int opened(int fd, int was_there) {
  char path[512];
  struct stat status;
  sigset_t before;
  if (fd >= 0 && !was_there && watched(fd, path, &status)) {
    begin(&before);
    remember(path, &status, 1, fd, 0, 0);
    end(&before);
  }
  return fd;
}

#define OPEN(name)                                                     \
  int name(const char *path, int flags, ...) {                         \
    va_list rest;                                                      \
    va_start(rest, flags);                                             \
    mode_t mode = va_arg(rest, mode_t);                                \
    va_end(rest);                                                      \
    int was_there = !(flags & O_CREAT) || access(path, F_OK) == 0;     \
    return opened(NEXT(int, #name, const char *, int, ...)(path, flags, mode), was_there); \
  }
OPEN(open)
OPEN(open64)

#define CHANGED(fd, at, count, shrinks, call)                          \
  char path[512];                                                      \
  struct stat status;                                                  \
  sigset_t before;                                                     \
  if (!watched(fd, path, &status) || !S_ISREG(status.st_mode)) return call; \
  begin(&before);                                                      \
  off_t from = (at);                                                   \
  remember(path, &status, 0, fd, from, shrinks ? (status.st_size > from ? (size_t)(status.st_size - from) : 0) : (size_t)(count)); \
  __typeof__(call) result = call;                                      \
  end(&before);                                                        \
  return result;

ssize_t write(int fd, const void *data, size_t count) {
  CHANGED(fd, lseek(fd, 0, SEEK_CUR), count, 0, NEXT(ssize_t, "write", int, const void *, size_t)(fd, data, count))
}
#define PWRITE(name)                                                   \
  ssize_t name(int fd, const void *data, size_t count, off_t offset) { \
    CHANGED(fd, offset, count, 0, NEXT(ssize_t, #name, int, const void *, size_t, off_t)(fd, data, count, offset)) \
  }
PWRITE(pwrite)
PWRITE(pwrite64)
#define TRUNCATE(name)                                                 \
  int name(int fd, off_t size) { CHANGED(fd, size, 0, 1, NEXT(int, #name, int, off_t)(fd, size)) }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define SYNC(name)                                                     \
  int name(int fd) {                                                   \
    char path[512];                                                    \
    struct stat status;                                                \
    sigset_t before;                                                   \
    int result = NEXT(int, #name, int)(fd);                            \
    if (result == 0 && watched(fd, path, &status)) {                   \
      begin(&before);                                                  \
      forget(path, &status);                                           \
      end(&before);                                                    \
    }                                                                  \
    return result;                                                     \
  }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) { /* what is lost of a file is looked for by its new name */
  sigset_t before;
  begin(&before);
  int result = NEXT(int, "rename", const char *, const char *)(from, to);
  for (change *one = last; result == 0 && one != NULL; one = one->before)
    if (strcmp(one->path, from) == 0) snprintf(one->path, sizeof one->path, "%s", to);
  end(&before);
  return result;
}
