// Writing checkpoints: SaveV2, MergeV2Checkpoints, and the older Save and SaveSlices.
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "devices/checkpoint/bundle_merge.h"
#include "devices/checkpoint/bundle_writer.h"
#include "devices/checkpoint/file.h"
#include "devices/checkpoint/slice_writer.h"
#include "devices/checkpoint/tensor_slice.h"
#include "devices/cpu/kernels/checkpoint/names.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Inputs before the tensors: path, names, and shapes and slices.
constexpr int kPath = 0;
constexpr int kNames = 1;
constexpr int kSlices = 2;

absl::StatusOr<ShapeAndSlice> slice_to_save(const std::string& spec, const Tensor& value) {
  TROUPE_ASSIGN_OR_RETURN(ShapeAndSlice parsed, parse_shape_and_slice(spec));
  if (!(parsed.slice_shape == value.shape())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Slice in shape_and_slice specification does not match the shape of the tensor to  save: ", spec,
        ", tensor: ", value.shape().to_string()));
  }
  return parsed;
}

absl::Status save_v2(KernelContext& context) {
  constexpr int kFirst = 3;
  const int count = context.num_inputs() - kFirst;
  TROUPE_ASSIGN_OR_RETURN(const std::string prefix, input_path(context, kPath, "prefix"));
  TROUPE_RETURN_IF_ERROR(check_names(context, kNames, kSlices, count, "tensors"));
  BundleWriter writer;
  TROUPE_RETURN_IF_ERROR(writer.open(prefix));
  for (int i = 0; i < count; ++i) {
    const std::string name = context.input(kNames).flat<TString>()[static_cast<size_t>(i)].str();
    const std::string spec = context.input(kSlices).flat<TString>()[static_cast<size_t>(i)].str();
    const Tensor& value = context.input(kFirst + i);
    if (spec.empty()) {
      TROUPE_RETURN_IF_ERROR(writer.add(name, value));
      continue;
    }
    TROUPE_ASSIGN_OR_RETURN(ShapeAndSlice part, slice_to_save(spec, value));
    TROUPE_RETURN_IF_ERROR(writer.add_slice(name, part.shape, part.slice, value));
  }
  return writer.finish();
}

absl::Status save_v1(KernelContext& context, bool has_slices) {
  const int first = has_slices ? 3 : 2;
  const int count = context.num_inputs() - first;
  TROUPE_ASSIGN_OR_RETURN(const std::string path, input_path(context, kPath, "filename"));
  TROUPE_RETURN_IF_ERROR(check_names(context, kNames, has_slices ? kSlices : -1, count, "tensors"));
  SliceWriter writer(path);
  for (int i = 0; i < count; ++i) {
    const std::string name = context.input(kNames).flat<TString>()[static_cast<size_t>(i)].str();
    const std::string spec =
        has_slices ? context.input(kSlices).flat<TString>()[static_cast<size_t>(i)].str() : "";
    const Tensor& value = context.input(first + i);
    ShapeAndSlice part{value.shape(), TensorSlice(value.rank()), value.shape()};
    if (!spec.empty()) {
      TROUPE_ASSIGN_OR_RETURN(part, slice_to_save(spec, value));
    }
    TROUPE_RETURN_IF_ERROR(writer.add(name, part.shape, part.slice, value));
  }
  return writer.finish();
}
absl::Status save(KernelContext& context) { return save_v1(context, false); }
absl::Status save_slices(KernelContext& context) { return save_v1(context, true); }

class MergeV2CheckpointsKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("delete_old_dirs", &delete_old_dirs_); }
  absl::Status init(const KernelConstruction& c) {
    allow_missing_files_ = c.node().attrs.get_or<bool>("allow_missing_files", false);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& list = context.input(0);
    const Tensor& destination = context.input(1);
    if (list.rank() != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Input checkpoint_prefixes should be an 1-D tensor, got ", list.shape().to_string(), " instead."));
    }
    if (destination.rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input destination_prefix should be a scalar tensor, got ",
                       destination.shape().to_string(), " instead."));
    }
    std::vector<std::string> prefixes;
    for (const TString& prefix : list.flat<TString>()) prefixes.push_back(prefix.str());
    const std::string merged = destination.value<TString>().str();
    TROUPE_RETURN_IF_ERROR(merge_bundles(prefixes, merged, allow_missing_files_));
    if (!delete_old_dirs_) return absl::OkStatus();
    const std::string kept = folder_of(merged);
    for (const std::string& prefix : prefixes) {
      const std::string folder = folder_of(prefix);
      // Only an empty folder goes away, and one that stays does no harm.
      if (!folder.empty() && folder != kept) remove_folder(folder);
    }
    return absl::OkStatus();
  }

 private:
  bool delete_old_dirs_ = true;
  bool allow_missing_files_ = false;
};

}  // namespace

void register_checkpoint_save(KernelRegistry* registry) {
  registry->add(KernelDef("SaveV2").fn(save_v2));
  registry->add(KernelDef("MergeV2Checkpoints").kernel<MergeV2CheckpointsKernel>());
  registry->add(KernelDef("Save").fn(save));
  registry->add(KernelDef("SaveSlices").fn(save_slices));
}

}  // namespace troupe
