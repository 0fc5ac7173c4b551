// Loading of plug-ins. Texts are TensorFlow's, which was given the same ones.
#include <gmock/gmock.h>

#include <cstdio>

#include "tensorflow/c/c_api_experimental.h"
#include "tests/actors/c_api/c_graph.h"
#include "tests/actors/c_api/plugin_library.h"
#include "tests/actors/c_api/wheel.h"

using namespace c_test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

TEST(Library, that_cannot_be_loaded_is_not_found) {
  EXPECT_EQ(load("/nowhere/libnone.so"),
            "5: /nowhere/libnone.so: cannot open shared object file: No such file or directory");
  EXPECT_THAT(load(__FILE__), StartsWith("5: "));
  Status status(TF_NewStatus());
  EXPECT_EQ(TF_LoadLibrary(nullptr, status.get()), nullptr);
  EXPECT_EQ(TF_GetCode(status.get()), TF_INVALID_ARGUMENT);
  TF_DeleteLibraryHandle(nullptr);
  TF_DeletePluggableDeviceLibraryHandle(nullptr);
}

TEST(Library, fails_to_load_when_an_op_is_not_well_formed) {
  const std::string text =
      "3: Reference to unknown attr 'Nothing' from Output(\"y: Nothing\") for Op PlugBad";
  EXPECT_EQ(load(plugin_file("troupe_test_plugin_bad")), text);
}

TEST(Library, may_bring_an_op_that_is_there) {
  const std::string ops = load(plugin_file("troupe_test_plugin_taken"));
  EXPECT_THAT(ops, HasSubstr("PlugFree"));
  EXPECT_THAT(ops, testing::Not(HasSubstr("MatMul")));
}

TEST(Library, is_asked_to_register_only_as_a_pluggable_device) {
  const std::string file = plugin_file("troupe_test_plugin_init");
  EXPECT_EQ(load(file), "");
  EXPECT_THAT(load(file, TF_LoadPluggableDeviceLibrary), HasSubstr("PlugInitialised"));
  EXPECT_THAT(load("/nowhere.so", TF_LoadPluggableDeviceLibrary), StartsWith("5: /nowhere.so: cannot open"));
}

TEST(Library, with_a_device_is_unimplemented) {
  EXPECT_THAT(load(plugin_file("troupe_test_plugin_device"), TF_LoadPluggableDeviceLibrary),
              StartsWith("12: The plug-in has SE_InitPlugin: pluggable devices"));
  BufferPtr all(TF_GetAllOpList());
  EXPECT_THAT(bytes_of(all.get()), testing::Not(HasSubstr("PlugOfDevice")));
}

/// Compiles C files to a shared object with TensorFlow's headers; what the compiler says.
std::string compile(const std::string& sources, const std::string& object) {
  int status = 0;
  std::string text =
      output_of(TROUPE_C_COMPILER " -std=gnu11 -D_GNU_SOURCE -w -shared -fPIC -I'" + tensorflow_folder() +
                    "/include' " + sources + " -o '" + object + "' -lm -lpthread",
                &status);
  return status == 0 ? "" : text + " failed";
}

TEST(Library, may_be_compiled_with_the_headers_of_tensorflow) {
  if (tensorflow_folder().empty()) GTEST_SKIP() << "no TensorFlow is installed";
  const std::string object = testing::TempDir() + "troupe_compiled_plugin.so";
  EXPECT_EQ(compile("'" TROUPE_SOURCES "/tests/actors/c_api/plugin/'plugin_[kor]*.c", object), "");
  ASSERT_EQ(compile("'" TROUPE_SOURCES "/tools/examples/custom_op/clip_norm_op.c'", object), "");
  EXPECT_THAT(load(object), HasSubstr("ExampleClipNorm"));
  Graph graph;
  TF_Output x = graph.placeholder("x");
  TF_Output y = graph.unary("ExampleClipNorm", "y", x);
  Session session(graph.get());
  TensorPtr in = float_tensor({2}, {3, 4});
  auto out = session.run({{x, in.get()}}, {y});
  ASSERT_EQ(session.code(), TF_OK) << session.message();
  EXPECT_THAT(floats(out[0].get()), testing::ElementsAre(testing::FloatEq(0.6f), testing::FloatEq(0.8f)));
  std::remove(object.c_str());
}

}  // namespace
