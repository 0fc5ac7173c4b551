#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "actors/grpc_wire/step_bytes.h"
#include "proto/master.pb.h"

namespace troupe {

/// A call of a client, from when it has come until it is answered. Whoever holds the last reference to one that has no answer
/// answers it: Aborted. Thread-safe but for the request and the response, which are one thread's at a time.
class AnyCall {
 public:
  /// Takes the answer to the client. Called once, outside every lock.
  using Answer = std::function<void(const absl::Status&)>;

  AnyCall() = default;
  AnyCall(const AnyCall&) = delete;
  virtual ~AnyCall() = default;

  /// Answers the client. What comes second does nothing.
  void finish(const absl::Status& status);
  bool finished() const;

  /// `end` is called once when the client no longer waits (its deadline is over, it has cancelled, it is gone): now if that is so already,
  /// never after the answer. One `end` a call.
  void when_cancelled(std::function<void()> end);
  /// The client no longer waits.
  void cancel();
  bool cancelled() const;

  /// Who asks, by the names of his certificate; "" without TLS. Set before the call is handed on.
  std::string client;

 protected:
  explicit AnyCall(Answer answer) : answer_(std::move(answer)) {}

 private:
  mutable std::mutex mu_;
  // Guarded by mu_.
  Answer answer_;
  std::function<void()> end_;
  bool cancelled_ = false;
};

/// What a client asks, and what it is to hear. Both are the call's own, so that a run that ends after the call was answered writes nothing
/// that is gone.
template <class Request, class Response>
class Call final : public AnyCall {
 public:
  /// Tells the client; with an error the response may still be another thread's.
  using Reply = std::function<void(Call&, const absl::Status&)>;

  explicit Call(Reply reply)
      : AnyCall([this, reply = std::move(reply)](const absl::Status& status) { reply(*this, status); }) {}
  ~Call() override { finish(absl::AbortedError("The server is shutting down.")); }

  Request request;
  Response response;
  /// Beside them, where they have tensors.
  TensorContents request_contents, response_contents;
};

using CreateSessionCall = Call<tensorflow::CreateSessionRequest, tensorflow::CreateSessionResponse>;
using ExtendSessionCall = Call<tensorflow::ExtendSessionRequest, tensorflow::ExtendSessionResponse>;
using PartialRunSetupCall = Call<tensorflow::PartialRunSetupRequest, tensorflow::PartialRunSetupResponse>;
using RunStepCall = Call<tensorflow::RunStepRequest, tensorflow::RunStepResponse>;
using CloseSessionCall = Call<tensorflow::CloseSessionRequest, tensorflow::CloseSessionResponse>;
using ListDevicesCall = Call<tensorflow::ListDevicesRequest, tensorflow::ListDevicesResponse>;
using ResetCall = Call<tensorflow::ResetRequest, tensorflow::ResetResponse>;
using MakeCallableCall = Call<tensorflow::MakeCallableRequest, tensorflow::MakeCallableResponse>;
using RunCallableCall = Call<tensorflow::RunCallableRequest, tensorflow::RunCallableResponse>;
using ReleaseCallableCall = Call<tensorflow::ReleaseCallableRequest, tensorflow::ReleaseCallableResponse>;

}  // namespace troupe
