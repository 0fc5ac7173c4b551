// Names of files and their contents: ShardedFilename, ShardedFilespec, MatchingFiles, ReadFile, WriteFile.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/checkpoint/names.h"

namespace troupe {
namespace {

absl::Status check_scalars(const KernelContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.input(i).rank() == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(context.node().op->inputs[static_cast<size_t>(i)].name,
                                                   " must be a scalar, got shape ",
                                                   context.input(i).shape().to_string()));
  }
  return absl::OkStatus();
}

absl::Status sharded_filename(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_scalars(context));
  context.set_output(0, Tensor::string_scalar(absl::StrFormat(
                            "%s-%05d-of-%05d", context.input(0).value<TString>().view(),
                            context.input(1).value<int32_t>(), context.input(2).value<int32_t>())));
  return absl::OkStatus();
}

absl::Status sharded_filespec(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_scalars(context));
  context.set_output(0, Tensor::string_scalar(absl::StrFormat("%s-\?\?\?\?\?-of-%05d",
                                                              context.input(0).value<TString>().view(),
                                                              context.input(1).value<int32_t>())));
  return absl::OkStatus();
}

absl::Status matching_files(KernelContext& context) {
  const Tensor& patterns = context.input(0);
  if (patterns.rank() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Input patterns tensor must be scalar or vector, but had shape: ", patterns.shape().to_string()));
  }
  std::vector<std::string> paths;
  for (const TString& pattern : patterns.flat<TString>()) {
    TROUPE_ASSIGN_OR_RETURN(std::vector<std::string> found, match_files(pattern.str()));
    paths.insert(paths.end(), found.begin(), found.end());
  }
  std::sort(paths.begin(), paths.end());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                          context.allocate_output(0, Shape{static_cast<int64_t>(paths.size())}));
  for (size_t i = 0; i < paths.size(); ++i) out->flat<TString>()[i].assign(paths[i]);
  return absl::OkStatus();
}

absl::Status check_file_scalar(const Tensor& t, absl::string_view what) {
  if (t.rank() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " tensor must be scalar, but had shape: ", t.shape().to_string()));
}

absl::Status read_file_op(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_file_scalar(context.input(0), "Input filename"));
  TROUPE_ASSIGN_OR_RETURN(std::string bytes, read_whole_file(context.input(0).value<TString>().str()));
  context.set_output(0, Tensor::string_scalar(bytes));
  return absl::OkStatus();
}

absl::Status write_file_op(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_file_scalar(context.input(0), "Input filename"));
  TROUPE_RETURN_IF_ERROR(check_file_scalar(context.input(1), "Contents"));
  const std::string path = context.input(0).value<TString>().str();
  TROUPE_RETURN_IF_ERROR(make_folders(folder_of(path)));
  return write_whole_file(path, context.input(1).value<TString>().view());
}

}  // namespace

void register_checkpoint_files(KernelRegistry* registry) {
  registry->add(KernelDef("ShardedFilename").fn(sharded_filename, /*cheap=*/true));
  registry->add(KernelDef("ShardedFilespec").fn(sharded_filespec, /*cheap=*/true));
  registry->add(KernelDef("MatchingFiles").fn(matching_files));
  registry->add(KernelDef("ReadFile").fn(read_file_op));
  registry->add(KernelDef("WriteFile").fn(write_file_op));
}

}  // namespace troupe
