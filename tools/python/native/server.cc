#include "actors/c_api/include/tensorflow/c/c_api.h"
#include "tools/python/native/gil.h"
#include "tools/python/native/native.h"

namespace troupe::python {
namespace {

/// A server of this process, which ends with it.
class PyServer {
 public:
  explicit PyServer(const std::string& server_def) {
    ApiStatus status;
    {
      const GilRelease release;
      server_ = TF_NewServer(server_def.data(), server_def.size(), status);
    }
    status.check();
  }
  ~PyServer() {
    if (server_ == nullptr || python_ends()) return;
    const GilRelease release;
    ApiStatus status;
    TF_ServerStop(server_, status);
    TF_DeleteServer(server_);
  }
  PyServer(const PyServer&) = delete;

  void start() { call(TF_ServerStart); }
  void join() { call(TF_ServerJoin); }
  std::string target() const { return TF_ServerTarget(server_); }

 private:
  void call(void (*function)(TF_Server*, TF_Status*)) {
    ApiStatus status;
    {
      const GilRelease release;
      function(server_, status);
    }
    status.check();
  }

  TF_Server* server_ = nullptr;
};

}  // namespace

void define_server(py::module_& module) {
  py::class_<PyServer>(module, "Server",
                       "What a troupe.train.Server is made of, from a serialised ServerDef.")
      .def(py::init<const std::string&>())
      .def("start", &PyServer::start)
      .def("join", &PyServer::join)
      .def("target", &PyServer::target);
}

}  // namespace troupe::python
