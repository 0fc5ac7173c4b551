#include <Eigen/Core>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/shared/float_elements.h"
#include "devices/cpu/primitives/gemm.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using Floats = std::vector<float>;

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

Floats copy_floats(const Tensor& t) {
  Floats store;
  const float* p = as_floats(t, &store);
  if (store.empty() && t.num_elements() > 0) store.assign(p, p + t.num_elements());
  return store;
}

absl::Status set_output(KernelContext& context, int i, const Shape& shape, const Floats& values) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, shape));
  store_floats(values, out);
  return absl::OkStatus();
}

absl::Status expect(const Tensor& t, absl::string_view name, std::initializer_list<int64_t> dims) {
  const Shape want(dims);
  if (t.shape() == want) return absl::OkStatus();
  if (t.rank() != want.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Rank of ", name, " must be ", want.rank(), ", got ", t.shape().to_string()));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ".dims must be ", want.to_string(), ", got ", t.shape().to_string()));
}

absl::Status expect_rank(const Tensor& t, absl::string_view name, int rank) {
  if (t.rank() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " must be rank ", rank, " but is rank ", t.rank()));
}

/// [left, right] side by side, row by row.
Floats join(const float* left, int64_t left_width, const float* right, int64_t right_width, int64_t rows) {
  Floats both(static_cast<size_t>(rows * (left_width + right_width)));
  for (int64_t r = 0; r < rows; ++r) {
    float* to = both.data() + r * (left_width + right_width);
    std::copy_n(left + r * left_width, left_width, to);
    std::copy_n(right + r * right_width, right_width, to + left_width);
  }
  return both;
}

Floats product(ParallelRunner& runner, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const Floats& a,
               const Floats& b) {
  Floats c(static_cast<size_t>(m * n));
  parallel_gemm<float>(runner, ta ? MatrixOp::kTranspose : MatrixOp::kNone,
                       tb ? MatrixOp::kTranspose : MatrixOp::kNone, m, n, k, a.data(), b.data(), c.data());
  return c;
}

/// The weights of an LSTM cell and how it is built. Gates stand side by side in w and b: input, cell, forget, output
/// (or input, forget, cell, output in BlockLSTMV2).
struct Lstm {
  int64_t batch = 0, inputs = 0, cells = 0;
  Floats w, wci, wcf, wco, b;
  float forget_bias = 0, cell_clip = 0;
  bool peephole = false;
  int cell_gate = 1, forget_gate = 2;

  int64_t size() const { return batch * cells; }
};

/// What one step makes of one batch: each [batch, cells].
struct LstmState {
  Floats i, cs, f, o, ci, co, h;
  explicit LstmState(int64_t size) : i(static_cast<size_t>(size)), cs(i), f(i), o(i), ci(i), co(i), h(i) {}
};

LstmState lstm_step(ParallelRunner& runner, const Lstm& l, const float* x, const float* cs_prev,
                    const float* h_prev) {
  const int64_t width = l.inputs + l.cells;
  const Floats xh = join(x, l.inputs, h_prev, l.cells, l.batch);
  const Floats gates = product(runner, false, false, l.batch, 4 * l.cells, width, xh, l.w);
  LstmState s(l.size());
  for (int64_t r = 0; r < l.batch; ++r) {
    for (int64_t c = 0; c < l.cells; ++c) {
      auto gate = [&](int g) {
        return gates[static_cast<size_t>((r * 4 + g) * l.cells + c)] +
               l.b[static_cast<size_t>(g * l.cells + c)];
      };
      const auto at = static_cast<size_t>(r * l.cells + c), w = static_cast<size_t>(c);
      const float before = cs_prev[at];
      s.i[at] = sigmoid(gate(0) + (l.peephole ? before * l.wci[w] : 0));
      s.ci[at] = std::tanh(gate(l.cell_gate));
      s.f[at] = sigmoid(gate(l.forget_gate) + l.forget_bias + (l.peephole ? before * l.wcf[w] : 0));
      float cs = s.ci[at] * s.i[at] + before * s.f[at];
      if (l.cell_clip > 0) cs = std::min(l.cell_clip, std::max(-l.cell_clip, cs));
      s.cs[at] = cs;
      s.o[at] = sigmoid(gate(3) + (l.peephole ? cs * l.wco[w] : 0));
      s.co[at] = std::tanh(cs);
      s.h[at] = s.o[at] * s.co[at];
    }
  }
  return s;
}

/// The gradients that one step leaves behind; weight gradients are added to.
struct LstmGradient {
  Floats gates, cs_prev;
};

LstmGradient lstm_step_gradient(const Lstm& l, const float* cs_prev, const float* i, const float* cs,
                                const float* f, const float* o, const float* ci, const float* co,
                                const float* cs_grad, const float* h_grad, Floats* wci_grad, Floats* wcf_grad,
                                Floats* wco_grad) {
  LstmGradient g{Floats(static_cast<size_t>(l.size() * 4)), Floats(static_cast<size_t>(l.size()))};
  for (int64_t r = 0; r < l.batch; ++r) {
    for (int64_t c = 0; c < l.cells; ++c) {
      const auto at = static_cast<size_t>(r * l.cells + c), w = static_cast<size_t>(c);
      const float d_o = o[at] * (1 - o[at]) * h_grad[at] * co[at];
      float d_cs = (1 - co[at] * co[at]) * h_grad[at] * o[at] + cs_grad[at];
      if (l.peephole) d_cs += d_o * l.wco[w];
      const float d_ci = (1 - ci[at] * ci[at]) * d_cs * i[at];
      const float d_f = f[at] * (1 - f[at]) * d_cs * cs_prev[at];
      const float d_i = i[at] * (1 - i[at]) * d_cs * ci[at];
      auto gate = [&](int k) -> float& { return g.gates[static_cast<size_t>((r * 4 + k) * l.cells + c)]; };
      gate(0) = d_i;
      gate(l.cell_gate) = d_ci;
      gate(l.forget_gate) = d_f;
      gate(3) = d_o;
      g.cs_prev[at] = d_cs * f[at];
      if (l.peephole) {
        g.cs_prev[at] += d_i * l.wci[w] + d_f * l.wcf[w];
        (*wci_grad)[w] += d_i * cs_prev[at];
        (*wcf_grad)[w] += d_f * cs_prev[at];
        (*wco_grad)[w] += d_o * cs[at];
      }
    }
  }
  return g;
}

/// Reads and checks the operands that all LSTM ops have in common, from input `first` (x) on.
absl::StatusOr<Lstm> read_lstm(KernelContext& context, int first, int x_rank) {
  const Tensor &x = context.input(first), &cs_prev = context.input(first + 1),
               &h_prev = context.input(first + 2), &w = context.input(first + 3),
               &b = context.input(first + 7);
  TROUPE_RETURN_IF_ERROR(expect_rank(x, "x", x_rank));
  TROUPE_RETURN_IF_ERROR(expect_rank(cs_prev, "cs_prev", 2));
  Lstm l;
  l.batch = x.dim(x_rank - 2);
  l.inputs = x.dim(x_rank - 1);
  l.cells = cs_prev.dim(1);
  const int64_t cells = l.cells;
  TROUPE_RETURN_IF_ERROR(expect(cs_prev, "cs_prev", {l.batch, cells}));
  TROUPE_RETURN_IF_ERROR(expect(h_prev, "h_prev", {l.batch, cells}));
  TROUPE_RETURN_IF_ERROR(expect(w, "w", {l.inputs + cells, cells * 4}));
  TROUPE_RETURN_IF_ERROR(expect(b, "b", {cells * 4}));
  l.peephole = context.node().attrs.get_or<bool>("use_peephole", false);
  if (l.peephole) {
    for (int i = 4; i < 7; ++i)
      TROUPE_RETURN_IF_ERROR(expect(context.input(first + i), "peephole weights", {cells}));
    l.wci = copy_floats(context.input(first + 4));
    l.wcf = copy_floats(context.input(first + 5));
    l.wco = copy_floats(context.input(first + 6));
  }
  l.w = copy_floats(w);
  l.b = copy_floats(b);
  l.forget_bias = context.node().attrs.get_or<float>("forget_bias", 0.0f);
  l.cell_clip = context.node().attrs.get_or<float>("cell_clip", 0.0f);
  return l;
}

absl::Status lstm_block_cell(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Lstm l, read_lstm(context, 0, 2));
  const Floats x = copy_floats(context.input(0)), cs_prev = copy_floats(context.input(1)),
               h_prev = copy_floats(context.input(2));
  const LstmState s = lstm_step(context.parallel(), l, x.data(), cs_prev.data(), h_prev.data());
  const Shape shape{l.batch, l.cells};
  int i = 0;
  for (const Floats* v : {&s.i, &s.cs, &s.f, &s.o, &s.ci, &s.co, &s.h}) {
    TROUPE_RETURN_IF_ERROR(set_output(context, i++, shape, *v));
  }
  return absl::OkStatus();
}

absl::Status lstm_block_cell_grad(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Lstm l, read_lstm(context, 0, 2));
  for (int i = 8; i < 16; ++i) {
    TROUPE_RETURN_IF_ERROR(expect(context.input(i), absl::StrCat("input ", i), {l.batch, l.cells}));
  }
  std::vector<Floats> v;
  for (int i = 8; i < 16; ++i) v.push_back(copy_floats(context.input(i)));
  const Floats cs_prev = copy_floats(context.input(1));
  const auto cells = static_cast<size_t>(l.cells);
  Floats wci(cells, 0.0f), wcf(cells, 0.0f), wco(cells, 0.0f);
  const LstmGradient g =
      lstm_step_gradient(l, cs_prev.data(), v[0].data(), v[1].data(), v[2].data(), v[3].data(), v[4].data(),
                         v[5].data(), v[6].data(), v[7].data(), &wci, &wcf, &wco);
  TROUPE_RETURN_IF_ERROR(set_output(context, 0, Shape{l.batch, l.cells}, g.cs_prev));
  TROUPE_RETURN_IF_ERROR(set_output(context, 1, Shape{l.batch, l.cells * 4}, g.gates));
  TROUPE_RETURN_IF_ERROR(set_output(context, 2, Shape{l.cells}, wci));
  TROUPE_RETURN_IF_ERROR(set_output(context, 3, Shape{l.cells}, wcf));
  return set_output(context, 4, Shape{l.cells}, wco);
}

absl::StatusOr<int64_t> sequence_length(KernelContext& context, int64_t steps) {
  const Tensor& t = context.input(0);
  if (t.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("seq_len_max must be rank 0 but is rank ", t.rank()));
  }
  const int64_t n = t.value<int64_t>();
  if (n < 0 || n > steps) {
    return absl::InvalidArgumentError(absl::StrCat("seq_len_max must be in [0, ", steps, "], got ", n));
  }
  return n;
}

/// BlockLSTM and V2: a whole sequence; steps beyond its length are zero.
template <bool kV2>
absl::Status block_lstm(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Lstm l, read_lstm(context, 1, 3));
  if constexpr (kV2) {
    l.forget_bias = 0;
    std::swap(l.cell_gate, l.forget_gate);
  }
  const int64_t steps = context.input(1).dim(0);
  TROUPE_ASSIGN_OR_RETURN(const int64_t length, sequence_length(context, steps));
  const Floats x = copy_floats(context.input(1)), cs_first = copy_floats(context.input(2)),
               h_first = copy_floats(context.input(3));
  std::vector<Floats> all(7, Floats(static_cast<size_t>(steps * l.size()), 0.0f));
  const float *cs_prev = cs_first.data(), *h_prev = h_first.data();
  for (int64_t t = 0; t < length; ++t) {
    const LstmState s = lstm_step(context.parallel(), l, x.data() + t * l.batch * l.inputs, cs_prev, h_prev);
    size_t k = 0;
    for (const Floats* v : {&s.i, &s.cs, &s.f, &s.o, &s.ci, &s.co, &s.h}) {
      std::copy(v->begin(), v->end(), all[k++].begin() + t * l.size());
    }
    cs_prev = all[1].data() + t * l.size();
    h_prev = all[6].data() + t * l.size();
  }
  for (int i = 0; i < 7; ++i) {
    TROUPE_RETURN_IF_ERROR(
        set_output(context, i, Shape{steps, l.batch, l.cells}, all[static_cast<size_t>(i)]));
  }
  return absl::OkStatus();
}

template <bool kV2>
absl::Status block_lstm_grad(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Lstm l, read_lstm(context, 1, 3));
  if constexpr (kV2) std::swap(l.cell_gate, l.forget_gate);
  const int64_t steps = context.input(1).dim(0), size = l.size(), width = l.inputs + l.cells;
  TROUPE_ASSIGN_OR_RETURN(const int64_t length, sequence_length(context, steps));
  for (int i = 9; i < 18; ++i) {
    TROUPE_RETURN_IF_ERROR(expect(context.input(i), absl::StrCat("input ", i), {steps, l.batch, l.cells}));
  }
  const Floats x = copy_floats(context.input(1)), cs_first = copy_floats(context.input(2)),
               h_first = copy_floats(context.input(3));
  std::vector<Floats> v;  // i, cs, f, o, ci, co, h, cs_grad, h_grad
  for (int i = 9; i < 18; ++i) v.push_back(copy_floats(context.input(i)));
  const auto cells = static_cast<size_t>(l.cells);
  Floats x_grad(x.size(), 0.0f), cs_grad(static_cast<size_t>(size), 0.0f),
      h_grad = cs_grad, w_grad(l.w.size(), 0.0f), b_grad(l.b.size(), 0.0f), wci(cells, 0.0f), wcf = wci,
      wco = wci;
  for (int64_t t = length - 1; t >= 0; --t) {
    const int64_t at = t * size;
    const float* cs_prev = t == 0 ? cs_first.data() : v[1].data() + at - size;
    const float* h_prev = t == 0 ? h_first.data() : v[6].data() + at - size;
    for (size_t k = 0; k < cs_grad.size(); ++k) {
      cs_grad[k] += v[7][static_cast<size_t>(at) + k];
      h_grad[k] += v[8][static_cast<size_t>(at) + k];
    }
    LstmGradient g = lstm_step_gradient(l, cs_prev, v[0].data() + at, v[1].data() + at, v[2].data() + at,
                                        v[3].data() + at, v[4].data() + at, v[5].data() + at, cs_grad.data(),
                                        h_grad.data(), &wci, &wcf, &wco);
    cs_grad = std::move(g.cs_prev);
    const Floats xh = join(x.data() + t * l.batch * l.inputs, l.inputs, h_prev, l.cells, l.batch);
    gemm_accumulate<float>(true, false, width, 4 * l.cells, l.batch, xh.data(), width, g.gates.data(),
                           4 * l.cells, w_grad.data(), 4 * l.cells);
    const Floats xh_grad =
        product(context.parallel(), false, true, l.batch, width, 4 * l.cells, g.gates, l.w);
    for (int64_t r = 0; r < l.batch; ++r) {
      const float* row = xh_grad.data() + r * width;
      std::copy_n(row, l.inputs, x_grad.begin() + (t * l.batch + r) * l.inputs);
      std::copy_n(row + l.inputs, l.cells, h_grad.begin() + r * l.cells);
      for (size_t k = 0; k < b_grad.size(); ++k)
        b_grad[k] += g.gates[static_cast<size_t>(r) * b_grad.size() + k];
    }
  }
  TROUPE_RETURN_IF_ERROR(set_output(context, 0, context.input(1).shape(), x_grad));
  TROUPE_RETURN_IF_ERROR(set_output(context, 1, Shape{l.batch, l.cells}, cs_grad));
  TROUPE_RETURN_IF_ERROR(set_output(context, 2, Shape{l.batch, l.cells}, h_grad));
  TROUPE_RETURN_IF_ERROR(set_output(context, 3, context.input(4).shape(), w_grad));
  int i = 4;
  for (const Floats* g : {&wci, &wcf, &wco})
    TROUPE_RETURN_IF_ERROR(set_output(context, i++, Shape{l.cells}, *g));
  return set_output(context, 7, Shape{4 * l.cells}, b_grad);
}

/// Operands of a GRU cell: reset and update gates side by side in w_ru.
struct Gru {
  int64_t batch, inputs, cells;
  Floats x, h_prev, w_ru, w_c, b_ru, b_c;
};

absl::StatusOr<Gru> read_gru(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(expect_rank(context.input(0), "x", 2));
  TROUPE_RETURN_IF_ERROR(expect_rank(context.input(1), "h_prev", 2));
  Gru g{context.input(0).dim(0), context.input(0).dim(1), context.input(1).dim(1), {}, {}, {}, {}, {}, {}};
  const int64_t width = g.inputs + g.cells;
  TROUPE_RETURN_IF_ERROR(expect(context.input(1), "h_prev", {g.batch, g.cells}));
  TROUPE_RETURN_IF_ERROR(expect(context.input(2), "w_ru", {width, 2 * g.cells}));
  TROUPE_RETURN_IF_ERROR(expect(context.input(3), "w_c", {width, g.cells}));
  TROUPE_RETURN_IF_ERROR(expect(context.input(4), "b_ru", {2 * g.cells}));
  TROUPE_RETURN_IF_ERROR(expect(context.input(5), "b_c", {g.cells}));
  int i = 0;
  for (Floats* v : {&g.x, &g.h_prev, &g.w_ru, &g.w_c, &g.b_ru, &g.b_c}) *v = copy_floats(context.input(i++));
  return g;
}

absl::Status gru_block_cell(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const Gru g, read_gru(context));
  const int64_t width = g.inputs + g.cells;
  const auto cells = static_cast<size_t>(g.cells), size = static_cast<size_t>(g.batch * g.cells);
  ParallelRunner& runner = context.parallel();
  const Floats ru = product(runner, false, false, g.batch, 2 * g.cells, width,
                            join(g.x.data(), g.inputs, g.h_prev.data(), g.cells, g.batch), g.w_ru);
  Floats r(size), u(size), reset(size), h(size);
  for (size_t k = 0; k < size; ++k) {
    const size_t row = k / cells, c = k % cells;
    r[k] = sigmoid(ru[row * 2 * cells + c] + g.b_ru[c]);
    u[k] = sigmoid(ru[row * 2 * cells + cells + c] + g.b_ru[cells + c]);
    reset[k] = g.h_prev[k] * r[k];
  }
  Floats c = product(runner, false, false, g.batch, g.cells, width,
                     join(g.x.data(), g.inputs, reset.data(), g.cells, g.batch), g.w_c);
  for (size_t k = 0; k < size; ++k) {
    c[k] = std::tanh(c[k] + g.b_c[k % cells]);
    h[k] = u[k] * g.h_prev[k] + (1 - u[k]) * c[k];
  }
  int i = 0;
  for (const Floats* v : {&r, &u, &c, &h})
    TROUPE_RETURN_IF_ERROR(set_output(context, i++, Shape{g.batch, g.cells}, *v));
  return absl::OkStatus();
}

absl::Status gru_block_cell_grad(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const Gru g, read_gru(context));
  for (int i = 6; i < 10; ++i) {
    TROUPE_RETURN_IF_ERROR(expect(context.input(i), absl::StrCat("input ", i), {g.batch, g.cells}));
  }
  const Floats r = copy_floats(context.input(6)), u = copy_floats(context.input(7)),
               c = copy_floats(context.input(8)), d_h = copy_floats(context.input(9));
  const int64_t width = g.inputs + g.cells;
  const auto cells = static_cast<size_t>(g.cells), inputs = static_cast<size_t>(g.inputs), size = d_h.size(),
             wide = static_cast<size_t>(width);
  ParallelRunner& runner = context.parallel();
  Floats d_c_bar(size), d_ru_bar(size * 2), d_h_prev(size), d_x(static_cast<size_t>(g.batch * g.inputs));
  for (size_t k = 0; k < size; ++k) d_c_bar[k] = d_h[k] * (1 - u[k]) * (1 - c[k] * c[k]);
  const Floats second = product(runner, false, true, g.batch, width, g.cells, d_c_bar, g.w_c);
  for (size_t k = 0; k < size; ++k) {
    const size_t row = k / cells, col = k % cells;
    const float d_reset = second[row * wide + inputs + col];
    d_ru_bar[row * 2 * cells + col] = d_reset * g.h_prev[k] * r[k] * (1 - r[k]);
    d_ru_bar[row * 2 * cells + cells + col] = d_h[k] * (g.h_prev[k] - c[k]) * u[k] * (1 - u[k]);
    d_h_prev[k] = d_reset * r[k] + d_h[k] * u[k];
  }
  const Floats first = product(runner, false, true, g.batch, width, 2 * g.cells, d_ru_bar, g.w_ru);
  for (size_t k = 0; k < size; ++k) d_h_prev[k] += first[k / cells * wide + inputs + k % cells];
  for (size_t k = 0; k < d_x.size(); ++k) {
    const size_t at = k / inputs * wide + k % inputs;
    d_x[k] = first[at] + second[at];
  }
  TROUPE_RETURN_IF_ERROR(set_output(context, 0, context.input(0).shape(), d_x));
  TROUPE_RETURN_IF_ERROR(set_output(context, 1, context.input(1).shape(), d_h_prev));
  TROUPE_RETURN_IF_ERROR(set_output(context, 2, Shape{g.batch, g.cells}, d_c_bar));
  return set_output(context, 3, Shape{g.batch, 2 * g.cells}, d_ru_bar);
}

}  // namespace

void register_nn_rnn(KernelRegistry* r) {
  const std::vector<DataType> types = {DataType::kFloat, DataType::kHalf};
  r->add(KernelDef("LSTMBlockCell").types("T", types).fn(lstm_block_cell));
  r->add(KernelDef("LSTMBlockCellGrad").types("T", types).fn(lstm_block_cell_grad));
  r->add(KernelDef("BlockLSTM").types("T", types).fn(block_lstm<false>));
  r->add(KernelDef("BlockLSTMV2").types("T", types).fn(block_lstm<true>));
  r->add(KernelDef("BlockLSTMGrad").types("T", types).fn(block_lstm_grad<false>));
  r->add(KernelDef("BlockLSTMGradV2").types("T", types).fn(block_lstm_grad<true>));
  r->add(KernelDef("GRUBlockCell").type<float>("T").fn(gru_block_cell));
  r->add(KernelDef("GRUBlockCellGrad").type<float>("T").fn(gru_block_cell_grad));
}

}  // namespace troupe
