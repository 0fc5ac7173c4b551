#include "actors/tls/pem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace troupe {
namespace {

using Bio = std::unique_ptr<BIO, FreeBy<BIO_free_all>>;

Bio reader_of(absl::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string written(const Bio& bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return std::string(bytes, static_cast<size_t>(size));
}

/// Nobody is asked for a pass phrase.
int no_pass_phrase(char*, int, int, void*) { return -1; }

}  // namespace

std::vector<Certificate> certificates_in(absl::string_view pem) {
  const Bio bio = reader_of(pem);
  ERR_clear_error();
  std::vector<Certificate> out;
  while (X509* read = PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr)) out.emplace_back(read);
  // The end of the text is an error, too.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) out.clear();
  ERR_clear_error();
  return out;
}

PrivateKey private_key_in(absl::string_view pem) {
  const Bio bio = reader_of(pem);
  PrivateKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_pass_phrase, nullptr));
  ERR_clear_error();
  return key;
}

std::string subject_of(const X509& certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(&certificate), 0,
                     XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  return written(bio);
}

std::string text_of(const ASN1_TIME& time) {
  const Bio bio(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(bio.get(), &time);
  return written(bio);
}

}  // namespace troupe
