#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "graph/tensor/tensor.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/system/graph_texts.h"
#include "tests/system/program.h"
#include "tools/troupe/files.h"
#include "tools/troupe/npy.h"

namespace troupe {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CommandLine : public ::testing::Test {
 protected:
  static ProgramResult troupe(const std::vector<std::string>& arguments) {
    return run_program(TROUPE_PROGRAM, arguments);
  }
  std::string graph(const std::string& text) { return folder_.write("graph.pbtxt", text); }

  /// A failure as a user should see it: exit code 1, nothing on standard output, one line that has `phrase`.
  static void expect_error(const ProgramResult& r, const std::string& phrase) {
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, StartsWith("troupe"));
    EXPECT_THAT(r.err, HasSubstr(phrase));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }

  TemporaryFolder folder_;
};

TEST_F(CommandLine, run_prints_fetches_as_arrays) {
  const ProgramResult r = troupe({"run", graph(graph_texts::kArithmetic), "--feed", "x=[1, 2.5]", "--feed",
                                  "y=[[10],[20]]", "--fetch", "z", "--fetch", "double:0"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "z: float [2,2]\n[[12. 15.]\n [22. 25.]]\ndouble:0: float [2]\n[2. 5.]\n");
}

TEST_F(CommandLine, run_writes_a_timeline) {
  const std::string file = folder_.path() + "/timeline.json";
  const ProgramResult r = troupe({"run", graph(graph_texts::kArithmetic), "--feed", "x=1", "--feed", "y=2",
                                  "--fetch", "z", "--raw", "--trace", file});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, EndsWith("timeline -> " + file + "\n"));
  const absl::StatusOr<std::string> written = read_file(file);
  ASSERT_TRUE(written.ok()) << written.status();
  const nlohmann::json timeline = nlohmann::json::parse(*written);
  bool found = false;
  for (const auto& event : timeline["traceEvents"]) {
    if (event["ph"] != "X" || event["name"] != "z") continue;
    found = true;
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_GE(event["dur"].get<double>(), 0);
    EXPECT_EQ(event["args"]["outputs"].size(), 1u);
  }
  EXPECT_TRUE(found);
}

TEST_F(CommandLine, run_reads_and_writes_npy) {
  const std::string x = folder_.path() + "/x.npy", z = folder_.path() + "/z.npy";
  ASSERT_TRUE(write_npy(x, Tensor::vector<float>({1, 2, 3})).ok());
  const ProgramResult r = troupe({"run", graph(graph_texts::kArithmetic), "--feed", "x=" + x, "--feed",
                                  "y=0.5", "--fetch", "z", "--out", "z=" + z});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "z: float [3] -> " + z + "\n");
  const absl::StatusOr<Tensor> written = read_npy(z, DataType::kFloat);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->flat<float>()[2], 6.5);

  const std::string folder = folder_.path() + "/answers";
  EXPECT_EQ(troupe({"run", graph(graph_texts::kArithmetic), "--feed", "x=1", "--feed", "y=1", "--fetch",
                    "z:0", "--out", folder})
                .exit_code,
            0);
  EXPECT_TRUE(read_npy(folder + "/z_0.npy").ok());
}

TEST_F(CommandLine, run_executes_targets_before_and_repeats) {
  const ProgramResult r =
      troupe({"run", graph(graph_texts::kVariable), "--before", "init", "--before", "more", "--fetch", "r",
              "--repeat", "3", "--raw", "--device-count", "CPU=2"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, StartsWith("r: float []\n2.0\n3 runs: median "));
  EXPECT_EQ(troupe({"run", graph(graph_texts::kVariable), "--target", "init"}).exit_code, 0);
}

TEST_F(CommandLine, run_gives_up_after_its_timeout) {
  expect_error(troupe({"run", graph(graph_texts::kEndless), "--fetch", "out", "--timeout", "200"}),
               "DEADLINE_EXCEEDED");
}

TEST_F(CommandLine, run_refuses_files_that_cannot_be_read) {
  expect_error(troupe({"run", folder_.path() + "/absent.pb", "--fetch", "z"}), "absent.pb");
  expect_error(troupe({"run", folder_.path(), "--fetch", "z"}), "Could not find");
  expect_error(troupe({"run", folder_.write("broken.pbtxt", "node { name: "), "--fetch", "z"}),
               "broken.pbtxt");
  // A node of 200 bytes, of which there are three.
  expect_error(troupe({"run", folder_.write("cut.pb", "\x0a\xc8\x01\x0a\x01x"), "--fetch", "x"}), "cut.pb");
  expect_error(troupe({"run", folder_.write("noise.pb", std::string(1000, '\xff')), "--fetch", "x"}),
               "noise.pb");
}

TEST_F(CommandLine, run_refuses_graphs_that_are_wrong) {
  const auto run = [&](const std::string& text) { return troupe({"run", graph(text), "--fetch", "a"}); };
  expect_error(run("node { name: \"a\" op: \"NoSuchOp\" }"), "Op type not registered 'NoSuchOp'");
  expect_error(run(graph_texts::kCycle), "cycle");
  expect_error(run("node { name: \"a\" op: \"NoOp\" } node { name: \"a\" op: \"NoOp\" }"), "'a'");
  expect_error(run("node { name: \"a b\" op: \"NoOp\" }"), "a b");
  expect_error(run("node { name: \"a\" op: \"Identity\" input: \"gone\" attr { key: \"T\" value { type: "
                   "DT_FLOAT } } }"),
               "gone");
  expect_error(run("node { name: \"a\" op: \"Placeholder\" }"), "dtype");
  expect_error(run("node { name: \"a\" op: \"Const\" attr { key: \"dtype\" value { type: DT_FLOAT } } attr { "
                   "key: \"value\" value "
                   "{ tensor { dtype: DT_FLOAT tensor_shape { dim { size: 4000000000 } dim { size: "
                   "4000000000 } } } } } }"),
               "INVALID_ARGUMENT");
}

TEST_F(CommandLine, run_refuses_wrong_feeds_and_fetches) {
  const std::string g = graph(graph_texts::kArithmetic);
  expect_error(troupe({"run", g, "--fetch", "nothing"}), "nothing");
  expect_error(troupe({"run", g, "--fetch", "z:7", "--feed", "x=1", "--feed", "y=1"}),
               "does not have output 7");
  expect_error(troupe({"run", g, "--target", "nothing"}), "nothing");
  expect_error(troupe({"run", g, "--feed", "q=1", "--fetch", "xi"}), "unable to find feed output q");
  expect_error(troupe({"run", g, "--fetch", "z", "--feed", "x=1"}), "'y'");
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i=1.5"}), "'1.5' is no int32");
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i=[1,[2]]"}), "--feed i");
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i"}), "NAME=VALUE");
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i=" + folder_.path() + "/no.npy"}), "no.npy");
  expect_error(troupe({"run", g, "--fetch", "x", "--feed", "x=1"}), "both fed and fetched");
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i=1", "--feed", "i=2"}), "fed more than once");
  expect_error(troupe({"run", g}), "Must specify at least one target to fetch or execute");
  const std::string doubles = folder_.path() + "/d.npy";
  ASSERT_TRUE(write_npy(doubles, Tensor::vector<double>({1})).ok());
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i=" + doubles}), "double");
}

TEST_F(CommandLine, run_reports_kernel_errors_with_their_node) {
  expect_error(troupe({"run", graph(graph_texts::kVariable), "--fetch", "r"}),
               "Attempting to use uninitialized value v");
  expect_error(troupe({"run", graph(graph_texts::kArithmetic), "--fetch", "z", "--feed", "x=[1,2]", "--feed",
                       "y=[1,2,3]"}),
               "{{node z}}");
}

TEST_F(CommandLine, refuses_wrong_options) {
  const std::string g = graph(graph_texts::kArithmetic);
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i=1", "--device-count", "CPU"}), "NAME=VALUE");
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i=1", "--config", "no_such_field: 1"}),
               "no_such_field");
  expect_error(troupe({"run", g, "--fetch", "xi", "--feed", "i=1", "--out", "xj=a.npy"}), "xj");
  expect_error(troupe({"run", g, "--signature", "serving_default"}), "no signature 'serving_default'");
  expect_error(troupe({"run", g, "--no-such-option"}), "--no-such-option");
  expect_error(troupe({"run"}), "graph");
  expect_error(troupe({"fly"}), "fly");
  expect_error(troupe({}), "subcommand");
}

TEST_F(CommandLine, explains_itself) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"run", "--help"}, {"inspect", "--help"}, {"verify", "--help"}}) {
    const ProgramResult r = troupe(arguments);
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_THAT(r.out, HasSubstr("Examples:"));
  }
  EXPECT_THAT(troupe({"--help"}).out, Not(HasSubstr("verify-worker")));
  EXPECT_THAT(troupe({"--version"}).out, StartsWith("troupe 0."));
}

TEST_F(CommandLine, inspect_tells_what_is_in_a_graph) {
  const ProgramResult r = troupe({"inspect", graph(graph_texts::kArithmetic)});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("7 nodes of 5 ops, 5 data edges, 0 control edges; producer 1000"));
  EXPECT_THAT(r.out, HasSubstr("inputs (3):\n  x  float"));
  EXPECT_THAT(r.out, HasSubstr("outputs (2):\n  z  float  (AddV2)\n  xi  int32  (Identity)\n"));
  EXPECT_THAT(r.out, HasSubstr("     3  Placeholder\n"));
}

TEST_F(CommandLine, inspect_shows_what_is_wrong_with_a_graph) {
  const ProgramResult r = troupe({"inspect", graph(graph_texts::kCycle)});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("import: INVALID_ARGUMENT"));
  EXPECT_THAT(r.out, HasSubstr("cycles (1):\n  2 nodes: a b\n"));
  const ProgramResult loop = troupe({"inspect", graph(graph_texts::kEndless)});
  EXPECT_THAT(loop.out, Not(HasSubstr("cycles")));
  EXPECT_THAT(loop.out, HasSubstr("loops (1):\n  loop: 1 Enter, 1 Merge, 1 Exit\n"));
  const ProgramResult unknown =
      troupe({"inspect", graph("node { name: \"a\" op: \"NoSuchOp\" input: \"gone\" }")});
  EXPECT_THAT(unknown.out, HasSubstr("unknown ops (1):\n  NoSuchOp\n"));
  EXPECT_THAT(unknown.out, HasSubstr("a <- gone"));
}

TEST_F(CommandLine, inspect_shows_passes_and_draws) {
  const std::string g = graph(graph_texts::kArithmetic), dot = folder_.path() + "/g.dot";
  const ProgramResult passes =
      troupe({"inspect", g, "--feed", "x", "--feed", "y", "--fetch", "z", "--pass", "all"});
  EXPECT_EQ(passes.exit_code, 0) << passes.err;
  EXPECT_THAT(passes.out, HasSubstr("place: "));
  EXPECT_THAT(passes.out, HasSubstr("plan: 7 -> "));
  expect_error(troupe({"inspect", g, "--pass", "prune"}), "--pass needs");
  expect_error(troupe({"inspect", g, "--fetch", "xi", "--pass", "no_such_pass"}), "no pass 'no_such_pass'");

  EXPECT_EQ(troupe({"inspect", g, "--dot", dot}).exit_code, 0);
  const std::string picture = *read_file(dot);
  EXPECT_THAT(picture, StartsWith("digraph"));
  EXPECT_THAT(picture, HasSubstr("\"double\" -> \"z\""));
  EXPECT_THAT(picture, EndsWith("}\n"));
  EXPECT_EQ(troupe({"inspect", g, "--feed", "x", "--feed", "y", "--fetch", "z", "--dot", dot}).exit_code, 0);
  EXPECT_THAT(*read_file(dot), HasSubstr("device:CPU:0"));
}

TEST_F(CommandLine, inspect_shows_the_graph_before_and_after_a_pass) {
  const std::string g = graph(std::string(graph_texts::kArithmetic) + R"(
    node { name: "four" op: "Mul" input: "two" input: "two" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "w" op: "Mul" input: "x" input: "four" attr { key: "T" value { type: DT_FLOAT } } })");
  const std::string dot = folder_.path() + "/pass.dot";
  const auto pass = [&](const std::string& name) {
    return troupe({"inspect", g, "--feed", "x", "--fetch", "w", "--pass", name, "--dot", dot});
  };
  const ProgramResult folding = pass("constant_folding");
  EXPECT_EQ(folding.exit_code, 0) << folding.err;
  EXPECT_THAT(folding.out, StartsWith("constant_folding: 5 -> 5 nodes; folded 1\n  ~ four (Mul): op Mul -> "
                                      "Const, inputs [two two] -> []\n"));
  EXPECT_THAT(*read_file(dot), HasSubstr("label=\"before constant_folding: 5 -> 5 nodes; folded 1\""));
  EXPECT_THAT(*read_file(dot), HasSubstr("label=\"after constant_folding\""));
  const ProgramResult pruning = pass("prune");
  EXPECT_THAT(pruning.out, StartsWith("prune: 5 -> 4 nodes; removed 1\n  - two (Const)\n"));
  const ProgramResult rewriting = pass("rewrite_signature");
  EXPECT_THAT(rewriting.out, HasSubstr("  - double (Mul)\n"));
  EXPECT_THAT(rewriting.out, HasSubstr("  + _arg_x_0_0 (_Arg)\n"));
}

TEST_F(CommandLine, inspect_says_what_a_config_does) {
  const std::string config =
      graph("allow_soft_placement: true placement_period: 7 session_handle: 'mine'");
  const ProgramResult r = troupe({"inspect", "--config", config});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("allow_soft_placement = true  honoured: "));
  EXPECT_THAT(r.out, HasSubstr("placement_period = 7  without meaning: "));
  EXPECT_THAT(r.out, HasSubstr("session_handle = \"mine\"  honoured: "));
  EXPECT_THAT(r.out, Not(HasSubstr("cluster_def")));
  EXPECT_THAT(troupe({"inspect", "--config", config, "--all"}).out,
              AllOf(HasSubstr("cluster_def"),
                    HasSubstr("all fields of RunOptions:\n  trace_level  honoured: "),
                    HasSubstr("  fetch_skip_sync  honoured: ")));
  expect_error(troupe({"inspect", "--config", graph("no_such_field: 1")}), "is no ConfigProto");
  expect_error(troupe({"inspect", "--config", "/no/such/file"}), "/no/such/file");
  expect_error(troupe({"inspect"}), "what to inspect");
}

TEST_F(CommandLine, inspect_writes_json) {
  const ProgramResult r = troupe({"inspect", graph(graph_texts::kVariable), "--json"});
  const nlohmann::json json = nlohmann::json::parse(r.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << r.out << r.err;
  EXPECT_EQ(json["nodes"], 5);
  EXPECT_EQ(json["variables"][0]["name"], "v");
}

/// A list of cases over kArithmetic, with one that is wrong in each way.
class Verify : public CommandLine {
 protected:
  void SetUp() override {
    folder_.write("g.pbtxt", graph_texts::kArithmetic);
    folder_.write("endless.pbtxt", graph_texts::kEndless);
    folder_.write("cycle.pbtxt", graph_texts::kCycle);
  }
  std::string list(const std::vector<std::string>& rows) {
    std::string text =
        "case_id\tgraph\tstatus\tdeterministic\trtol\tatol\tnumpy_check\tfeeds\tfetches\tnotes\n";
    for (const std::string& row : rows) absl::StrAppend(&text, row, "\n");
    return folder_.write("cases.tsv", text);
  }
  static std::string row(const std::string& id, const std::string& graph, const std::string& status,
                         const std::string& feeds, const std::string& fetches,
                         const std::string& notes = "-") {
    return absl::StrCat(id, "\t", graph, "\t", status, "\tyes\t0\t1e-3\t-\t", feeds, "\t", fetches, "\t",
                        notes);
  }
  static std::string last_line(const std::string& text) {
    const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
    return lines.empty() ? "" : lines.back();
  }
};

constexpr char kXy[] = "x:0|float32|[2]|inline:[1.0,2.0] y:0|float32|[]|inline:0.5";

TEST_F(Verify, passes_every_kind_of_case) {
  const ProgramResult r =
      troupe({"verify", "--jobs", "2", "--cases",
              list({row("a", "g.pbtxt", "ok", kXy, "z:0|float32|[2]|inline:[2.5,4.5]"),
                    row("b", "g.pbtxt", "seeded_rng", kXy, "z:0|float32|[2]|inline:[0.0,0.0]"),
                    row("c", "g.pbtxt", "nondeterministic", kXy, "z:0|float32|[2]|inline:[0.0,0.0]"),
                    row("d", "g.pbtxt", "order_unspecified", kXy, "z:0|float32|[2]|inline:[4.5,2.5]"),
                    row("e", "cycle.pbtxt", "illtyped_in_TF", "-", "a:0|float32|[]|inline:1"),
                    row("f", "g.pbtxt", "missing_feed", "-", "xi:0|int32|[]|inline:1",
                        "placeholders without data: i"),
                    row("g", "absent.pb", "ok", "-", "xi:0|int32|[]|inline:1")})});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_EQ(r.out, "6 passed, 0 failed, 1 skipped\n");
}

TEST_F(Verify, names_each_failure_and_its_reason) {
  const std::string report = folder_.path() + "/report.json";
  const ProgramResult r =
      troupe({"verify", "--report", report, "--cases",
              list({row("value", "g.pbtxt", "ok", kXy, "z:0|float32|[2]|inline:[2.5,4.0]"),
                    row("shape", "g.pbtxt", "nondeterministic", kXy, "z:0|float32|[1]|inline:[2.5]"),
                    row("accepted", "g.pbtxt", "illtyped_in_TF", kXy, "z:0|float32|[2]|inline:[2.5,4.0]"),
                    row("fed", "g.pbtxt", "missing_feed", kXy, "z:0|float32|[2]|inline:[2.5,4.0]"),
                    row("error", "g.pbtxt", "ok", kXy, "xi:0|int32|[]|inline:1"),
                    row("good", "g.pbtxt", "ok", kXy, "z:0|float32|[2]|inline:[2.5,4.5]")})});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("FAILED value: wrong_result: z:0 [1]: 4.5 instead of 4.0\n"));
  EXPECT_THAT(r.out, HasSubstr("FAILED shape: wrong_result: z:0 shape [2] instead of [1]\n"));
  EXPECT_THAT(r.out, HasSubstr("FAILED accepted: not_refused"));
  EXPECT_THAT(r.out, HasSubstr("FAILED fed: not_refused"));
  EXPECT_THAT(r.out, HasSubstr("FAILED error: run_error: INVALID_ARGUMENT"));
  EXPECT_EQ(last_line(r.out), "1 passed, 5 failed, 0 skipped");
  const nlohmann::json json = nlohmann::json::parse(*read_file(report), nullptr, false);
  EXPECT_EQ(json["failed"], 5);
  EXPECT_EQ(json["cases"][0]["ops"][0], "AddV2");
}

TEST_F(Verify, survives_cases_that_hang) {
  const ProgramResult r =
      troupe({"verify", "--timeout", "1.5", "--jobs", "1", "--cases",
              list({row("hang", "endless.pbtxt", "ok", "-", "out:0|int32|[]|inline:1"),
                    row("good", "g.pbtxt", "ok", kXy, "z:0|float32|[2]|inline:[2.5,4.5]")})});
  EXPECT_THAT(r.out, HasSubstr("FAILED hang: hung: no answer within 1.5 s\n"));
  EXPECT_EQ(last_line(r.out), "1 passed, 1 failed, 0 skipped");
}

TEST_F(Verify, filters_and_sets_thresholds) {
  const std::string cases = list({row("a/bad", "g.pbtxt", "ok", kXy, "z:0|float32|[2]|inline:[2.5,4.0]"),
                                  row("b/good", "g.pbtxt", "ok", kXy, "z:0|float32|[2]|inline:[2.5,4.5]")});
  EXPECT_EQ(troupe({"verify", "--cases", cases, "--filter", "^b/"}).out, "1 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(troupe({"verify", "--cases", cases, "--allow-failures", "--min-passed", "1"}).exit_code, 0);
  EXPECT_EQ(troupe({"verify", "--cases", cases, "--allow-failures", "--min-passed", "2"}).exit_code, 1);
  expect_error(troupe({"verify", "--cases", cases, "--filter", "("}), "regular expression");
  expect_error(troupe({"verify", "--cases", folder_.path() + "/none.tsv"}), "none.tsv");
  expect_error(troupe({"verify", "--cases", folder_.write("bad.tsv", "case_id\tx\nonly one cell\n")}),
               "line 2");
}

TEST_F(Verify, skips_known_differences_and_fails_those_that_are_none) {
  const std::string cases = list({row("bad", "g.pbtxt", "ok", kXy, "z:0|float32|[2]|inline:[2.5,4.0]"),
                                  row("good", "g.pbtxt", "ok", kXy, "z:0|float32|[2]|inline:[2.5,4.5]")});
  const auto with = [&](const std::string& known) {
    return troupe({"verify", "--cases", cases, "--known-differences", folder_.write("known.txt", known)});
  };
  const ProgramResult known = with("# why\nbad it reads a stale shape\n");
  EXPECT_EQ(known.out, "DIFFERS bad: it reads a stale shape\n1 passed, 0 failed, 1 skipped\n");
  EXPECT_EQ(known.exit_code, 0);
  const ProgramResult stale = with("bad it reads a stale shape\ngood once it was slow\n");
  EXPECT_THAT(stale.out,
              HasSubstr("FAILED good: no_difference: passes, though it should differ: once it was slow"));
  EXPECT_EQ(stale.exit_code, 1);
  expect_error(with("bad\n"), "no reason for bad");
}

TEST_F(Verify, runs_scripts_of_several_steps_and_counts_by_area) {
  const auto script = [&](const std::string& name, const std::string& graph, const std::string& steps) {
    folder_.write(name, absl::StrCat(R"({"graph": ")", graph, R"(", "graph_kind": "graph_def", "steps": [)",
                                     steps, "]}"));
  };
  script("good.json", "g.pbtxt", R"({"op": "run", "feeds": [["i:0", "int32", [], {"inline": 4}]],
                                     "fetches": [["xi:0", "int32", [], {"inline": 4}]]}, {"op": "close"})");
  script("text.json", "g.pbtxt", R"({"op": "run", "fetches": [["xi:0", null, null, null]],
                                     "expect": {"code": "INVALID_ARGUMENT", "message_contains": ["purple"]}})");
  script("hang.json", "endless.pbtxt", R"({"op": "run", "fetches": [["out:0", null, null, null]]})");
  const std::string scripts = folder_.write(
      "scripts.tsv",
      "script_id\tpath\tarea\tstatus\ttags\na/good\tgood.json\ta\tok\t\na/text\ttext.json\ta\tok\t\n"
      "b/hang\thang.json\tb\tok\t\nb/none\tabsent.json\tb\tok\t\n");
  const ProgramResult r = troupe({"verify", "--timeout", "1.5", "--jobs", "2", "--scripts", scripts});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("TEXT a/text: step 1 (run): 'purple' is not in INVALID_ARGUMENT"));
  EXPECT_THAT(r.out, HasSubstr("FAILED b/hang: hung"));
  EXPECT_THAT(r.out, HasSubstr("2 of    2 passed,    1 with all texts"));
  EXPECT_EQ(last_line(r.out), "2 passed, 1 failed, 1 skipped");
  EXPECT_EQ(troupe({"verify", "--scripts", scripts, "--cases", scripts}).exit_code, 1)
      << "one list at a time";
}

}  // namespace
}  // namespace troupe
