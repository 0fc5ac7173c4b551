// Reading checkpoints: RestoreV2, and the older Restore and RestoreSlice.
#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/checkpoint/bundle.h"
#include "devices/checkpoint/bundle_reader.h"
#include "devices/checkpoint/file.h"
#include "devices/checkpoint/slice_reader.h"
#include "devices/checkpoint/tensor_slice.h"
#include "devices/cpu/kernels/checkpoint/names.h"

namespace troupe {
namespace {

/// One tensor to restore.
struct Wanted {
  int output = 0;
  std::string name;
  std::string spec;
};

/// The part that a spec names; it must be of a tensor of the stored shape. `older`: the file is of the older kind.
absl::StatusOr<TensorSlice> slice_to_restore(const Wanted& wanted, const Shape& stored, bool older) {
  if (wanted.spec.empty()) return TensorSlice(stored.rank());
  TROUPE_ASSIGN_OR_RETURN(ShapeAndSlice parsed, parse_shape_and_slice(wanted.spec));
  if (!(parsed.shape == stored) && older) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shape in shape_and_slice spec does not match the shape in the save file: ", parsed.shape.to_string(),
        ", save file shape: ", stored.to_string()));
  }
  if (!(parsed.shape == stored)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor_name = ", wanted.name, "; shape in shape_and_slice spec ", parsed.shape.to_string(),
        " does not match the shape stored in checkpoint: ", stored.to_string()));
  }
  return parsed.slice;
}

absl::Status restore_bundle(KernelContext& context, const std::string& prefix,
                            const std::vector<Wanted>& all) {
  BundleReader reader;
  TROUPE_RETURN_IF_ERROR(reader.open(prefix));
  std::vector<std::string> mismatches;
  for (const Wanted& wanted : all) {
    TROUPE_ASSIGN_OR_RETURN(BundleReader::Info info, reader.info(wanted.name));
    const DataType dtype = context.output_type(wanted.output);
    if (info.dtype == dtype) continue;
    mismatches.push_back(absl::StrCat("tensor_name = ", wanted.name, "; expected dtype ", dtype_name(dtype),
                                      " does not equal original dtype ", dtype_name(info.dtype)));
  }
  if (!mismatches.empty()) return absl::InvalidArgumentError(absl::StrJoin(mismatches, "\n"));
  for (const Wanted& wanted : all) {
    if (wanted.spec.empty()) {
      TROUPE_ASSIGN_OR_RETURN(Tensor value, reader.lookup(wanted.name, context.allocator()));
      context.set_output(wanted.output, std::move(value));
      continue;
    }
    TROUPE_ASSIGN_OR_RETURN(BundleReader::Info info, reader.info(wanted.name));
    TROUPE_ASSIGN_OR_RETURN(TensorSlice slice, slice_to_restore(wanted, info.shape, false));
    TROUPE_ASSIGN_OR_RETURN(Tensor value, reader.lookup_slice(wanted.name, slice, context.allocator()));
    context.set_output(wanted.output, std::move(value));
  }
  return absl::OkStatus();
}

absl::Status restore_slices(KernelContext& context, const std::string& pattern,
                            const std::vector<Wanted>& all) {
  SliceReader reader;
  TROUPE_RETURN_IF_ERROR(reader.open(pattern));
  for (const Wanted& wanted : all) {
    TROUPE_ASSIGN_OR_RETURN(SliceReader::Info info, reader.info(wanted.name));
    const DataType dtype = context.output_type(wanted.output);
    if (info.dtype != dtype) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected to restore a tensor of type ", dtype_name(dtype), ", got a tensor of type ",
                       dtype_name(info.dtype), " instead: tensor_name = ", wanted.name));
    }
    TROUPE_ASSIGN_OR_RETURN(TensorSlice slice, slice_to_restore(wanted, info.shape, true));
    TROUPE_ASSIGN_OR_RETURN(Tensor value, reader.lookup(wanted.name, slice));
    context.set_output(wanted.output, std::move(value));
  }
  return absl::OkStatus();
}

absl::Status restore_v2(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const std::string prefix, input_path(context, 0, "prefix"));
  TROUPE_RETURN_IF_ERROR(check_names(context, 1, 2, context.num_outputs(), "expected dtypes"));
  std::vector<Wanted> all;
  for (int i = 0; i < context.num_outputs(); ++i) {
    const auto k = static_cast<size_t>(i);
    all.push_back({i, context.input(1).flat<TString>()[k].str(), context.input(2).flat<TString>()[k].str()});
  }
  // In the order of the table, so that each of its blocks is read once.
  std::stable_sort(all.begin(), all.end(), [](const Wanted& a, const Wanted& b) { return a.name < b.name; });
  // What has no table of contents may be a checkpoint of the older kind.
  if (!file_exists_at(bundle_index_path(prefix))) return restore_slices(context, prefix, all);
  return restore_bundle(context, prefix, all);
}

absl::Status restore_v1(KernelContext& context, bool has_slice) {
  TROUPE_ASSIGN_OR_RETURN(const std::string pattern, input_path(context, 0, "file_pattern"));
  Wanted wanted;
  TROUPE_ASSIGN_OR_RETURN(wanted.name, input_path(context, 1, "tensor_name"));
  if (has_slice) {
    TROUPE_ASSIGN_OR_RETURN(wanted.spec, input_path(context, 2, "shape_and_slice"));
  }
  return restore_slices(context, pattern, {wanted});
}
absl::Status restore(KernelContext& context) { return restore_v1(context, false); }
absl::Status restore_slice(KernelContext& context) { return restore_v1(context, true); }

}  // namespace

void register_checkpoint_restore(KernelRegistry* registry) {
  registry->add(KernelDef("RestoreV2").fn(restore_v2));
  registry->add(KernelDef("Restore").fn(restore));
  registry->add(KernelDef("RestoreSlice").fn(restore_slice));
}

}  // namespace troupe
