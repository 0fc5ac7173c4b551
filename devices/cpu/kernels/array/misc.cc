// Inplace updates, EditDistance, ImmutableConst.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/combine.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// y = x with rows y[i[k]] replaced by, or combined with, v[k], in the memory of x, whoever else reads it. Indices wrap
/// around the rows.
absl::Status inplace(KernelContext& context, Combine how) {
  const Tensor& x = context.input(0);
  const Tensor& i = context.input(1);
  const Tensor& v = context.input(2);
  if (!is_vector(i)) return invalid("i must be a vector. ", i.shape().to_string());
  if (x.rank() != v.rank() || x.rank() < 1) {
    return invalid("x and v shape doesn't match (ranks differ): ", x.shape().to_string(), " vs. ",
                   v.shape().to_string());
  }
  for (int d = 1; d < x.rank(); ++d) {
    if (x.dim(d) != v.dim(d)) {
      return invalid("x and v shape doesn't match at index ", d, " : ", x.shape().to_string(), " vs. ",
                     v.shape().to_string());
    }
  }
  if (i.dim(0) != v.dim(0)) {
    return invalid("i and x shape doesn't match at index 0: ", i.shape().to_string(), " vs. ",
                   v.shape().to_string());
  }
  CombineLoop loop = combine_loop(how, x.dtype());
  const bool adds = x.dtype() != DataType::kBool && x.dtype() != DataType::kString;
  if (loop == nullptr || (how != Combine::kAssign && !adds))
    return invalid("Unsupported data type: ", dtype_name(x.dtype()));
  Tensor out = x;
  if (x.num_elements() > 0) {
    int64_t rows = x.dim(0), run = x.num_elements() / rows;
    for (int64_t k = 0; k < i.dim(0); ++k) {
      int64_t row = (int_at(i, k) % rows + rows) % rows;
      loop(element_at(out, row * run), element_at(v, k * run), run);
    }
  }
  context.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status inplace_update(KernelContext& context) { return inplace(context, Combine::kAssign); }
absl::Status inplace_add(KernelContext& context) { return inplace(context, Combine::kAdd); }
absl::Status inplace_sub(KernelContext& context) { return inplace(context, Combine::kSub); }

/// The elements of a sparse tensor as bytes, by the position of their sequence in the output.
using Sequences = std::map<int64_t, std::vector<absl::string_view>>;

absl::Status check_sequences(const Tensor& indices, const Tensor& values, const Tensor& shape,
                             const char* name) {
  if (indices.rank() != 2)
    return invalid(name, "_indices should be a matrix, but got shape: ", indices.shape().to_string());
  if (!is_vector(values))
    return invalid(name, "_values should be a vector, but got shape: ", values.shape().to_string());
  if (!is_vector(shape))
    return invalid(name, "_shape should be a vector, but got shape: ", shape.shape().to_string());
  if (indices.dim(0) != values.dim(0)) {
    return invalid("Expected ", name, "_values.NumElements == #rows(", name,
                   "_indices), their shapes are: ", values.shape().to_string(), " and ",
                   indices.shape().to_string());
  }
  if (shape.dim(0) != indices.dim(1)) {
    return invalid("Expected ", name, "_shape.NumElements == #cols(", name,
                   "_indices), their shapes are: ", shape.shape().to_string(), " and ",
                   indices.shape().to_string());
  }
  return absl::OkStatus();
}

absl::Status group_sequences(const Tensor& indices, const Tensor& values, const Shape& groups,
                             Sequences* out) {
  const int64_t columns = indices.dim(1);
  const Indices strides = strides_of(groups);
  auto index = indices.flat<int64_t>();
  for (int64_t r = 0; r < indices.dim(0); ++r) {
    uint64_t product = 0;
    for (int64_t c = 0; c + 1 < columns; ++c) {
      product += static_cast<uint64_t>(index[r * columns + c]) * static_cast<uint64_t>(strides[c]);
    }
    const auto group = static_cast<int64_t>(product);
    if (group < 0 || group >= groups.num_elements()) {
      return absl::InternalError(absl::StrCat(
          "Got an inner product ", group,
          " which would require writing to outside of the buffer for the output tensor (max elements ",
          groups.num_elements(), ")"));
    }
    absl::string_view bytes =
        values.dtype() == DataType::kString
            ? values.flat<TString>()[r].view()
            : absl::string_view(static_cast<const char*>(element_at(values, r)), dtype_size(values.dtype()));
    (*out)[group].push_back(bytes);
  }
  return absl::OkStatus();
}

int64_t levenshtein(const std::vector<absl::string_view>& a, const std::vector<absl::string_view>& b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      int64_t next = std::min({row[j + 1] + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = row[j + 1];
      row[j + 1] = next;
    }
  }
  return row.back();
}

class EditDistance final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("normalize", &normalize_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_RETURN_IF_ERROR(
        check_sequences(context.input(0), context.input(1), context.input(2), "hypothesis"));
    TROUPE_RETURN_IF_ERROR(check_sequences(context.input(3), context.input(4), context.input(5), "truth"));
    Indices a = ints_of(context.input(2)), b = ints_of(context.input(5));
    if (a.size() != b.size() || a.empty()) {
      return invalid("Expected hypothesis_shape.NumElements == truth_shape.NumElements, their shapes are: ",
                     context.input(2).shape().to_string(), " and ", context.input(5).shape().to_string());
    }
    for (const Indices* sizes : {&a, &b}) {
      for (int64_t size : *sizes) {
        if (size < 0) return invalid("Dimension ", size, " must be >= 0");
      }
    }
    Indices dims;
    for (size_t i = 0; i + 1 < a.size(); ++i) dims.push_back(std::max(a[i], b[i]));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
    Sequences hypotheses, truths;
    TROUPE_RETURN_IF_ERROR(group_sequences(context.input(0), context.input(1), shape, &hypotheses));
    TROUPE_RETURN_IF_ERROR(group_sequences(context.input(3), context.input(4), shape, &truths));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    auto to = out->flat<float>();
    std::fill(to.begin(), to.end(), 0.0f);
    for (const auto& [group, truth] : truths) {
      auto it = hypotheses.find(group);
      float length = static_cast<float>(truth.size());
      float distance = it == hypotheses.end() ? length : static_cast<float>(levenshtein(truth, it->second));
      to[group] = normalize_ ? distance / length : distance;
    }
    for (const auto& [group, hypothesis] : hypotheses) {
      if (truths.contains(group)) continue;
      to[group] = normalize_ ? std::numeric_limits<float>::infinity() : static_cast<float>(hypothesis.size());
    }
    return absl::OkStatus();
  }

 private:
  bool normalize_ = true;
};

/// A constant whose elements are the bytes of a file, mapped and not read; what is written to them stays private.
class ImmutableConst final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("memory_region_name", &file_)("dtype", &dtype_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
    auto full = shape.to_shape();
    if (!full) return invalid("attr shape must be fully defined: ", shape.to_string());
    shape_ = *std::move(full);
    if (!is_trivial(dtype_)) {
      return absl::UnimplementedError(
          absl::StrCat("Sorry, ", dtype_name(dtype_), " is not currently supported for ImmutableConstOp."));
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    std::lock_guard lock(mu_);
    if (!value_.initialized()) TROUPE_RETURN_IF_ERROR(map());
    context.set_output(0, value_);
    return absl::OkStatus();
  }

 private:
  absl::Status map() {
    TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(file_));
    int fd = open(local.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return absl::NotFoundError(absl::StrCat(file_, "; ", std::strerror(errno)));
    struct stat info = {};
    int64_t bytes = 0;
    bool fits =
        fstat(fd, &info) == 0 &&
        !multiply_overflows(shape_.num_elements(), static_cast<int64_t>(dtype_size(dtype_)), &bytes) &&
        info.st_size >= bytes;
    if (!fits || bytes == 0) {
      close(fd);
      if (fits) {
        value_ = Tensor(dtype_, shape_);
        return absl::OkStatus();
      }
      return invalid("Wrong length of the memory region ", file_, ": ", info.st_size, " bytes for shape ",
                     shape_.to_string(), " of ", dtype_name(dtype_));
    }
    void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED)
      return absl::InternalError(absl::StrCat("cannot map ", file_, ": ", std::strerror(errno)));
    value_ = Tensor(
        dtype_, shape_,
        Buffer::adopt(
            data, static_cast<size_t>(bytes), [](void* p, size_t size, void*) { munmap(p, size); }, nullptr));
    return absl::OkStatus();
  }

  std::string file_;
  DataType dtype_ = DataType::kInvalid;
  Shape shape_;
  std::mutex mu_;
  Tensor value_;  // guarded by mu_
};

}  // namespace

void register_array_misc(KernelRegistry* registry) {
  registry->add(KernelDef("InplaceUpdate").fn(inplace_update));
  registry->add(KernelDef("InplaceAdd").fn(inplace_add));
  registry->add(KernelDef("InplaceSub").fn(inplace_sub));
  registry->add(KernelDef("EditDistance").types("T", value_types()).kernel<EditDistance>());
  registry->add(KernelDef("ImmutableConst").kernel<ImmutableConst>());
}

}  // namespace troupe
