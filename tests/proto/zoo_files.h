#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace google::protobuf {
class Message;
}

namespace troupe::proto_test {

/// A graph file of the shared test data.
struct ZooFile {
  std::filesystem::path path;
  std::string kind;  // graphdef, saved_model, metagraph or debug_info
  bool text = false;
};

/// $TROUPE_SHARED, or the folder `shared` beside the source tree.
std::filesystem::path shared_folder();

/// Rows of data/manifest.tsv.
std::vector<ZooFile> manifest_files(const std::filesystem::path& shared);

/// Graphs and saved models of refcases/.
std::vector<ZooFile> refcase_files(const std::filesystem::path& shared);

/// The data's README lists files whose bytes need not decode.
bool broken_on_purpose(const ZooFile& file);

/// Three texts name a field `opType`, as no release of TensorFlow does.
bool has_foreign_names(const ZooFile& file);

/// An empty message of the file's kind.
std::unique_ptr<google::protobuf::Message> make_message(const ZooFile& file);

/// Reads binary and text files, unpacking a `.gz`; false if the bytes are not such a message.
bool decode(const ZooFile& file, google::protobuf::Message& message);

}  // namespace troupe::proto_test
