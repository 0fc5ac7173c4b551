// Datasets made of other datasets, without functions: batches, repetitions, parts, pairs.

#include <algorithm>

#include "devices/cpu/kernels/array_util.h"
#include "devices/cpu/kernels/dataset.h"

namespace troupe {
namespace {

using Next = absl::StatusOr<std::optional<Element>>;

/// Up to `size` elements as rows of one.
class BatchDataset final : public DerivedDataset {
 public:
  BatchDataset(DatasetPtr input, int64_t size, bool drop_remainder)
      : DerivedDataset(std::move(input)), size_(size), drop_remainder_(drop_remainder) {}
  std::string name() const override { return "BatchV2"; }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return std::make_unique<Iterator>(iterate_input(prefix), size_, drop_remainder_);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(std::unique_ptr<DatasetIterator> input, int64_t size, bool drop_remainder)
        : input_(std::move(input)), size_(size), drop_remainder_(drop_remainder) {}
    Next next(const ElementContext& context) override {
      std::vector<Element> rows;
      while (!done_ && static_cast<int64_t>(rows.size()) < size_) {
        TROUPE_RETURN_IF_ERROR(context.check());
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> row, input_->next(context));
        if (row.has_value()) {
          rows.push_back(*std::move(row));
        } else {
          done_ = true;
        }
      }
      const bool whole = static_cast<int64_t>(rows.size()) == size_;
      if (rows.empty() || (!whole && drop_remainder_)) return std::nullopt;
      TROUPE_ASSIGN_OR_RETURN(Element batch, stack(rows));
      return batch;
    }

   private:
    static absl::StatusOr<Element> stack(const std::vector<Element>& rows) {
      Element batch;
      for (size_t c = 0; c < rows[0].size(); ++c) {
        const Shape& shape = rows[0][c].shape();
        std::vector<int64_t> dims = shape.to_vector();
        dims.insert(dims.begin(), static_cast<int64_t>(rows.size()));
        TROUPE_ASSIGN_OR_RETURN(Shape all, Shape::make(dims));
        TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(rows[0][c].dtype(), all));
        for (size_t r = 0; r < rows.size(); ++r) {
          const Tensor& row = rows[r][c];
          if (row.shape() != shape) {
            return invalid("Cannot batch tensors with different shapes in component ", c,
                           ". First element had shape ", shape.to_string(), " and element ", r, " had shape ",
                           row.shape().to_string(), ".");
          }
          copy_elements(row, 0, out, static_cast<int64_t>(r) * row.num_elements(), row.num_elements());
        }
        batch.push_back(std::move(out));
      }
      return batch;
    }

    const std::unique_ptr<DatasetIterator> input_;
    const int64_t size_;
    const bool drop_remainder_;
    bool done_ = false;
  };
  const int64_t size_;
  const bool drop_remainder_;
};

/// The input `count` times over; below 0 for ever, unless it is empty.
class RepeatDataset final : public DerivedDataset {
 public:
  RepeatDataset(DatasetPtr input, int64_t count) : DerivedDataset(std::move(input)), count_(count) {}
  std::string name() const override { return count_ < 0 ? "ForeverRepeat" : "FiniteRepeat"; }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return std::make_unique<Iterator>(input_, inner_prefix(prefix), count_);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(DatasetPtr dataset, std::string prefix, int64_t count)
        : dataset_(std::move(dataset)), prefix_(std::move(prefix)), count_(count) {}
    Next next(const ElementContext& context) override {
      while (count_ < 0 || rounds_ < count_) {
        TROUPE_RETURN_IF_ERROR(context.check());
        const bool fresh = round_ == nullptr;
        if (fresh) round_ = dataset_->iterate(prefix_);
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, round_->next(context));
        if (element.has_value()) return element;
        round_ = nullptr;
        ++rounds_;
        if (fresh && count_ < 0) count_ = 0;  // Nothing to repeat.
      }
      return std::nullopt;
    }

   private:
    const DatasetPtr dataset_;
    const std::string prefix_;
    int64_t count_;
    int64_t rounds_ = 0;
    std::unique_ptr<DatasetIterator> round_;
  };
  const int64_t count_;
};

/// Elements [skip, skip + take); take below 0: all.
class PartDataset final : public DerivedDataset {
 public:
  PartDataset(DatasetPtr input, int64_t skip, int64_t take, const char* name)
      : DerivedDataset(std::move(input)), skip_(skip), take_(take), name_(name) {}
  std::string name() const override { return name_; }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return std::make_unique<Iterator>(iterate_input(prefix), skip_, take_);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(std::unique_ptr<DatasetIterator> input, int64_t skip, int64_t take)
        : input_(std::move(input)), skip_(skip), take_(take) {}
    Next next(const ElementContext& context) override {
      for (; skip_ > 0; --skip_) {
        TROUPE_RETURN_IF_ERROR(context.check());
        TROUPE_ASSIGN_OR_RETURN(const std::optional<Element> passed, input_->next(context));
        if (!passed.has_value()) take_ = 0;
        if (take_ == 0) break;
      }
      if (take_ == 0) return std::nullopt;
      if (take_ > 0) --take_;
      return input_->next(context);
    }

   private:
    const std::unique_ptr<DatasetIterator> input_;
    int64_t skip_;
    int64_t take_;
  };
  const int64_t skip_;
  const int64_t take_;
  const char* const name_;
};

/// One dataset after the other.
class ConcatenateDataset final : public DerivedDataset {
 public:
  ConcatenateDataset(DatasetPtr first, DatasetPtr second)
      : DerivedDataset(std::move(first)), second_(std::move(second)) {}
  std::string name() const override { return "Concatenate"; }
  bool calls_functions() const override { return input_->calls_functions() || second_->calls_functions(); }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return std::make_unique<Iterator>(iterate_input(prefix + "[0]"),
                                      second_->iterate(inner_prefix(prefix + "[1]")));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(std::unique_ptr<DatasetIterator> first, std::unique_ptr<DatasetIterator> second)
        : first_(std::move(first)), second_(std::move(second)) {}
    Next next(const ElementContext& context) override {
      if (first_ != nullptr) {
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, first_->next(context));
        if (element.has_value()) return element;
        first_ = nullptr;
      }
      return second_->next(context);
    }

   private:
    std::unique_ptr<DatasetIterator> first_;
    const std::unique_ptr<DatasetIterator> second_;
  };
  const DatasetPtr second_;
};

/// The components of an element of each input, side by side, to the end of the shortest.
class ZipDataset final : public Dataset {
 public:
  explicit ZipDataset(std::vector<DatasetPtr> inputs) : inputs_(std::move(inputs)) {}
  std::string name() const override { return "Zip"; }
  bool calls_functions() const override {
    for (const DatasetPtr& input : inputs_) {
      if (input->calls_functions()) return true;
    }
    return false;
  }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    auto iterator = std::make_unique<Iterator>();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      iterator->inputs.push_back(inputs_[i]->iterate(absl::StrCat(inner_prefix(prefix), "[", i, "]")));
    }
    return iterator;
  }

 private:
  struct Iterator final : DatasetIterator {
    Next next(const ElementContext& context) override {
      if (done) return std::nullopt;
      Element all;
      absl::Status status;
      for (const auto& input : inputs) {
        Next element = input->next(context);
        status.Update(element.status());
        if (!element.ok()) continue;
        done = done || !element->has_value();
        if (element->has_value()) all.insert(all.end(), (*element)->begin(), (*element)->end());
      }
      if (done) return std::nullopt;
      TROUPE_RETURN_IF_ERROR(status);
      return all;
    }
    std::vector<std::unique_ptr<DatasetIterator>> inputs;
    bool done = false;
  };
  const std::vector<DatasetPtr> inputs_;
};

/// The input as it is: elements are made when they are asked for, whatever should be made ahead.
class SameDataset final : public DerivedDataset {
 public:
  SameDataset(DatasetPtr input, const char* name) : DerivedDataset(std::move(input)), name_(name) {}
  std::string name() const override { return name_; }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return iterate_input(prefix);
  }

 private:
  const char* const name_;
};

absl::Status make_batch(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t size, input_count(context, 1, "batch_size"));
  if (size <= 0) return invalid("Batch size must be greater than zero.");
  bool drop = false;
  if (context.num_inputs() > 2) {
    if (!is_scalar(context.input(2))) return invalid("drop_remainder must be a scalar");
    drop = context.input(2).value<bool>();
  }
  return output_dataset(context, std::make_shared<BatchDataset>(std::move(input), size, drop));
}

absl::Status make_repeat(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t count, input_count(context, 1, "count"));
  return output_dataset(context, std::make_shared<RepeatDataset>(std::move(input), count));
}

absl::Status make_take(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t count, input_count(context, 1, "count"));
  return output_dataset(context,
                        std::make_shared<PartDataset>(std::move(input), 0, std::max<int64_t>(count, -1),
                                                      count < 0 ? "InfiniteTake" : "FiniteTake"));
}

absl::Status make_skip(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t count, input_count(context, 1, "count"));
  // Below 0 everything is skipped.
  return output_dataset(context, std::make_shared<PartDataset>(std::move(input), std::max<int64_t>(count, 0),
                                                               count < 0 ? 0 : -1, "FiniteSkip"));
}

absl::Status make_concatenation(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr first, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr second, input_dataset(context, 1));
  if (first->types != second->types) {
    return invalid("input dataset and dataset to concatenate have different output_types");
  }
  return output_dataset(context, std::make_shared<ConcatenateDataset>(std::move(first), std::move(second)));
}

absl::Status make_zip(KernelContext& context) {
  std::vector<DatasetPtr> inputs;
  for (int i = 0; i < context.num_inputs(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, i));
    inputs.push_back(std::move(input));
  }
  return output_dataset(context, std::make_shared<ZipDataset>(std::move(inputs)));
}

absl::Status make_prefetch(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t buffer_size, input_count(context, 1, "buffer_size"));
  if (buffer_size < -1) {
    return invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  }
  return output_dataset(context, std::make_shared<SameDataset>(std::move(input), "Prefetch"));
}

absl::Status make_same(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  return output_dataset(context, std::make_shared<SameDataset>(std::move(input), "Options"));
}

}  // namespace

void register_dataset_transformations(KernelRegistry* registry) {
  for (const char* op : {"BatchDataset", "BatchDatasetV2"})
    registry->add(KernelDef(op).fn(make_batch, /*cheap=*/true));
  registry->add(KernelDef("RepeatDataset").fn(make_repeat, /*cheap=*/true));
  registry->add(KernelDef("TakeDataset").fn(make_take, /*cheap=*/true));
  registry->add(KernelDef("SkipDataset").fn(make_skip, /*cheap=*/true));
  registry->add(KernelDef("ConcatenateDataset").fn(make_concatenation, /*cheap=*/true));
  registry->add(KernelDef("ZipDataset").fn(make_zip, /*cheap=*/true));
  registry->add(KernelDef("PrefetchDataset").fn(make_prefetch, /*cheap=*/true));
  for (const char* op : {"OptionsDataset", "ModelDataset", "OptimizeDataset"}) {
    registry->add(KernelDef(op).fn(make_same, /*cheap=*/true));
  }
}

}  // namespace troupe
