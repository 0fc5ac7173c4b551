#include "graph/tensor/buffer.h"

#include <cassert>
#include <memory>
#include <new>

#include "graph/tensor/resource_handle.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tstring.h"
#include "graph/tensor/variant.h"

namespace troupe {
namespace {

template <class T>
void destroy_elements(void* data, size_t bytes) {
  std::destroy_n(static_cast<T*>(data), bytes / sizeof(T));
}

}  // namespace

Buffer* Buffer::create(Allocator* allocator, DataType dtype, int64_t count) {
  int64_t bytes = 0;
  if (multiply_overflows(count, static_cast<int64_t>(dtype_size(dtype)), &bytes)) return nullptr;
  if (bytes > INT64_MAX - static_cast<int64_t>(kHeaderBytes)) return nullptr;
  const bool has_objects =
      dtype == DataType::kString || dtype == DataType::kResource || dtype == DataType::kVariant;
  // Objects are made and destroyed by the host, whatever is behind them.
  if (has_objects && !allocator->is_host()) allocator = plain_allocator();
  const bool apart = !allocator->is_host();
  void* block = allocator->allocate(static_cast<size_t>(bytes) + (apart ? 0 : kHeaderBytes));
  if (block == nullptr) return nullptr;
  auto* buffer = apart ? new Buffer : new (block) Buffer;
  buffer->allocator_ = allocator;
  buffer->dtype_ = dtype;
  buffer->bytes_ = static_cast<size_t>(bytes);
  buffer->data_ = apart ? block : static_cast<char*>(block) + kHeaderBytes;
  switch (dtype) {
    case DataType::kString:
      std::uninitialized_default_construct_n(static_cast<TString*>(buffer->data_), count);
      break;
    case DataType::kResource:
      std::uninitialized_default_construct_n(static_cast<ResourceHandle*>(buffer->data_), count);
      break;
    case DataType::kVariant:
      std::uninitialized_default_construct_n(static_cast<Variant*>(buffer->data_), count);
      break;
    default: break;
  }
  return buffer;
}

Buffer* Buffer::adopt(void* data, size_t bytes, ReleaseFn release, void* arg) {
  auto* buffer = new Buffer;
  buffer->data_ = data;
  buffer->bytes_ = bytes;
  buffer->release_ = release;
  buffer->release_arg_ = arg;
  return buffer;
}

Buffer* Buffer::part(Buffer* whole, size_t offset, size_t bytes) {
  assert(offset <= whole->bytes_ && bytes <= whole->bytes_ - offset);
  auto* buffer = new Buffer;
  buffer->allocator_ = whole->allocator_;
  buffer->dtype_ = whole->dtype_;
  buffer->data_ = static_cast<char*>(whole->data_) + offset;
  buffer->bytes_ = bytes;
  buffer->whole_ = whole->whole_ == nullptr ? whole : whole->whole_;
  buffer->whole_->ref();
  return buffer;
}

void Buffer::destroy() {
  if (whole_ != nullptr) {
    whole_->unref();
    delete this;
    return;
  }
  if (allocator_ == nullptr) {
    if (release_ != nullptr) release_(data_, bytes_, release_arg_);
    delete this;
    return;
  }
  switch (dtype_) {
    case DataType::kString: destroy_elements<TString>(data_, bytes_); break;
    case DataType::kResource: destroy_elements<ResourceHandle>(data_, bytes_); break;
    case DataType::kVariant: destroy_elements<Variant>(data_, bytes_); break;
    default: break;
  }
  Allocator* allocator = allocator_;
  // A device's memory never lies right behind a block of the host's heap.
  if (data_ != reinterpret_cast<char*>(this) + kHeaderBytes) {
    allocator->deallocate(data_, bytes_);
    delete this;
    return;
  }
  size_t bytes = bytes_ + kHeaderBytes;
  this->~Buffer();
  allocator->deallocate(this, bytes);
}

}  // namespace troupe
