#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/tls/tls_options.h"

namespace troupe::test {

/// An authority, and the certificates that it signs, as files in a folder of its own that goes with it. A failure to make one is the test's.
class Authority {
 public:
  explicit Authority(const std::string& name = "authority");
  ~Authority();
  Authority(const Authority&) = delete;

  /// What a certificate says.
  struct Says {
    std::string name = "node";
    /// Names and addresses.
    std::vector<std::string> hosts = {"localhost", "127.0.0.1"};
    /// When it is valid, from now on.
    int from_hours = -1;
    int to_hours = 24;
    /// "serverAuth", "clientAuth"; "" for both.
    std::string use = "";
  };
  /// Signs one with a key of its own.
  TlsOptions issue(const Says& says) const;
  TlsOptions issue() const { return issue(Says()); }

  /// The authority's certificate.
  std::string file() const;
  /// Writes a file into the folder; its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  struct Made;
  std::unique_ptr<Made> made_;
};

}  // namespace troupe::test
