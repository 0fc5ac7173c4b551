// MapDefun: a function of each row of the arguments, its results put together as rows.

#include <mutex>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/control/functional.h"
#include "devices/function_runner.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

/// Rows under way at a time: enough to keep a machine busy, few enough that a million rows need no million
/// steps.
constexpr int kRowsAtOnce = 32;

/// One execution. Rows end on any thread; whoever ends the last one finishes the kernel.
class RowMap : public std::enable_shared_from_this<RowMap> {
 public:
  RowMap(KernelContext* context, const FunctionRef* f, const std::vector<PartialShape>* shapes, int arguments,
         AsyncKernel::Done done)
      : context_(*context), f_(*f), shapes_(*shapes), arguments_(arguments), rows_(context->input(0).dim(0)),
        done_(std::move(done)), outputs_(static_cast<size_t>(context->num_outputs())) {}

  void start() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      auto shape = shapes_[i].to_shape();
      if (!shape) continue;
      if (absl::Status s = allocate(i, *shape); !s.ok()) return done_(s);
    }
    if (rows_ == 0) return finish();
    begin_rows();
  }

 private:
  /// Begins rows while there is room. Rows may end meanwhile, on this thread too: they leave the beginning to
  /// who does it.
  void begin_rows() {
    {
      std::lock_guard lock(mu_);
      if (beginning_) return;
      beginning_ = true;
    }
    while (true) {
      int64_t row;
      {
        std::lock_guard lock(mu_);
        if (next_ == rows_ || !status_.ok() || running_ == kRowsAtOnce) {
          beginning_ = false;
          if (!over()) return;
          break;
        }
        row = next_++;
        ++running_;
      }
      std::vector<Tensor> args;
      for (int i = 0; i < context_.num_inputs(); ++i)
        args.push_back(i < arguments_ ? row_of(context_.input(i), row) : context_.input(i));
      context_.step().functions->call(
          f_, context_.device()->name(), std::move(args),
          [self = shared_from_this(), row](absl::Status status, std::vector<Tensor> results) {
            self->end_row(row, std::move(status), results);
          });
    }
    finish();
  }

  void end_row(int64_t row, absl::Status status, const std::vector<Tensor>& results) {
    if (status.ok()) status = guarded("a kernel", [&] { return keep(row, results); });
    {
      std::lock_guard lock(mu_);
      --running_;
      if (!status.ok() && status_.ok()) status_ = std::move(status);
    }
    begin_rows();
  }

  /// True once, for whoever is to finish. Under mu_.
  bool over() {
    if (running_ > 0 || finished_ || (next_ < rows_ && status_.ok())) return false;
    return finished_ = true;
  }

  Tensor row_of(const Tensor& all, int64_t row) const {
    Shape shape;
    for (int d = 1; d < all.rank(); ++d) shape.add_dim(all.dim(d));
    Tensor out(all.dtype(), shape);
    copy_elements(all, row * out.num_elements(), out, 0, out.num_elements());
    return out;
  }

  absl::Status allocate(size_t i, const Shape& row) {
    std::vector<int64_t> dims = row.to_vector();
    dims.insert(dims.begin(), rows_);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(outputs_[i],
                            context_.allocate_temp(context_.output_type(static_cast<int>(i)), shape));
    return absl::OkStatus();
  }

  absl::Status keep(int64_t row, const std::vector<Tensor>& results) {
    if (results.size() != outputs_.size()) {
      return absl::InternalError(
          absl::StrCat("a function gave ", results.size(), " results of ", outputs_.size()));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const Tensor& value = results[i];
      {
        std::lock_guard lock(mu_);
        if (!outputs_[i].initialized()) TROUPE_RETURN_IF_ERROR(allocate(i, value.shape()));
      }
      Shape want;
      for (int d = 1; d < outputs_[i].rank(); ++d) want.add_dim(outputs_[i].dim(d));
      if (value.shape() != want || value.dtype() != outputs_[i].dtype()) {
        return absl::InvalidArgumentError(
            absl::StrCat("Mismatch in function retval shape, ", value.shape().to_string(),
                         ", and expected output shape, ", want.to_string(), "."));
      }
      copy_elements(value, 0, outputs_[i], row * value.num_elements(), value.num_elements());
    }
    return absl::OkStatus();
  }

  void finish() {
    if (!status_.ok()) return done_(status_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].initialized()) context_.set_output(static_cast<int>(i), std::move(outputs_[i]));
    }
    done_(absl::OkStatus());
  }

  KernelContext& context_;
  const FunctionRef& f_;
  const std::vector<PartialShape>& shapes_;
  const int arguments_;
  const int64_t rows_;
  const AsyncKernel::Done done_;
  std::mutex mu_;
  // Guarded by mu_; rows of the outputs are written without, each once.
  std::vector<Tensor> outputs_;
  int64_t next_ = 0;
  int running_ = 0;
  bool beginning_ = false;
  bool finished_ = false;
  absl::Status status_;
};

class MapDefunKernel final : public AsyncKernel {
 public:
  void attributes(AttrReader& a) { a("f", &f_)("output_shapes", &shapes_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(auto arguments, c.attr<std::vector<DataType>>("Targuments"));
    arguments_ = static_cast<int>(arguments.size());
    if (static_cast<int>(shapes_.size()) != c.num_outputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat("MapDefun has ", c.num_outputs(), " outputs, but ", shapes_.size(), " output_shapes"));
    }
    return absl::OkStatus();
  }

  void compute_async(KernelContext& context, Done done) override {
    if (absl::Status s = check(context); !s.ok()) return done(s);
    std::make_shared<RowMap>(&context, &f_, &shapes_, arguments_, std::move(done))->start();
  }

 private:
  absl::Status check(const KernelContext& context) const {
    if (context.step().functions == nullptr) return needs_a_session(context);
    for (int i = 0; i < arguments_; ++i) {
      const Tensor& t = context.input(i);
      if (t.rank() == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("All inputs must have rank at least 1. Input ", i, " has a rank of 0."));
      }
      if (t.dim(0) == context.input(0).dim(0)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "All inputs must have the same dimension 0. Input ", i, " has leading dimension ", t.dim(0),
          ", while all previous inputs have leading dimension ", context.input(0).dim(0)));
    }
    return absl::OkStatus();
  }

  FunctionRef f_;
  std::vector<PartialShape> shapes_;
  int arguments_ = 0;
};

}  // namespace

void register_control_map_defun(KernelRegistry* registry) {
  registry->add(KernelDef("MapDefun").kernel<MapDefunKernel>());
}

}  // namespace troupe
