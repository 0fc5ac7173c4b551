// Messages that were valid once, with bytes changed, cut, moved and repeated: each is read or refused, and neither takes memory that the
// limit does not allow.

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

#include "actors/cluster/tensor_message.h"

#include "tests/support/mutations.h"

#include "google/protobuf/stubs/logging.h"

namespace {

/// The largest block that anybody asked for since it was set to 0.
std::atomic<size_t> largest_block{0};

void note(size_t bytes) {
  size_t seen = largest_block.load();
  while (bytes > seen && !largest_block.compare_exchange_weak(seen, bytes)) continue;
}

void* note_and_allocate(size_t bytes) {
  note(bytes);
  if (void* block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}

}  // namespace

// All memory of this program comes from here: that of tensors by the second, all else by the first.
void* operator new(size_t bytes) { return note_and_allocate(bytes); }
extern "C" void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  note(bytes);
  void* block = nullptr;
  return posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }

namespace troupe {
namespace {

constexpr int kMutations = 200'000;
constexpr int64_t kLimitBytes = 1 << 16;

class Pair final : public VariantValue {
 public:
  std::string type_name() const override { return "Pair"; }
  bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const override {
    *metadata = "m";
    *tensors = {Tensor::vector<int32_t>({1, 2}), zeros(DataType::kFloat, Shape{64, 8})};
    return true;
  }
};

std::vector<std::string> valid_messages() {
  Tensor strings(DataType::kString, Shape{2, 3});
  for (TString& s : strings.flat<TString>()) s.assign("some text that is not small");
  ResourceHandle handle;
  handle.name = "v";
  handle.dtypes_and_shapes.push_back({DataType::kFloat, PartialShape{2, -1}});
  std::vector<std::string> messages;
  for (const Tensor& value :
       {Tensor(), Tensor::vector<float>({1, 2, 3}), Tensor::vector<bool>({true, false}),
        zeros(DataType::kInt4, Shape{3, 3}), zeros(DataType::kDouble, Shape{1, 2, 3, 4, 5, 6}), strings,
        Tensor::scalar(handle), Tensor::scalar(Variant(std::make_shared<Pair>()))}) {
    messages.push_back(
        std::string(*encode({.step_id = 1, .key_id = 2, .is_dead = !value.initialized(), .value = value})));
  }
  return messages;
}

TEST(TensorMessageFuzz, stands_any_bytes) {
  const google::protobuf::LogSilencer silence;
  const std::vector<std::string> valid = valid_messages();
  std::mt19937 random(20);
  int read = 0, refused = 0;
  for (int i = 0; i < kMutations; ++i) {
    std::string bytes = valid[random() % valid.size()];
    test::mutate(&bytes, random);
    Tensor block(DataType::kUint8, Shape{static_cast<int64_t>(bytes.size())});
    std::memcpy(block.raw(), bytes.data(), bytes.size());
    largest_block = 0;
    for (const auto& got : {decode_tensor_message(bytes, {.value_bytes = kLimitBytes}),
                            decode_tensor_message(bytes_of(block), {.value_bytes = kLimitBytes})}) {
      ++(got.ok() ? read : refused);
      if (got.ok()) {
        ASSERT_LE(got->value.bytes(), static_cast<size_t>(kLimitBytes)) << i;
        ASSERT_FALSE(got->value.to_string().empty()) << i;
      } else {
        ASSERT_TRUE(absl::IsInvalidArgument(got.status()) || absl::IsResourceExhausted(got.status()))
            << i << got.status();
      }
    }
    ASSERT_LE(largest_block.load(), kLimitBytes + Buffer::kHeaderBytes) << i;
  }
  EXPECT_GT(read, kMutations / 50) << "some changes leave messages valid";
  EXPECT_GT(refused, kMutations / 2);
}

}  // namespace
}  // namespace troupe
