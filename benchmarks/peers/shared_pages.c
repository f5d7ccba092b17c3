/* Memory of which all parts are one: for programs that take much more than they use.

   pinocchio's Data has four arrays of n^3 numbers for second derivatives, 32 GB for 1000 joints, and writes zeros into
   them when it is made. Its forward dynamics never reads them. Loaded before everything else (LD_PRELOAD) this answers
   whoever asks for a GB or more with addresses that all lead to the same 64 MB. */

#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

enum { MOST = 64 };
static const size_t LARGE = (size_t)1 << 30, PIECE = (size_t)1 << 26;
static struct { char *at; size_t size; } given[MOST];

static void *shared(size_t size) {
    static int file = -1;
    if (file < 0) {
        file = memfd_create("shared pages", 0);
        if (file < 0 || ftruncate(file, PIECE)) return NULL;
    }
    size = (size + PIECE - 1) / PIECE * PIECE;
    int k = 0;
    while (k < MOST && given[k].at) k++;
    char *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (k == MOST || at == MAP_FAILED) return NULL;
    for (char *piece = at; piece < at + size; piece += PIECE)
        if (mmap(piece, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) == MAP_FAILED) return NULL;
    given[k].at = at;
    given[k].size = size;
    return at;
}

void *malloc(size_t size) { return size < LARGE ? __libc_malloc(size) : shared(size); }

void free(void *at) {
    for (int k = 0; at && k < MOST; k++)
        if (given[k].at == at) {
            munmap(at, given[k].size);
            given[k].at = NULL;
            return;
        }
    __libc_free(at);
}
