// What sessions cost a client of the C API, of this library or of TensorFlow's: the same program loads either, so that both sides of a
// comparison are one run of one driver. Prints a JSON object a line, which side_by_side.py reads.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <latch>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tensorflow/c/c_api.h"

namespace {

using Clock = std::chrono::steady_clock;

/// The functions of the library that is loaded.
struct Api {
  explicit Api(const std::string& path) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const auto find = [&](auto* function, const char* name) {
      *function = reinterpret_cast<std::remove_reference_t<decltype(*function)>>(dlsym(library, name));
      if (*function == nullptr) throw std::runtime_error(path + " has no " + name);
    };
#define TROUPE_FIND(name) find(&name, "TF_" #name)
    TROUPE_FIND(NewStatus);
    TROUPE_FIND(GetCode);
    TROUPE_FIND(Message);
    TROUPE_FIND(NewGraph);
    TROUPE_FIND(NewOperation);
    TROUPE_FIND(SetAttrType);
    TROUPE_FIND(AddInput);
    TROUPE_FIND(FinishOperation);
    TROUPE_FIND(NewSessionOptions);
    TROUPE_FIND(DeleteSessionOptions);
    TROUPE_FIND(NewSession);
    TROUPE_FIND(CloseSession);
    TROUPE_FIND(DeleteSession);
    TROUPE_FIND(SessionRun);
    TROUPE_FIND(SessionPRunSetup);
    TROUPE_FIND(SessionPRun);
    TROUPE_FIND(DeletePRunHandle);
    TROUPE_FIND(AllocateTensor);
    TROUPE_FIND(TensorData);
    TROUPE_FIND(DeleteTensor);
#undef TROUPE_FIND
  }
  decltype(&TF_NewStatus) NewStatus;
  decltype(&TF_GetCode) GetCode;
  decltype(&TF_Message) Message;
  decltype(&TF_NewGraph) NewGraph;
  decltype(&TF_NewOperation) NewOperation;
  decltype(&TF_SetAttrType) SetAttrType;
  decltype(&TF_AddInput) AddInput;
  decltype(&TF_FinishOperation) FinishOperation;
  decltype(&TF_NewSessionOptions) NewSessionOptions;
  decltype(&TF_DeleteSessionOptions) DeleteSessionOptions;
  decltype(&TF_NewSession) NewSession;
  decltype(&TF_CloseSession) CloseSession;
  decltype(&TF_DeleteSession) DeleteSession;
  decltype(&TF_SessionRun) SessionRun;
  decltype(&TF_SessionPRunSetup) SessionPRunSetup;
  decltype(&TF_SessionPRun) SessionPRun;
  decltype(&TF_DeletePRunHandle) DeletePRunHandle;
  decltype(&TF_AllocateTensor) AllocateTensor;
  decltype(&TF_TensorData) TensorData;
  decltype(&TF_DeleteTensor) DeleteTensor;
};

void check(const Api& api, const TF_Status* status) {
  if (api.GetCode(status) != TF_OK) throw std::runtime_error(api.Message(status));
}

/// A graph of two additions, `y = x + x` and `z = y + w`, of placeholders.
struct Scene {
  explicit Scene(const Api& functions) : api(functions), graph(api.NewGraph()), status(api.NewStatus()) {
    x = placeholder("x");
    w = placeholder("w");
    y = add("y", x, x);
    z = add("z", y, w);
    one = api.AllocateTensor(TF_FLOAT, nullptr, 0, sizeof(float));
    const float value = 1;
    std::memcpy(api.TensorData(one), &value, sizeof value);
  }

  const Api& api;
  TF_Graph* const graph;
  TF_Status* const status;
  TF_Output x, w, y, z;
  TF_Tensor* one = nullptr;

 private:
  TF_Output finish(TF_OperationDescription* op) {
    TF_Operation* const made = api.FinishOperation(op, status);
    check(api, status);
    return {made, 0};
  }
  TF_Output placeholder(const char* name) {
    TF_OperationDescription* const op = api.NewOperation(graph, "Placeholder", name);
    api.SetAttrType(op, "dtype", TF_FLOAT);
    return finish(op);
  }
  TF_Output add(const char* name, TF_Output a, TF_Output b) {
    TF_OperationDescription* const op = api.NewOperation(graph, "AddV2", name);
    api.AddInput(op, a);
    api.AddInput(op, b);
    return finish(op);
  }
};

/// What one thread does with sessions on it.
class Client {
 public:
  explicit Client(const Scene& scene) : scene_(scene), api_(scene.api), status_(api_.NewStatus()) {}

  TF_Session* open() const {
    TF_SessionOptions* const options = api_.NewSessionOptions();
    TF_Session* const session = api_.NewSession(scene_.graph, options, status_);
    api_.DeleteSessionOptions(options);
    check(api_, status_);
    return session;
  }
  void close(TF_Session* session) const {
    api_.CloseSession(session, status_);
    check(api_, status_);
    api_.DeleteSession(session, status_);
    check(api_, status_);
  }
  void run(TF_Session* session) const {
    TF_Tensor* out = nullptr;
    api_.SessionRun(session, nullptr, &scene_.x, &scene_.one, 1, &scene_.y, &out, 1, nullptr, 0, nullptr,
                    status_);
    take(out, 2);
  }
  /// Set up, and two turns: y of x, then z of w.
  void partial_run(TF_Session* session) const {
    const TF_Output feeds[] = {scene_.x, scene_.w}, fetches[] = {scene_.y, scene_.z};
    const char* handle = nullptr;
    api_.SessionPRunSetup(session, feeds, 2, fetches, 2, nullptr, 0, &handle, status_);
    check(api_, status_);
    turn(session, handle, scene_.x, scene_.y, 2);
    turn(session, handle, scene_.w, scene_.z, 3);
    api_.DeletePRunHandle(handle);
  }

 private:
  void turn(TF_Session* session, const char* handle, TF_Output feed, TF_Output fetch, float expected) const {
    TF_Tensor* out = nullptr;
    api_.SessionPRun(session, handle, &feed, &scene_.one, 1, &fetch, &out, 1, nullptr, 0, status_);
    take(out, expected);
  }
  void take(TF_Tensor* out, float expected) const {
    check(api_, status_);
    float value = 0;
    std::memcpy(&value, api_.TensorData(out), sizeof value);
    api_.DeleteTensor(out);
    if (value != expected) throw std::runtime_error("a wrong sum: " + std::to_string(value));
  }

  const Scene& scene_;
  const Api& api_;
  TF_Status* const status_;
};

using Seconds = std::chrono::duration<double>;
using Nanoseconds = std::vector<double>;

template <class Work>
Nanoseconds time_for(Seconds seconds, const Work& work) {
  Nanoseconds taken;
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
  do {
    const Clock::time_point begin = Clock::now();
    work();
    taken.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  } while (Clock::now() < end);
  return taken;
}

/// Calls `work(client, session)` again and again on so many threads, each with a session of its own, or all with one. The first call of
/// a session compiles, and is not timed.
template <class Work>
Nanoseconds time_threads(const Scene& scene, int threads, bool shared, Seconds seconds, const Work& work) {
  const Client owner(scene);
  std::vector<TF_Session*> sessions(shared ? 1 : threads);
  for (TF_Session*& s : sessions) s = owner.open();
  for (TF_Session* s : sessions) work(owner, s);
  std::vector<Nanoseconds> taken(threads);
  std::latch ready(threads);
  {
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        const Client client(scene);
        TF_Session* const session = sessions[shared ? 0 : i];
        ready.arrive_and_wait();
        taken[i] = time_for(seconds, [&] { work(client, session); });
      });
    }
  }
  for (TF_Session* s : sessions) owner.close(s);
  Nanoseconds all;
  for (const Nanoseconds& t : taken) all.insert(all.end(), t.begin(), t.end());
  return all;
}

void print(const std::string& name, int threads, Nanoseconds taken, Seconds seconds) {
  std::sort(taken.begin(), taken.end());
  const nlohmann::json row = {{"name", name},
                              {"threads", threads},
                              {"median_ns", taken[taken.size() / 2]},
                              {"p99_ns", taken[taken.size() * 99 / 100]},
                              {"runs_per_s", static_cast<double>(taken.size()) / seconds.count()}};
  std::cout << row.dump() << std::endl;
}

int time_all(const std::string& library, const std::string& only, Seconds seconds,
             const std::vector<int>& thread_counts) {
  const Api api(library);
  const Scene scene(api);
  const Client client(scene);
  const std::regex chosen(only);
  const auto is_chosen = [&](const char* name) { return std::regex_search(name, chosen); };
  const auto run = [](const Client& c, TF_Session* s) { c.run(s); };
  const auto partial_run = [](const Client& c, TF_Session* s) { c.partial_run(s); };
  if (is_chosen("open_close"))
    print("open_close", 1, time_for(seconds, [&] { client.close(client.open()); }), seconds);
  if (is_chosen("open_run_close")) {
    const auto once = [&] {
      TF_Session* const session = client.open();
      client.run(session);
      client.close(session);
    };
    print("open_run_close", 1, time_for(seconds, once), seconds);
  }
  for (const int threads : thread_counts) {
    if (is_chosen("partial_run"))
      print("partial_run", threads, time_threads(scene, threads, true, seconds, partial_run), seconds);
    if (is_chosen("run_one_session"))
      print("run_one_session", threads, time_threads(scene, threads, true, seconds, run), seconds);
    if (is_chosen("run_own_session"))
      print("run_own_session", threads, time_threads(scene, threads, false, seconds, run), seconds);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times what sessions cost a client of the C API; prints a JSON object a line.");
  std::string library, only = ".";
  double seconds = 1;
  std::vector<int> thread_counts = {1, 64};
  app.add_option("library", library, "libtroupe_c.so, or TensorFlow's libtensorflow_cc.so.2")->required();
  app.add_option("--only", only, "workloads whose name matches this regular expression");
  app.add_option("--seconds", seconds, "for each")->check(CLI::PositiveNumber);
  app.add_option("--threads", thread_counts, "how many run at once; one round for each")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    return time_all(library, only, Seconds(seconds), thread_counts);
  } catch (const std::exception& e) {
    std::cerr << "c_api_sessions: " << e.what() << "\n";
    return 1;
  }
}
