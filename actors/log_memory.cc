#include "actors/log_memory.h"

#include <google/protobuf/text_format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "devices/memory/tracking_allocator.h"

#include "proto/log_memory.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

constexpr int kLevel = 2;

void write_line(const google::protobuf::Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  spdlog::info("__LOG_MEMORY__ {} {{ {}}}", message.GetDescriptor()->name(), text);
}

class MemoryLog final : public AllocationLog {
 public:
  void allocated(int64_t step_id, const std::string& node, absl::string_view allocator, int64_t id,
                 const void* data, int64_t bytes) override {
    pb::MemoryLogRawAllocation m;
    m.set_step_id(step_id);
    m.set_operation(node);
    m.set_num_bytes(bytes);
    m.set_ptr(reinterpret_cast<uintptr_t>(data));
    m.set_allocation_id(id);
    m.set_allocator_name(std::string(allocator));
    write_line(m);
  }

  void freed(int64_t step_id, const std::string& node, absl::string_view allocator, int64_t id) override {
    pb::MemoryLogRawDeallocation m;
    m.set_step_id(step_id);
    m.set_operation(node);
    m.set_allocation_id(id);
    m.set_allocator_name(std::string(allocator));
    write_line(m);
  }

  void put_out(int64_t step_id, const std::string& node, int output, const Tensor& value) override {
    pb::MemoryLogTensorOutput m;
    m.set_step_id(step_id);
    m.set_kernel_name(node);
    m.set_index(output);
    pb::TensorDescription* t = m.mutable_tensor();
    t->set_dtype(static_cast<pb::DataType>(value.dtype()));
    t->mutable_shape();
    for (int i = 0; i < value.shape().rank(); ++i)
      t->mutable_shape()->add_dim()->set_size(value.shape().dim(i));
    if (const Buffer* buffer = value.buffer()) {
      pb::AllocationDescription* a = t->mutable_allocation_description();
      a->set_requested_bytes(static_cast<int64_t>(value.bytes()));
      a->set_ptr(reinterpret_cast<uintptr_t>(buffer->data()));
      a->set_allocation_id(TrackingAllocator::allocation_id(*buffer));
      if (buffer->allocator() != nullptr) a->set_allocator_name(std::string(buffer->allocator()->name()));
    }
    write_line(m);
  }
};

/// The level that TF_CPP_VMODULE ("module=level,module=level") gives log_memory, or else TF_CPP_MAX_VLOG_LEVEL's.
int level_of_environment() {
  int level = 0;
  const char* modules = std::getenv("TF_CPP_VMODULE");
  for (absl::string_view entry : absl::StrSplit(modules == nullptr ? "" : modules, ',')) {
    if (absl::ConsumePrefix(&entry, "log_memory=") && absl::SimpleAtoi(entry, &level)) return level;
  }
  const char* all = std::getenv("TF_CPP_MAX_VLOG_LEVEL");
  return all != nullptr && absl::SimpleAtoi(all, &level) ? level : 0;
}

}  // namespace

AllocationLog* memory_log_of_environment() {
  if (level_of_environment() < kLevel) return nullptr;
  // Blocks may outlive every runtime.
  static auto* log = new MemoryLog;
  return log;
}

void log_memory_step(int64_t step_id, const SignatureCode& code) {
  pb::MemoryLogStep m;
  m.set_step_id(step_id);
  m.set_handle(absl::StrCat(absl::StrJoin(code.feeds, ","), "->", absl::StrJoin(code.fetches, ","), "/",
                            absl::StrJoin(code.targets, ",")));
  write_line(m);
}

}  // namespace troupe
