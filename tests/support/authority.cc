#include "tests/support/authority.h"

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "actors/tls/pem.h"

namespace troupe::test {
namespace {

using Bio = std::unique_ptr<BIO, FreeBy<BIO_free_all>>;

template <class T, class Write>
std::string pem_of(const T& made, Write write_pem) {
  const Bio bio(BIO_new(BIO_s_mem()));
  EXPECT_EQ(write_pem(bio.get(), made.get()), 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return std::string(bytes, static_cast<size_t>(size));
}

std::string pem_of(const PrivateKey& key) {
  return pem_of(key, [](BIO* out, EVP_PKEY* k) {
    return PEM_write_bio_PrivateKey(out, k, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

std::string pem_of(const Certificate& certificate) { return pem_of(certificate, PEM_write_bio_X509); }

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  ASSERT_NE(extension, nullptr) << value;
  EXPECT_EQ(X509_add_ext(certificate, extension, -1), 1);
  X509_EXTENSION_free(extension);
}

/// Not signed, and without extensions.
Certificate certificate_of(const std::string& name, int from_hours, int to_hours, EVP_PKEY* key) {
  static std::atomic<long> last_serial{0};
  constexpr long kHour = 3600;
  Certificate out(X509_new());
  X509_set_version(out.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), ++last_serial);
  X509_gmtime_adj(X509_getm_notBefore(out.get()), from_hours * kHour);
  X509_gmtime_adj(X509_getm_notAfter(out.get()), to_hours * kHour);
  X509_set_pubkey(out.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(out.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return out;
}

std::string names_of(const std::vector<std::string>& hosts) {
  std::string out;
  for (const std::string& host : hosts) {
    ASN1_OCTET_STRING* const address = a2i_IPADDRESS(host.c_str());
    absl::StrAppend(&out, out.empty() ? "" : ",", address != nullptr ? "IP:" : "DNS:", host);
    ASN1_OCTET_STRING_free(address);
  }
  return out;
}

}  // namespace

struct Authority::Made {
  std::string folder;
  PrivateKey key{EVP_EC_gen("P-256")};
  Certificate certificate;
  int issued = 0;
};

Authority::Authority(const std::string& name) : made_(std::make_unique<Made>()) {
  std::string folder = testing::TempDir() + "authority.XXXXXX";
  EXPECT_NE(::mkdtemp(folder.data()), nullptr) << folder;
  made_->folder = folder;
  made_->certificate = certificate_of(name, -24, 240, made_->key.get());
  X509* const own = made_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  add_extension(own, NID_basic_constraints, "critical,CA:TRUE");
  EXPECT_GT(X509_sign(own, made_->key.get(), EVP_sha256()), 0);
  write("authority.pem", pem_of(made_->certificate));
}

Authority::~Authority() {
  std::error_code ignored;
  std::filesystem::remove_all(made_->folder, ignored);
}

std::string Authority::file() const { return made_->folder + "/authority.pem"; }

std::string Authority::write(const std::string& name, const std::string& text) const {
  const std::string path = absl::StrCat(made_->folder, "/", name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TlsOptions Authority::issue(const Says& says) const {
  const PrivateKey key(EVP_EC_gen("P-256"));
  const Certificate certificate = certificate_of(says.name, says.from_hours, says.to_hours, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(made_->certificate.get()));
  if (!says.hosts.empty()) add_extension(certificate.get(), NID_subject_alt_name, names_of(says.hosts));
  if (!says.use.empty()) add_extension(certificate.get(), NID_ext_key_usage, says.use);
  EXPECT_GT(X509_sign(certificate.get(), made_->key.get(), EVP_sha256()), 0);
  const int number = ++made_->issued;
  return {write(absl::StrCat("certificate", number, ".pem"), pem_of(certificate)),
          write(absl::StrCat("key", number, ".pem"), pem_of(key)), file()};
}

}  // namespace troupe::test
