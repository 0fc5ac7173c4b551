#include "tools/troupe/script.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "actors/runtime.h"
#include "tools/troupe/verify.h"
#include "tools/troupe/verify_script.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ScriptList, reads_rows_and_names_the_line_that_is_wrong) {
  const auto list = parse_script_list(
      "script_id\tpath\tarea\tstatus\ttags\nsession/a\tscripts/session/a.json\tsession\tok\tx,y\n");
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->size(), 1u);
  EXPECT_EQ((*list)[0].path, "scripts/session/a.json");
  EXPECT_EQ((*list)[0].area, "session");
  EXPECT_THAT(std::string(parse_script_list("script_id\tpath\nbroken\n").status().message()),
              HasSubstr("line 2"));
  EXPECT_FALSE(parse_script_list("no header\n").ok());
}

TEST(Script, puts_the_places_into_texts_and_reads_expectations) {
  const auto script = parse_script(
      R"({"graph": "g.pb", "graph_kind": "graph_def", "status": "ok", "steps": [
           {"op": "run", "feeds": [["p:0", "string", [1], {"inline": [{"t": "${TMP}/x"}]}]],
            "fetches": [["q:0", null, null, null]], "targets": ["t"],
            "expect": {"code": "NOT_FOUND", "message_contains": ["${ROOT}/y"]}},
           {"op": "parallel", "steps": [[{"op": "close", "delay_ms": 20}], []]}]})",
      {"/t", "/r"});
  ASSERT_TRUE(script.ok()) << script.status();
  ASSERT_EQ(script->steps.size(), 2u);
  const ScriptStep& run = script->steps[0];
  const auto fed = load_case_tensor(run.feeds[0], "/r");
  ASSERT_TRUE(fed.ok()) << fed.status();
  EXPECT_EQ(std::string(fed->flat<TString>()[0].view()), "/t/x");
  EXPECT_EQ(run.fetches[0].dtype, DataType::kInvalid);
  EXPECT_EQ(run.expect.code, absl::StatusCode::kNotFound);
  EXPECT_THAT(run.expect.texts, ElementsAre("/r/y"));
  ASSERT_EQ(script->steps[1].lanes.size(), 2u);
  EXPECT_EQ(script->steps[1].lanes[0][0].delay_ms, 20);
}

TEST(Script, names_the_step_that_is_malformed) {
  const auto refusal = [](const std::string& steps) {
    return std::string(
        parse_script(absl::StrCat(R"({"graph": null, "steps": [{"op": "close"}, )", steps, "]}"), {})
            .status()
            .message());
  };
  EXPECT_THAT(refusal(R"({"op": "jump"})"), HasSubstr("step 2: unknown step 'jump'"));
  EXPECT_THAT(refusal(R"({"op": "run", "expect": {"code": "BAD"}})"), HasSubstr("no known code: 'BAD'"));
  EXPECT_THAT(refusal(R"({"op": "run", "feeds": [["x", "float33", [], "v.npy"]]})"), HasSubstr("float33"));
  EXPECT_THAT(refusal(R"({"op": "parallel", "steps": [[{"op": "new_session"}]]})"), HasSubstr("inside"));
  EXPECT_THAT(refusal("3"), HasSubstr("no object"));
  EXPECT_FALSE(parse_script("[", {}).ok());
}

class ScriptRunTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    write("g.pbtxt", R"(
        node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } }
        node { name: 'y' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_INT32 } } }
        versions { producer: 1882 })");
  }
  void TearDown() override { fs::remove_all(dir_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(dir_ / name) << text; }

  /// Runs a script on the graph x -> y = -x.
  CaseResult run(const std::string& steps, const std::string& more = "") {
    write("s.json", absl::StrCat(R"({"graph": "g.pbtxt", "graph_kind": "graph_def", )", more, R"("steps": [)",
                                 steps, "]}"));
    return run_script({"s", "s.json", "session", "ok"}, dir_.string(), *runtime_);
  }

  std::unique_ptr<Runtime> runtime_ = Runtime::create();
  fs::path dir_;
};

constexpr char kFour[] = R"({"op": "run", "feeds": [["x:0", "int32", [], {"inline": 4}]],
                             "fetches": [["y:0", "int32", [], {"inline": -4}]]})";
constexpr char kFive[] = R"({"op": "run", "feeds": [["x:0", "int32", [], {"inline": 5}]],
                             "fetches": [["y:0", "int32", [], {"inline": -4}]]})";
constexpr char kUnfed[] = R"({"op": "run", "fetches": [["y:0", null, null, null]],
                              "expect": {"code": "INVALID_ARGUMENT", "message_contains": ["must feed a value"]}})";

TEST_F(ScriptRunTest, goes_on_after_an_error_that_was_expected) {
  const CaseResult r = run(absl::StrCat(kUnfed, ",", kFour, R"(, {"op": "new_session"}, )", kFour));
  EXPECT_EQ(r.outcome, CaseResult::Outcome::kPassed) << r.message;
  EXPECT_EQ(r.text_difference, "");
}

TEST_F(ScriptRunTest, fails_at_the_first_step_that_goes_otherwise) {
  CaseResult r = run(absl::StrCat(kFour, ",", kFive));
  EXPECT_EQ(r.outcome, CaseResult::Outcome::kFailed);
  EXPECT_EQ(r.kind, "wrong_result");
  EXPECT_THAT(r.message, HasSubstr("step 2 (run): y:0"));
  r = run(R"({"op": "close", "expect": {"code": "ABORTED"}})");
  EXPECT_EQ(r.kind, "not_refused");
  r = run(R"({"op": "run", "fetches": [["z:0", null, null, null]], "expect": {"code": "ABORTED"}})");
  EXPECT_EQ(r.kind, "wrong_code");
  r = run("", R"("expect_create": {"code": "INVALID_ARGUMENT"}, )");
  EXPECT_EQ(r.kind, "not_refused");
}

TEST_F(ScriptRunTest, tells_of_a_text_that_is_missing_and_passes) {
  const CaseResult r = run(R"({"op": "run", "fetches": [["y:0", null, null, null]],
                               "expect": {"code": "INVALID_ARGUMENT", "message_contains": ["purple"]}})");
  EXPECT_EQ(r.outcome, CaseResult::Outcome::kPassed) << r.message;
  EXPECT_THAT(r.text_difference, HasSubstr("'purple' is not in INVALID_ARGUMENT"));
}

TEST_F(ScriptRunTest, writes_and_looks_for_files_in_a_folder_of_its_own) {
  const char kWrite[] = R"({"op": "write_file", "path": "${TMP}/a/b", "bytes_b64": "eA=="})";
  const char kExpect[] = R"({"op": "expect_file", "path": "${TMP}/a/b", "exists": )";
  EXPECT_EQ(run(absl::StrCat(kExpect, "false}, ", kWrite, ",", kExpect, "true}")).outcome,
            CaseResult::Outcome::kPassed);
  EXPECT_EQ(run(absl::StrCat(kExpect, "true}")).outcome, CaseResult::Outcome::kFailed);
}

TEST_F(ScriptRunTest, takes_partial_runs_and_callables_by_their_labels) {
  const CaseResult partial = run(
      R"({"op": "partial_run_setup", "handle": "h", "feeds": ["x:0"], "fetches": ["y:0"]},
         {"op": "partial_run", "handle": "h", "feeds": [["x:0", "int32", [], {"inline": 4}]],
          "fetches": [["y:0", "int32", [], {"inline": -4}]]},
         {"op": "partial_run", "handle": "nobody", "fetches": [["y:0", null, null, null]],
          "expect": {"code": "INVALID_ARGUMENT"}})");
  EXPECT_EQ(partial.outcome, CaseResult::Outcome::kPassed) << partial.message;
  const CaseResult callable = run(
      R"({"op": "make_callable", "handle": "c", "feeds": ["x:0"], "fetches": ["y:0"]},
         {"op": "run_callable", "handle": "c", "feeds": [["x:0", "int32", [], {"inline": 4}]],
          "fetches": [["y:0", "int32", [], {"inline": -4}]]},
         {"op": "release_callable", "handle": "c"})");
  EXPECT_EQ(callable.outcome, CaseResult::Outcome::kPassed) << callable.message;
}

TEST_F(ScriptRunTest, runs_threads_side_by_side_and_closes_all_at_a_reset) {
  const char kClosed[] = R"({"op": "run", "feeds": [["x:0", "int32", [], {"inline": 4}]],
      "fetches": [["y:0", null, null, null]], "expect": {"code": "CANCELLED"}})";
  const std::string parallel = absl::StrCat(R"({"op": "parallel", "steps": [[)", kFour, "],[", kFour, "]]}");
  const CaseResult r = run(absl::StrCat(parallel, R"(, {"op": "reset"}, )", kClosed));
  EXPECT_EQ(r.outcome, CaseResult::Outcome::kPassed) << r.message;
  EXPECT_THAT(run(absl::StrCat(R"({"op": "parallel", "steps": [[)", kFour, "],[", kFive, "]]}")).message,
              HasSubstr("thread 2, step 1 (run): "));
}

TEST(VerifyReport, counts_by_area) {
  VerifySummary summary;
  summary.items = {{"a/1", "ok", "a", 0}, {"b/1", "ok", "b", 1}, {"b/2", "ok", "b", 2}};
  summary.results.resize(3);
  summary.results[0].outcome = summary.results[1].outcome = CaseResult::Outcome::kPassed;
  summary.results[1].text_difference = "lacks";
  const auto areas = summary.by_area();
  EXPECT_EQ(areas.at("a").with_all_texts, 1);
  EXPECT_EQ(areas.at("b").passed, 1);
  EXPECT_EQ(areas.at("b").failed, 1);
  EXPECT_EQ(areas.at("b").with_all_texts, 0);
  EXPECT_THAT(verify_report(summary, true), HasSubstr("\"with all texts\""));
}

}  // namespace
}  // namespace troupe
