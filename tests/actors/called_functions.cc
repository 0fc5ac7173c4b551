#include "tests/actors/called_functions.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include <thread>

#include "proto/graph.pb.h"

namespace troupe::test {
namespace {

const std::string kBranch = kOneFloat + " attr { key: 'Tcond' value { type: DT_BOOL } }" + kLowered;
const std::string kNoinline = "attr { key: '_noinline' value { b: true } }";

std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& attrs = "") {
  std::string text = "node_def { name: '" + name + "' op: '" + op + "'";
  for (const auto& i : inputs) text += " input: '" + i + "'";
  return text + attrs + " }\n";
}

std::string constant_node(const std::string& name, float value) {
  return node(name, "Const", {},
              kDtype + " attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: " +
                  std::to_string(value) + " } } }");
}

std::string branch_node(const std::string& cond, const std::string& yes, const std::string& no) {
  return node("branch", "StatelessIf", {cond, "x"},
              " attr { key: 'then_branch' value { func { name: '" + yes + "' } } }" +
                  " attr { key: 'else_branch' value { func { name: '" + no + "' } } }" + kBranch);
}

/// A function of a float scalar x, with the float scalar y.
std::string function(const std::string& name, const std::string& nodes, const std::string& y,
                     const std::string& more = "") {
  return "function { signature { name: '" + name +
         "' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }\n" + nodes +
         "ret { key: 'y' value: '" + y + "' }\n" + more + "}\n";
}

/// Is x below a number: "below:z:0".
std::string below(float limit) {
  return constant_node("limit", limit) + node("below", "Less", {"x", "limit:output:0"}, kF);
}

/// f(x - by), named so: "<name>:y:0".
std::string call_less(const std::string& name, const std::string& f, float by) {
  return constant_node(name + "_by", by) + node(name + "_arg", "Sub", {"x", name + "_by:output:0"}, kF) +
         node(name, f, {name + "_arg:z:0"});
}

std::string library() {
  const std::string next = " attr { key: 'T' value { list { type: DT_FLOAT type: DT_FLOAT } } }";
  std::string text = "library {\n";
  text += function("One", constant_node("one", 1), "one:output:0");
  text += function("Zero", constant_node("zero", 0), "zero:output:0");
  text += function("Itself", "", "x");
  text +=
      function("Factorial", below(1.5) + branch_node("below:z:0", "One", "FactorialMore"), "branch:output:0");
  text += function("FactorialMore",
                   call_less("less", "Factorial", 1) + node("product", "Mul", {"x", "less:y:0"}, kF),
                   "product:z:0");
  text += function("Fib", below(1.5) + branch_node("below:z:0", "Itself", "FibMore"), "branch:output:0");
  text += function("FibMore",
                   call_less("one", "Fib", 1) + call_less("two", "Fib", 2) +
                       node("sum", "AddV2", {"one:y:0", "two:y:0"}, kF),
                   "sum:z:0");
  text += function("SumTo", below(0.5) + branch_node("below:z:0", "Zero", "SumToMore"), "branch:output:0");
  text += function("SumToMore", call_less("less", "SumTo", 1) + node("sum", "AddV2", {"x", "less:y:0"}, kF),
                   "sum:z:0");
  text += function("Even", below(0.5) + branch_node("below:z:0", "One", "EvenMore"), "branch:output:0");
  text += function("EvenMore", call_less("less", "Odd", 1), "less:y:0");
  text += function("Odd", below(0.5) + branch_node("below:z:0", "Zero", "OddMore"), "branch:output:0");
  text += function("OddMore", call_less("less", "Even", 1), "less:y:0");
  text += function("Bad", node("check", "TestFail", {"x"}), "check:z:0", kNoinline);
  text += function("Hang", node("hang", "TestHang", {"x"}), "hang:z:0", kNoinline);
  text += function("Deep", below(0.5) + branch_node("below:z:0", "Hang", "DeepMore"), "branch:output:0");
  text += function("DeepMore", call_less("less", "Deep", 1), "less:y:0");
  text += function("DeepBad", below(0.5) + branch_node("below:z:0", "Bad", "DeepBadMore"), "branch:output:0");
  text += function("DeepBadMore", call_less("less", "DeepBad", 1), "less:y:0");
  text += function("Slow", node("sleep", "TestSleep", {"x"}, " attr { key: 'micros' value { i: 100000 } }"),
                   "sleep:z:0", kNoinline);
  text +=
      "function { signature { name: 'BumpCalled' input_arg { name: 'v' type: DT_RESOURCE } "
      "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } is_stateful: true }\n" +
      node("bump", "AssignAddVariableOp", {"v", "x"}, kDtype) + "ret { key: 'y' value: 'x' }\n" + kNoinline +
      "}\n";
  // (left, sum) -> (left - 1, sum + 1) while left > 0; and (left - 1, that of (left, sum)).
  text +=
      "function { signature { name: 'Positive' input_arg { name: 'left' type: DT_FLOAT } "
      "input_arg { name: 'sum' type: DT_FLOAT } output_arg { name: 'go' type: DT_BOOL } }\n" +
      constant_node("zero", 0) + node("go", "Greater", {"left", "zero:output:0"}, kF) +
      "ret { key: 'go' value: 'go:z:0' } " + kNoinline + "}\n";
  const std::string pair =
      "input_arg { name: 'left' type: DT_FLOAT } input_arg { name: 'sum' type: DT_FLOAT } "
      "output_arg { name: 'l' type: DT_FLOAT } output_arg { name: 's' type: DT_FLOAT } }\n";
  text += "function { signature { name: 'CountOne' " + pair + constant_node("one", 1) +
          node("l", "Sub", {"left", "one:output:0"}, kF) + node("s", "AddV2", {"sum", "one:output:0"}, kF) +
          "ret { key: 'l' value: 'l:z:0' } ret { key: 's' value: 's:z:0' } }\n";
  text += "function { signature { name: 'CountDown' " + pair + constant_node("one", 1) +
          node("loop", "StatelessWhile", {"left", "sum"},
               " attr { key: 'cond' value { func { name: 'Positive' } } }"
               " attr { key: 'body' value { func { name: 'CountOne' } } }" +
                   next) +
          node("l", "Sub", {"left", "one:output:0"}, kF) +
          "ret { key: 'l' value: 'l:z:0' } ret { key: 's' value: 'loop:output:1' } " + kNoinline + "}\n";
  return text + "}\n versions { producer: 1882 }\n";
}

}  // namespace

std::string x_and_call(const std::string& f, const std::string& name) {
  return (name == "call" ? placeholder_text("x", "DT_FLOAT") : "") +
         call_text(name, "PartitionedCall", {"x"}, {{"f", f}}, kOneFloat);
}

tensorflow::GraphDef CalledFunctions::graph_of(const std::string& nodes) {
  tensorflow::GraphDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(nodes + library(), &def)) << nodes << library();
  return def;
}

Session& CalledFunctions::open_text(const std::string& nodes, SessionOptions options) {
  const tensorflow::GraphDef def = graph_of(nodes);
  auto session = Session::open(*runtime_, options);
  EXPECT_TRUE(session.ok()) << session.status();
  session_ = *std::move(session);
  absl::Status s = session_->create(def);
  EXPECT_TRUE(s.ok()) << s;
  return *session_;
}

std::chrono::microseconds CalledFunctions::cancel_call(Session& s, float x) {
  absl::Status end;
  const int before = hung;
  std::thread runner([&] { end = s.run({feed("x", x)}, {"call"}).status(); });
  while (hung == before) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(s.cancel("enough").ok());
  runner.join();
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(end.code(), absl::StatusCode::kCancelled) << end;
  EXPECT_THAT(std::string(end.message()), testing::HasSubstr("enough"));
  return std::chrono::duration_cast<std::chrono::microseconds>(took);
}

}  // namespace troupe::test
