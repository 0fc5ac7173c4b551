#include "graph/tensor/tstring.h"

#include <cstdlib>
#include <new>

namespace troupe {

const char* TString::data() const {
  switch (kind()) {
    case kSmall: return raw_.small.bytes;
    case kLarge: return raw_.large.ptr;
    case kView: return raw_.view.ptr;
    case kOffset: return reinterpret_cast<const char*>(this) + raw_.offset.offset;
  }
  return nullptr;
}

size_t TString::size() const {
  switch (kind()) {
    case kSmall: return raw_.small.size >> 2;
    case kLarge: return raw_.large.size >> 2;
    case kView: return raw_.view.size >> 2;
    case kOffset: return raw_.offset.size >> 2;
  }
  return 0;
}

void TString::release() {
  if (kind() == kLarge) std::free(raw_.large.ptr);
}

char* TString::resize_uninitialized(size_t n) {
  if (kind() == kLarge && n > kMaxSmall && n <= raw_.large.cap) {
    raw_.large.size = n << 2 | kLarge;
    raw_.large.ptr[n] = 0;
    return raw_.large.ptr;
  }
  release();
  std::memset(static_cast<void*>(this), 0, sizeof(TString));
  if (n <= kMaxSmall) {
    raw_.small.size = static_cast<uint8_t>(n << 2 | kSmall);
    return raw_.small.bytes;
  }
  // malloc, not new: the C API's TF_TString functions free with the C library.
  char* p = static_cast<char*>(std::malloc(n + 1));
  if (p == nullptr) throw std::bad_alloc();
  p[n] = 0;
  raw_.large.size = n << 2 | kLarge;
  raw_.large.cap = n;
  raw_.large.ptr = p;
  return p;
}

void TString::assign(absl::string_view s) {
  const char* self = reinterpret_cast<const char*>(this);
  const char* own = data();
  bool overlaps = (s.data() >= self && s.data() < self + sizeof(TString)) ||
                  (kind() == kLarge && s.data() >= own && s.data() <= own + size());
  if (overlaps) {
    std::string copy(s);
    std::memcpy(resize_uninitialized(copy.size()), copy.data(), copy.size());
    return;
  }
  char* p = resize_uninitialized(s.size());
  if (!s.empty()) std::memcpy(p, s.data(), s.size());
}

}  // namespace troupe
