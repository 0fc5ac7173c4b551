#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace troupe {

/// The head of a request, as far as the console wants it. What follows a head is not read.
struct HttpRequest {
  std::string method;
  /// Without the query: "/api/status".
  std::string path;
};

struct HttpReply {
  int code = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// A head is longer than that: 431.
constexpr size_t kMaxHttpHeadBytes = 8192;

/// Reads the head at the begin of `bytes`. 0: there is more to come. 200: `*request` is it. Else the code of an error: 400 when it is no HTTP,
/// 431 when it is too long, 505 when it is not version 1.
int read_http_request(absl::string_view bytes, HttpRequest* request);

/// "HTTP/1.1 200 OK ..." with the body, unless `head_only`. Each answer is its connection's last.
std::string http_text(const HttpReply& reply, bool head_only);

/// The page of an error: its code and reason, and what more there is to say.
HttpReply http_error(int code, absl::string_view detail = "");

}  // namespace troupe
