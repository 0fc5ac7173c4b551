#pragma once

#include "devices/cuda/libraries/conv_library.h"
#include "devices/cuda/libraries/product_library.h"
#include "tests/devices/cuda/kernel_fixture.h"
#include "tests/devices/cuda/libraries/made_up_libraries.h"

namespace troupe::test {

/// The made-up libraries of this program; the emulated GPU of run_on_gpu and EXPECT_SAME works with them from the first call on.
struct MadeUpLibraries {
  MadeUpLibrary& products;
  MadeUpLibrary& convolutions;
  Gpu& gpu;
  Stream& stream;
};
MadeUpLibraries& made_up_libraries();

/// Libraries of a test's own on that GPU, which remember nothing yet.
std::unique_ptr<ProductLibrary> new_product_library();
std::unique_ptr<ConvLibrary> new_conv_library();

/// Puts faults and what was seen back to nothing before and after each test.
class LibraryTest : public testing::Test {
 protected:
  LibraryTest() { forget(); }
  ~LibraryTest() override { forget(); }
  static void forget();

  MadeUpLibraries& libraries = made_up_libraries();
};

}  // namespace troupe::test
