#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace troupe {

/// The element of a string tensor: 24 bytes, laid out as TensorFlow's TF_TString, so that string tensors
/// cross the C API uncopied. Bytes, not characters; may hold zeros. A value owns its bytes unless it is a
/// view or an offset string, which only foreign buffers hold; copying any kind makes an owning string.
///
/// The two low bits of the first byte are the kind: 0 small (length in the upper six bits, up to 22 bytes
/// inline), 1 large (heap), 2 offset (bytes at a distance from the object itself), 3 view (borrowed).
class TString {
 public:
  static constexpr size_t kMaxSmall = 22;

  TString() { std::memset(this, 0, sizeof(TString)); }
  TString(absl::string_view s) : TString() { assign(s); }  // NOLINT: implicit as std::string's
  TString(const std::string& s) : TString(absl::string_view(s)) {}
  TString(const char* s) : TString(absl::string_view(s)) {}
  TString(const TString& o) : TString() { assign(o.view()); }
  TString(TString&& o) noexcept {
    if (o.kind() == kOffset) {
      std::memset(this, 0, sizeof(TString));
      assign(o.view());
      return;
    }
    std::memcpy(static_cast<void*>(this), &o, sizeof(TString));
    std::memset(static_cast<void*>(&o), 0, sizeof(TString));
  }
  ~TString() { release(); }
  TString& operator=(const TString& o) {
    if (this != &o) assign(o.view());
    return *this;
  }
  TString& operator=(TString&& o) noexcept {
    if (this != &o) {
      release();
      new (this) TString(std::move(o));
    }
    return *this;
  }
  TString& operator=(absl::string_view s) {
    assign(s);
    return *this;
  }

  /// Replaces the bytes; `s` may point into this string.
  void assign(absl::string_view s);
  /// Makes this a string of n bytes with unspecified content and returns them for writing.
  char* resize_uninitialized(size_t n);

  const char* data() const;
  size_t size() const;
  bool empty() const { return size() == 0; }
  absl::string_view view() const { return {data(), size()}; }
  operator absl::string_view() const { return view(); }
  std::string str() const { return std::string(view()); }

  friend bool operator==(const TString& a, const TString& b) { return a.view() == b.view(); }
  friend bool operator<(const TString& a, const TString& b) { return a.view() < b.view(); }

 private:
  enum Kind { kSmall = 0, kLarge = 1, kOffset = 2, kView = 3 };
  struct Large {
    uint64_t size;  // length << 2 | kind
    uint64_t cap;
    char* ptr;
  };
  struct View {
    uint64_t size;
    const char* ptr;
    uint64_t unused;
  };
  struct Offset {
    uint32_t size;
    uint32_t offset;
    uint32_t count;
  };
  struct Small {
    uint8_t size;  // length << 2 | kind
    char bytes[kMaxSmall + 1];
  };

  Kind kind() const { return static_cast<Kind>(raw_.small.size & 3); }
  void release();

  union {
    Small small;
    Large large;
    Offset offset;
    View view;
  } raw_;
};
static_assert(sizeof(TString) == 24);

}  // namespace troupe
