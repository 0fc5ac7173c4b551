#pragma once

#include <string>
#include <vector>

namespace troupe {

/// How a program ended.
struct ProgramResult {
  /// The exit code; 128 + the signal when one killed it.
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs a program to its end, with nothing on its standard input.
ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments);

/// The first of these programs that the PATH has; "" when there is none.
std::string find_program(const std::vector<std::string>& names);

/// A folder that is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Writes a file into it, in folders that are made for it; its path.
  std::string write(const std::string& name, const std::string& bytes) const;

 private:
  std::string path_;
};

}  // namespace troupe
