#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "graph/tensor/allocator.h"
#include "graph/tensor/dtype.h"

namespace troupe {

/// The reference-counted memory of tensors. Header and data share one block (data starts kHeaderBytes behind
/// the header) unless the memory is foreign, which a release function gives back. Elements of string,
/// resource and variant buffers are constructed on creation and destroyed with the buffer.
class Buffer {
 public:
  static constexpr size_t kHeaderBytes = 64;
  using ReleaseFn = void (*)(void* data, size_t bytes, void* arg);

  /// A new buffer of `count` elements with one reference, or null when memory is short. Trivial elements are
  /// uninitialised.
  static Buffer* create(Allocator* allocator, DataType dtype, int64_t count);
  /// Takes over foreign memory of trivial elements, or of TString elements that `release` destroys.
  static Buffer* adopt(void* data, size_t bytes, ReleaseFn release, void* arg);
  /// A part of what another holds, from byte `offset` on, which must lie in it; the whole stays until its parts are gone. Not one of them, and
  /// not the whole, is unique meanwhile.
  static Buffer* part(Buffer* whole, size_t offset, size_t bytes);

  void ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void unref() {
    if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy();
    }
  }
  /// Whether nobody else refers to the memory.
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1 && whole_ == nullptr; }

  /// What this is a part of; itself, when it is none.
  const Buffer& whole() const { return whole_ == nullptr ? *this : *whole_; }

  void* data() const { return data_; }
  /// Bytes of the elements, without header or rounding.
  size_t bytes() const { return bytes_; }
  /// Null for foreign memory; of a part, the whole's.
  Allocator* allocator() const { return allocator_; }

 private:
  Buffer() = default;
  void destroy();

  std::atomic<int32_t> refs_{1};
  DataType dtype_ = DataType::kInvalid;
  Allocator* allocator_ = nullptr;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  ReleaseFn release_ = nullptr;
  void* release_arg_ = nullptr;
  /// What this is a part of, which is no part itself.
  Buffer* whole_ = nullptr;
};
static_assert(sizeof(Buffer) <= Buffer::kHeaderBytes);

}  // namespace troupe
