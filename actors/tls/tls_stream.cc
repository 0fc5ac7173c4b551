#include "actors/tls/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <climits>

#include "absl/strings/str_cat.h"
#include "actors/tls/pem.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// What a record holds at most.
constexpr size_t kRecordBytes = size_t{16} << 10;

bool is_address(const std::string& host) {
  ASN1_OCTET_STRING* const address = a2i_IPADDRESS(host.c_str());
  ASN1_OCTET_STRING_free(address);
  return address != nullptr;
}

void expect_host(SSL* ssl, const std::string& host) {
  if (is_address(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
  } else {
    SSL_set1_host(ssl, host.c_str());
  }
}

/// The last word of OpenSSL, which then forgets.
std::string reason() {
  const char* text = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return text == nullptr ? "no reason is known" : text;
}

}  // namespace

TlsStream::TlsStream(std::shared_ptr<const TlsContext> context)
    : context_(std::move(context)), ssl_(SSL_new(context_->get())), in_(BIO_new(BIO_s_mem())),
      out_(BIO_new(BIO_s_mem())) {
  SSL_set_bio(ssl_, in_, out_);
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

std::unique_ptr<TlsStream> TlsStream::accepting(std::shared_ptr<const TlsContext> context) {
  std::unique_ptr<TlsStream> out(new TlsStream(std::move(context)));
  SSL_set_accept_state(out->ssl_);
  return out;
}

std::unique_ptr<TlsStream> TlsStream::calling(std::shared_ptr<const TlsContext> context,
                                              const std::string& host) {
  std::unique_ptr<TlsStream> out(new TlsStream(std::move(context)));
  expect_host(out->ssl_, host);
  SSL_set_connect_state(out->ssl_);
  return out;
}

bool TlsStream::established() const { return SSL_is_init_finished(ssl_) == 1; }

absl::Status TlsStream::check_peer_is(const std::string& host) const {
  const Certificate shown(SSL_get1_peer_certificate(ssl_));
  if (shown == nullptr) return absl::PermissionDeniedError("it has shown no certificate");
  const int same = is_address(host) ? X509_check_ip_asc(shown.get(), host.c_str(), 0)
                                    : X509_check_host(shown.get(), host.data(), host.size(), 0, nullptr);
  if (same == 1) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("its certificate (", subject_of(*shown), ") is not of ", host));
}

absl::Status TlsStream::failure(int result) {
  const int kind = SSL_get_error(ssl_, result);
  if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) return absl::OkStatus();
  if (kind == SSL_ERROR_ZERO_RETURN) return failed_ = absl::UnavailableError("the connection was closed");
  const long verified = SSL_get_verify_result(ssl_);
  if (verified != X509_V_OK) {
    ERR_clear_error();
    return failed_ = absl::UnauthenticatedError(
               absl::StrCat("TLS: its certificate is refused: ", X509_verify_cert_error_string(verified)));
  }
  return failed_ = absl::UnauthenticatedError(absl::StrCat("TLS: ", reason()));
}

absl::Status TlsStream::shake_hands() {
  if (established()) return absl::OkStatus();
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  return result == 1 ? absl::OkStatus() : failure(result);
}

absl::Status TlsStream::receive(absl::string_view wire, std::string* said) {
  TROUPE_RETURN_IF_ERROR(failed_);
  size_t taken = 0;
  if (!wire.empty() && (BIO_write_ex(in_, wire.data(), wire.size(), &taken) != 1 || taken != wire.size()))
    return failed_ = absl::ResourceExhaustedError("TLS: no memory for what came");
  TROUPE_RETURN_IF_ERROR(shake_hands());
  while (established()) {
    const size_t before = said->size();
    said->resize(before + kRecordBytes);
    size_t got = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(ssl_, said->data() + before, kRecordBytes, &got);
    said->resize(before + got);
    if (result != 1) return failure(result);
  }
  return absl::OkStatus();
}

void TlsStream::fill(std::vector<char>* wire) {
  if (failed_.ok()) (void)shake_hands();
  if (failed_.ok() && established() && !waiting_.empty()) {
    size_t written = 0;
    ERR_clear_error();
    const int result = SSL_write_ex(ssl_, waiting_.data(), waiting_.size(), &written);
    if (result == 1 || !failure(result).ok()) waiting_.clear();
  }
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out_, &bytes);
  if (size > 0) wire->insert(wire->end(), bytes, bytes + size);
  (void)BIO_reset(out_);
}

}  // namespace troupe
