#include "actors/signature_key.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/signature.h"

namespace troupe {
namespace {

const std::string& name_of(const NamedTensor& feed) { return feed.first; }
const std::string& name_of(const std::string& name) { return name; }

template <typename Names>
void append_names(const Names& names, std::string* key) {
  for (const auto& n : names) {
    const std::string& name = name_of(n);
    const uint32_t size = static_cast<uint32_t>(name.size());
    key->append(reinterpret_cast<const char*>(&size), sizeof(size));
    key->append(name);
  }
}

template <typename Feeds>
void append_key(const Feeds& feeds, const std::vector<std::string>& fetches,
                const std::vector<std::string>& targets, std::string* key) {
  append_names(feeds, key);
  key->append("\xff->");
  append_names(fetches, key);
  key->append("\xff/");
  append_names(targets, key);
}

/// The positions that sort `names`, stable.
std::vector<int> sorted_order(const std::vector<std::string>& names) {
  std::vector<int> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return names[a] < names[b]; });
  return order;
}

/// at[i]: where name i of the caller ended up after sorting.
std::vector<int> sort_names(std::vector<std::string>* names) {
  std::vector<int> order = sorted_order(*names);
  std::vector<std::string> sorted(names->size());
  std::vector<int> at(names->size());
  for (size_t i = 0; i < order.size(); ++i) {
    sorted[i] = (*names)[order[i]];
    at[order[i]] = static_cast<int>(i);
  }
  names->swap(sorted);
  return at;
}

/// Several fetches of one name are computed once: `at` is rewritten to positions among the distinct names.
void drop_repeats(std::vector<std::string>* sorted, std::vector<int>* at) {
  std::vector<int> renumbered(sorted->size());
  std::vector<std::string> distinct;
  for (size_t i = 0; i < sorted->size(); ++i) {
    if (distinct.empty() || distinct.back() != (*sorted)[i]) distinct.push_back((*sorted)[i]);
    renumbered[i] = static_cast<int>(distinct.size()) - 1;
  }
  for (int& a : *at) a = renumbered[a];
  sorted->swap(distinct);
}

}  // namespace

LeaseRequest signature_of(const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets) {
  LeaseRequest want;
  for (const auto& f : feeds) want.feeds.push_back(f.first);
  want.fetches = fetches;
  want.targets = targets;
  return want;
}

void append_signature_key(const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets, std::string* key) {
  append_key(feeds, fetches, targets, key);
}

std::string signature_key(const LeaseRequest& request) {
  std::string key;
  append_key(request.feeds, request.fetches, request.targets, &key);
  if (request.partial) key += "\xffp";
  for (const auto& [from, to] : request.connections) {
    absl::StrAppend(&key, "\xff", from.size(), ":", from, to.size(), ":", to);
  }
  for (const auto* devices : {&request.feed_devices, &request.fetch_devices}) {
    if (!devices->empty()) key += "\xff@";
    for (const auto& [name, device] : *devices)
      absl::StrAppend(&key, name.size(), ":", name, device.size(), ":", device);
  }
  for (const TensorWatch& w : request.watches) {
    absl::StrAppend(&key, "\xffw", w.node.size(), ":", w.node, w.slot, w.tolerates_failures ? "?" : "!");
    append_names(w.debug_ops, &key);
    key += "\xff>";
    append_names(w.urls, &key);
  }
  return key;
}

std::string partial_run_name(const PartialRunSetup& setup, int64_t number) {
  return absl::StrCat(absl::StrJoin(setup.feeds, ","), "->", absl::StrJoin(setup.fetches, ","), "/",
                      absl::StrJoin(setup.targets, ","), "/1;", number);
}

std::shared_ptr<SignatureAlias> sort_signature(LeaseRequest* request) {
  auto alias = std::make_shared<SignatureAlias>();
  alias->feed_at = sort_names(&request->feeds);
  alias->fetch_at = sort_names(&request->fetches);
  drop_repeats(&request->fetches, &alias->fetch_at);
  std::sort(request->targets.begin(), request->targets.end());
  return alias;
}

}  // namespace troupe
