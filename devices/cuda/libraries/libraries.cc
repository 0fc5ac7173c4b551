#include "devices/cuda/libraries/libraries.h"

#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "devices/cuda/libraries/cublaslt.h"
#include "devices/cuda/libraries/cudnn.h"

namespace troupe {
namespace {

/// The names that a library goes by, or the one that the environment gives; none to do without it.
std::vector<std::string> names_of(const char* variable, std::vector<std::string> usual) {
  const char* given = std::getenv(variable);
  if (given == nullptr || *given == '\0') return usual;
  const std::string name = given;
  if (name == "none") return {};
  return {name};
}

/// The functions of a library, found once in a process.
template <class Calls>
using Found = absl::StatusOr<Calls>;

const Found<cublaslt::Calls>& machine_cublaslt(const std::vector<std::string>& names) {
  static const auto* calls = new Found<cublaslt::Calls>(load_cublaslt(names));
  return *calls;
}
const Found<cudnn::Calls>& machine_cudnn(const std::vector<std::string>& names) {
  static const auto* calls = new Found<cudnn::Calls>(load_cudnn(names));
  return *calls;
}

/// What `make` makes with the functions; where that is not to be had, null, and why goes to `missing`.
template <class Library, class Calls>
std::unique_ptr<Library> make_library(Gpu& gpu, const Found<Calls>& calls,
                                      absl::StatusOr<std::unique_ptr<Library>> (*make)(Gpu&, const Calls&),
                                      std::string* missing) {
  absl::StatusOr<std::unique_ptr<Library>> made = calls.ok() ? make(gpu, *calls) : calls.status();
  if (made.ok()) return *std::move(made);
  absl::StrAppend(missing, missing->empty() ? "" : "; ", made.status().message());
  return nullptr;
}

}  // namespace

Libraries& Libraries::of(Gpu& gpu) {
  return *static_cast<Libraries*>(gpu.companion([&]() -> std::shared_ptr<void> { return load(gpu); }).get());
}

void Libraries::set(Gpu& gpu, std::shared_ptr<Libraries> libraries) {
  gpu.companion([&]() -> std::shared_ptr<void> { return std::move(libraries); });
}

std::shared_ptr<Libraries> Libraries::load(Gpu& gpu) {
  auto libraries = std::make_shared<Libraries>(nullptr, nullptr);
  // A library finds the machine's driver by itself: it knows nothing of the memory of another.
  const absl::StatusOr<const cuda::Driver*> driver = machine_driver();
  if (!driver.ok() || *driver != &gpu.driver()) return libraries;
  const std::vector<std::string> products =
      names_of("TROUPE_CUBLASLT_LIBRARY", {"libcublasLt.so.13", "libcublasLt.so.12"});
  const std::vector<std::string> convolutions = names_of("TROUPE_CUDNN_LIBRARY", {"libcudnn.so.9"});
  std::string* const missing = &libraries->missing_;
  if (!products.empty())
    libraries->products_ = make_library(gpu, machine_cublaslt(products), &make_cublaslt, missing);
  if (!convolutions.empty())
    libraries->convolutions_ = make_library(gpu, machine_cudnn(convolutions), &make_cudnn, missing);
  return libraries;
}

}  // namespace troupe
