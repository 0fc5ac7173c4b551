#include "actors/console/http_request.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace troupe {
namespace {

constexpr absl::string_view kEndOfHead = "\r\n\r\n";

const char* reason_of(int code) {
  switch (code) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Error";
  }
}

bool is_method(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isupper);
}

bool is_target(absl::string_view text) {
  return absl::StartsWith(text, "/") && std::all_of(text.begin(), text.end(), absl::ascii_isgraph);
}

/// "name: value"; of the value anything.
bool is_field(absl::string_view line) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  const absl::string_view name = line.substr(0, colon);
  return std::all_of(name.begin(), name.end(), absl::ascii_isgraph);
}

/// Whether these bytes may be the begin of a method and a blank: what is no HTTP is told so at its first bytes.
bool may_begin_request(absl::string_view bytes) {
  constexpr size_t kLongestMethod = 16;
  const absl::string_view method = bytes.substr(0, bytes.find(' '));
  return method.size() <= kLongestMethod && (method.empty() ? bytes.empty() : is_method(method));
}

}  // namespace

int read_http_request(absl::string_view bytes, HttpRequest* request) {
  if (!may_begin_request(bytes)) return 400;
  const size_t end = bytes.find(kEndOfHead);
  if (end == absl::string_view::npos) return bytes.size() > kMaxHttpHeadBytes ? 431 : 0;
  if (end > kMaxHttpHeadBytes) return 431;
  const std::vector<absl::string_view> lines = absl::StrSplit(bytes.substr(0, end), "\r\n");
  const std::vector<absl::string_view> words = absl::StrSplit(lines[0], ' ');
  if (words.size() != 3 || !is_method(words[0]) || !is_target(words[1]) ||
      !absl::StartsWith(words[2], "HTTP/"))
    return 400;
  if (!absl::StartsWith(words[2], "HTTP/1.")) return 505;
  if (!std::all_of(lines.begin() + 1, lines.end(), is_field)) return 400;
  request->method = std::string(words[0]);
  request->path = std::string(words[1].substr(0, words[1].find('?')));
  return 200;
}

std::string http_text(const HttpReply& reply, bool head_only) {
  return absl::StrCat(
      "HTTP/1.1 ", reply.code, " ", reason_of(reply.code), "\r\nContent-Type: ", reply.type,
      "\r\nContent-Length: ", reply.body.size(),
      "\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n",
      head_only ? "" : reply.body);
}

HttpReply http_error(int code, absl::string_view detail) {
  HttpReply reply;
  reply.code = code;
  reply.body = absl::StrCat(code, " ", reason_of(code), detail.empty() ? "" : ": ", detail, "\n");
  return reply;
}

}  // namespace troupe
