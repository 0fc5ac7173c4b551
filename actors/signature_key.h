#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/messages.h"

namespace troupe {

/// A signature by its names.
LeaseRequest signature_of(const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets);

/// The text by which a signature is looked up: names in the caller's order, with lengths, so that no two differ only
/// in where a name ends.
void append_signature_key(const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets, std::string* key);
/// The same with all that a request says.
std::string signature_key(const LeaseRequest& request);

/// Sorts the names of a request, and names each fetch once; how the caller's order maps to that.
std::shared_ptr<SignatureAlias> sort_signature(LeaseRequest* request);

/// "a,b->c/d/1;7": the name of a partial run, as TensorFlow's.
std::string partial_run_name(const PartialRunSetup& setup, int64_t number);

}  // namespace troupe
