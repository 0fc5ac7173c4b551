#pragma once

#include <gmock/gmock.h>

#include "tests/actors/c_api/c_graph.h"

namespace c_test {

/// A session over y = x + 3 whose target is elsewhere, and what holds of it wherever that is.
class SessionElsewhere : public testing::Test {
 protected:
  void TearDown() override {
    const Status own(TF_NewStatus());
    if (session != nullptr) TF_DeleteSession(session, own.get());
  }
  void open_session(const char* target) {
    TF_SetTarget(options.get(), target);
    session = TF_NewSession(g.graph.get(), options.get(), s.get());
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  }
  /// `fetch` for x; -1 after an error, which `s` has.
  float run(float x, TF_Output fetch) {
    const TensorPtr fed = float_scalar(x);
    TF_Tensor* const values[] = {fed.get()};
    TF_Tensor* fetched = nullptr;
    TF_SessionRun(session, nullptr, &g.x, values, 1, &fetch, &fetched, 1, nullptr, 0, nullptr, s.get());
    const TensorPtr owned(fetched);
    return TF_GetCode(s.get()) == TF_OK ? floats(fetched).at(0) : -1;
  }

  void expect_runs_of_a_graph_that_grows() {
    // The second of its kind is a callable.
    for (int i = 0; i < 4; ++i) EXPECT_EQ(run(static_cast<float>(i), g.y), i + 3) << TF_Message(s.get());
    const TF_Output z = g.graph.binary("AddV2", "z", g.y, g.three);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(run(static_cast<float>(i), z), i + 6) << TF_Message(s.get());
  }
  void expect_a_run_in_turns() {
    const char* handle = nullptr;
    TF_SessionPRunSetup(session, &g.x, 1, &g.y, 1, nullptr, 0, &handle, s.get());
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    const TensorPtr fed = float_scalar(4);
    TF_Tensor* const values[] = {fed.get()};
    TF_Tensor* fetched = nullptr;
    TF_SessionPRun(session, handle, &g.x, values, 1, &g.y, &fetched, 1, nullptr, 0, s.get());
    const TensorPtr owned(fetched);
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    EXPECT_EQ(floats(fetched).at(0), 7);
    TF_DeletePRunHandle(handle);
  }
  void expect_devices(int count, const char* last) {
    TF_DeviceList* const devices = TF_SessionListDevices(session, s.get());
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    ASSERT_EQ(TF_DeviceListCount(devices), count);
    EXPECT_STREQ(TF_DeviceListName(devices, count - 1, s.get()), last);
    TF_DeleteDeviceList(devices);
  }
  void expect_a_reset_to_abort_it() {
    EXPECT_EQ(run(1, g.y), 4) << TF_Message(s.get());
    TF_Reset(options.get(), nullptr, 0, s.get());
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    EXPECT_EQ(run(1, g.y), -1);
    EXPECT_EQ(TF_GetCode(s.get()), TF_ABORTED) << TF_Message(s.get());
  }

  Status s{TF_NewStatus()};
  OptionsPtr options{TF_NewSessionOptions()};
  AddThree g;
  TF_Session* session = nullptr;
};

}  // namespace c_test
