// Which axis of the tensors of a convolution is what.
#include "devices/cpu/kernels/quantized/uniform_axes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <tuple>

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

bool read_axis(CodedInputStream* in, int64_t* axis) {
  uint64_t v;
  if (!in->ReadVarint64(&v)) return false;
  *axis = static_cast<int64_t>(v);
  return true;
}

/// A repeated field, packed or not.
bool read_axes(CodedInputStream* in, uint32_t tag, std::vector<int64_t>* axes) {
  int64_t axis;
  if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT) {
    if (!read_axis(in, &axis)) return false;
    axes->push_back(axis);
    return true;
  }
  uint32_t length;
  if (!in->ReadVarint32(&length) || static_cast<int64_t>(length) > in->BytesUntilLimit()) return false;
  const auto limit = in->PushLimit(static_cast<int>(length));
  while (in->BytesUntilLimit() > 0) {
    if (!read_axis(in, &axis)) return false;
    axes->push_back(axis);
  }
  in->PopLimit(limit);
  return true;
}

absl::Status check_axes(const std::vector<int64_t>& axes, int rank) {
  for (int64_t axis : axes) {
    if (axis >= 0 && axis < rank) continue;
    return invalid("Each dimension number must be in region [0, rank). Given rank ", rank,
                   " and dimension number value ", axis);
  }
  return absl::OkStatus();
}

}  // namespace

bool ConvDimensionNumbers::parse(absl::string_view bytes) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  int64_t* const single[10] = {
      nullptr, &input_batch,  &input_feature,  nullptr, &kernel_input_feature, &kernel_output_feature,
      nullptr, &output_batch, &output_feature, nullptr};
  std::vector<int64_t>* const repeated[10] = {nullptr, nullptr,        nullptr,         &input_spatial,
                                              nullptr, nullptr,        &kernel_spatial, nullptr,
                                              nullptr, &output_spatial};
  while (const uint32_t tag = in.ReadTag()) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const auto type = WireFormatLite::GetTagWireType(tag);
    const bool known = field < 10;
    if (known && single[field] != nullptr && type == WireFormatLite::WIRETYPE_VARINT) {
      if (!read_axis(&in, single[field])) return false;
    } else if (known && repeated[field] != nullptr &&
               (type == WireFormatLite::WIRETYPE_VARINT ||
                type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED)) {
      if (!read_axes(&in, tag, repeated[field])) return false;
    } else if (!WireFormatLite::SkipField(&in, tag)) {
      return false;
    }
  }
  return in.ConsumedEntireMessage();
}

absl::StatusOr<ConvAxes> ConvAxes::make(const ConvDimensionNumbers& n, int rank) {
  ConvAxes a;
  if (n.input_spatial.empty()) {
    for (int i = 2; i < rank; ++i) {
      a.lhs.push_back(i);
      a.rhs.push_back(i);
      a.out.push_back(i);
    }
    return a;
  }
  for (const auto* spatial : {&n.input_spatial, &n.kernel_spatial, &n.output_spatial}) {
    if (static_cast<int>(spatial->size()) != rank - 2) {
      return invalid("Spatial dimensions size must be rank - 2. Given rank ", rank,
                     " and spatial dimensions size ", spatial->size());
    }
    TROUPE_RETURN_IF_ERROR(check_axes(*spatial, rank));
  }
  TROUPE_RETURN_IF_ERROR(check_axes({n.input_batch, n.input_feature, n.kernel_input_feature,
                                     n.kernel_output_feature, n.output_batch, n.output_feature},
                                    rank));
  a.batch = static_cast<int>(n.input_batch);
  a.feature = static_cast<int>(n.input_feature);
  a.rhs_in = static_cast<int>(n.kernel_input_feature);
  a.rhs_out = static_cast<int>(n.kernel_output_feature);
  a.out_batch = static_cast<int>(n.output_batch);
  a.out_feature = static_cast<int>(n.output_feature);
  a.lhs.assign(n.input_spatial.begin(), n.input_spatial.end());
  a.rhs.assign(n.kernel_spatial.begin(), n.kernel_spatial.end());
  a.out.assign(n.output_spatial.begin(), n.output_spatial.end());
  TROUPE_RETURN_IF_ERROR(a.check_distinct(rank));
  return a;
}

absl::Status ConvAxes::check_distinct(int rank) const {
  for (const auto& [spatial, x, y] : {std::tuple(&lhs, batch, feature), std::tuple(&rhs, rhs_in, rhs_out),
                                      std::tuple(&out, out_batch, out_feature)}) {
    std::vector<bool> seen(static_cast<size_t>(rank));
    seen[static_cast<size_t>(x)] = true;
    bool twice = x == y;
    seen[static_cast<size_t>(y)] = true;
    for (int axis : *spatial) {
      twice = twice || seen[static_cast<size_t>(axis)];
      seen[static_cast<size_t>(axis)] = true;
    }
    if (twice) return invalid("Each dimension must have one dimension number");
  }
  return absl::OkStatus();
}
}  // namespace troupe
