#include "tools/bench/allocation_count.h"

#include <mimalloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#ifdef TROUPE_SANITIZED
#define TROUPE_COUNTS_ALLOCATIONS 0
#else
#define TROUPE_COUNTS_ALLOCATIONS 1
#endif

namespace troupe::bench {
namespace {

std::atomic<int64_t> allocations{0};

}  // namespace

bool counts_allocations() { return TROUPE_COUNTS_ALLOCATIONS != 0; }
int64_t allocation_count() { return allocations.load(std::memory_order_relaxed); }

void count_allocation() { allocations.fetch_add(1, std::memory_order_relaxed); }

}  // namespace troupe::bench

#if TROUPE_COUNTS_ALLOCATIONS

// A program's own definitions go before those of its libraries. Everything is handed on to mimalloc, which the programs of
// this project use anyhow.
namespace {
inline void* counted(void* p) {
  troupe::bench::count_allocation();
  return p;
}
}  // namespace

extern "C" {
void* malloc(size_t n) { return counted(mi_malloc(n)); }
void* calloc(size_t count, size_t n) { return counted(mi_calloc(count, n)); }
void* realloc(void* p, size_t n) { return counted(mi_realloc(p, n)); }
void free(void* p) { mi_free(p); }
void* aligned_alloc(size_t alignment, size_t n) { return counted(mi_malloc_aligned(n, alignment)); }
void* memalign(size_t alignment, size_t n) { return counted(mi_malloc_aligned(n, alignment)); }
int posix_memalign(void** out, size_t alignment, size_t n) {
  *out = counted(mi_malloc_aligned(n, alignment));
  return *out == nullptr ? ENOMEM : 0;
}
size_t malloc_usable_size(void* p) { return mi_usable_size(p); }
}  // extern "C"

void* operator new(size_t n) { return counted(mi_new(n)); }
void* operator new[](size_t n) { return counted(mi_new(n)); }
void* operator new(size_t n, const std::nothrow_t&) noexcept { return counted(mi_new_nothrow(n)); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return counted(mi_new_nothrow(n)); }
void* operator new(size_t n, std::align_val_t a) {
  return counted(mi_new_aligned(n, static_cast<size_t>(a)));
}
void* operator new[](size_t n, std::align_val_t a) {
  return counted(mi_new_aligned(n, static_cast<size_t>(a)));
}
void* operator new(size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(mi_new_aligned_nothrow(n, static_cast<size_t>(a)));
}
void* operator new[](size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(mi_new_aligned_nothrow(n, static_cast<size_t>(a)));
}
void operator delete(void* p) noexcept { mi_free(p); }
void operator delete[](void* p) noexcept { mi_free(p); }
void operator delete(void* p, size_t) noexcept { mi_free(p); }
void operator delete[](void* p, size_t) noexcept { mi_free(p); }
void operator delete(void* p, std::align_val_t) noexcept { mi_free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { mi_free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { mi_free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { mi_free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { mi_free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { mi_free(p); }

#endif
