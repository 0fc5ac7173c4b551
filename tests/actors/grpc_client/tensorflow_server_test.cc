// TensorFlow's own server, with `troupe run` as its client: tensorflow_server.py, with the interpreter that TROUPE_TENSORFLOW_PYTHON names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/system/program.h"

namespace troupe::test {
namespace {

TEST(TensorflowServer, runs_what_troupe_sends) {
  const char* python = std::getenv("TROUPE_TENSORFLOW_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "TROUPE_TENSORFLOW_PYTHON names no interpreter that has TensorFlow";
  const ProgramResult r =
      run_program(python, {std::string(TROUPE_SOURCE_DIR) + "/tests/actors/grpc_client/tensorflow_server.py",
                           TROUPE_PROGRAM});
  if (r.exit_code == 77) GTEST_SKIP() << r.out;
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
}

}  // namespace
}  // namespace troupe::test
