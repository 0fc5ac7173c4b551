#include "devices/cpu/kernels/shared/float_elements.h"

#include <Eigen/Core>

namespace troupe {
namespace {

template <class T>
const float* widen(const Tensor& t, std::vector<float>* store) {
  auto from = t.flat<T>();
  store->resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) (*store)[i] = static_cast<float>(from[i]);
  return store->data();
}

template <class T, class From>
void narrow(const std::vector<From>& from, Tensor* t) {
  std::span<T> to = t->flat<T>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(from[i]);
}

template <class From>
void narrow_any(const std::vector<From>& from, Tensor* t) {
  switch (t->dtype()) {
    case DataType::kFloat: return narrow<float>(from, t);
    case DataType::kDouble: return narrow<double>(from, t);
    case DataType::kHalf: return narrow<Eigen::half>(from, t);
    case DataType::kBfloat16: return narrow<Eigen::bfloat16>(from, t);
    default: return;
  }
}

}  // namespace

const float* as_floats(const Tensor& t, std::vector<float>* store) {
  switch (t.dtype()) {
    case DataType::kFloat: return t.flat<float>().data();
    case DataType::kDouble: return widen<double>(t, store);
    case DataType::kHalf: return widen<Eigen::half>(t, store);
    case DataType::kBfloat16: return widen<Eigen::bfloat16>(t, store);
    case DataType::kInt8: return widen<int8_t>(t, store);
    case DataType::kInt16: return widen<int16_t>(t, store);
    case DataType::kInt32: return widen<int32_t>(t, store);
    case DataType::kInt64: return widen<int64_t>(t, store);
    case DataType::kUint8: return widen<uint8_t>(t, store);
    case DataType::kUint16: return widen<uint16_t>(t, store);
    case DataType::kUint32: return widen<uint32_t>(t, store);
    case DataType::kUint64: return widen<uint64_t>(t, store);
    default: store->assign(static_cast<size_t>(t.num_elements()), 0.0f); return store->data();
  }
}

void store_floats(const std::vector<float>& from, Tensor* t) { narrow_any(from, t); }

void store_floats(const std::vector<double>& from, Tensor* t) { narrow_any(from, t); }

}  // namespace troupe
