// What ufbx asks of a C library, for a machine that has none: a page in a browser. `cargo xtask web` puts this file before
// ufbx's own. Mathematics and what moves bytes come from Rust's own runtime under the usual names; memory comes from Rust's
// allocator, which the binding hands over with every call; files are not opened here.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UFBX_NO_LIBC
#define UFBX_NO_STDIO
#define UFBX_NO_EXTERNAL_DEFINES

#define ufbx_malloc(size) ((void)(size), (void *)0)
#define ufbx_realloc(ptr, old_size, new_size) ((void)(ptr), (void)(old_size), (void)(new_size), (void *)0)
#define ufbx_free(ptr, old_size) ((void)(ptr), (void)(old_size))

// A broken promise of ufbx stops the page with a message rather than going on with wrong memory.
#define ufbx_assert(condition) ((condition) ? (void)0 : __builtin_trap())

#define ufbx_sqrt __builtin_sqrt
#define ufbx_fabs __builtin_fabs
#define ufbx_copysign __builtin_copysign
#define ufbx_floor __builtin_floor
#define ufbx_ceil __builtin_ceil
#define ufbx_rint __builtin_rint
#define ufbx_isnan __builtin_isnan
#define ufbx_sin __builtin_sin
#define ufbx_cos __builtin_cos
#define ufbx_tan __builtin_tan
#define ufbx_asin __builtin_asin
#define ufbx_acos __builtin_acos
#define ufbx_atan __builtin_atan
#define ufbx_atan2 __builtin_atan2
#define ufbx_pow __builtin_pow
#define ufbx_fmin __builtin_fmin
#define ufbx_fmax __builtin_fmax

#define ufbx_strlen __builtin_strlen
#define ufbx_memcpy __builtin_memcpy
#define ufbx_memmove __builtin_memmove
#define ufbx_memset __builtin_memset
#define ufbx_memcmp __builtin_memcmp

static const void *ufbx_memchr(const void *ptr, int value, size_t count) {
  const unsigned char *bytes = ptr;
  for (size_t at = 0; at < count; at++)
    if (bytes[at] == (unsigned char)value) return bytes + at;
  return NULL;
}

static int ufbx_strncmp(const char *one, const char *other, size_t count) {
  for (size_t at = 0; at < count; at++) {
    if (one[at] != other[at]) return (unsigned char)one[at] < (unsigned char)other[at] ? -1 : 1;
    if (one[at] == '\0') break;
  }
  return 0;
}

static int ufbx_strcmp(const char *one, const char *other) { return ufbx_strncmp(one, other, SIZE_MAX); }

// The number next to `from` on the way to `to`: one step of its bits, which run away from zero on both sides.
static double ufbx_nextafter(double from, double to) {
  if (ufbx_isnan(from) || ufbx_isnan(to)) return from + to;
  if (from == to) return to;
  uint64_t bits = 1;
  if (from != 0.0) {
    ufbx_memcpy(&bits, &from, sizeof(bits));
    bits += (from < to) == (from > 0.0) ? 1 : -1;
  } else if (to < 0.0) {
    bits |= (uint64_t)1 << 63;
  }
  ufbx_memcpy(&from, &bits, sizeof(from));
  return from;
}
