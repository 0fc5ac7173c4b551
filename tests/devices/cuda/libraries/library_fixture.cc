#include "tests/devices/cuda/libraries/library_fixture.h"

#include <dlfcn.h>

#include "devices/cuda/libraries/cublaslt.h"
#include "devices/cuda/libraries/cudnn.h"
#include "devices/cuda/libraries/libraries.h"

namespace troupe::test {
namespace {

/// Of the GPU that the made-up libraries wait for.
const cuda::Driver* driver = nullptr;

void synchronize(void* stream) { driver->cuStreamSynchronize(static_cast<cuda::CUstream>(stream)); }

/// The account of a library, which the loader has already, or loads now.
MadeUpLibrary& account(const char* path, const char* symbol) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  auto* const found = static_cast<MadeUpLibrary*>(dlsym(library, symbol));
  EXPECT_NE(found, nullptr) << dlerror();
  found->synchronize = &synchronize;
  return *found;
}

/// Whose device stays as long as the program.
CudaDevice& device() {
  static auto* const harness = new CudaHarness;
  return harness->device();
}

}  // namespace

std::unique_ptr<ProductLibrary> new_product_library() {
  auto made = make_cublaslt(device().gpu(), load_cublaslt({TROUPE_MADE_UP_CUBLASLT}).value());
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

std::unique_ptr<ConvLibrary> new_conv_library() {
  auto made = make_cudnn(device().gpu(), load_cudnn({TROUPE_MADE_UP_CUDNN}).value());
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

MadeUpLibraries& made_up_libraries() {
  static auto* const libraries = [] {
    driver = &device().gpu().driver();
    auto* made = new MadeUpLibraries{account(TROUPE_MADE_UP_CUBLASLT, "made_up_cublaslt"),
                                     account(TROUPE_MADE_UP_CUDNN, "made_up_cudnn"), device().gpu(),
                                     device().compute()};
    Libraries::set(device().gpu(), std::make_shared<Libraries>(new_product_library(), new_conv_library()));
    return made;
  }();
  return *libraries;
}

void LibraryTest::forget() {
  for (MadeUpLibrary* library : {&made_up_libraries().products, &made_up_libraries().convolutions}) {
    const int64_t objects = library->objects;
    *library = MadeUpLibrary();
    library->objects = objects;
    library->synchronize = &synchronize;
  }
}

}  // namespace troupe::test
