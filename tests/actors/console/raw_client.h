#pragma once

#include <string>

namespace troupe::test {

/// A connection to a port of this machine that sends any bytes. A call that lasts longer than ten seconds gives up.
class RawClient {
 public:
  explicit RawClient(int port);
  ~RawClient();
  RawClient(const RawClient&) = delete;

  bool connected() const { return fd_ >= 0; }
  bool send(const std::string& bytes) const;
  /// Until the other side hangs up.
  std::string receive_all() const;
  /// Whether the other side hangs up without another byte.
  bool sees_end() const { return receive_all().empty(); }

 private:
  int fd_ = -1;
};

/// The whole answer to "GET path", head and body.
std::string get(int port, const std::string& path);
/// Of such an answer.
std::string body_of(const std::string& answer);

}  // namespace troupe::test
