// Windows of elements as datasets of their own, and batches cut anew.

#include <algorithm>
#include <deque>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// How a window moves over the input.
struct Sliding {
  int64_t size = 1;
  int64_t shift = 1;
  int64_t stride = 1;
  bool drop_remainder = false;

  absl::Status check() const {
    if (size <= 0) return invalid("Window size must be greater than zero.");
    if (shift <= 0) return invalid("Window shift must be greater than zero.");
    if (stride <= 0) return invalid("Window stride must be greater than zero.");
    if (stride > 1 && size - 1 > (INT64_MAX - 1) / stride) return invalid("The window is too large.");
    return absl::OkStatus();
  }
  int64_t span() const { return (size - 1) * stride + 1; }
  int64_t windows_of(int64_t n) const {
    if (n < 0) return n;
    if (!drop_remainder) return n / shift + (n % shift != 0 ? 1 : 0);
    return n < span() ? 0 : (n - span()) / shift + 1;
  }
};

/// The elements of one window after the other; nothing at the end.
class Windows {
 public:
  /// With `errors_count` an error takes the place of an element; without, the window goes on behind it.
  Windows(IteratorPtr input, Sliding sliding, bool errors_count)
      : input_(std::move(input)), sliding_(sliding), errors_count_(errors_count) {}

  absl::StatusOr<std::optional<std::vector<Element>>> next(const ElementContext& step) {
    for (; gap_ > 0 && input_ != nullptr; --gap_) {
      TROUPE_RETURN_IF_ERROR(step.check());
      const NextElement element = read(step);
      if (!errors_count_) TROUPE_RETURN_IF_ERROR(element.status());
    }
    while (input_ != nullptr && static_cast<int64_t>(buffer_.size()) < sliding_.span()) {
      TROUPE_RETURN_IF_ERROR(step.check());
      NextElement element = read(step);
      if (!errors_count_) TROUPE_RETURN_IF_ERROR(element.status());
      if (!element.ok() || element->has_value()) buffer_.push_back(std::move(element));
    }
    const auto held = static_cast<int64_t>(buffer_.size());
    if (held == 0 || (sliding_.drop_remainder && held < sliding_.span())) return std::nullopt;
    std::vector<Element> window;
    absl::Status status;
    for (int64_t i = 0; i < held && status.ok(); i += sliding_.stride) {
      const NextElement& element = buffer_[static_cast<size_t>(i)];
      status = element.status();
      if (status.ok()) window.push_back(**element);
    }
    const int64_t gone = std::min(held, sliding_.shift);
    buffer_.erase(buffer_.begin(), buffer_.begin() + gone);
    gap_ = sliding_.shift - gone;
    TROUPE_RETURN_IF_ERROR(status);
    return window;
  }

 private:
  NextElement read(const ElementContext& step) {
    NextElement element = input_->next(step);
    if (element.ok() && !element->has_value()) input_ = nullptr;
    return element;
  }

  IteratorPtr input_;  // null behind the end
  const Sliding sliding_;
  const bool errors_count_;
  // An error stands in the place of its element: all windows with it are errors.
  std::deque<NextElement> buffer_;
  int64_t gap_ = 0;
};

/// Each component of the window's elements as a dataset.
Element as_datasets(const std::vector<Element>& window, const Dataset& input) {
  Element out;
  for (size_t c = 0; c < window[0].size(); ++c) {
    std::vector<Element> column;
    for (const Element& element : window) column.push_back({element[c]});
    out.push_back(
        dataset_tensor(make_list_dataset("Window", std::move(column), {input.types[c]}, {input.shapes[c]})));
  }
  return out;
}

absl::Status make_window(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  Sliding sliding;
  TROUPE_ASSIGN_OR_RETURN(sliding.size, input_count(context, 1, "size"));
  TROUPE_ASSIGN_OR_RETURN(sliding.shift, input_count(context, 2, "shift"));
  TROUPE_ASSIGN_OR_RETURN(sliding.stride, input_count(context, 3, "stride"));
  TROUPE_ASSIGN_OR_RETURN(sliding.drop_remainder, input_flag(context, 4, "drop_remainder"));
  TROUPE_RETURN_IF_ERROR(sliding.check());
  auto dataset = make_dataset("Window", {input}, [input, sliding](const std::string& name) {
    auto windows = std::make_unique<Windows>(input->iterate(name), sliding, /*errors_count=*/true);
    return iterator_of([input, windows = std::move(windows)](const ElementContext& step) -> NextElement {
      TROUPE_ASSIGN_OR_RETURN(auto window, windows->next(step));
      if (!window.has_value()) return std::nullopt;
      if ((*window)[0].size() != input->types.size())
        return invalid("The elements do not have the dataset's types");
      return as_datasets(*window, *input);
    });
  });
  dataset->cardinality = sliding.windows_of(input->cardinality);
  return output_dataset(context, std::move(dataset));
}

/// Windows as batches.
absl::Status make_sliding_window(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  Sliding sliding;
  TROUPE_ASSIGN_OR_RETURN(sliding.size, input_count(context, 1, "window_size"));
  TROUPE_ASSIGN_OR_RETURN(sliding.shift, input_count(context, 2, "window_shift"));
  TROUPE_ASSIGN_OR_RETURN(sliding.stride, input_count(context, 3, "window_stride"));
  sliding.drop_remainder = context.node().attrs.get_or("drop_remainder", true);
  TROUPE_RETURN_IF_ERROR(sliding.check());
  auto dataset = make_dataset("SlidingWindow", {input}, [input, sliding](const std::string& name) {
    auto windows = std::make_unique<Windows>(input->iterate(name), sliding, /*errors_count=*/false);
    return iterator_of([windows = std::move(windows)](const ElementContext& step) -> NextElement {
      TROUPE_ASSIGN_OR_RETURN(auto window, windows->next(step));
      if (!window.has_value()) return std::nullopt;
      return stack_rows(*window);
    });
  });
  dataset->cardinality = sliding.windows_of(input->cardinality);
  return output_dataset(context, std::move(dataset));
}

/// How many rows all components have.
absl::StatusOr<int64_t> rows_of(const Element& element) {
  for (size_t c = 0; c < element.size(); ++c) {
    if (element[c].rank() < 1)
      return invalid("Input element must have a non-scalar value in each component.");
    if (element[c].dim(0) != element[0].dim(0)) {
      return invalid("Input element must have the same batch size in each component. Component 0 had size ",
                     element[0].dim(0), " but component ", c, " had size, ", element[c].dim(0), ".");
    }
  }
  return element.empty() ? 0 : element[0].dim(0);
}

absl::Status make_unbatch(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  auto dataset = make_dataset("Unbatch", {input}, [input](const std::string& name) {
    return iterator_of([in = input->iterate(name), batch = Element(), row = int64_t{0},
                        rows = int64_t{0}](const ElementContext& step) mutable -> NextElement {
      while (row >= rows) {
        TROUPE_RETURN_IF_ERROR(step.check());
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
        if (!element.has_value()) return std::nullopt;
        row = rows = 0;
        TROUPE_ASSIGN_OR_RETURN(rows, rows_of(*element));
        batch = *std::move(element);
      }
      return slice_of(batch, row++);
    });
  });
  if (input->cardinality == 0 || input->cardinality == kInfiniteCardinality)
    dataset->cardinality = input->cardinality;
  // The size of batches that all have the same number of rows.
  const int64_t size = input->shapes.empty() || input->shapes[0].rank() < 1 ? -1 : input->shapes[0].dim(0);
  if (input->cardinality > 0 && size > 0 && input->cardinality <= INT64_MAX / size) {
    dataset->cardinality = input->cardinality * size;
  }
  return output_dataset(context, std::move(dataset));
}

/// RebatchDataset: each batch in as many parts as there are replicas.
absl::Status make_rebatch(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t replicas, input_count(context, 1, "num_replicas"));
  if (replicas <= 0) return invalid("num_replicas must be greater than zero.");
  return output_dataset(
      context, make_dataset("Rebatch", {input}, [input, replicas](const std::string& name) {
        return iterator_of([in = input->iterate(name), replicas, batch = Element(), rows = int64_t{0},
                            part = int64_t{0}](const ElementContext& step) mutable -> NextElement {
          if (part == 0) {
            TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
            if (!element.has_value()) return std::nullopt;
            TROUPE_ASSIGN_OR_RETURN(rows, rows_of(*element));
            batch = *std::move(element);
          }
          const int64_t size = rows / replicas + (rows % replicas != 0 ? 1 : 0);
          const int64_t begin = std::min(rows, part * size), end = std::min(rows, begin + size);
          part = (part + 1) % replicas;
          Element slice;
          for (const Tensor& t : batch) slice.push_back(t.slice_rows(begin, end));
          return slice;
        });
      }));
}

/// Rows of batches in batches of other sizes, which come round.
class Rebatcher {
 public:
  Rebatcher(IteratorPtr input, std::vector<int64_t> sizes, bool drop_remainder)
      : input_(std::move(input)), sizes_(std::move(sizes)), drop_remainder_(drop_remainder) {}

  NextElement next(const ElementContext& step) {
    const int64_t wanted = sizes_[turn_++ % sizes_.size()];
    std::vector<Element> parts;
    int64_t found = 0;
    while (found < wanted || parts.empty()) {
      if (row_ >= rows_) {
        TROUPE_RETURN_IF_ERROR(step.check());
        if (input_ == nullptr) break;
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
        if (!element.has_value()) {
          input_ = nullptr;
          break;
        }
        TROUPE_ASSIGN_OR_RETURN(rows_, rows_of(*element));
        row_ = 0;
        batch_ = *std::move(element);
        if (rows_ == 0) continue;
      }
      const int64_t end = std::min(rows_, row_ + (wanted - found));
      Element part;
      for (const Tensor& t : batch_) part.push_back(t.slice_rows(row_, end));
      parts.push_back(std::move(part));
      found += end - row_;
      row_ = end;
    }
    if (parts.empty() || (found < wanted && drop_remainder_)) return std::nullopt;
    return parts.size() == 1 ? NextElement(std::move(parts[0])) : join(parts, found);
  }

 private:
  static NextElement join(const std::vector<Element>& parts, int64_t rows) {
    Element all;
    for (size_t c = 0; c < parts[0].size(); ++c) {
      std::vector<int64_t> dims = parts[0][c].shape().to_vector();
      dims[0] = rows;
      TROUPE_ASSIGN_OR_RETURN(const Shape shape, Shape::make(dims));
      TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(parts[0][c].dtype(), shape));
      const int64_t stride = count_dims(shape, 1, shape.rank());
      int64_t at = 0;
      for (const Element& part : parts) {
        if (c >= part.size() || part[c].dtype() != out.dtype() ||
            part[c].num_elements() != part[c].dim(0) * stride) {
          return invalid("Cannot join batches whose rows have different shapes in component ", c);
        }
        copy_elements(part[c], 0, out, at, part[c].num_elements());
        at += part[c].num_elements();
      }
      all.push_back(std::move(out));
    }
    return all;
  }

  IteratorPtr input_;  // null behind the end
  const std::vector<int64_t> sizes_;
  const bool drop_remainder_;
  size_t turn_ = 0;
  Element batch_;
  int64_t row_ = 0;
  int64_t rows_ = 0;
};

absl::Status make_rebatch_v2(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  const Tensor& t = context.input(1);
  if (t.rank() > 1) return invalid("`batch_sizes` must be a scalar or a vector.");
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < t.num_elements(); ++i) sizes.push_back(int_at(t, i));
  if (sizes.empty()) return invalid("`batch_sizes` must not be empty.");
  for (const int64_t size : sizes) {
    if (size < 0) return invalid("`batch_sizes` must not be negative.");
  }
  if (std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size == 0; })) {
    return invalid("`batch_sizes` must have at least one size above 0.");
  }
  TROUPE_ASSIGN_OR_RETURN(const bool drop, input_flag(context, 2, "drop_remainder"));
  return output_dataset(context,
                        make_dataset("RebatchV2", {input}, [input, sizes, drop](const std::string& name) {
                          auto rebatcher = std::make_unique<Rebatcher>(input->iterate(name), sizes, drop);
                          return iterator_of([rebatcher = std::move(rebatcher)](const ElementContext& step) {
                            return rebatcher->next(step);
                          });
                        }));
}

}  // namespace

void register_dataset_windows(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"WindowDataset"}, make_window);
  add({"SlidingWindowDataset", "ExperimentalSlidingWindowDataset"}, make_sliding_window);
  add({"UnbatchDataset", "ExperimentalUnbatchDataset"}, make_unbatch);
  add({"RebatchDataset", "ExperimentalRebatchDataset"}, make_rebatch);
  add({"RebatchDatasetV2"}, make_rebatch_v2);
}

}  // namespace troupe
