// Activations, losses, biases, recurrent blocks.

#include "absl/strings/str_cat.h"
#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

/// Activations whose gradient op takes (dy, x), or (dy, y).
void by_input(Rule& r, const char* op) { r.dx(0, r.op(op, {r.dy(), r.x(0)})); }
void by_output(Rule& r, const char* op) { r.dx(0, r.op(op, {r.dy(), r.y()})); }

Val sum_last(Val v) { return v.valid() ? reduce_sum(v, v.scope()->ints({-1}), true) : Val(); }
Val last_dim(Val v) {
  return v.valid() ? v.scope()->op("ExpandDims", {v, v.scope()->int_scalar(-1)}) : Val();
}

void leaky_relu(Rule& r) { r.dx(0, r.like("LeakyReluGrad", {r.dy(), r.x(0)})); }

/// Inputs: gradient, features; the slope of the op is a step function.
void step_grad(Rule& r, const char* op) { r.dx(0, r.like(op, {r.dy(), r.x(1)})); }

/// Inputs: gradient, output of Elu (or Selu), of which the slope is linear where it is negative.
void elu_grad(Rule& r, const char* op) {
  Val g = r.x(0), y = r.x(1), dy = r.dy();
  r.dx(0, r.op(op, {dy, y}));
  Val product = g * dy;
  r.dx(1, select(binary("Less", y, zeros_like(y)), product, zeros_like(product)));
}

/// Inputs: gradient, features: gradient * sigmoid(features).
void softplus_grad(Rule& r) {
  Val g = r.x(0), x = r.x(1), dy = r.dy();
  r.dx(0, r.op("SoftplusGrad", {dy, x}));
  Val s = unary("Sigmoid", x);
  r.dx(1, dy * g * s * (1.0 - s));
}

/// Inputs: gradient, features: gradient / (1 + |features|)^2.
void softsign_grad(Rule& r) {
  Val g = r.x(0), x = r.x(1), dy = r.dy(), one = unary("Abs", x) + 1.0;
  r.dx(0, r.op("SoftsignGrad", {dy, x}));
  r.dx(1, dy * g * (-2.0 * unary("Sign", x)) / (one * one * one));
}

void softmax(Rule& r) {
  Val y = r.y(), dy = r.dy();
  r.dx(0, (dy - sum_last(dy * y)) * y);
}

void log_softmax(Rule& r) {
  Val dy = r.dy();
  r.dx(0, dy - sum_last(dy) * unary("Exp", r.y()));
}

/// How the second output, softmax - labels, moves with the logits.
Val through_backprop(Rule& r, Val logits) {
  Val p = unary("Softmax", logits), g = r.dy(1);
  return (g - sum_last(g * p)) * p;
}

void softmax_cross_entropy(Rule& r) {
  Val logits = r.x(0), labels = r.x(1);
  if (r.wants(0)) {
    Val g = last_dim(r.dy(0)) * r.y(1);
    if (r.has_dy(1)) g = g + through_backprop(r, logits);
    r.dx(0, sum_to_shape(g, logits, r.y(1)));
  }
  if (r.wants(1)) {
    Val g = last_dim(r.dy(0)) * -unary("LogSoftmax", logits);
    if (r.has_dy(1)) g = g - r.dy(1);
    r.dx(1, sum_to_shape(g, labels, r.y(1)));
  }
}

void sparse_softmax_cross_entropy(Rule& r) {
  Val g = last_dim(r.dy(0)) * r.y(1);
  if (r.has_dy(1)) g = g + through_backprop(r, r.x(0));
  r.dx(0, g);
}

void l2_loss(Rule& r) { r.dx(0, r.x(0) * r.dy()); }

void ctc_loss(Rule& r) {
  // Loss by batch; the second output is its gradient, [time, batch, class].
  Val per_batch = r.op("ExpandDims", {r.op("ExpandDims", {r.dy(0), r.int_scalar(-1)}), r.int_scalar(0)});
  r.dx(0, r.y(1) * per_batch);
}

void bias_add(Rule& r) {
  r.dx(0, r.dy());
  if (r.wants(1)) r.dx(1, r.like("BiasAddGrad", {r.dy()}));
}

void bias_add_v1(Rule& r) {
  r.dx(0, r.dy());
  if (!r.wants(1)) return;
  Val last = unary("Rank", r.dy()) - 1;
  r.dx(1, reduce_sum(r.dy(), r.op("Range", {r.int_scalar(0), last, r.int_scalar(1)})));
}

/// The gradient of a bias, repeated over all but the channels.
void bias_add_grad(Rule& r) {
  Val shape = shape_of(r.x(0)), dy = r.dy();
  if (r.attr<std::string>("data_format", "NHWC") == "NCHW") {
    GradientScope& scope = r.scope();
    Val behind = scope.op("Fill", {reshape(unary("Rank", r.x(0)) - 2, {1}), scope.int_scalar(1)});
    Val bias = scope.op("ConcatV2", {std::vector<Val>{scope.ints({1, -1}), behind}, scope.int_scalar(0)});
    dy = reshape(dy, bias);
  }
  r.dx(0, r.op("BroadcastTo", {dy, shape}));
}

/// A whole sequence through an LSTM: all gates of all steps are outputs, all that its gradient op needs.
void block_lstm(Rule& r, const char* op) {
  std::vector<Arg> inputs;
  for (Val v : r.xs(0, 9)) inputs.push_back(v);
  for (int i = 0; i < 7; ++i) inputs.push_back(r.y(i));
  // Of cell states (output 1) and outputs (output 6).
  inputs.push_back(r.dy(1));
  inputs.push_back(r.dy(6));
  Val g = r.op(op, inputs, r.attrs({"use_peephole"}));
  for (int i = 0; i < 8; ++i) r.dx(i + 1, g[i]);
}

const RuleRow kRows[] = {
    {"Relu", [](Rule& r) { by_output(r, "ReluGrad"); }},
    {"Relu6", [](Rule& r) { by_output(r, "Relu6Grad"); }},
    {"LeakyRelu", leaky_relu},
    {"Elu", [](Rule& r) { by_output(r, "EluGrad"); }},
    {"Selu", [](Rule& r) { by_output(r, "SeluGrad"); }},
    {"Softplus", [](Rule& r) { by_input(r, "SoftplusGrad"); }},
    {"Softsign", [](Rule& r) { by_input(r, "SoftsignGrad"); }},
    {"ReluGrad", [](Rule& r) { step_grad(r, "ReluGrad"); }},
    {"Relu6Grad", [](Rule& r) { step_grad(r, "Relu6Grad"); }},
    {"LeakyReluGrad", [](Rule& r) { step_grad(r, "LeakyReluGrad"); }},
    {"EluGrad", [](Rule& r) { elu_grad(r, "EluGrad"); }},
    {"SeluGrad", [](Rule& r) { elu_grad(r, "SeluGrad"); }},
    {"SoftplusGrad", softplus_grad},
    {"SoftsignGrad", softsign_grad},
    {"Softmax", softmax},
    {"LogSoftmax", log_softmax},
    {"SoftmaxCrossEntropyWithLogits", softmax_cross_entropy},
    {"SparseSoftmaxCrossEntropyWithLogits", sparse_softmax_cross_entropy},
    {"L2Loss", l2_loss},
    {"CTCLoss", ctc_loss},
    {"CTCLossV2", ctc_loss},
    {"BiasAdd", bias_add},
    {"BiasAddV1", bias_add_v1},
    {"BiasAddGrad", bias_add_grad},
    {"BlockLSTM", [](Rule& r) { block_lstm(r, "BlockLSTMGrad"); }},
    {"BlockLSTMV2", [](Rule& r) { block_lstm(r, "BlockLSTMGradV2"); }},
};

}  // namespace

std::span<const RuleRow> nn_rules() { return kRows; }

}  // namespace troupe
