#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/common/list/element_memory.h"
#include "devices/kernel.h"

namespace troupe {

/// The array behind TensorArray ops: elements that are each written once and, unless told otherwise, read
/// once. A gradient array instead sums what is written to an element. Made by a step and gone with its
/// handles; thread-safe.
class TensorArray final : public Resource, public std::enable_shared_from_this<TensorArray> {
 public:
  static constexpr const char* kTypeName = "tensorflow::TensorArray";
  /// Unwritten elements take about 100 bytes each; a graph that asks for more of them does so by mistake.
  static constexpr int64_t kMaxElements = int64_t{1} << 24;

  struct Options {
    /// Where elements are.
    const ElementMemory* memory = nullptr;
    DataType dtype = DataType::kInvalid;
    PartialShape element_shape;
    bool identical_element_shapes = false;
    bool dynamic_size = false;
    bool clear_after_read = true;
    /// A gradient: writes to one element add up.
    bool is_gradient = false;
    /// Gradients: how many elements the forward array was unpacked or split into; -1 when it was not.
    int32_t marked_size = -1;
  };

  /// `container` is the step's, which a handle from another step would not match.
  TensorArray(std::string container, std::string name, Options options, int64_t size)
      : container_(std::move(container)), name_(std::move(name)), options_(std::move(options)),
        elements_(size) {}

  std::string type_name() const override { return kTypeName; }
  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }
  const ElementMemory& memory() const { return *options_.memory; }
  DataType dtype() const { return options_.dtype; }

  // All of these fail with InvalidArgument "TensorArray n has already been closed." after close.

  absl::Status write(KernelContext& context, int64_t index, Tensor value);
  /// values[i] goes to indices[i].
  absl::Status write_many(KernelContext& context, const std::vector<int64_t>& indices,
                          std::vector<Tensor> values);
  /// Zeros for an element never written whose shape is known.
  absl::StatusOr<Tensor> read(KernelContext& context, int64_t index);
  absl::StatusOr<std::vector<Tensor>> read_many(KernelContext& context, const std::vector<int64_t>& indices);
  absl::StatusOr<int64_t> size() const;
  /// Like size, but for a gradient what `mark_size` said of the forward array.
  absl::StatusOr<int64_t> packed_size() const;
  absl::Status mark_size(int64_t size);
  /// Joins what is known of the element shape with `shape`, and returns it.
  absl::StatusOr<PartialShape> merge_element_shape(const PartialShape& shape);
  bool dynamic_size() const;
  /// The gradient array for `source`, made on the first call; its elements have `prefix` in front of the
  /// shapes here. From then on this array no longer grows.
  absl::StatusOr<std::shared_ptr<TensorArray>> gradient(const std::string& source,
                                                        const PartialShape& prefix);
  void close();

 private:
  struct Element {
    Tensor value;
    /// Valid once written; a gradient knows the shape before the value.
    Shape shape;
    bool written = false;
    bool read = false;
    bool cleared = false;
  };

  absl::Status check_open() const;
  absl::Status write_locked(KernelContext& context, int64_t index, Tensor value);
  absl::Status aggregate(KernelContext& context, int64_t index, Element& element, Tensor value);
  absl::StatusOr<Tensor> read_locked(KernelContext& context, int64_t index);
  template <class... A>
  absl::Status error(const A&... parts) const;

  const std::string container_;
  const std::string name_;
  mutable std::mutex mu_;
  // Guarded by mu_, but for memory, dtype and is_gradient in options_, which stay.
  Options options_;
  bool closed_ = false;
  /// Several values were added to one element, so that the gradient of this array is not defined.
  bool aggregated_ = false;
  std::vector<Element> elements_;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients_;
};

}  // namespace troupe
