#include "tests/proto/zoo_files.h"

#include "proto/graph.pb.h"
#include "proto/graph_debug_info.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/pb.h"
#include "proto/saved_model.pb.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace troupe::proto_test {

namespace fs = std::filesystem;
namespace gp = google::protobuf;

fs::path shared_folder() {
  if (const char* folder = std::getenv("TROUPE_SHARED")) return folder;
  return fs::path(TROUPE_SOURCE_DIR).parent_path() / "shared";
}

std::vector<ZooFile> manifest_files(const fs::path& shared) {
  std::vector<ZooFile> files;
  std::ifstream table(shared / "data" / "manifest.tsv");
  std::string line;
  std::getline(table, line);  // titles
  while (std::getline(table, line)) {
    std::istringstream row(line);
    std::string path, source, kind, format;
    std::getline(row, path, '\t');
    std::getline(row, source, '\t');
    std::getline(row, kind, '\t');
    std::getline(row, format, '\t');
    // Listed as a graph, but it is the debug information of one.
    if (path.find(".debug.pbtxt") != std::string::npos) kind = "debug_info";
    files.push_back({shared / "data" / path, kind, format == "text"});
  }
  return files;
}

std::vector<ZooFile> refcase_files(const fs::path& shared) {
  std::vector<ZooFile> files;
  for (const char* folder : {"graphs", "saved_models"}) {
    for (const auto& entry : fs::recursive_directory_iterator(shared / "refcases" / folder)) {
      const fs::path& path = entry.path();
      if (path.filename() == "saved_model.pb") {
        files.push_back({path, "saved_model"});
      } else if (path.extension() == ".pb" && folder == std::string("graphs")) {
        files.push_back({path, "graphdef"});
      }
    }
  }
  std::sort(files.begin(), files.end(), [](const ZooFile& a, const ZooFile& b) { return a.path < b.path; });
  return files;
}

bool broken_on_purpose(const ZooFile& file) {
  const std::string path = file.path.generic_string();
  for (const char* part : {"/fuzz_generated/", "CyclicModule", "graph-malformed.pbtxt"}) {
    if (path.find(part) != std::string::npos) return true;
  }
  return false;
}

bool has_foreign_names(const ZooFile& file) {
  const std::string path = file.path.generic_string();
  for (const char* name : {"max_add_2.pb.txt", "max_graph.pb.txt", "max_multiply.pb.txt"}) {
    if (path.find(std::string("/dl4j/") + name) != std::string::npos) return true;
  }
  return false;
}

std::unique_ptr<gp::Message> make_message(const ZooFile& file) {
  if (file.kind == "saved_model") return std::make_unique<pb::SavedModel>();
  if (file.kind == "metagraph") return std::make_unique<pb::MetaGraphDef>();
  if (file.kind == "debug_info") return std::make_unique<pb::GraphDebugInfo>();
  return std::make_unique<pb::GraphDef>();
}

bool decode(const ZooFile& file, gp::Message& message) {
  std::ifstream bytes(file.path, std::ios::binary);
  gp::io::IstreamInputStream plain(&bytes);
  gp::io::GzipInputStream unpacked(&plain);
  const bool packed = file.path.extension() == ".gz";
  gp::io::ZeroCopyInputStream* input = &plain;
  if (packed) input = &unpacked;
  if (file.text) return gp::TextFormat::Parse(input, &message);
  return message.ParseFromZeroCopyStream(input);
}

}  // namespace troupe::proto_test
