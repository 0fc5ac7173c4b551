#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "actors/console/http_request.h"

namespace troupe {

/// A small HTTP server for GET and HEAD: one thread, which never waits for a single connection, and an answer for each. It is bounded in
/// connections, in bytes and in time, so that nobody who connects keeps others out for long.
class HttpServer {
 public:
  /// Makes a reply, on the server's thread.
  using MakeReply = std::function<HttpReply()>;
  /// Called once, on any thread, at once or later; after the server's end it does nothing.
  using Answer = std::function<void(MakeReply)>;
  /// Called on the server's thread, which it must not hold.
  using Handler = std::function<void(const HttpRequest&, Answer)>;

  /// More than so many at once: 503 for those who come.
  static constexpr size_t kMaxConnections = 256;

  /// How long a client may take to say what it wants, the handler to answer, the client to read, and to hang up. Who is late may be so by a
  /// quarter of a second more.
  struct Patience {
    std::chrono::milliseconds request{5'000}, handler{10'000}, read{10'000}, close{1'000};
  };

  /// `host` is a numeric address, or "localhost"; port 0: a free one. InvalidArgument for another host; what the system says when the port
  /// cannot be had: FailedPrecondition "... Address already in use".
  static absl::StatusOr<std::unique_ptr<HttpServer>> start(const std::string& host, int port, Handler handler,
                                                           const Patience& patience);
  static absl::StatusOr<std::unique_ptr<HttpServer>> start(const std::string& host, int port,
                                                           Handler handler);
  /// Drops all connections and joins the thread.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;

  int port() const { return port_; }

 private:
  struct Outbox;
  class Loop;
  HttpServer() = default;

  int port_ = 0;
  std::shared_ptr<Outbox> outbox_;
  std::thread thread_;
};

}  // namespace troupe
