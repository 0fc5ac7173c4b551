#include <cstdio>
#include <memory>

#include "CLI/CLI.hpp"
#include "tools/troupe/command_options.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/messages.h"
#include "tools/troupe/run_model.h"

namespace troupe {
namespace {

constexpr char kExamples[] = R"(
GRAPH is a GraphDef (.pb, .pbtxt), a MetaGraphDef (.meta) or a SavedModel folder, whose variables are restored and whose
initialiser is run. Without --fetch and --target the signature serving_default is called, if there is one.

A value is a .npy file, @FILE (the bytes of a string, or text as below), or text: 3, true, 1.5e3, hello, [[1,2],[3,4]],
["a","b"], 1+2j. It takes the dtype that the tensor has in the graph.

Examples:
  troupe run model.pb --feed x=[1,2,3] --fetch y
  troupe run saved_model --feed input=images.npy --out answers
  troupe run saved_model --signature regress --feed x=2 --fetch y --out y=y.npy
  troupe run saved_model --feed input=images.npy --trace timeline.json
  troupe run saved_model --feed input=images.npy --repeat 100000 --console 8080 --trace-folder traces --trace-slow 50
  troupe run model.pb --feed x=[1,2,3] --fetch y --server grpc://127.0.0.1:2222
  troupe run model.pb --feed x=[1,2,3] --fetch y --server caf://127.0.0.1:7001
  troupe run model.pb --feed x=3 --fetch y --server grpc://node7:2222 --tls-cert me.pem --tls-key me.key --tls-ca ca.pem
  troupe run train.meta --before init --target train --fetch loss --repeat 100
)";

int run(const RunRequest& request) {
  const absl::StatusOr<std::string> text = run_model(request);
  if (!text.ok()) return fail("run", text.status());
  std::fputs(text->c_str(), stdout);
  return 0;
}

}  // namespace

void add_run_command(CLI::App& app, Command* chosen) {
  auto request = std::make_shared<RunRequest>();
  CLI::App* sub = app.add_subcommand("run", "Runs a graph once: feeds tensors, prints what it fetches");
  sub->footer(kExamples);
  sub->add_option("graph", request->graph, "The model")->required()->type_name("GRAPH");
  add_texts(sub, "--feed", &request->feeds, "A tensor and its value")->type_name("NAME=VALUE");
  add_texts(sub, "--fetch", &request->fetches, "A tensor to print")->type_name("NAME");
  add_texts(sub, "--target", &request->targets, "A node to run without fetching anything")->type_name("NAME");
  sub->add_option("--signature", request->signature, "Call this signature; feeds and fetches are its keys")
      ->type_name("KEY");
  add_texts(sub, "--tag", &request->tags, "Tags of the meta graph (default: serve)");
  add_texts(sub, "--before", &request->before, "A node to run once before, as an initialiser")
      ->type_name("NAME");
  sub->add_option("--checkpoint", request->checkpoint, "Restore this checkpoint with the model's saver")
      ->type_name("PREFIX");
  add_texts(sub, "--out", &request->outputs, "Write a fetch to a file, or all of them into a folder")
      ->type_name("NAME=FILE.npy|FOLDER");
  sub->add_option(
         "--server", request->server,
         "Run it there instead of here: at a server of TensorFlow's protocol, or at a node of a cluster")
      ->type_name("grpc://HOST:PORT|caf://HOST:PORT");
  add_tls_options(sub, &request->tls);
  add_texts(sub, "--device-count", &request->device_counts, "Devices of a type")->type_name("TYPE=N");
  sub->add_option("--timeout", request->timeout_ms, "Give up after so many milliseconds")
      ->type_name("MS")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--config", request->config, "ConfigProto in text format")->type_name("TEXT");
  sub->add_flag("--raw", request->raw, "Execute every node as written: no optimisation");
  sub->add_option("--repeat", request->repeat, "Run so often, and tell how long it took")
      ->check(CLI::PositiveNumber);
  sub->add_option("--trace", request->trace,
                  "Write a timeline of the last run, for Perfetto or chrome://tracing")
      ->type_name("FILE.json");
  sub->add_option("--console", request->console, "Show the runs at this port while they go on, by HTTP")
      ->type_name("[HOST:]PORT");
  sub->add_option("--trace-folder", request->trace_folder, "Write timelines of runs into a folder")
      ->type_name("FOLDER");
  sub->add_option("--trace-every", request->trace_every, "Trace every so many runs (default: all)")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--trace-slow", request->trace_slow_ms, "Trace those that take longer")
      ->type_name("MS")
      ->check(CLI::NonNegativeNumber);
  sub->callback([request, chosen] { *chosen = [request] { return run(*request); }; });
}

}  // namespace troupe
