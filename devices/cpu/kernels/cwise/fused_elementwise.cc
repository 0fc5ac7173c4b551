// _FusedElementwise: a tree of element-wise operations, computed block by block.
#include <algorithm>
#include <list>
#include <optional>

#include "devices/common/cwise/fused_elementwise.h"
#include "devices/cpu/kernels/cwise/pair.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/broadcast.h"

namespace troupe {
namespace {

/// Results of steps that wait for their users, of one block: together no more than the first cache holds.
constexpr int kSlots = 8;
constexpr int64_t kBlockBytes = 4096;
/// Rows shorter than this are not worth a call for each step.
constexpr int64_t kShortestRow = 16;

/// Inputs and steps of a tree of single numbers, for which no plan is made.
constexpr size_t kMostNumbers = 64;

/// How an operand lies in a result that is seen as rows.
enum class Layout {
  kNone,
  /// Element for element.
  kFull,
  /// The same row for all rows.
  kRow,
  /// One element for each row.
  kColumn,
  kScalar,
};

/// Of an operand of a result whose rows are its dimensions from `split` on.
Layout layout_of(const Shape& operand, const Shape& result, int split) {
  if (operand.num_elements() == result.num_elements()) return Layout::kFull;
  if (operand.num_elements() == 1) return Layout::kScalar;
  bool row = true, column = true;
  const int missing = result.rank() - operand.rank();
  for (int i = 0; i < result.rank(); ++i) {
    const int64_t size = i < missing ? 1 : operand.dim(i - missing);
    const bool whole = size == result.dim(i), single = size == 1;
    row &= i < split ? single : whole;
    column &= i < split ? whole : single;
  }
  return row ? Layout::kRow : column ? Layout::kColumn : Layout::kNone;
}

/// The shape of a result: one of the two, or one that is put into `made`. Null when they do not fit.
const Shape* shape_of(const Shape* a, const Shape* b, std::list<Shape>* made) {
  if (a == b || *a == *b) return a;
  if (b->num_elements() == 1 && b->rank() <= a->rank()) return a;
  if (a->num_elements() == 1 && a->rank() <= b->rank()) return b;
  Shape shape;
  if (!broadcast_shape(*a, *b, &shape)) return nullptr;
  return &made->emplace_back(std::move(shape));
}

struct Step : FusedElementwiseStep {
  explicit Step(FusedElementwiseStep step) : FusedElementwiseStep(std::move(step)) {
    // Kernels that have no rows, those of plug-ins, say, run as they are.
    if (const auto* pair = dynamic_cast<const PairKernel*>(kernel.get())) {
      binary = &pair->spec();
      pairs = true;
    } else {
      unary = unary_spec(*kernel);
      binary = binary_spec(*kernel);
    }
  }

  const UnarySpec* unary = nullptr;
  const BinarySpec* binary = nullptr;
  /// Its operands must be of one shape to go by rows.
  bool pairs = false;
  /// Where its result waits; the last step has none.
  int slot = -1;

  bool has_rows() const { return unary != nullptr || (binary != nullptr && binary->error == nullptr); }
  void run(const void* operand_a, const void* operand_b, void* out, int64_t n, RowMode mode) const {
    if (unary != nullptr) return unary->row(operand_a, out, n);
    binary->row(operand_a, operand_b, out, n, mode);
  }
  int cost() const { return unary != nullptr ? unary->cost : binary != nullptr ? binary->cost : 1; }
};

/// An operand of a step, while rows are computed.
struct Source {
  /// Null: in a slot.
  const char* data = nullptr;
  int slot = -1;
  int64_t row_step = 0;
  /// 0: one element for the whole row.
  int64_t step = 1;
  /// Does not go on from row to row as the result does.
  bool by_row = false;
};

/// The rows of a result, and the steps that compute them: those before them have been computed whole.
struct RowPlan {
  int64_t rows = 1;
  int64_t row = 0;
  struct Piece {
    const Step* step;
    Source a, b;
  };
  absl::InlinedVector<Piece, 12> pieces;
};

class FusedElementwise final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c,
                                                        const KernelRegistry& kernels) {
    auto k = std::make_unique<FusedElementwise>();
    TROUPE_RETURN_IF_ERROR(k->read(c, kernels));
    k->assign_slots();
    return k;
  }

  absl::Status compute(KernelContext& context) override {
    if (are_numbers(context)) return run_numbers(context);
    Whole whole(steps_.size());
    if (by_blocks_) {
      std::list<Shape> made;
      absl::InlinedVector<const Shape*, 24> shapes;
      if (infer(context, &shapes, &made) && shapes.back()->num_elements() > 0) {
        const Shape result = *shapes.back();
        // Smaller results on the way, a number for each row, say, are computed once.
        for (size_t i = 0; i < steps_.size(); ++i) {
          if (*shapes[num_inputs_ + i] == result) continue;
          TROUPE_RETURN_IF_ERROR(run_whole(context, i, false, &whole));
        }
        if (auto plan = plan_rows(context, result, whole)) return run_rows(context, *plan, result);
      }
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (!whole[i].initialized()) TROUPE_RETURN_IF_ERROR(run_whole(context, i, true, &whole));
    }
    context.set_output(0, std::move(whole.back()));
    return absl::OkStatus();
  }

  bool is_expensive() const override {
    return std::any_of(steps_.begin(), steps_.end(), [](const Step& s) { return s.cost() > kCheapCost; });
  }

 private:
  /// By step: its result, where that was computed as a tensor.
  using Whole = absl::InlinedVector<Tensor, 8>;

  absl::Status read(const KernelConstruction& c, const KernelRegistry& kernels) {
    num_inputs_ = static_cast<size_t>(c.num_inputs());
    element_ = static_cast<int64_t>(dtype_size(c.output_type(0)));
    TROUPE_ASSIGN_OR_RETURN(std::vector<FusedElementwiseStep> steps, read_fused_elementwise(c, kernels));
    for (FusedElementwiseStep& step : steps) steps_.emplace_back(std::move(step));
    return absl::OkStatus();
  }

  /// A result's slot is free again when its last user has read it, which may write there at once.
  void assign_slots() {
    last_use_.assign(num_inputs_ + steps_.size(), -1);
    for (size_t i = 0; i < steps_.size(); ++i) {
      for (int v : {steps_[i].a, steps_[i].b}) {
        if (v >= 0) last_use_[static_cast<size_t>(v)] = static_cast<int>(i);
      }
    }
    std::vector<bool> taken(kSlots);
    for (size_t i = 0; i < steps_.size(); ++i) {
      Step& step = steps_[i];
      by_blocks_ &= step.has_rows();
      for (int v : {step.a, step.b}) {
        const auto value = static_cast<size_t>(v);
        if (v >= 0 && value >= num_inputs_ && last_use_[value] == static_cast<int>(i))
          taken[static_cast<size_t>(std::max(0, steps_[value - num_inputs_].slot))] = false;
      }
      if (i + 1 == steps_.size()) return;
      auto free = std::find(taken.begin(), taken.end(), false);
      by_blocks_ &= free != taken.end();
      if (!by_blocks_) return;
      step.slot = static_cast<int>(free - taken.begin());
      *free = true;
    }
  }

  /// The shape of every value. False when operands do not fit, or perhaps do not.
  bool infer(const KernelContext& context, absl::InlinedVector<const Shape*, 24>* shapes,
             std::list<Shape>* made) const {
    for (int i = 0; i < context.num_inputs(); ++i) shapes->push_back(&context.input(i).shape());
    for (const Step& step : steps_) {
      const Shape* a = (*shapes)[static_cast<size_t>(step.a)];
      const Shape* b = (*shapes)[static_cast<size_t>(step.b < 0 ? step.a : step.b)];
      if (step.pairs && !(*a == *b)) return false;
      const Shape* shape = shape_of(a, b, made);
      if (shape == nullptr) return false;
      shapes->push_back(shape);
    }
    return true;
  }

  /// Computes a step as a node of its own would. `in_order`: all steps before it have been computed, so that who takes a value last
  /// may write to it.
  absl::Status run_whole(KernelContext& context, size_t i, bool in_order, Whole* whole) const {
    const Step& step = steps_[i];
    auto value_of = [&](int v, bool may_take) -> Tensor {
      const auto value = static_cast<size_t>(v);
      const bool takes = may_take && last_use_[value] == static_cast<int>(i);
      if (value < num_inputs_) return takes ? context.take_input(v) : context.input(v);
      Tensor& result = (*whole)[value - num_inputs_];
      return takes ? std::move(result) : result;
    };
    Value operands[2], output;
    if (step.b >= 0) operands[1].tensor = value_of(step.b, in_order && step.a != step.b);
    operands[0].tensor = value_of(step.a, in_order);
    KernelContext inner(&context.step(), step.node.get(), std::span<Value>(operands, step.b < 0 ? 1 : 2),
                        std::span<Value>(&output, 1));
    inner.own_allocator = context.own_allocator;
    if (absl::Status failed = step.kernel->compute(inner); !failed.ok()) {
      return annotate(failed, "", absl::StrCat("\n\t [[{{node ", step.node->name, "}}]]"));
    }
    (*whole)[i] = std::move(output.tensor);
    return absl::OkStatus();
  }

  /// Whether all inputs are of rank 0, and so all results.
  bool are_numbers(const KernelContext& context) const {
    if (!by_blocks_ || num_inputs_ + steps_.size() > kMostNumbers) return false;
    for (int i = 0; i < context.num_inputs(); ++i) {
      if (context.input(i).rank() != 0) return false;
    }
    return true;
  }
  absl::Status run_numbers(KernelContext& context) const {
    const void* values[kMostNumbers];
    double results[kMostNumbers];
    for (size_t i = 0; i < num_inputs_; ++i) values[i] = context.input(static_cast<int>(i)).raw();
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, Shape()));
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      void* const to = i + 1 == steps_.size() ? out->raw() : &results[i];
      step.run(values[step.a], step.b < 0 ? nullptr : values[step.b], to, 1, RowMode::kBoth);
      values[num_inputs_ + i] = to;
    }
    return absl::OkStatus();
  }

  /// How to compute by rows the steps that are not in `whole`, all of whose results have the shape of the last. Nothing when some
  /// operand lies in no rows of it, or these are short.
  std::optional<RowPlan> plan_rows(const KernelContext& context, const Shape& result,
                                   const Whole& whole) const {
    for (int split = 0; split <= result.rank(); ++split) {
      RowPlan plan;
      plan.rows = result.num_elements(0, split);
      plan.row = result.num_elements(split, result.rank());
      if (split > 0 && plan.row < kShortestRow) return std::nullopt;
      if (add_pieces(context, result, split, whole, &plan)) return plan;
    }
    return std::nullopt;
  }

  bool add_pieces(const KernelContext& context, const Shape& result, int split, const Whole& whole,
                  RowPlan* plan) const {
    auto source = [&](int v, Source* out) {
      const auto value = static_cast<size_t>(v);
      const Tensor* tensor = value < num_inputs_ ? &context.input(v) : &whole[value - num_inputs_];
      if (value >= num_inputs_ && !tensor->initialized()) {
        out->slot = steps_[value - num_inputs_].slot;
        return true;
      }
      const Layout layout = layout_of(tensor->shape(), result, split);
      out->data = static_cast<const char*>(tensor->raw());
      out->row_step = layout == Layout::kFull ? plan->row : layout == Layout::kColumn ? 1 : 0;
      out->step = layout == Layout::kFull || layout == Layout::kRow ? 1 : 0;
      out->by_row = layout == Layout::kRow || layout == Layout::kColumn;
      return layout != Layout::kNone;
    };
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (whole[i].initialized()) continue;
      RowPlan::Piece piece{&steps_[i], {}, {}};
      if (!source(steps_[i].a, &piece.a)) return false;
      if (steps_[i].b >= 0 && !source(steps_[i].b, &piece.b)) return false;
      plan->pieces.push_back(piece);
    }
    return true;
  }

  absl::Status run_rows(KernelContext& context, const RowPlan& plan, const Shape& result) const {
    int reused = 0;
    for (int i = 0; i < context.num_inputs(); ++i) {
      if (context.input(i).unique() && context.input(i).num_elements() == result.num_elements()) reused = i;
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({reused}, 0, result));
    char* const to = static_cast<char*>(out->raw());
    // What is cheap waits for memory, to which a tree goes once.
    int64_t cost = 1;
    for (const RowPlan::Piece& piece : plan.pieces) cost += piece.step->cost() - 1;
    const int64_t block = kBlockBytes / element_;
    auto part_of_row = [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; at += block)
        run_block(plan, {0, 1, at, std::min(block, end - at)}, to);
    };
    auto whole_rows = [&](int64_t begin, int64_t end) {
      const int64_t rows = std::max<int64_t>(1, block / plan.row);
      for (int64_t r = begin; r < end; r += rows) {
        for (int64_t at = 0; at < plan.row; at += block)
          run_block(plan, {r, std::min(rows, end - r), at, std::min(block, plan.row - at)}, to);
      }
    };
    const bool small = plan.rows * plan.row < kParallelElements;
    if (plan.rows == 1) {
      small ? part_of_row(0, plan.row) : context.parallel().parallel_for(plan.row, cost, part_of_row);
    } else {
      small ? whole_rows(0, plan.rows)
            : context.parallel().parallel_for(plan.rows, cost * plan.row, whole_rows);
    }
    return absl::OkStatus();
  }

  /// Part of a row, or several whole rows: `n` elements of each.
  struct Block {
    int64_t row, rows, at, n;
  };

  /// Takes a block through all steps. It fits into a slot.
  void run_block(const RowPlan& plan, const Block& block, char* to) const {
    alignas(64) char slots[kSlots][kBlockBytes];
    auto slot = [&](int s, int64_t r) { return slots[s] + r * block.n * element_; };
    auto operand = [&](const Source& s, int64_t r) -> const void* {
      if (s.data == nullptr) return slot(s.slot, r);
      return s.data + ((block.row + r) * s.row_step + block.at * s.step) * element_;
    };
    for (const RowPlan::Piece& piece : plan.pieces) {
      const Step& step = *piece.step;
      const bool by_row = piece.a.by_row || piece.b.by_row;
      const int64_t calls = by_row ? block.rows : 1;
      const int64_t n = by_row ? block.n : block.n * block.rows;
      const RowMode mode = piece.a.step == 0   ? RowMode::kScalarA
                           : piece.b.step == 0 ? RowMode::kScalarB
                                               : RowMode::kBoth;
      for (int64_t r = 0; r < calls; ++r) {
        void* out =
            step.slot < 0 ? to + ((block.row + r) * plan.row + block.at) * element_ : slot(step.slot, r);
        step.run(operand(piece.a, r), step.b < 0 ? nullptr : operand(piece.b, r), out, n, mode);
      }
    }
  }

  size_t num_inputs_ = 0;
  int64_t element_ = 4;
  std::vector<Step> steps_;
  /// By value: the last step that takes it.
  std::vector<int> last_use_;
  /// False when steps have no rows, or their results would not fit into the slots.
  bool by_blocks_ = true;
};

}  // namespace

void register_cwise_fused_elementwise(KernelRegistry* registry) {
  KernelDef def("_FusedElementwise");
  def.factory = [registry](const KernelConstruction& c) { return FusedElementwise::create(c, *registry); };
  registry->add(std::move(def).types("T", {DataType::kFloat, DataType::kDouble}));
}

}  // namespace troupe
