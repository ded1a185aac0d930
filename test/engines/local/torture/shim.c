/*
 * Preloaded into a child process (LD_PRELOAD). It watches the files below one directory,
 * TORTURE_DIRECTORY (an absolute path without symbolic links), and
 *
 * - lets calls fail as the control file TORTURE_CONTROL says (shim.ts, FaultControl). The file is
 *   mapped, so that it can be changed while the process runs;
 * - appends every change, flush and line on standard output to the file TORTURE_RECORD (shim.ts,
 *   readRecords), from which disk-image.ts computes what a power loss could leave.
 *
 * Data files are not mapped for writing, so msync is not watched. libuv must not use io_uring
 * (UV_USE_IO_URING=0). 64-bit Linux only.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum call { WRITE, SYNC, OPEN, TRUNCATE, RENAME, LINK, UNLINK, MKDIR, CALLS };

/* All fields are 64 bits wide; shim.ts writes them by their position. */
struct control {
  int64_t calls_that_fail; /* a bit for each enum call */
  int64_t first;           /* the number, from 1, of the first of these calls that fails; 0: none */
  int64_t count;           /* how many fail; 0: all from then on */
  int64_t error;           /* -1: the process is killed before the call; -2: it is stopped */
  int64_t short_write; /* the first failing write writes half of its sectors, and does not fail */
  int64_t capacity;    /* bytes that the watched files may take; 0: no limit */
  int64_t capacity_error;
  /* Written by the shim. */
  int64_t matched;
  int64_t failed;
  int64_t counts[CALLS];
};

enum kind { R_OPEN = 1, R_WRITE, R_TRUNCATE, R_SYNC, R_NAME, R_RENAME, R_UNLINK, R_MKDIR, R_LINE, R_SYNC_FAILED };
enum flag { F_CREATED = 1, F_SYNCED = 2, F_DIRECTORY = 4 };
struct record {
  uint32_t kind, flags;
  uint64_t inode, offset, length;
};

#define MAX_FILES 65536
static struct { unsigned char watched, synced, append, directory; } files[MAX_FILES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char directory[PATH_MAX];
static struct control *control;
static int record_file = -1;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("TORTURE_DIRECTORY");
  if (path == NULL) return;
  snprintf(directory, sizeof directory, "%s", path);
  if ((path = getenv("TORTURE_CONTROL")) != NULL) {
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    void *memory = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || memory == MAP_FAILED) abort();
    control = memory;
  }
  if ((path = getenv("TORTURE_RECORD")) != NULL) {
    record_file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (record_file < 0) abort();
  }
}

/* Copies the path below the directory to `name` ("" for the directory); 0 for other paths. */
static int watched_name(const char *path, char name[PATH_MAX]) {
  if (directory[0] == 0 || path == NULL) return 0;
  char whole[2 * PATH_MAX];
  if (path[0] == '/') snprintf(whole, sizeof whole, "%s", path);
  else {
    char current[PATH_MAX];
    if (getcwd(current, sizeof current) == NULL) return 0;
    snprintf(whole, sizeof whole, "%s/%s", current, path);
  }
  size_t length = strlen(directory);
  if (strncmp(whole, directory, length) != 0) return 0;
  if (whole[length] != 0 && whole[length] != '/') return 0;
  snprintf(name, PATH_MAX, "%s", whole[length] == 0 ? "" : whole + length + 1);
  return 1;
}

/* Handles are also closed and made without the calls below: those of threads are no files. */
static int is_watched(int file) {
  struct stat status;
  if (file < 0 || file >= MAX_FILES || !files[file].watched) return 0;
  int kept = errno, known = fstat(file, &status) == 0;
  errno = kept;
  return known && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

/* Counts a call; true with errno set if it has to fail. */
static int fails(enum call call) {
  if (control == NULL) return 0;
  control->counts[call]++;
  if ((control->calls_that_fail & (1 << call)) == 0) return 0;
  int64_t number = ++control->matched;
  if (control->first == 0 || number < control->first) return 0;
  if (control->count != 0 && number >= control->first + control->count) return 0;
  control->failed++;
  if (control->error == -1) kill(getpid(), SIGKILL);
  if (control->error == -2) return kill(getpid(), SIGSTOP), 0;
  errno = (int)control->error;
  return 1;
}

static void record(enum kind kind, int flags, uint64_t inode, uint64_t offset, const void *bytes, size_t length) {
  if (record_file < 0) return;
  int kept = errno;
  struct record head = {kind, flags, inode, offset, length};
  struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, length}};
  ssize_t wanted = sizeof head + length;
  if (syscall(SYS_writev, record_file, parts, 2) != wanted) abort();
  errno = kept;
}

static uint64_t inode_of(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

/* Bytes that the files of a folder and of the folders in it take on the disk. */
static int64_t used_bytes(const char *folder) {
  int64_t sum = 0;
  DIR *list = opendir(folder);
  if (list == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
    char path[PATH_MAX + 300];
    struct stat status;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (lstat(path, &status) != 0) continue;
    sum += S_ISDIR(status.st_mode) ? used_bytes(path) : (int64_t)status.st_blocks * 512;
  }
  closedir(list);
  return sum;
}

/* Bytes of the range that are not allocated yet. */
static int64_t missing_bytes(int file, off_t start, size_t length) {
  off_t kept = lseek(file, 0, SEEK_CUR), end = start + (off_t)length;
  int64_t missing = 0;
  for (off_t at = start; at < end;) {
    off_t data = lseek(file, at, SEEK_DATA);
    if (data < 0 || data > end) data = end;
    missing += data - at;
    if (data == end) break;
    at = lseek(file, data, SEEK_HOLE);
    if (at < 0) break;
  }
  lseek(file, kept, SEEK_SET);
  return missing;
}

/* How many of the bytes there is space for. */
static size_t fitting(int file, off_t at, size_t length) {
  if (control == NULL || control->capacity == 0) return length;
  int kept = errno;
  int64_t missing = missing_bytes(file, at, length), room = control->capacity - used_bytes(directory);
  errno = kept;
  if (missing <= 0 || missing <= room) return length;
  int64_t present = (int64_t)length - missing;
  return room <= 0 ? (size_t)present : (size_t)(present + room);
}

/* `at` is -1 for the position of the file. */
static ssize_t put(int file, const void *bytes, size_t length, off_t at) {
  if (!is_watched(file)) {
    if (file == STDOUT_FILENO && record_file >= 0) record(R_LINE, 0, 0, 0, bytes, length);
    return at < 0 ? syscall(SYS_write, file, bytes, length) : syscall(SYS_pwrite64, file, bytes, length, at);
  }
  pthread_mutex_lock(&mutex);
  ssize_t result = -1;
  struct stat status;
  off_t start = at;
  if (files[file].append && fstat(file, &status) == 0) start = status.st_size;
  else if (at < 0) start = lseek(file, 0, SEEK_CUR);
  size_t allowed = length;
  if (fails(WRITE)) {
    allowed = 0;
    /* Sectors are written completely or not at all. */
    if (control->short_write) allowed = length / 2 / 512 * 512, control->short_write = 0;
  } else if ((allowed = fitting(file, start, length)) == 0 && length > 0) {
    control->failed++;
    errno = (int)control->capacity_error;
  }
  if (allowed > 0 || length == 0) {
    result = at < 0 ? syscall(SYS_write, file, bytes, allowed) : syscall(SYS_pwrite64, file, bytes, allowed, at);
    if (result > 0) record(R_WRITE, files[file].synced ? F_SYNCED : 0, inode_of(file), start, bytes, result);
  }
  pthread_mutex_unlock(&mutex);
  return result;
}

static ssize_t put_parts(int file, const struct iovec *parts, int count, off_t at) {
  if (!is_watched(file) && file != STDOUT_FILENO)
    return at < 0 ? syscall(SYS_writev, file, parts, count) : syscall(SYS_pwritev, file, parts, count, at, 0);
  size_t length = 0;
  for (int part = 0; part < count; part++) length += parts[part].iov_len;
  char *bytes = malloc(length + 1), *end = bytes;
  if (bytes == NULL) return errno = ENOMEM, -1;
  for (int part = 0; part < count; part++) end = mempcpy(end, parts[part].iov_base, parts[part].iov_len);
  ssize_t result = put(file, bytes, length, at);
  free(bytes);
  return result;
}

static int open_file(int folder, const char *path, int flags, mode_t mode) {
  char name[PATH_MAX];
  if ((folder != AT_FDCWD && path[0] != '/') || !watched_name(path, name)) {
    int file = syscall(SYS_openat, folder, path, flags, mode);
    if (file >= 0 && file < MAX_FILES) files[file].watched = 0;
    return file;
  }
  pthread_mutex_lock(&mutex);
  int file = -1;
  struct stat status;
  if (!fails(OPEN)) {
    int existed = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
    file = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file >= MAX_FILES) abort();
    if (file >= 0 && fstat(file, &status) == 0) {
      files[file].watched = 1;
      files[file].synced = (flags & O_DSYNC) != 0;
      files[file].append = (flags & O_APPEND) != 0;
      files[file].directory = S_ISDIR(status.st_mode);
      int kind = (existed ? 0 : F_CREATED) | (S_ISDIR(status.st_mode) ? F_DIRECTORY : 0);
      record(R_OPEN, kind, status.st_ino, 0, name, strlen(name));
      if (existed && (flags & O_TRUNC)) record(R_TRUNCATE, 0, status.st_ino, 0, "", 0);
    }
  }
  pthread_mutex_unlock(&mutex);
  return file;
}

static int flush_file(int file, long call) {
  if (!is_watched(file)) return syscall(call, file);
  pthread_mutex_lock(&mutex);
  char name[PATH_MAX] = "", link[64], path[PATH_MAX] = {0};
  int flags = files[file].directory ? F_DIRECTORY : 0;
  if (files[file].directory) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (readlink(link, path, sizeof path - 1) > 0) watched_name(path, name);
  }
  int result = fails(SYNC) ? -1 : syscall(call, file);
  record(result == 0 ? R_SYNC : R_SYNC_FAILED, flags, inode_of(file), 0, name, strlen(name));
  pthread_mutex_unlock(&mutex);
  return result;
}

static int resize(int file, off_t size) {
  if (!is_watched(file)) return syscall(SYS_ftruncate, file, size);
  pthread_mutex_lock(&mutex);
  int result = fails(TRUNCATE) ? -1 : syscall(SYS_ftruncate, file, size);
  if (result == 0) record(R_TRUNCATE, 0, inode_of(file), size, "", 0);
  pthread_mutex_unlock(&mutex);
  return result;
}

/* Not recorded: nothing here allocates space without writing. */
static int allocate(int file, int mode, off_t at, off_t length) {
  if (!is_watched(file)) return syscall(SYS_fallocate, file, mode, at, length);
  pthread_mutex_lock(&mutex);
  int result = fails(TRUNCATE) ? -1 : syscall(SYS_fallocate, file, mode, at, length);
  pthread_mutex_unlock(&mutex);
  return result;
}

/* A call with one or two names; `call` makes it. */
static int change_name(enum call call, enum kind kind, const char *from, const char *to, int mode) {
  char names[2 * PATH_MAX + 1], second[PATH_MAX] = "";
  int watched = watched_name(from, names);
  if (watched && to != NULL) watched = watched_name(to, second);
  if (watched) pthread_mutex_lock(&mutex);
  int result = -1;
  if (!watched || !fails(call)) {
    if (call == RENAME) result = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (call == LINK) result = syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (call == UNLINK) result = syscall(SYS_unlinkat, AT_FDCWD, from, mode);
    if (call == MKDIR) result = syscall(SYS_mkdirat, AT_FDCWD, from, mode);
  }
  if (!watched) return result;
  size_t length = strlen(names);
  if (to != NULL) length += 1 + snprintf(names + length + 1, PATH_MAX, "%s", second);
  if (result == 0) record(kind, 0, 0, 0, names, length);
  pthread_mutex_unlock(&mutex);
  return result;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE(flags) return open_file(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_file(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return open_file(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return open_file(folder, path, flags, mode); }
int close(int file) {
  if (file >= 0 && file < MAX_FILES) files[file].watched = 0;
  return syscall(SYS_close, file);
}
ssize_t write(int file, const void *bytes, size_t length) { return put(file, bytes, length, -1); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) { return put(file, bytes, length, at); }
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) { return put(file, bytes, length, at); }
ssize_t writev(int file, const struct iovec *parts, int count) { return put_parts(file, parts, count, -1); }
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) { return put_parts(file, parts, count, at); }
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) { return put_parts(file, parts, count, at); }
int fsync(int file) { return flush_file(file, SYS_fsync); }
int fdatasync(int file) { return flush_file(file, SYS_fdatasync); }
int ftruncate(int file, off_t size) { return resize(file, size); }
int ftruncate64(int file, off64_t size) { return resize(file, size); }
int fallocate(int file, int mode, off_t at, off_t length) { return allocate(file, mode, at, length); }
int fallocate64(int file, int mode, off64_t at, off64_t length) { return allocate(file, mode, at, length); }
int posix_fallocate(int file, off_t at, off_t length) { return allocate(file, 0, at, length) == 0 ? 0 : errno; }
int posix_fallocate64(int file, off64_t at, off64_t length) { return allocate(file, 0, at, length) == 0 ? 0 : errno; }
int rename(const char *from, const char *to) { return change_name(RENAME, R_RENAME, from, to, 0); }
int link(const char *from, const char *to) { return change_name(LINK, R_NAME, from, to, 0); }
int unlink(const char *path) { return change_name(UNLINK, R_UNLINK, path, NULL, 0); }
int remove(const char *path) {
  int result = unlink(path);
  return result != 0 && errno == EISDIR ? rmdir(path) : result;
}
int unlinkat(int folder, const char *path, int mode) {
  if (folder != AT_FDCWD && path[0] != '/') return syscall(SYS_unlinkat, folder, path, mode);
  return change_name(UNLINK, R_UNLINK, path, NULL, mode);
}
int rmdir(const char *path) { return change_name(UNLINK, R_UNLINK, path, NULL, AT_REMOVEDIR); }
int mkdir(const char *path, mode_t mode) { return change_name(MKDIR, R_MKDIR, path, NULL, mode); }
