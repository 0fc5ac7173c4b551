#include "actors/cluster/send_joiner.h"

#include <bit>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers travel as they are in memory");

void append_number(uint32_t n, std::string* out) {
  out->append(reinterpret_cast<const char*>(&n), sizeof(n));
}

uint32_t number_at(absl::string_view bytes, size_t offset) {
  uint32_t n;
  std::memcpy(&n, bytes.data() + offset, sizeof(n));
  return n;
}

}  // namespace

std::vector<SendJoiner::Batch> SendJoiner::add(const TaskId& peer, int64_t step, absl::Cord message) {
  std::vector<Batch> now;
  const size_t size = message.size();
  const bool alone = size > limits_.item_bytes;
  auto found = kept_.find({peer, step});
  if (found != kept_.end() && (alone || found->second.bytes + size > limits_.bytes)) {
    now.push_back({peer, step, std::move(found->second.messages)});
    kept_.erase(found);
  }
  if (alone) {
    now.push_back({peer, step, {std::move(message)}});
    return now;
  }
  found = kept_.try_emplace({peer, step}).first;
  found->second.messages.push_back(std::move(message));
  found->second.bytes += size;
  if (found->second.messages.size() >= limits_.count) {
    now.push_back({peer, step, std::move(found->second.messages)});
    kept_.erase(found);
  }
  return now;
}

std::vector<SendJoiner::Batch> SendJoiner::flush() {
  std::vector<Batch> all;
  all.reserve(kept_.size());
  for (auto& [to, kept] : kept_) all.push_back({to.first, to.second, std::move(kept.messages)});
  kept_.clear();
  return all;
}

void SendJoiner::drop_step(int64_t step) {
  std::erase_if(kept_, [step](const auto& entry) { return entry.first.second == step; });
}

void SendJoiner::drop_peer(const TaskId& peer) {
  std::erase_if(kept_, [&peer](const auto& entry) { return entry.first.first == peer; });
}

absl::Cord join_messages(const std::vector<absl::Cord>& messages) {
  std::string sizes;
  append_number(static_cast<uint32_t>(messages.size()), &sizes);
  for (const absl::Cord& m : messages) append_number(static_cast<uint32_t>(m.size()), &sizes);
  absl::Cord joined(std::move(sizes));
  for (const absl::Cord& m : messages) joined.Append(m);
  return joined;
}

absl::StatusOr<std::vector<absl::string_view>> split_messages(absl::string_view joined, size_t max_count) {
  constexpr size_t kNumber = sizeof(uint32_t);
  if (joined.size() < kNumber) {
    return absl::InvalidArgumentError(
        absl::StrCat("joined messages have ", joined.size(), " bytes, expected at least ", kNumber));
  }
  const size_t count = number_at(joined, 0);
  if (count == 0 || count > max_count) {
    return absl::InvalidArgumentError(absl::StrCat(count, " messages are joined, expected 1 to ", max_count));
  }
  const size_t head = kNumber * (1 + count);
  uint64_t total = head;
  for (size_t i = 1; i <= count && head <= joined.size(); ++i) total += number_at(joined, kNumber * i);
  if (total != joined.size()) {
    return absl::InvalidArgumentError(absl::StrCat(count, " joined messages announce ", total, " bytes, but ",
                                                   joined.size(), " are there"));
  }
  std::vector<absl::string_view> messages;
  messages.reserve(count);
  size_t at = head;
  for (size_t i = 1; i <= count; ++i) {
    messages.push_back(joined.substr(at, number_at(joined, kNumber * i)));
    at += messages.back().size();
  }
  return messages;
}

}  // namespace troupe
