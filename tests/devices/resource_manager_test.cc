#include "devices/resource_manager.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using testing::HasSubstr;

struct Counter final : Resource {
  static constexpr const char* kTypeName = "Counter";
  explicit Counter(int n = 0) : number(n) {}
  ~Counter() override {
    if (ended != nullptr) ++*ended;
  }
  std::string type_name() const override { return kTypeName; }
  int number;
  int* ended = nullptr;
};
struct Other final : Resource {
  static constexpr const char* kTypeName = "Other";
  std::string type_name() const override { return kTypeName; }
};

std::shared_ptr<Counter> counter(int n) { return std::make_shared<Counter>(n); }
std::string text(const absl::Status& s) { return std::string(s.message()); }

TEST(ResourceManager, s354_finds_what_was_created) {
  ResourceManager manager;
  ASSERT_TRUE(manager.create("c", "n", counter(7)).ok());
  EXPECT_EQ((*manager.lookup<Counter>("c", "n"))->number, 7);
  EXPECT_EQ(manager.size(), 1u);
}

TEST(ResourceManager, s354_names_what_is_not_there) {
  ResourceManager manager;
  const absl::Status no_container = manager.lookup<Counter>("c", "n").status();
  EXPECT_EQ(no_container.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(text(no_container), HasSubstr("Container c does not exist. (Could not find resource: c/n)"));
  ASSERT_TRUE(manager.create("c", "other", counter(1)).ok());
  const absl::Status no_resource = manager.lookup<Counter>("c", "n").status();
  EXPECT_EQ(no_resource.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(text(no_resource), HasSubstr("Resource c/n/Counter does not exist."));
  EXPECT_EQ(manager.remove<Counter>("c", "n").code(), absl::StatusCode::kNotFound);
}

TEST(ResourceManager, s354_refuses_a_second_resource_of_a_name) {
  ResourceManager manager;
  ASSERT_TRUE(manager.create("c", "n", counter(1)).ok());
  const absl::Status again = manager.create("c", "n", counter(2));
  EXPECT_EQ(again.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(text(again), HasSubstr("Resource c/n/Counter"));
  EXPECT_EQ((*manager.lookup<Counter>("c", "n"))->number, 1);
}

TEST(ResourceManager, s354_keeps_types_apart) {
  ResourceManager manager;
  ASSERT_TRUE(manager.create("c", "n", counter(1)).ok());
  EXPECT_FALSE(manager.lookup<Other>("c", "n").ok());
  ASSERT_TRUE(manager.create("c", "n", std::make_shared<Other>()).ok());
  EXPECT_EQ(manager.size(), 2u);
  EXPECT_NE(ResourceManager::type_hash<Counter>(), ResourceManager::type_hash<Other>());
}

TEST(ResourceManager, s354_makes_a_resource_once_whoever_asks) {
  ResourceManager manager;
  std::atomic<int> made{0};
  std::vector<std::shared_ptr<Counter>> found(8);
  std::vector<std::thread> threads;
  for (auto& place : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        auto got = manager.lookup_or_create<Counter>(
            "c", "n", [&]() -> absl::StatusOr<std::shared_ptr<Counter>> { return counter(++made); });
        ASSERT_TRUE(got.ok());
        place = *got;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(made.load(), 1);
  for (const auto& place : found) EXPECT_EQ(place, found[0]);
}

TEST(ResourceManager, leaves_nothing_behind_when_the_maker_throws) {
  ResourceManager manager;
  EXPECT_THROW((void)manager.lookup_or_create<Counter>("c", "n",
                                                       []() -> absl::StatusOr<std::shared_ptr<Counter>> {
                                                         throw std::runtime_error("no counter");
                                                       }),
               std::runtime_error);
  EXPECT_EQ(manager.size(), 0u);
  EXPECT_EQ(manager.lookup<Counter>("c", "n").status().code(), absl::StatusCode::kNotFound);
  auto later = manager.lookup_or_create<Counter>(
      "c", "n", []() -> absl::StatusOr<std::shared_ptr<Counter>> { return counter(3); });
  ASSERT_TRUE(later.ok());
  EXPECT_EQ((*later)->number, 3);
}

TEST(ResourceManager, leaves_nothing_behind_when_the_maker_fails) {
  ResourceManager manager;
  auto failed = manager.lookup_or_create<Counter>("c", "n", []() -> absl::StatusOr<std::shared_ptr<Counter>> {
    return absl::InvalidArgumentError("no counter");
  });
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(manager.size(), 0u);
  EXPECT_THAT(text(manager.lookup<Counter>("c", "n").status()), HasSubstr("Container c does not exist."));
}

TEST(ResourceManager, refuses_a_maker_that_gives_null) {
  ResourceManager manager;
  auto nothing = manager.lookup_or_create<Counter>(
      "c", "n", []() -> absl::StatusOr<std::shared_ptr<Counter>> { return std::shared_ptr<Counter>(); });
  EXPECT_EQ(nothing.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(manager.size(), 0u);
}

TEST(ResourceManager, s354_clears_one_container) {
  ResourceManager manager;
  int ended = 0;
  auto dying = counter(1);
  dying->ended = &ended;
  ASSERT_TRUE(manager.create("a", "n", std::move(dying)).ok());
  ASSERT_TRUE(manager.create("b", "n", counter(2)).ok());
  manager.clear_container("a");
  EXPECT_EQ(ended, 1);
  EXPECT_FALSE(manager.lookup<Counter>("a", "n").ok());
  EXPECT_TRUE(manager.lookup<Counter>("b", "n").ok());
  manager.clear_container("never");
  manager.clear();
  EXPECT_EQ(manager.size(), 0u);
}

/// Asks the manager for itself when it ends: it must not be locked then.
struct Asking final : Resource {
  static constexpr const char* kTypeName = "Asking";
  explicit Asking(ResourceManager* m) : manager(m) {}
  ~Asking() override { (void)manager->size(); }
  std::string type_name() const override { return kTypeName; }
  ResourceManager* const manager;
};

TEST(ResourceManager, ends_resources_outside_its_lock) {
  ResourceManager manager;
  ASSERT_TRUE(manager.create("a", "1", std::make_shared<Asking>(&manager)).ok());
  ASSERT_TRUE(manager.create("a", "2", std::make_shared<Asking>(&manager)).ok());
  ASSERT_TRUE(manager.create("b", "3", std::make_shared<Asking>(&manager)).ok());
  ASSERT_TRUE(manager.remove<Asking>("a", "1").ok());
  manager.clear_container("a");
  manager.clear();
  EXPECT_EQ(manager.size(), 0u);
}

TEST(ResourceManager, s354_removes_by_handle) {
  ResourceManager manager;
  ASSERT_TRUE(manager.create("c", "n", counter(1)).ok());
  ResourceHandle handle;
  handle.container = "c";
  handle.name = "n";
  handle.hash_code = ResourceManager::type_hash<Other>();
  EXPECT_EQ(manager.remove(handle).code(), absl::StatusCode::kNotFound);
  handle.hash_code = ResourceManager::type_hash<Counter>();
  EXPECT_TRUE(manager.remove(handle).ok());
  EXPECT_EQ(manager.size(), 0u);
}

TEST(ResourceManager, tells_types_by_names_that_every_build_agrees_on) {
  // FNV-1a of "Counter": handles cross processes.
  EXPECT_EQ(ResourceManager::type_hash<Counter>(), 0x9d1c372fe94004c3u);
}

}  // namespace
}  // namespace troupe
