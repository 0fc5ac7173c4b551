#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/actors/c_api/wheel.h"

// The graphs that time the library compute what TensorFlow computes with them.

namespace {

std::string graphs_folder() {
  const char* shared = std::getenv("TROUPE_SHARED");
  return std::string(shared != nullptr ? shared : TROUPE_SOURCES "/../shared") + "/bench/local";
}

/// One line of workloads.tsv.
struct Row {
  std::string name;
  std::string arguments;
};

std::vector<Row> rows() {
  std::vector<Row> out;
  std::ifstream in(graphs_folder() + "/workloads.tsv");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> f;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) f.push_back(field);
    std::string quoted = " '" + graphs_folder() + "/" + f.at(1) + "'";
    for (int i = 2; i <= 5; ++i) quoted += " '" + f.at(i) + "'";
    out.push_back({f[0], quoted});
  }
  return out;
}

/// What three runs answer, as words of four bytes.
std::vector<float> answers(const std::string& library, const std::string& environment, const Row& row) {
  const std::string file = testing::TempDir() + "/" + row.name + ".out";
  int status = 0;
  std::string text = output_of(environment + " '" TROUPE_RUN_WORKLOAD "' '" + library + "'" + row.arguments +
                                   " 3 '" + file + "'",
                               &status);
  EXPECT_EQ(status, 0) << row.name << ": " << text;
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::filesystem::remove(file);
  std::vector<float> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

TEST(Workloads, compute_what_TensorFlow_computes) {
#ifdef TROUPE_SANITIZED
  GTEST_SKIP() << "a library with a sanitizer does not load into a program without";
#endif
  const std::vector<Row> all = rows();
  if (all.empty()) GTEST_SKIP() << "no workloads at " << graphs_folder() << " (set TROUPE_SHARED)";
  const std::string folder = tensorflow_folder();
  for (const Row& row : all) {
    const std::vector<float> ours = answers(TROUPE_C_LIBRARY, "", row);
    if (folder.empty()) continue;
    const std::vector<float> theirs = answers(folder + "/libtensorflow_cc.so.2",
                                              "TF_CPP_MIN_LOG_LEVEL=3 LD_LIBRARY_PATH='" + folder + "'", row);
    ASSERT_EQ(ours.size(), theirs.size()) << row.name;
    // Sums in another order: relative to the largest value of the answer.
    float largest = 0, difference = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
      if (std::memcmp(&ours[i], &theirs[i], 4) == 0) continue;
      ASSERT_TRUE(std::isfinite(ours[i]) && std::isfinite(theirs[i])) << row.name << " at " << i;
      largest = std::max(largest, std::abs(theirs[i]));
      difference = std::max(difference, std::abs(ours[i] - theirs[i]));
    }
    std::printf("%-22s %8zu words, largest difference %g of %g\n", row.name.c_str(), ours.size(), difference,
                largest);
    EXPECT_LE(difference, 1e-4f * largest) << row.name;
  }
  if (folder.empty()) GTEST_SKIP() << "all workloads ran; not compared: no TensorFlow is installed";
}

}  // namespace
