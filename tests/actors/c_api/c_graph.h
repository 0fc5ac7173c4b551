#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/c/c_api.h"

/// Helpers of tests that use the library as a client does: through its C functions alone.
namespace c_test {

template <auto Delete>
struct Deleter {
  template <class T>
  void operator()(T* p) const {
    Delete(p);
  }
};
using Status = std::unique_ptr<TF_Status, Deleter<TF_DeleteStatus>>;
using TensorPtr = std::unique_ptr<TF_Tensor, Deleter<TF_DeleteTensor>>;
using BufferPtr = std::unique_ptr<TF_Buffer, Deleter<TF_DeleteBuffer>>;
using GraphPtr = std::unique_ptr<TF_Graph, Deleter<TF_DeleteGraph>>;
using OptionsPtr = std::unique_ptr<TF_SessionOptions, Deleter<TF_DeleteSessionOptions>>;

inline std::string describe(const Status& s) {
  return std::to_string(TF_GetCode(s.get())) + ": " + TF_Message(s.get());
}

/// A float tensor with memory of the library.
TensorPtr float_tensor(const std::vector<int64_t>& dims, const std::vector<float>& values);
TensorPtr float_scalar(float value);
std::vector<float> floats(const TF_Tensor* t);
std::string bytes_of(const TF_Buffer* buffer);
BufferPtr buffer_of(const std::string& bytes);

/// A graph, a status, and the operations that tests build of them. A failure of the builder fails the test.
class Graph {
 public:
  Graph() : graph_(TF_NewGraph()), status_(TF_NewStatus()) {}

  TF_Graph* get() const { return graph_.get(); }
  TF_Graph* release() { return graph_.release(); }

  TF_Output placeholder(const char* name, TF_DataType type = TF_FLOAT);
  TF_Output constant(const char* name, float value);
  TF_Output unary(const char* op, const char* name, TF_Output x);
  TF_Output binary(const char* op, const char* name, TF_Output x, TF_Output y);
  TF_Operation* no_op(const char* name, TF_Operation* after = nullptr);
  /// A resource variable; its initialiser is the operation "init_<name>", its value "read_<name>".
  TF_Output variable(const char* name, float initial);

 private:
  TF_Output finish(TF_OperationDescription* description);

  GraphPtr graph_;
  Status status_;
};

/// y = x + 3
struct AddThree {
  Graph graph;
  TF_Output x = graph.placeholder("x");
  TF_Output three = graph.constant("three", 3);
  TF_Output y = graph.binary("AddV2", "y", x, three);
};

/// A session on a graph, deleted with the object; the graph must be deleted later or before, as a client
/// likes.
class Session {
 public:
  explicit Session(TF_Graph* graph, const std::string& config = "");
  ~Session();
  Session(const Session&) = delete;

  TF_Session* get() const { return session_; }
  const Status& status() const { return status_; }
  TF_Code code() const { return TF_GetCode(status_.get()); }
  std::string message() const { return TF_Message(status_.get()); }

  /// The fetches; empty after an error, which `status` has.
  std::vector<TensorPtr> run(const std::vector<std::pair<TF_Output, TF_Tensor*>>& feeds,
                             const std::vector<TF_Output>& fetches,
                             const std::vector<const TF_Operation*>& targets = {},
                             const TF_Buffer* options = nullptr, TF_Buffer* metadata = nullptr);
  /// One float of a run without targets.
  float run_float(const std::vector<std::pair<TF_Output, TF_Tensor*>>& feeds, TF_Output fetch);

 private:
  Status status_;
  TF_Session* session_ = nullptr;
};

}  // namespace c_test
