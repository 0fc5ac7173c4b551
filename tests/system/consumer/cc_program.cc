#include <cstdio>

#include "troupe/actors/session.h"
#include "troupe/graph/ir/graph_builder.h"

int main() {
  troupe::GraphBuilder b;
  const troupe::Out x = b.placeholder(troupe::DataType::kFloat, {}, "x");
  b.add(x, x, "y");
  auto session = troupe::Session::open();
  if (!session.ok()) return 1;
  auto graph = b.build();
  if (!graph.ok() || !(*session)->create(*std::move(graph)).ok()) return 1;
  auto y = (*session)->run({{"x", troupe::Tensor::scalar(21.0f)}}, {"y"});
  if (!y.ok()) return 1;
  std::printf("%g\n", (*y)[0].value<float>());
  return (*y)[0].value<float>() == 42 ? 0 : 1;
}
