// Copies of a tensor in another order: Tile, Reverse, Roll and their like.
#include <algorithm>

#include "devices/common/array/reorder.h"
#include "devices/common/array/reorder_kernels.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/box_copy.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

class ReverseSequence final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("seq_dim", &seq_)("batch_dim", &batch_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& lengths = context.input(1);
    TROUPE_RETURN_IF_ERROR(check(input, lengths));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
    if (input.num_elements() == 0) return absl::OkStatus();
    Indices strides = strides_of(input.shape());
    int seq = static_cast<int>(seq_), batch = static_cast<int>(batch_);
    for (int64_t b = 0; b < input.dim(batch); ++b) {
      int64_t length = int_at(lengths, b);
      copy_part(context, *out, strides, b, 0, length, -1);
      copy_part(context, *out, strides, b, length, input.dim(seq), 1);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status check(const Tensor& input, const Tensor& lengths) const {
    TROUPE_RETURN_IF_ERROR(check_reverse_sequence(input, lengths, seq_, batch_));
    const int64_t n = lengths.dim(0);
    for (int64_t i = 0; i < n; ++i) {
      int64_t length = int_at(lengths, i);
      if (length < 0) return invalid("seq_lens(", i, ") < 0");
      if (length > input.dim(static_cast<int>(seq_)))
        return invalid("seq_lens(", i, ") > input.dims(", seq_, ")");
    }
    return absl::OkStatus();
  }
  /// Steps [begin, end) of batch entry b, backwards when `direction` is -1.
  void copy_part(KernelContext& context, Tensor& out, const Indices& strides, int64_t b, int64_t begin,
                 int64_t end, int direction) const {
    const Tensor& input = context.input(0);
    if (begin >= end) return;
    int64_t base = b * strides[batch_];
    Box box;
    for (int i = 0; i < input.rank(); ++i) {
      if (i == batch_) continue;
      if (i == seq_) {
        box.add(end - begin, direction * strides[i], strides[i]);
      } else {
        box.add(input.dim(i), strides[i], strides[i]);
      }
    }
    copy_box(context.parallel(), input.dtype(), box,
             element_at(input, base + (direction < 0 ? end - 1 : begin) * strides[seq_]),
             element_at(out, base + begin * strides[seq_]));
  }

  int64_t seq_ = 0;
  int64_t batch_ = 0;
};

absl::Status roll(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Indices moved, rolled_axes(context));
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  if (input.num_elements() == 0) return absl::OkStatus();
  Indices strides = strides_of(input.shape());
  absl::InlinedVector<int, 8> rolled;
  for (int i = 0; i < input.rank(); ++i) {
    if (moved[i] != 0) rolled.push_back(i);
  }
  if (rolled.size() > 20) return absl::UnimplementedError("Roll over more than 20 axes");
  // Each rolled axis splits the tensor in two parts that keep their order.
  for (uint32_t part = 0; part < (uint32_t{1} << rolled.size()); ++part) {
    Box box;
    int64_t from = 0, to = 0;
    size_t r = 0;
    for (int i = 0; i < input.rank(); ++i) {
      int64_t size = input.dim(i);
      if (r < rolled.size() && rolled[r] == i) {
        int64_t kept = size - moved[i];
        if ((part >> r & 1) == 0) {
          to += moved[i] * strides[i];
          size = kept;
        } else {
          from += kept * strides[i];
          size = moved[i];
        }
        ++r;
      }
      box.add(size, strides[i], strides[i]);
    }
    copy_box(context.parallel(), input.dtype(), box, element_at(input, from), element_at(*out, to));
  }
  return absl::OkStatus();
}

}  // namespace

void register_array_move(KernelRegistry* registry) {
  registry->add(KernelDef("Tile").types("T", every_type()).fn(tile<copy_axes>));
  registry->add(KernelDef("Reverse").types("T", value_types()).fn(reverse<copy_axes>));
  registry->add(KernelDef("ReverseV2").types("T", value_types()).fn(reverse_v2<copy_axes>));
  registry->add(KernelDef("ReverseSequence").types("T", value_types()).kernel<ReverseSequence>());
  registry->add(KernelDef("Roll").types("T", every_type()).fn(roll));
}

}  // namespace troupe
