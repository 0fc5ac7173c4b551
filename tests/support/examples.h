#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proto/example.pb.h"
#include "proto/pb.h"

/// Serialised examples, feature by feature.
namespace troupe::test {

inline pb::Feature ints(std::vector<int64_t> v) {
  pb::Feature f;
  f.mutable_int64_list()->mutable_value()->Add(v.begin(), v.end());
  return f;
}
inline pb::Feature floats(std::vector<float> v) {
  pb::Feature f;
  f.mutable_float_list()->mutable_value()->Add(v.begin(), v.end());
  return f;
}
inline pb::Feature bytes(std::vector<std::string> v) {
  pb::Feature f;
  for (const std::string& s : v) f.mutable_bytes_list()->add_value(s);
  return f;
}

using Features = std::vector<std::pair<std::string, pb::Feature>>;

inline std::string example(const Features& features) {
  pb::Example e;
  for (const auto& [key, f] : features) (*e.mutable_features()->mutable_feature())[key] = f;
  return e.SerializeAsString();
}

inline std::string sequence(const Features& context,
                            const std::vector<std::pair<std::string, std::vector<pb::Feature>>>& lists) {
  pb::SequenceExample e;
  for (const auto& [key, f] : context) (*e.mutable_context()->mutable_feature())[key] = f;
  for (const auto& [key, steps] : lists) {
    pb::FeatureList& list = (*e.mutable_feature_lists()->mutable_feature_list())[key];
    for (const pb::Feature& f : steps) *list.add_feature() = f;
  }
  return e.SerializeAsString();
}

}  // namespace troupe::test
