#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace troupe {

/// A descriptor that is closed with this; -1 is none.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& o) noexcept : descriptor_(o.release()) {}
  Socket& operator=(Socket&& o) noexcept {
    std::swap(descriptor_, o.descriptor_);
    return *this;
  }
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int get() const { return descriptor_; }
  /// An option of setsockopt's that it may do without.
  void set(int level, int option, int value) const {
    (void)::setsockopt(descriptor_, level, option, &value, sizeof(value));
  }
  /// The caller closes it from now on.
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

}  // namespace troupe
