// DumpTensor: values on their way into a file, a record of TensorProto for each run, compressed by zlib.
#include <filesystem>
#include <mutex>

#include "devices/checkpoint/coding.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/record_writer.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {
namespace {

/// Which unit of a quantised model the file beside belongs to: fields 2 and 3 of its message.
std::string unit_message(absl::string_view node, absl::string_view function) {
  std::string out;
  for (const auto& [tag, text] : {std::pair{'\x12', node}, std::pair{'\x1a', function}}) {
    out.push_back(tag);
    put_varint64(&out, text.size());
    absl::StrAppend(&out, text);
  }
  return out;
}

/// The file gets its name when the kernel goes, with the session.
class DumpTensor final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("enabled", &enabled_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const std::string folder, c.attr<std::string>("log_dir_path"));
    TROUPE_ASSIGN_OR_RETURN(const std::string name, c.attr<std::string>("file_name"));
    TROUPE_ASSIGN_OR_RETURN(const std::string node, c.attr<std::string>("node_name"));
    TROUPE_ASSIGN_OR_RETURN(const std::string function, c.attr<std::string>("func_name"));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    TROUPE_RETURN_IF_ERROR(
        writer_.open((std::filesystem::path(folder) / name).string(), ReaderFile::Compression::kZlib));
    OutputFile unit;
    TROUPE_RETURN_IF_ERROR(unit.open((std::filesystem::path(folder) / "quant_unit.pb").string()));
    TROUPE_RETURN_IF_ERROR(unit.append(unit_message(node, function)));
    TROUPE_RETURN_IF_ERROR(unit.commit());
    return absl::OkStatus();
  }
  ~DumpTensor() override { writer_.commit().IgnoreError(); }

  absl::Status compute(KernelContext& context) override {
    if (!enabled_) return absl::OkStatus();
    pb::TensorProto proto;
    to_proto(context.input(0), &proto);
    std::lock_guard lock(mu_);
    return writer_.write(proto.SerializeAsString());
  }

 private:
  bool enabled_ = false;
  std::mutex mu_;
  RecordWriter writer_;  // guarded by mu_
};

}  // namespace

void register_control_dump_tensor(KernelRegistry* registry) {
  registry->add(KernelDef("DumpTensor").kernel<DumpTensor>());
}

}  // namespace troupe
