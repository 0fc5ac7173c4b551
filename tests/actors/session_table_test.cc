#include "actors/session_table.h"

#include <gmock/gmock.h>

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SessionTableTest : public testing::Test {
 protected:
  /// One that leaves the table when it goes, as those of a runtime.
  std::shared_ptr<SessionCore> add(SessionOptions options = {}) {
    std::shared_ptr<SessionCore> core(new SessionCore, [this](SessionCore* gone) {
      table_.remove(*gone);
      delete gone;
    });
    core->options = std::make_shared<const SessionOptions>(std::move(options));
    table_.add(core);
    return core;
  }
  static SessionOptions named(const std::string& handle) {
    SessionOptions options;
    options.handle = handle;
    return options;
  }
  static SessionOptions with_metadata(const std::string& name, int64_t version) {
    SessionOptions options;
    options.has_metadata = true;
    options.metadata_name = name;
    options.metadata_version = version;
    return options;
  }

  SessionTable table_;
};

TEST_F(SessionTableTest, has_those_that_are_not_gone_in_their_order) {
  const auto first = add();
  auto second = add();
  const auto third = add();
  EXPECT_THAT(table_.all(), ElementsAre(first, second, third));
  second->gate.shut();
  EXPECT_EQ(table_.all().size(), 3u) << "closed ones, too";
  second = nullptr;
  EXPECT_THAT(table_.all(), ElementsAre(first, third));
}

TEST_F(SessionTableTest, forgets_one_that_was_never_added) {
  SessionCore core;
  table_.remove(core);
  EXPECT_THAT(table_.all(), IsEmpty());
}

TEST_F(SessionTableTest, finds_the_open_session_of_a_name) {
  const auto nameless = add();
  auto a = add(named("a"));
  const auto model = add(with_metadata("a", 2));
  EXPECT_EQ(table_.find_handle(named("a")), a);
  EXPECT_EQ(table_.find_handle(named("b")), nullptr);
  EXPECT_EQ(table_.find_handle({}), nullptr);
  EXPECT_EQ(table_.find_metadata(with_metadata("a", 2)), model);
  EXPECT_EQ(table_.find_metadata(with_metadata("a", 1)), nullptr);
  EXPECT_EQ(table_.find_metadata({}), nullptr);
  a = nullptr;
  EXPECT_EQ(table_.find_handle(named("a")), nullptr);
}

TEST_F(SessionTableTest, gives_the_name_of_a_closed_session_to_the_next_who_keeps_it) {
  auto closed = add(named("a"));
  closed->gate.shut();
  EXPECT_EQ(table_.find_handle(named("a")), nullptr);
  const auto next = add(named("a"));
  EXPECT_EQ(table_.find_handle(named("a")), next);
  closed = nullptr;
  EXPECT_EQ(table_.find_handle(named("a")), next) << "what goes takes its own names along only";
}

}  // namespace
}  // namespace troupe::test
