#include "tests/actors/gradients/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "absl/strings/str_cat.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/gradients/gradients.h"

namespace troupe::test {
namespace {

using Complex = std::complex<double>;

bool differentiable(DataType t) { return is_floating(t) || is_complex(t); }

/// The number of real components of a tensor, and reading and writing one.
int64_t components(const Tensor& t) { return t.num_elements() * (is_complex(t.dtype()) ? 2 : 1); }

double component(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::kFloat: return t.flat<float>()[i];
    case DataType::kDouble: return t.flat<double>()[i];
    case DataType::kComplex64: return reinterpret_cast<const float*>(t.raw())[i];
    case DataType::kComplex128: return reinterpret_cast<const double*>(t.raw())[i];
    default: return 0;
  }
}

void set_component(Tensor& t, int64_t i, double v) {
  switch (t.dtype()) {
    case DataType::kFloat: t.flat<float>()[i] = static_cast<float>(v); return;
    case DataType::kDouble: t.flat<double>()[i] = v; return;
    case DataType::kComplex64: reinterpret_cast<float*>(t.raw())[i] = static_cast<float>(v); return;
    case DataType::kComplex128: reinterpret_cast<double*>(t.raw())[i] = v; return;
    default: return;
  }
}

/// The fractional part of a multiple of the golden ratio: spread evenly, no two near each other.
double spread(int64_t i) {
  const double v = 0.37 + 0.618033988749895 * static_cast<double>(i);
  return v - std::floor(v);
}

Tensor weights_like(const Tensor& y, int64_t seed) {
  Tensor w(y.dtype(), y.shape());
  for (int64_t i = 0; i < components(w); ++i) set_component(w, i, spread(i + seed * 131) * 2 - 1);
  return w;
}

/// sum(w * y), of complex numbers Re(sum(conj(w) * y)).
double weighted(const std::vector<Tensor>& y, const std::vector<Tensor>& w) {
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    for (int64_t j = 0; j < components(y[i]); ++j) {
      const double v = component(y[i], j);
      // What stands for an extreme of nothing, or the logarithm of zero, has no gradient.
      if (std::abs(v) < 1e30) sum += v * component(w[i], j);
    }
  }
  return sum;
}

class Check {
 public:
  Check(const std::vector<Input>& inputs, Tolerance tolerance) : inputs_(inputs), tolerance_(tolerance) {}

  testing::AssertionResult run(const MakeOutputs& make) {
    if (absl::Status s = build(make); !s.ok()) return testing::AssertionFailure() << s;
    auto session = Session::open();
    if (!session.ok()) return testing::AssertionFailure() << session.status();
    session_ = *std::move(session);
    if (absl::Status s = session_->create(std::move(graph_)); !s.ok())
      return testing::AssertionFailure() << s;
    auto y = session_->run(feeds_, y_names_);
    if (!y.ok()) return testing::AssertionFailure() << "forward: " << y.status();
    for (size_t i = 0; i < y->size(); ++i) {
      weights_.push_back(weights_like((*y)[i], static_cast<int64_t>(i)));
      feeds_.push_back({absl::StrCat("weights_", i), weights_.back()});
    }
    auto dx = session_->run(feeds_, dx_names_);
    if (!dx.ok()) return testing::AssertionFailure() << "gradient: " << dx.status();
    for (size_t i = 0; i < dx->size(); ++i) {
      if (auto result = compare(static_cast<int>(i), (*dx)[i]); !result) return result;
    }
    return testing::AssertionSuccess();
  }

 private:
  absl::Status build(const MakeOutputs& make) {
    GraphBuilder b;
    std::vector<Out> all;
    std::vector<Endpoint> x;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Input& in = inputs_[i];
      if (!in.checked) {
        all.push_back(b.constant(in.value, absl::StrCat("fixed_", i)));
        continue;
      }
      const std::string name = absl::StrCat("x_", i);
      // Without a shape: what rules do when they know nothing is the harder half.
      all.push_back(b.placeholder(in.value.dtype(), {}, name));
      x.push_back(all.back().endpoint());
      feeds_.push_back({name, in.value});
    }
    const std::vector<Out> y = make(b, all);
    std::vector<Endpoint> ys, dys;
    for (size_t i = 0; i < y.size(); ++i) {
      if (!b.status().ok()) return b.status();
      ys.push_back(y[i].endpoint());
      y_names_.push_back(absl::StrCat(b.name_of(y[i]), ":", y[i].slot()));
      dys.push_back(b.placeholder(b.type_of(y[i]), {}, absl::StrCat("weights_", i)).endpoint());
    }
    TROUPE_ASSIGN_OR_RETURN(graph_, b.build());
    std::vector<Endpoint> dx;
    TROUPE_RETURN_IF_ERROR(add_gradients(&graph_, {}, ys, x, dys, &dx));
    for (size_t i = 0; i < dx.size(); ++i) {
      if (dx[i].node < 0) return absl::InternalError(absl::StrCat("no gradient for checked input ", i));
      dx_names_.push_back(absl::StrCat(graph_.node(dx[i].node).name, ":", dx[i].slot));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<double> loss_with(int input, int64_t i, double v) {
    std::vector<NamedTensor> feeds = feeds_;
    feeds[input].second = feeds[input].second.deep_copy();
    set_component(feeds[input].second, i, v);
    TROUPE_ASSIGN_OR_RETURN(std::vector<Tensor> y, session_->run(feeds, y_names_));
    return weighted(y, weights_);
  }

  testing::AssertionResult compare(int input, const Tensor& dx) {
    const Tensor x = feeds_[input].second;
    if (!(dx.shape() == x.shape()) || dx.dtype() != x.dtype()) {
      return testing::AssertionFailure()
             << "gradient of input " << input << " is " << dtype_name(dx.dtype()) << " "
             << dx.shape().to_string() << ", the input " << x.shape().to_string();
    }
    for (int64_t i = 0; i < components(x); ++i) {
      const double at = component(x, i), h = tolerance_.step;
      auto above = loss_with(input, i, at + h), below = loss_with(input, i, at - h);
      if (!above.ok()) return testing::AssertionFailure() << above.status();
      if (!below.ok()) return testing::AssertionFailure() << below.status();
      const double want = (*above - *below) / (2 * h), got = component(dx, i);
      if (!(std::abs(want - got) <= tolerance_.relative * std::max(1.0, std::abs(want)))) {
        return testing::AssertionFailure()
               << "gradient of input " << input << " at component " << i << " is " << got
               << ", differences say " << want << "; all: " << dx.to_string(40);
      }
    }
    return testing::AssertionSuccess();
  }

  const std::vector<Input>& inputs_;
  const Tolerance tolerance_;
  Graph graph_;
  std::unique_ptr<Session> session_;
  std::vector<NamedTensor> feeds_;
  std::vector<std::string> y_names_;
  std::vector<std::string> dx_names_;
  std::vector<Tensor> weights_;
};

}  // namespace

Input varied(const std::vector<int64_t>& shape, double low, double high, DataType dtype) {
  static int64_t calls = 0;
  const int64_t seed = ++calls * 17;
  Input in;
  in.checked = true;
  in.value = Tensor(dtype, Shape(shape));
  for (int64_t i = 0; i < components(in.value); ++i) {
    set_component(in.value, i, low + (high - low) * spread(i + seed));
  }
  return in;
}

Input fixed(Tensor value) { return {false, std::move(value)}; }

Input fixed_ints(const std::vector<int>& values) {
  Tensor t(DataType::kInt32, Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.flat<int32_t>().begin());
  return fixed(t);
}

Input fixed_int(int value) { return fixed(Tensor::scalar<int32_t>(value)); }

testing::AssertionResult gradients_match(const std::vector<Input>& inputs, const MakeOutputs& make,
                                         Tolerance tolerance) {
  return Check(inputs, tolerance).run(make);
}

testing::AssertionResult op_gradients_match(const std::string& op, const std::vector<Input>& inputs,
                                            AttrMap attrs, const std::vector<int>& outputs,
                                            Tolerance tolerance) {
  auto make = [&](GraphBuilder& b, const std::vector<Out>& in) {
    const Out y = b.op(op, std::vector<In>(in.begin(), in.end()), attrs);
    std::vector<Out> out;
    if (!y.valid()) return out;
    const Node& node = b.graph().node(y.node());
    for (int i = 0; i < node.num_outputs(); ++i) {
      const bool listed = std::find(outputs.begin(), outputs.end(), i) != outputs.end();
      if (outputs.empty() ? differentiable(node.output_types[i]) : listed) out.push_back(y[i]);
    }
    return out;
  };
  return gradients_match(inputs, make, tolerance);
}

}  // namespace troupe::test
