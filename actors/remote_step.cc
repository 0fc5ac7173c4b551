#include "actors/remote_step.h"

#include <map>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/names.h"

namespace troupe {
namespace {

std::vector<int> first_numbers(size_t n) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

RemotePart::End end_of(RemoteMaster::StepEnd end) {
  return {std::move(end.status), 0, std::move(end.fetches), std::move(end.step_stats)};
}

/// All of a step, at a master.
class MasterPart : public RemotePart {
 public:
  MasterPart(std::shared_ptr<RemoteMaster> master, size_t num_feeds, size_t num_fetches)
      : RemotePart(master->target(), 0, first_numbers(num_feeds), first_numbers(num_fetches)),
        master_(std::move(master)) {}

  void cancel(int64_t step_id, const absl::Status&) const override { master_->cancel(step_id); }
  void inspect(int64_t, std::function<void(std::vector<std::string>)> done) const override {
    done({absl::StrCat(task(), ": running")});
  }

 protected:
  const std::shared_ptr<RemoteMaster> master_;
};

class SignaturePart final : public MasterPart {
 public:
  SignaturePart(std::shared_ptr<RemoteMaster> master, const SignatureCode& code)
      : MasterPart(std::move(master), code.feeds.size(), code.fetches.size()), feeds_(code.feeds),
        fetches_(code.fetches), targets_(code.targets) {}

  void run(Step step, std::function<void(End)> done) const override {
    RemoteMaster::Step asked;
    for (size_t i = 0; i < feeds_.size(); ++i)
      asked.feeds.emplace_back(full_tensor_name(feeds_[i]), std::move(step.args[i]));
    asked.fetches = fetches_.names;
    asked.targets = targets_;
    asked.collect_stats = step.collect_stats;
    master_->run(step.id, std::move(asked),
                 [at = fetches_.at, done = std::move(done)](RemoteMaster::StepEnd ended) {
                   End end = end_of(std::move(ended));
                   if (end.status.ok()) {
                     std::vector<Tensor> named;
                     for (const int i : at) named.push_back(end.retvals[i]);
                     end.retvals = std::move(named);
                   }
                   done(std::move(end));
                 });
  }

 private:
  const std::vector<std::string> feeds_;
  const RemoteFetches fetches_;
  const std::vector<std::string> targets_;
};

class CallablePart final : public MasterPart {
 public:
  CallablePart(std::shared_ptr<RemoteMaster> master, int64_t callable, size_t num_feeds, size_t num_fetches)
      : MasterPart(std::move(master), num_feeds, num_fetches), callable_(callable) {}
  ~CallablePart() override { master_->release_callable(callable_); }

  void run(Step step, std::function<void(End)> done) const override {
    master_->run_callable(
        step.id, callable_, step.args, retvals().size(),
        [done = std::move(done)](RemoteMaster::StepEnd ended) { done(end_of(std::move(ended))); });
  }

 private:
  const int64_t callable_;
};

/// What nobody here knows is checked there.
std::shared_ptr<SignatureCode> code_of(const std::vector<std::string>& feeds,
                                       const std::vector<std::string>& fetches,
                                       const std::vector<std::string>& targets) {
  auto code = std::make_shared<SignatureCode>();
  code->feeds = feeds;
  code->fetches = fetches;
  code->targets = targets;
  code->feed_types.assign(feeds.size(), DataType::kInvalid);
  code->fetch_types.assign(fetches.size(), DataType::kInvalid);
  return code;
}

std::map<std::string, std::string> with_full_keys(const std::map<std::string, std::string>& by_name) {
  std::map<std::string, std::string> out;
  for (const auto& [name, device] : by_name) out.emplace(full_tensor_name(name), device);
  return out;
}

}  // namespace

std::string full_tensor_name(const std::string& tensor) {
  const TensorName name = parse_tensor_name(tensor);
  return tensor_text(name.node, name.slot);
}

std::vector<std::string> full_tensor_names(const std::vector<std::string>& tensors) {
  std::vector<std::string> out;
  for (const std::string& t : tensors) out.push_back(full_tensor_name(t));
  return out;
}

CallableOptions with_full_names(const CallableOptions& options, const RemoteFetches& fetches) {
  CallableOptions out = options;
  out.feeds = full_tensor_names(options.feeds);
  out.fetches = fetches.names;
  for (auto& [from, to] : out.tensor_connections) {
    from = full_tensor_name(from);
    to = full_tensor_name(to);
  }
  out.feed_devices = with_full_keys(options.feed_devices);
  out.fetch_devices = with_full_keys(options.fetch_devices);
  return out;
}

RemoteFetches::RemoteFetches(const std::vector<std::string>& asked) {
  absl::flat_hash_map<std::string, int> known;
  for (const std::string& tensor : asked) {
    const auto [it, is_new] = known.try_emplace(full_tensor_name(tensor), static_cast<int>(names.size()));
    if (is_new) names.push_back(it->first);
    at.push_back(it->second);
  }
}

std::shared_ptr<const SignatureCode> make_remote_code(std::shared_ptr<RemoteMaster> master,
                                                      const std::vector<std::string>& feeds,
                                                      const std::vector<std::string>& fetches,
                                                      const std::vector<std::string>& targets) {
  const std::shared_ptr<SignatureCode> code = code_of(feeds, fetches, targets);
  code->remotes = {std::make_shared<SignaturePart>(std::move(master), *code)};
  return code;
}

std::shared_ptr<const SignatureCode> make_remote_callable(std::shared_ptr<RemoteMaster> master,
                                                          int64_t callable, const CallableOptions& options) {
  const std::shared_ptr<SignatureCode> code = code_of(options.feeds, options.fetches, options.targets);
  code->remotes = {std::make_shared<CallablePart>(std::move(master), callable, options.feeds.size(),
                                                  options.fetches.size())};
  return code;
}

}  // namespace troupe
