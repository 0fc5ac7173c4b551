#include <cerrno>
#include <map>

#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

TEST(CStatus, begins_ok_and_empty) {
  Status s(TF_NewStatus());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK);
  EXPECT_STREQ(TF_Message(s.get()), "");
}

TEST(CStatus, keeps_code_and_text) {
  Status s(TF_NewStatus());
  TF_SetStatus(s.get(), TF_DATA_LOSS, "gone");
  EXPECT_EQ(TF_GetCode(s.get()), TF_DATA_LOSS);
  EXPECT_STREQ(TF_Message(s.get()), "gone");
  TF_SetStatus(s.get(), TF_OK, "dropped");
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK);
  EXPECT_STREQ(TF_Message(s.get()), "");
}

TEST(CStatus, takes_a_number_that_is_no_code_as_unknown) {
  Status s(TF_NewStatus());
  TF_SetStatus(s.get(), static_cast<TF_Code>(99), "odd");
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNKNOWN);
}

static std::map<std::string, std::string> payloads(const TF_Status* s) {
  std::map<std::string, std::string> all;
  TF_ForEachPayload(
      s,
      [](const char* key, const char* value, void* to) { (*static_cast<decltype(all)*>(to))[key] = value; },
      &all);
  return all;
}

TEST(CStatus, carries_payloads_unless_it_is_ok) {
  Status s(TF_NewStatus());
  TF_SetPayload(s.get(), "a", "lost");
  EXPECT_TRUE(payloads(s.get()).empty());
  TF_SetStatus(s.get(), TF_ABORTED, "x");
  TF_SetPayload(s.get(), "a", "1");
  TF_SetPayload(s.get(), "b", "2");
  TF_SetPayload(s.get(), "a", "3");
  EXPECT_EQ(payloads(s.get()), (std::map<std::string, std::string>{{"a", "3"}, {"b", "2"}}));
  TF_SetStatus(s.get(), TF_ABORTED, "y");
  EXPECT_TRUE(payloads(s.get()).empty());
}

TEST(CStatus, turns_errno_into_codes) {
  const std::map<int, TF_Code> expected = {{0, TF_OK},
                                           {ENOENT, TF_NOT_FOUND},
                                           {EACCES, TF_PERMISSION_DENIED},
                                           {EEXIST, TF_ALREADY_EXISTS},
                                           {EINTR, TF_UNAVAILABLE},
                                           {EIO, TF_UNKNOWN},
                                           {ENOSPC, TF_RESOURCE_EXHAUSTED},
                                           {EISDIR, TF_FAILED_PRECONDITION},
                                           {EOVERFLOW, TF_OUT_OF_RANGE},
                                           {EINVAL, TF_INVALID_ARGUMENT},
                                           {ETIMEDOUT, TF_DEADLINE_EXCEEDED},
                                           {ENOSYS, TF_UNIMPLEMENTED},
                                           {ESTALE, TF_ABORTED},
                                           {ECANCELED, TF_CANCELLED}};
  Status s(TF_NewStatus());
  for (const auto& [error, code] : expected) {
    TF_SetStatusFromIOError(s.get(), error, "ctx");
    EXPECT_EQ(TF_GetCode(s.get()), code) << error;
  }
  TF_SetStatusFromIOError(s.get(), ENOENT, "ctx");
  EXPECT_STREQ(TF_Message(s.get()), "ctx; No such file or directory");
}

TEST(CStatus, survives_null) {
  TF_DeleteStatus(nullptr);
  TF_SetStatus(nullptr, TF_OK, nullptr);
  TF_SetPayload(nullptr, "a", "b");
  TF_ForEachPayload(nullptr, nullptr, nullptr);
  Status s(TF_NewStatus());
  TF_SetStatus(s.get(), TF_INTERNAL, nullptr);
  EXPECT_EQ(TF_GetCode(s.get()), TF_INTERNAL);
  EXPECT_STREQ(TF_Message(s.get()), "");
}

TEST(CBuffer, copies_the_bytes_it_is_made_of) {
  std::string bytes("a\0b", 3);
  BufferPtr b(TF_NewBufferFromString(bytes.data(), bytes.size()));
  bytes[0] = 'x';
  EXPECT_EQ(bytes_of(b.get()), std::string("a\0b", 3));
  TF_Buffer value = TF_GetBuffer(b.get());
  EXPECT_EQ(value.data, b->data);
  EXPECT_EQ(value.length, 3u);
}

TEST(CBuffer, calls_the_deallocator_of_its_owner) {
  static int freed = 0;
  freed = 0;
  TF_Buffer* b = TF_NewBuffer();
  EXPECT_EQ(b->data, nullptr);
  b->data = "abc";
  b->length = 3;
  b->data_deallocator = [](void*, size_t n) { freed += static_cast<int>(n); };
  TF_DeleteBuffer(b);
  EXPECT_EQ(freed, 3);
}

TEST(CBuffer, survives_null) {
  TF_DeleteBuffer(nullptr);
  EXPECT_EQ(TF_GetBuffer(nullptr).data, nullptr);
  BufferPtr b(TF_NewBufferFromString(nullptr, 0));
  EXPECT_EQ(b->length, 0u);
}
