#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/remote_master.h"
#include "actors/remote_part.h"
#include "actors/signature_code.h"

namespace troupe {

/// "node:slot", always: TensorFlow's server never answers a step whose feeds are named without slots.
std::string full_tensor_name(const std::string& tensor);
std::vector<std::string> full_tensor_names(const std::vector<std::string>& tensors);

/// What is fetched elsewhere: each tensor once, as "node:slot", and which of them each name of the client's is.
struct RemoteFetches {
  explicit RemoteFetches(const std::vector<std::string>& asked);

  std::vector<std::string> names;
  std::vector<int> at;
};

/// A signature as it runs elsewhere: one part, which takes all feeds and gives all fetches. Nothing is asked of the master before it runs.
std::shared_ptr<const SignatureCode> make_remote_code(std::shared_ptr<RemoteMaster> master,
                                                      const std::vector<std::string>& feeds,
                                                      const std::vector<std::string>& fetches,
                                                      const std::vector<std::string>& targets);
/// The options of a callable with all names full, and each fetch once.
CallableOptions with_full_names(const CallableOptions& options, const RemoteFetches& fetches);
/// The same of a callable that the master has made of such options, which is released with it.
std::shared_ptr<const SignatureCode> make_remote_callable(std::shared_ptr<RemoteMaster> master,
                                                          int64_t callable, const CallableOptions& options);

}  // namespace troupe
