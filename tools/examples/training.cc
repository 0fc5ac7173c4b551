// Training: a classifier built with GraphBuilder learns, through a session, which of three spiral arms a point of the plane
// lies on. Its gradients are written out, op by op. Then it is saved, so that it can be asked from the command line:
//
//   example_training FOLDER
//   troupe run FOLDER --feed points=[[0.3,0.4]]
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "actors/runtime.h"
#include "actors/session.h"

#include "graph/ir/graph_builder.h"
#include "graph/status.h"

#include "tools/examples/saved_model.h"

namespace {

using troupe::DataType;
using troupe::GraphBuilder;
using troupe::Out;
using troupe::Tensor;

constexpr int kArms = 3;
constexpr int kHidden = 48;
constexpr int kPointsPerArm = 100;
constexpr int kSteps = 3000;
constexpr float kLearningRate = 0.5f;
constexpr double kNeededAccuracy = 0.95;

/// Points of the unit disc, and the arm that each is on.
struct Samples {
  Tensor points;
  Tensor labels;
};

Samples draw_samples(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 0.15f);
  const int n = kArms * kPointsPerArm;
  Samples samples{Tensor(DataType::kFloat, {n, 2}), Tensor(DataType::kInt32, {n})};
  for (int i = 0; i < n; ++i) {
    const int arm = i % kArms;
    const float radius = 0.05f + 0.95f * static_cast<float>(i) / static_cast<float>(n);
    const float angle = 4 * (static_cast<float>(arm) + radius) + noise(random);
    samples.points.flat<float>()[2 * i] = radius * std::sin(angle);
    samples.points.flat<float>()[2 * i + 1] = radius * std::cos(angle);
    samples.labels.flat<int32_t>()[i] = arm;
  }
  return samples;
}

Tensor random_weights(int rows, int columns, std::mt19937& random) {
  std::normal_distribution<float> normal(0, std::sqrt(2.0f / static_cast<float>(rows)));
  Tensor t(DataType::kFloat, {rows, columns});
  for (float& w : t.flat<float>()) w = normal(random);
  return t;
}

/// Two layers, how they are trained, and how they are saved.
struct Model {
  troupe::Graph graph;
  troupe::SaverNames saver;
};

absl::StatusOr<Model> build_model() {
  GraphBuilder b;
  std::mt19937 random(1);
  const GraphBuilder::Variable w1 = b.variable(random_weights(2, kHidden, random), "hidden/weights");
  const GraphBuilder::Variable b1 = b.variable(troupe::zeros(DataType::kFloat, {kHidden}), "hidden/bias");
  const GraphBuilder::Variable w2 = b.variable(random_weights(kHidden, kArms, random), "output/weights");
  const GraphBuilder::Variable b2 = b.variable(troupe::zeros(DataType::kFloat, {kArms}), "output/bias");
  b.init_all("init");

  const Out points = b.placeholder(DataType::kFloat, {-1, 2}, "points");
  const Out output_weights = b.read(w2);
  const Out before = b.bias_add(b.matmul(points, b.read(w1)), b.read(b1));
  const Out hidden = b.relu(before);
  const Out logits = b.bias_add(b.matmul(hidden, output_weights), b.read(b2), "logits");
  b.softmax(logits, "probabilities");
  const Out arm = b.op("ArgMax", {logits, b.constant(1)}, {{"output_type", DataType::kInt32}}, "arm");

  const Out labels = b.placeholder(DataType::kInt32, {-1}, "labels");
  const Out right = b.cast(b.op("Equal", {arm, labels}), DataType::kFloat);
  b.op("Mean", {right, b.constant(0)}, {}, "accuracy");
  const Out losses = b.op("SparseSoftmaxCrossEntropyWithLogits", {logits, labels});
  b.op("Mean", {losses, b.constant(0)}, {}, "loss");

  // The second output is the gradient of each example's loss by its logits; that of their mean is one n-th of it.
  const Out count = b.cast(b.op("Size", {labels}), DataType::kFloat);
  const Out d_logits = b.div(losses[1], count);
  const Out d_hidden = b.op("MatMul", {d_logits, output_weights}, {{"transpose_b", true}});
  const Out d_before = b.op("ReluGrad", {d_hidden, hidden});
  const std::array<std::pair<GraphBuilder::Variable, Out>, 4> gradients = {{
      {w1, b.op("MatMul", {points, d_before}, {{"transpose_a", true}})},
      {b1, b.op("BiasAddGrad", {d_before})},
      {w2, b.op("MatMul", {hidden, d_logits}, {{"transpose_a", true}})},
      {b2, b.op("BiasAddGrad", {d_logits})},
  }};
  std::vector<Out> updates;
  for (const auto& [variable, gradient] : gradients) {
    updates.push_back(
        b.op("ResourceApplyGradientDescent", {variable.handle, b.constant(kLearningRate), gradient}));
  }
  b.group(updates, "train");

  Model model;
  model.saver = troupe::add_saver(b, {w1, b1, w2, b2});
  TROUPE_ASSIGN_OR_RETURN(model.graph, b.build());
  return model;
}

absl::Status train_and_save(const std::string& folder) {
  TROUPE_ASSIGN_OR_RETURN(const Model model, build_model());
  const auto runtime = troupe::Runtime::create();
  TROUPE_ASSIGN_OR_RETURN(const auto session, troupe::Session::open(*runtime));
  TROUPE_RETURN_IF_ERROR(session->create(model.graph.clone()));
  TROUPE_RETURN_IF_ERROR(session->run({}, {}, {"init"}).status());

  const Samples seen = draw_samples(1), unseen = draw_samples(2);
  const std::vector<troupe::NamedTensor> batch = {{"points", seen.points}, {"labels", seen.labels}};
  for (int step = 1; step <= kSteps; ++step) {
    TROUPE_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                            session->run(batch, {"loss", "accuracy"}, {"train"}));
    if (step == 1 || step % (kSteps / 5) == 0) {
      std::printf("step %4d  loss %.3f  accuracy %.3f\n", step, out[0].value<float>(), out[1].value<float>());
    }
  }
  TROUPE_ASSIGN_OR_RETURN(const std::vector<Tensor> unseen_accuracy,
                          session->run({{"points", unseen.points}, {"labels", unseen.labels}}, {"accuracy"}));
  const double accuracy = unseen_accuracy[0].value<float>();
  std::printf("accuracy on points that it has not seen: %.3f\n", accuracy);
  if (!(accuracy >= kNeededAccuracy)) return absl::InternalError("it has not learned");

  const troupe::SignatureNames signature{{{"points", "points"}},
                                         {{"arm", "arm"}, {"probabilities", "probabilities"}}};
  TROUPE_RETURN_IF_ERROR(troupe::save_model(folder, model.graph, model.saver, signature, *session));
  std::printf("saved in %s\n", folder.c_str());
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  const absl::Status end = train_and_save(argc > 1 ? argv[1] : "trained_model");
  if (!end.ok()) std::fprintf(stderr, "%s\n", end.ToString().c_str());
  return end.ok() ? 0 : 1;
}
