#include "graph/tensor/tensor_proto.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <type_traits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/status.h"
#include "graph/tensor/tensor_wire.h"

#include "proto/resource_handle.pb.h"
#include "proto/tensor.pb.h"
#include "proto/tensor_shape.pb.h"

namespace troupe {
namespace {

/// Debug text of shapes and tensors is cut here: it goes into error messages.
constexpr size_t kMaxMessageBytes = 300;

absl::Status cannot_parse(const pb::TensorProto& proto, absl::string_view why) {
  pb::TensorProto head;
  head.set_dtype(proto.dtype());
  *head.mutable_tensor_shape() = proto.tensor_shape();
  std::string text = head.ShortDebugString();
  if (text.size() > kMaxMessageBytes) text = absl::StrCat(text.substr(0, kMaxMessageBytes), "...");
  return absl::InvalidArgumentError(absl::StrCat("Cannot parse tensor from proto: ", why, " (", text, ")"));
}

struct VariantDecoders {
  std::mutex mu;
  absl::flat_hash_map<std::string, VariantDecoder> by_type;  // guarded by mu
};

VariantDecoders& variant_decoders() {
  static auto* decoders = new VariantDecoders;  // never destroyed: tensors may be read by other statics
  return *decoders;
}

absl::StatusOr<Variant> variant_from_proto(const pb::VariantTensorDataProto& proto) {
  if (proto.type_name().empty() && proto.metadata().empty() && proto.tensors().empty()) return Variant();
  std::vector<Tensor> tensors;
  tensors.reserve(proto.tensors_size());
  for (const pb::TensorProto& t : proto.tensors()) {
    TROUPE_ASSIGN_OR_RETURN(Tensor tensor, from_proto(t));
    tensors.push_back(std::move(tensor));
  }
  VariantDecoder decoder;
  {
    VariantDecoders& all = variant_decoders();
    std::lock_guard lock(all.mu);
    auto it = all.by_type.find(proto.type_name());
    if (it != all.by_type.end()) decoder = it->second;
  }
  if (!decoder) {
    return Variant(std::make_shared<OpaqueVariant>(proto.type_name(), proto.metadata(), std::move(tensors)));
  }
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<VariantValue> value, decoder(proto.metadata(), std::move(tensors)));
  return Variant(std::move(value));
}

void variant_to_proto(const Variant& variant, pb::VariantTensorDataProto* out) {
  if (variant.empty()) return;
  out->set_type_name(variant.value()->type_name());
  std::vector<Tensor> tensors;
  if (!variant.value()->serialize(out->mutable_metadata(), &tensors)) return;
  for (const Tensor& t : tensors) to_proto(t, out->add_tensors());
}

/// True when `count` copies of a value with `bytes` outside its element are more than a file may ask for.
bool repeats_too_much(size_t bytes, size_t count) {
  return bytes > 0 && count > static_cast<size_t>(kMaxRepeatedBytes) / bytes;
}

/// Resources and variants: their nested messages may be malformed.
template <class T>
absl::Status read_nested(const pb::TensorProto& proto, std::span<T> out) {
  int64_t have = 0;
  if constexpr (std::is_same_v<T, Variant>) {
    have = std::min<int64_t>(proto.variant_val_size(), out.size());
    for (int64_t i = 0; i < have; ++i) {
      auto v = variant_from_proto(proto.variant_val(static_cast<int>(i)));
      if (!v.ok()) return cannot_parse(proto, v.status().message());
      out[i] = *std::move(v);
    }
  } else {
    have = std::min<int64_t>(proto.resource_handle_val_size(), out.size());
    for (int64_t i = 0; i < have; ++i) {
      auto v = from_proto(proto.resource_handle_val(static_cast<int>(i)));
      if (!v.ok()) return cannot_parse(proto, v.status().message());
      out[i] = *std::move(v);
    }
  }
  if (have == 0) return absl::OkStatus();
  if constexpr (std::is_same_v<T, ResourceHandle>) {
    const T& h = out[have - 1];
    size_t text = h.device.size() + h.container.size() + h.name.size() + h.maybe_type_name.size() +
                  h.dtypes_and_shapes.size() * sizeof(ResourceHandle::DtypeAndShape);
    if (repeats_too_much(text, out.size() - have))
      return cannot_parse(proto, "its repeated value is too large");
  }
  std::fill(out.begin() + have, out.end(), out[have - 1]);
  return absl::OkStatus();
}

/// `count` lengths as varints, then the bytes of all strings.
absl::Status read_string_content(const pb::TensorProto& proto, std::span<TString> out) {
  absl::string_view in = proto.tensor_content();
  std::vector<uint32_t> sizes(std::min(out.size(), in.size()));
  if (sizes.size() < out.size()) return cannot_parse(proto, "tensor_content is too short");
  uint64_t total = 0;
  size_t pos = 0;
  for (uint32_t& size : sizes) {
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
      if (pos >= in.size() || shift > 28)
        return cannot_parse(proto, "tensor_content holds a malformed length");
      uint8_t byte = static_cast<uint8_t>(in[pos++]);
      v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    size = static_cast<uint32_t>(v);
    total += size;
  }
  if (total != in.size() - pos)
    return cannot_parse(proto, "tensor_content does not hold the strings it announces");
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].assign(in.substr(pos, sizes[i]));
    pos += sizes[i];
  }
  return absl::OkStatus();
}

template <class T>
absl::Status read_content(const pb::TensorProto& proto, std::span<T> out) {
  const std::string& content = proto.tensor_content();
  if (content.size() != out.size() * sizeof(T)) {
    return cannot_parse(proto, absl::StrCat("tensor_content has ", content.size(), " bytes, but ",
                                            out.size() * sizeof(T), " are needed"));
  }
  if constexpr (std::is_same_v<T, bool>) {
    for (char c : content) {
      if (c != 0 && c != 1) return cannot_parse(proto, "tensor_content holds a bool that is neither 0 nor 1");
    }
  }
  std::memcpy(static_cast<void*>(out.data()), content.data(), content.size());
  if constexpr (std::is_same_v<T, Int4> || std::is_same_v<T, UInt4>) {
    for (T& v : out) v = narrow_integer<T, 4>(v.value);
  } else if constexpr (std::is_same_v<T, Int2> || std::is_same_v<T, UInt2>) {
    for (T& v : out) v = narrow_integer<T, 2>(v.value);
  }
  return absl::OkStatus();
}

template <class T>
absl::Status read_list(const pb::TensorProto& proto, std::span<T> out) {
  const int64_t n = static_cast<int64_t>(out.size());
  const int64_t have = std::min(Wire<T>::count(proto), n);
  if constexpr (std::is_same_v<T, TString>) {
    if (have > 0 && repeats_too_much(proto.string_val(static_cast<int>(have - 1)).size(), n - have)) {
      return cannot_parse(proto, "its repeated value is too large");
    }
  }
  for (int64_t i = 0; i < have; ++i) out[i] = Wire<T>::get(proto, i);
  if (have > 0) {
    std::fill(out.begin() + have, out.end(), out[have - 1]);
  } else if constexpr (!std::is_same_v<T, TString>) {
    std::memset(static_cast<void*>(out.data()), 0, out.size_bytes());
  }
  return absl::OkStatus();
}

template <class T>
absl::Status read_elements(const pb::TensorProto& proto, Tensor* tensor) {
  std::span<T> out = tensor->flat<T>();
  if (out.empty()) return absl::OkStatus();
  if constexpr (std::is_same_v<T, Variant> || std::is_same_v<T, ResourceHandle>) {
    if (!proto.tensor_content().empty()) return cannot_parse(proto, "tensor_content cannot hold this type");
    return read_nested<T>(proto, out);
  } else {
    if (proto.tensor_content().empty()) return read_list<T>(proto, out);
    if constexpr (std::is_same_v<T, TString>) {
      return read_string_content(proto, out);
    } else {
      return read_content<T>(proto, out);
    }
  }
}

/// Equal to itself shifted by one element: all elements are alike, bit by bit. Of trivial elements, of which there are some.
bool all_alike(const Tensor& tensor) {
  const auto* bytes = static_cast<const char*>(tensor.raw());
  const size_t size = dtype_size(tensor.dtype());
  return std::memcmp(bytes, bytes + size, tensor.bytes() - size) == 0;
}

template <class T>
void write_elements(const Tensor& tensor, pb::TensorProto* out) {
  std::span<const T> in = tensor.flat<T>();
  if constexpr (std::is_same_v<T, Variant>) {
    for (const T& v : in) variant_to_proto(v, out->add_variant_val());
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    for (const T& v : in) to_proto(v, out->add_resource_handle_val());
  } else if constexpr (std::is_same_v<T, TString>) {
    for (const T& v : in) Wire<T>::put(v, out);
  } else {
    if (in.empty()) return;
    if (all_alike(tensor)) {
      Wire<T>::put(in[0], out);
    } else {
      out->set_tensor_content(tensor.raw(), in.size_bytes());
    }
  }
}

absl::StatusOr<Shape> shape_of(const pb::TensorProto& proto) {
  const auto& dims = proto.tensor_shape().dim();
  if (dims.size() > Shape::kMaxRank) return cannot_parse(proto, "the rank is over 254");
  int64_t sizes[Shape::kMaxRank];
  for (int i = 0; i < dims.size(); ++i) sizes[i] = dims[i].size();
  auto shape = Shape::make({sizes, static_cast<size_t>(dims.size())});
  if (!shape.ok()) return cannot_parse(proto, shape.status().message());
  return shape;
}

/// What a message says of its tensor, checked.
struct Declared {
  DataType dtype;
  Shape shape;
};

/// `content_bytes`: of the message's raw bytes.
absl::StatusOr<Declared> declared(const pb::TensorProto& proto, size_t content_bytes) {
  if (!is_valid_dtype(proto.dtype()) || is_ref(static_cast<DataType>(proto.dtype()))) {
    return cannot_parse(proto,
                        absl::StrCat("dtype ", static_cast<int>(proto.dtype()), " is not that of a tensor"));
  }
  const DataType dtype = static_cast<DataType>(proto.dtype());
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of(proto));
  int64_t bytes = 0;
  if (multiply_overflows(shape.num_elements(), static_cast<int64_t>(dtype_size(dtype)), &bytes)) {
    return cannot_parse(proto, "it is larger than any memory");
  }
  if (content_bytes > 0 && is_trivial(dtype) && shape.num_elements() > 0 &&
      static_cast<size_t>(bytes) != content_bytes) {
    return cannot_parse(
        proto, absl::StrCat("tensor_content has ", content_bytes, " bytes, but ", bytes, " are needed"));
  }
  if (bytes > kMaxRepeatedBytes && static_cast<size_t>(bytes) != content_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "OOM when allocating tensor with shape", shape.to_string(), " and type ", dtype_name(dtype), ": its ",
        bytes, " bytes would be filled by repetition, which is limited to ", kMaxRepeatedBytes));
  }
  return Declared{dtype, std::move(shape)};
}

/// Whether elements are as they come, whatever their bytes.
bool takes_any_bytes(DataType dtype) {
  switch (dtype) {
    case DataType::kBool:
    case DataType::kInt4:
    case DataType::kUint4:
    case DataType::kInt2:
    case DataType::kUint2: return false;
    default: return is_trivial(dtype);
  }
}

/// All but the elements.
void head_to_proto(const Tensor& tensor, pb::TensorProto* out) {
  out->Clear();
  if (tensor.dtype() == DataType::kInvalid) return;
  out->set_dtype(static_cast<pb::DataType>(tensor.dtype()));
  to_proto(PartialShape(tensor.shape()), out->mutable_tensor_shape());
}

}  // namespace

absl::StatusOr<DataType> dtype_from_wire(int number) {
  if (!is_valid_dtype(number)) {
    return absl::InvalidArgumentError(absl::StrCat("unknown dtype enum (", number, ")"));
  }
  return static_cast<DataType>(number);
}

absl::StatusOr<PartialShape> from_proto(const pb::TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() > 0) {
      return absl::InvalidArgumentError("An unknown shape must not have any dimensions set.");
    }
    return PartialShape();
  }
  if (proto.dim_size() > Shape::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shape has ", proto.dim_size(), " dimensions, more than ", Shape::kMaxRank));
  }
  std::vector<int64_t> dims;
  dims.reserve(proto.dim_size());
  int64_t product = 1;
  for (const auto& d : proto.dim()) {
    if (d.size() < -1) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape has dimension ", d.size(), ", which is below -1"));
    }
    if (d.size() >= 0 && multiply_overflows(product, d.size(), &product)) {
      return absl::InvalidArgumentError("Shape is too large (more than 2**63 - 1 entries)");
    }
    dims.push_back(d.size());
  }
  return PartialShape(std::move(dims));
}

void to_proto(const PartialShape& shape, pb::TensorShapeProto* out) {
  out->Clear();
  if (!shape.known_rank()) {
    out->set_unknown_rank(true);
    return;
  }
  for (int64_t d : shape.dims()) out->add_dim()->set_size(d);
}

int64_t declared_bytes(const pb::TensorProto& proto) {
  auto shape = shape_of(proto);
  if (!shape.ok() || !is_valid_dtype(proto.dtype())) return -1;
  int64_t bytes = 0;
  size_t size = dtype_size(static_cast<DataType>(proto.dtype()));
  if (multiply_overflows(shape->num_elements(), static_cast<int64_t>(size), &bytes)) return -1;
  return bytes;
}

absl::StatusOr<Tensor> from_proto(const pb::TensorProto& proto) {
  TROUPE_ASSIGN_OR_RETURN(const Declared what, declared(proto, proto.tensor_content().size()));
  TROUPE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::make(what.dtype, what.shape));
  absl::Status status;
  switch (what.dtype) {
#define TROUPE_DTYPE(number, enumerator, type, text) \
  case DataType::enumerator:                         \
    status = read_elements<type>(proto, &tensor);    \
    break;
#include "graph/tensor/dtypes.def"
    default: break;
  }
  if (!status.ok()) return status;
  return tensor;
}

absl::StatusOr<Tensor> from_proto(const pb::TensorProto& proto, const absl::Cord& content) {
  if (content.empty()) return from_proto(proto);
  if (!is_valid_dtype(proto.dtype()) || !takes_any_bytes(static_cast<DataType>(proto.dtype()))) {
    pb::TensorProto whole = proto;
    whole.set_tensor_content(std::string(content));
    return from_proto(whole);
  }
  TROUPE_ASSIGN_OR_RETURN(const Declared what, declared(proto, content.size()));
  TROUPE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::make(what.dtype, what.shape));
  if (tensor.num_elements() == 0) return tensor;
  auto* to = static_cast<char*>(tensor.raw());
  for (absl::string_view piece : content.Chunks()) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  }
  return tensor;
}

void to_proto(const Tensor& tensor, pb::TensorProto* out) {
  head_to_proto(tensor, out);
  if (!tensor.initialized()) return;
  switch (tensor.dtype()) {
#define TROUPE_DTYPE(number, enumerator, type, text) \
  case DataType::enumerator:                         \
    write_elements<type>(tensor, out);               \
    break;
#include "graph/tensor/dtypes.def"
    default: break;
  }
}

void register_variant_decoder(absl::string_view type_name, VariantDecoder decoder) {
  VariantDecoders& all = variant_decoders();
  std::lock_guard lock(all.mu);
  all.by_type[std::string(type_name)] = std::move(decoder);
}

absl::Cord to_proto_and_content(const Tensor& tensor, size_t at_least, pb::TensorProto* out) {
  const bool raw = tensor.initialized() && is_trivial(tensor.dtype()) && tensor.bytes() > 0 &&
                   tensor.bytes() >= at_least && !all_alike(tensor);
  if (!raw) {
    to_proto(tensor, out);
    return {};
  }
  head_to_proto(tensor, out);
  const absl::string_view content(static_cast<const char*>(tensor.raw()), tensor.bytes());
  return absl::MakeCordFromExternal(content, [tensor] {});
}

}  // namespace troupe
