// Runs one workload through the C API of a library and writes what it answers.
//   run_workload LIBRARY GRAPH INIT FEEDS FETCHES TARGETS RUNS OUT
// INIT, FEEDS and TARGETS may be "-". FEEDS: name|float32 or int32|[dims] or name|type|[dims]|fill, joined with ';';
// values without a fill are the same in every call. Writes the bytes of the fetched tensors (float32, int32) of all
// runs, one after the other. Exits with 1 and a message when something goes wrong.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensorflow/c/c_api.h"

namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

/// The functions of a library, by their declared types.
class Library {
 public:
  explicit Library(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  template <typename Function>
  Function* find(const char* name) const {
    void* f = dlsym(handle_, name);
    if (f == nullptr) throw std::runtime_error(std::string("no ") + name);
    return reinterpret_cast<Function*>(f);
  }

 private:
  void* handle_;
};
#define CALL(function) library_.find<decltype(function)>(#function)

class Workload {
 public:
  Workload(const char* library, const std::string& graph) : library_(library) {
    status_ = CALL(TF_NewStatus)();
    std::ifstream in(graph, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    if (bytes.empty()) throw std::runtime_error("cannot read " + graph);
    graph_ = CALL(TF_NewGraph)();
    TF_Buffer* buffer = CALL(TF_NewBufferFromString)(bytes.data(), bytes.size());
    TF_ImportGraphDefOptions* options = CALL(TF_NewImportGraphDefOptions)();
    CALL(TF_GraphImportGraphDef)(graph_, buffer, options, status_);
    CALL(TF_DeleteImportGraphDefOptions)(options);
    CALL(TF_DeleteBuffer)(buffer);
    check("import");
    TF_SessionOptions* session_options = CALL(TF_NewSessionOptions)();
    session_ = CALL(TF_NewSession)(graph_, session_options, status_);
    CALL(TF_DeleteSessionOptions)(session_options);
    check("new session");
  }

  void feed(const std::string& text) {
    std::vector<std::string> f = split(text, '|');
    std::vector<int64_t> dims;
    for (const std::string& d : split(f[2].substr(1, f[2].size() - 2), ',')) dims.push_back(std::stoll(d));
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    const bool real = f[1] == "float32";
    TF_Tensor* t = CALL(TF_AllocateTensor)(real ? TF_FLOAT : TF_INT32, dims.data(),
                                           static_cast<int>(dims.size()), static_cast<size_t>(n) * 4);
    void* data = CALL(TF_TensorData)(t);
    uint32_t z = 12345;
    for (int64_t i = 0; i < n; ++i) {
      z = z * 1664525 + 1013904223;
      if (real) {
        static_cast<float*>(data)[i] =
            f.size() > 3 ? std::stof(f[3]) : static_cast<float>(z >> 8) / (1 << 24) - .5f;
      } else {
        static_cast<int32_t*>(data)[i] = f.size() > 3 ? std::stoi(f[3]) : static_cast<int32_t>((z >> 8) % 10);
      }
    }
    inputs_.push_back(output(f[0]));
    values_.push_back(t);
  }
  void fetch(const std::string& name) { outputs_.push_back(output(name)); }

  /// Runs the fetches and these targets; appends what is fetched to `out`.
  void run(const std::vector<std::string>& targets, std::ofstream* out) {
    std::vector<const TF_Operation*> operations;
    for (const std::string& t : targets) operations.push_back(output(t).oper);
    std::vector<TF_Tensor*> fetched(outputs_.size());
    const bool fetches = out != nullptr;
    CALL(TF_SessionRun)
    (session_, nullptr, inputs_.data(), values_.data(), fetches ? static_cast<int>(inputs_.size()) : 0,
     outputs_.data(), fetched.data(), fetches ? static_cast<int>(outputs_.size()) : 0, operations.data(),
     static_cast<int>(operations.size()), nullptr, status_);
    check("run");
    if (!fetches) return;
    for (TF_Tensor* t : fetched) {
      out->write(static_cast<const char*>(CALL(TF_TensorData)(t)),
                 static_cast<std::streamsize>(CALL(TF_TensorByteSize)(t)));
      CALL(TF_DeleteTensor)(t);
    }
  }

  void close() {
    for (TF_Tensor* t : values_) CALL(TF_DeleteTensor)(t);
    CALL(TF_DeleteSession)(session_, status_);
    check("delete session");
    CALL(TF_DeleteGraph)(graph_);
    CALL(TF_DeleteStatus)(status_);
  }

 private:
  TF_Output output(const std::string& name) {
    const size_t colon = name.find(':');
    TF_Operation* o = CALL(TF_GraphOperationByName)(graph_, name.substr(0, colon).c_str());
    if (o == nullptr) throw std::runtime_error("no operation " + name);
    return {o, colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1))};
  }
  void check(const char* what) const {
    if (CALL(TF_GetCode)(status_) != TF_OK)
      throw std::runtime_error(std::string(what) + ": " + CALL(TF_Message)(status_));
  }

  const Library library_;
  TF_Status* status_ = nullptr;
  TF_Graph* graph_ = nullptr;
  TF_Session* session_ = nullptr;
  std::vector<TF_Output> inputs_, outputs_;
  std::vector<TF_Tensor*> values_;
};

std::vector<std::string> list(const std::string& text, char at) {
  return text == "-" ? std::vector<std::string>() : split(text, at);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9)
    return std::fprintf(stderr, "run_workload LIBRARY GRAPH INIT FEEDS FETCHES TARGETS RUNS OUT\n"), 1;
  try {
    Workload w(argv[1], argv[2]);
    std::ofstream out(argv[8], std::ios::binary);
    for (const std::string& init : list(argv[3], ',')) w.run({init}, nullptr);
    for (const std::string& f : list(argv[4], ';')) w.feed(f);
    for (const std::string& f : list(argv[5], ',')) w.fetch(f);
    for (int i = 0; i < std::stoi(argv[7]); ++i) w.run(list(argv[6], ','), &out);
    w.close();
    return out.flush() ? 0 : 1;
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s: %s\n", argv[1], e.what()), 1;
  }
}
