// RaggedCross: crosses of the features in the rows of ragged, sparse and dense inputs.
#include <limits>
#include <string>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/cross_hash.h"
#include "devices/cpu/kernels/shared/hash_string.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// The features of one input, row by row: the values from starts[row] on, through `positions` when there are any.
struct Features {
  const Tensor* values = nullptr;
  std::vector<int64_t> starts;
  std::vector<int64_t> positions;

  int64_t rows() const { return static_cast<int64_t>(starts.size()) - 1; }
  int64_t count(int64_t row) const {
    const auto r = static_cast<size_t>(row);
    return starts[r + 1] - starts[r];
  }
  int64_t position(int64_t row, int64_t n) const {
    const int64_t at = starts[static_cast<size_t>(row)] + n;
    return positions.empty() ? at : positions[static_cast<size_t>(at)];
  }
};

absl::Status wrong_rank() { return invalid("tf.ragged.cross only supports inputs with rank=2."); }

absl::StatusOr<Features> ragged_features(const Tensor& values, const Tensor& splits) {
  if (values.rank() != 1 || splits.rank() != 1) return wrong_rank();
  Features f;
  f.values = &values;
  for (int64_t s : ints_of(splits)) f.starts.push_back(s);
  if (f.starts.empty())
    return invalid("Invalid ragged splits: ragged splits must have at least one splits, but is empty");
  if (f.starts[0] != 0)
    return invalid("Invalid ragged splits: first element of ragged splits  must be 0 but is ", f.starts[0]);
  for (size_t i = 1; i < f.starts.size(); ++i) {
    if (f.starts[i] >= f.starts[i - 1]) continue;
    return invalid(
        "Invalid ragged splits: ragged splits must be monotonically increasing, but ragged_splits[", i,
        "]=", f.starts[i], " is smaller than row_splits[", i - 1, "]=", f.starts[i - 1]);
  }
  if (f.starts.back() != values.dim(0)) {
    return invalid(
        "Invalid ragged splits: last element of ragged splits must be the number of ragged values(",
        values.dim(0), ") but is ", f.starts.back());
  }
  return f;
}

/// Entries outside of the batch are left out; those of a row keep their order.
absl::StatusOr<Features> sparse_features(KernelContext& context, const Tensor& indices, const Tensor& values,
                                         const Tensor& shape, int i) {
  if (indices.rank() != 2 || values.rank() != 1 || shape.rank() != 1 || indices.dim(0) != values.dim(0))
    return invalid("Invalid SparseTensor ", i);
  if (shape.dim(0) != 2 || indices.dim(1) != 2) return wrong_rank();
  const int64_t batch = shape.flat<int64_t>()[0];
  if (batch < 0) return invalid("Invalid SparseTensor ", i);
  // Refuses batches that memory cannot hold.
  TROUPE_ASSIGN_OR_RETURN(const Shape rows, Shape::make({{batch}}));
  TROUPE_RETURN_IF_ERROR(context.allocate_temp(DataType::kComplex128, rows).status());
  Features f;
  f.values = &values;
  f.starts.assign(static_cast<size_t>(batch) + 1, 0);
  const auto at = indices.flat<int64_t>();
  auto row_of = [&](int64_t entry) { return at[static_cast<size_t>(entry) * 2]; };
  for (int64_t e = 0; e < values.dim(0); ++e) {
    if (row_of(e) >= 0 && row_of(e) < batch) ++f.starts[static_cast<size_t>(row_of(e)) + 1];
  }
  for (size_t r = 1; r < f.starts.size(); ++r) f.starts[r] += f.starts[r - 1];
  f.positions.resize(static_cast<size_t>(f.starts.back()));
  std::vector<int64_t> next(f.starts.begin(), f.starts.end() - 1);
  for (int64_t e = 0; e < values.dim(0); ++e) {
    if (row_of(e) >= 0 && row_of(e) < batch)
      f.positions[static_cast<size_t>(next[static_cast<size_t>(row_of(e))]++)] = e;
  }
  return f;
}

absl::StatusOr<Features> dense_features(const Tensor& values) {
  if (values.rank() != 2) return wrong_rank();
  Features f;
  f.values = &values;
  for (int64_t r = 0; r <= values.dim(0); ++r) f.starts.push_back(r * values.dim(1));
  return f;
}

class RaggedCross final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("input_order", &order_)("num_buckets", &buckets_); }
  absl::Status init(const KernelConstruction& c) {
    auto length = [&](const char* attr) -> absl::StatusOr<int> {
      TROUPE_ASSIGN_OR_RETURN(const auto types, c.attr<std::vector<DataType>>(attr));
      return static_cast<int>(types.size());
    };
    TROUPE_ASSIGN_OR_RETURN(ragged_, length("ragged_values_types"));
    TROUPE_ASSIGN_OR_RETURN(const int splits, length("ragged_splits_types"));
    TROUPE_ASSIGN_OR_RETURN(const int sparse_values, length("sparse_values_types"));
    TROUPE_ASSIGN_OR_RETURN(dense_, length("dense_types"));
    TROUPE_ASSIGN_OR_RETURN(const int64_t sparse, c.attr<int64_t>("Nsparse"));
    sparse_ = sparse_values;
    if (splits != ragged_) return invalid("ragged values and splits must have the same length");
    if (sparse != sparse_values) return invalid("sparse indices and values must have the same length");
    TROUPE_ASSIGN_OR_RETURN(const int64_t key, c.attr<int64_t>("hash_key"));
    key_ = static_cast<uint64_t>(key);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const std::vector<Features> features, read(context));
    const int64_t rows = features.empty() ? 0 : features[0].rows();
    std::vector<int64_t> ends = {0};
    for (int64_t r = 0; r < rows; ++r) {
      int64_t crosses = 1;
      for (const Features& f : features) {
        if (__builtin_mul_overflow(crosses, f.count(r), &crosses))
          return invalid("Too many crosses in row ", r);
      }
      ends.push_back(0);
      if (__builtin_add_overflow(ends[ends.size() - 2], crosses, &ends.back()))
        return invalid("Too many crosses");
    }
    if (context.output_type(1) == DataType::kInt32 && ends.back() > std::numeric_limits<int32_t>::max())
      return invalid("Too many crosses for row splits of int32");
    TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(0, Shape{ends.back()}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * splits, context.allocate_output(1, Shape{rows + 1}));
    for (int64_t r = 0; r <= rows; ++r) set_int(splits, r, ends[static_cast<size_t>(r)]);
    for (int64_t r = 0; r < rows; ++r)
      cross_row(features, r, ends[static_cast<size_t>(r)], ends[static_cast<size_t>(r) + 1], values);
    return absl::OkStatus();
  }

 private:
  /// The inputs in the order of `input_order`, all with as many rows.
  absl::StatusOr<std::vector<Features>> read(KernelContext& context) const {
    const int sparse = 2 * ragged_, dense = sparse + 3 * sparse_;
    if (static_cast<int>(order_.size()) != ragged_ + sparse_ + dense_)
      return invalid("Invalid length for input_order");
    int next[3] = {0, 0, 0};
    std::vector<Features> all;
    for (const char kind : order_) {
      const int which = kind == 'R' ? 0 : kind == 'S' ? 1 : 2;
      if (kind != 'R' && kind != 'S' && kind != 'D') return invalid("Unexpected input_order value.");
      const int i = next[which]++, size = which == 0 ? ragged_ : which == 1 ? sparse_ : dense_;
      if (i >= size) {
        static constexpr const char* kNames[] = {"ragged", "sparse", "dense"};
        return invalid("input_order \"", order_, "\" specifies reading a ", kNames[which],
                       " tensor value at index ", i, " from a list of ", size, " values.");
      }
      absl::StatusOr<Features> f = which == 0 ? ragged_features(context.input(i), context.input(ragged_ + i))
                                   : which == 1 ? sparse_features(context, context.input(sparse + i),
                                                                  context.input(sparse + sparse_ + i),
                                                                  context.input(sparse + 2 * sparse_ + i), i)
                                                : dense_features(context.input(dense + i));
      if (!f.ok()) return f.status();
      if (!all.empty() && f->rows() != all[0].rows())
        return invalid("inputs must all have the same batch dimension size.");
      all.push_back(*std::move(f));
    }
    return all;
  }

  /// Every choice of one feature per input; the last input turns fastest.
  void cross_row(const std::vector<Features>& features, int64_t row, int64_t begin, int64_t end,
                 Tensor* values) const {
    std::vector<int64_t> choice(features.size(), 0);
    for (int64_t i = begin; i < end; ++i) {
      if (values->dtype() == DataType::kString) {
        values->flat<TString>()[i].assign(text(features, row, choice));
      } else {
        values->flat<int64_t>()[i] = hash(features, row, choice);
      }
      for (size_t c = features.size(); c-- > 0;) {
        if (++choice[c] < features[c].count(row)) break;
        choice[c] = 0;
      }
    }
  }

  static std::string text(const std::vector<Features>& features, int64_t row,
                          const std::vector<int64_t>& choice) {
    std::string joined;
    for (size_t c = 0; c < features.size(); ++c) {
      if (c > 0) joined += "_X_";
      const Tensor& t = *features[c].values;
      const int64_t at = features[c].position(row, choice[c]);
      if (t.dtype() == DataType::kString) {
        joined.append(t.flat<TString>()[at].data(), t.flat<TString>()[at].size());
      } else {
        absl::StrAppend(&joined, int_at(t, at));
      }
    }
    return joined;
  }

  int64_t hash(const std::vector<Features>& features, int64_t row, const std::vector<int64_t>& choice) const {
    uint64_t joined = key_;
    for (size_t c = 0; c < features.size(); ++c) {
      const Tensor& t = *features[c].values;
      const int64_t at = features[c].position(row, choice[c]);
      joined = join_fingerprints(joined, t.dtype() == DataType::kString
                                             ? farm_fingerprint64(t.flat<TString>()[at].view())
                                             : static_cast<uint64_t>(int_at(t, at)));
    }
    const auto buckets = static_cast<uint64_t>(buckets_ > 0 ? buckets_ : std::numeric_limits<int64_t>::max());
    return static_cast<int64_t>(joined % buckets);
  }

  int ragged_ = 0, sparse_ = 0, dense_ = 0;
  std::string order_;
  int64_t buckets_ = 0;
  uint64_t key_ = 0;
};

/// The bucket of a number's decimal digits.
class TensorToHashBucket final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("num_buckets", &buckets_); }
  absl::Status init(const KernelConstruction&) {
    if (buckets_ < 1) return invalid("num_buckets must be at least 1, got ", buckets_);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      const std::string digits = in.dtype() == DataType::kUint64 ? absl::StrCat(in.flat<uint64_t>()[i])
                                                                 : absl::StrCat(int_at(in, i));
      out->flat<int64_t>()[i] =
          static_cast<int64_t>(farm_fingerprint64(digits) % static_cast<uint64_t>(buckets_));
    }
    return absl::OkStatus();
  }

 private:
  int64_t buckets_ = 1;
};

}  // namespace

void register_ragged_cross(KernelRegistry* registry) {
  registry->add(KernelDef("RaggedCross").types("out_row_splits_type", index_types()).kernel<RaggedCross>());
  registry->add(KernelDef("_TensorToHashBucketFast")
                    .types("T", {DataType::kInt8, DataType::kUint8, DataType::kInt16, DataType::kUint16,
                                 DataType::kInt32, DataType::kUint32, DataType::kInt64, DataType::kUint64})
                    .kernel<TensorToHashBucket>());
}

}  // namespace troupe
