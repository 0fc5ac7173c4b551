// Elements of datasets as values of their own: packed into a variant, and out of it again. Batch sizes.

#include <zlib.h>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/dataset/iterator_resource.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"

namespace troupe {
namespace {

/// A tensor of an element whose memory can be copied is packed with all others; any other one is kept as it is.
class CompressedElement final : public VariantValue {
 public:
  struct Part {
    DataType dtype = DataType::kInvalid;
    Shape shape;
    Tensor kept;  // set instead of bytes in the pack
  };

  std::string type_name() const override { return "tensorflow::data::CompressedElement"; }

  static absl::StatusOr<std::shared_ptr<CompressedElement>> make(const Element& components) {
    auto out = std::make_shared<CompressedElement>();
    std::string all;
    for (const Tensor& t : components) {
      Part part{t.dtype(), t.shape(), Tensor()};
      if (is_packed(t.dtype())) {
        all.append(static_cast<const char*>(t.raw()), t.bytes());
      } else {
        part.kept = t;
      }
      out->parts_.push_back(std::move(part));
    }
    out->size_ = all.size();
    uLongf length = compressBound(all.size());
    out->packed_.resize(length);
    const int code = compress2(bytes_of(out->packed_), &length, bytes_of(all), all.size(), Z_BEST_SPEED);
    if (code != Z_OK) return absl::ResourceExhaustedError("Failed to compress an element");
    out->packed_.resize(length);
    out->packed_.shrink_to_fit();
    return out;
  }

  absl::StatusOr<Element> components() const {
    std::string all(size_, '\0');
    uLongf length = all.size();
    if (size_ > 0 && (uncompress(bytes_of(all), &length, bytes_of(packed_), packed_.size()) != Z_OK ||
                      length != all.size())) {
      return absl::DataLossError("Failed to uncompress an element");
    }
    Element out;
    size_t at = 0;
    for (const Part& part : parts_) {
      if (part.kept.initialized()) {
        out.push_back(part.kept);
        continue;
      }
      TROUPE_ASSIGN_OR_RETURN(Tensor t, Tensor::make(part.dtype, part.shape));
      if (t.bytes() > 0) std::memcpy(t.raw(), all.data() + at, t.bytes());
      at += t.bytes();
      out.push_back(std::move(t));
    }
    return out;
  }

 private:
  static bool is_packed(DataType dtype) {
    return dtype != DataType::kString && dtype != DataType::kResource && dtype != DataType::kVariant;
  }
  static Bytef* bytes_of(const std::string& s) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(s.data()));
  }

  std::vector<Part> parts_;
  size_t size_ = 0;
  std::string packed_;
};

absl::Status compress_element(KernelContext& context) {
  Element components;
  for (int i = 0; i < context.num_inputs(); ++i) components.push_back(context.input(i));
  TROUPE_ASSIGN_OR_RETURN(auto packed, CompressedElement::make(components));
  Tensor out(DataType::kVariant, Shape());
  out.flat<Variant>()[0] = Variant(std::move(packed));
  context.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status uncompress_element(KernelContext& context) {
  const Tensor& in = context.input(0);
  const auto* packed = in.num_elements() == 1 ? in.flat<Variant>()[0].get<CompressedElement>() : nullptr;
  if (packed == nullptr) {
    return invalid(
        "Input does not contain a compressed element. Instead got tensor of type variant and shape ",
        in.shape().to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(Element components, packed->components());
  if (static_cast<int>(components.size()) != context.num_outputs()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "Expected ", context.num_outputs(), " outputs from uncompress, but got ", components.size()));
  }
  for (int i = 0; i < context.num_outputs(); ++i) {
    const DataType given = components[static_cast<size_t>(i)].dtype();
    if (given == context.output_type(i)) continue;
    return absl::FailedPreconditionError(absl::StrCat("Expected a tensor of type ",
                                                      dtype_name(context.output_type(i)),
                                                      " but got a tensor of type ", dtype_name(given)));
  }
  return output_components(context, std::move(components));
}

absl::Status compute_batch_size(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const DatasetPtr dataset, input_dataset(context, 0));
  context.set_output(0, Tensor::scalar<int64_t>(dataset->batch_size));
  return absl::OkStatus();
}

/// What ThreadPoolDataset is given. It has no threads, as elements are made where they are asked for.
class ThreadPool final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::data::ThreadPoolResource";
  std::string type_name() const override { return kTypeName; }
};

class ThreadPoolKernel final : public ResourceKernel<ThreadPool> {
 public:
  ThreadPoolKernel(const KernelConstruction& c, ResourceName name) : ResourceKernel(c, std::move(name)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const int64_t width, c.attr<int64_t>("max_intra_op_parallelism"));
    if (width < 0) return invalid("`max_intra_op_parallelism` must be greater than or equal to zero");
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    return std::make_unique<ThreadPoolKernel>(c, std::move(name));
  }

 protected:
  absl::StatusOr<std::shared_ptr<ThreadPool>> make(Allocator*) override {
    return std::make_shared<ThreadPool>();
  }
};

}  // namespace

void register_dataset_elements(KernelRegistry* registry) {
  registry->add(KernelDef("CompressElement").fn(compress_element));
  registry->add(KernelDef("UncompressElement").fn(uncompress_element));
  registry->add(KernelDef("ComputeBatchSize").fn(compute_batch_size, /*cheap=*/true));
  for (const char* op : {"ThreadPoolHandle", "ExperimentalThreadPoolHandle"}) {
    registry->add(KernelDef(op).kernel<ThreadPoolKernel>());
  }
}

}  // namespace troupe
