#pragma once

#include <sys/socket.h>

#include "actors/sockets/socket.h"

namespace troupe {

/// Programs of one machine need no network between them: who listens at an address listens under its name, too, on a Unix socket of the network's namespace
/// (an abstract one, of which nothing stays). It costs less than TCP on the loopback (README). Who calls an address tries its name first,
/// and goes by TCP when nobody has it, or somebody of another user.

/// A socket for `listen_beside`, made before the one that listens at the address, so that it is closed before that when the process dies. -1: there are none.
Socket local_socket();
/// Listens beside `listening`, which is bound and listens; false when it cannot, and TCP is the only way.
bool listen_beside(const Socket& local, const Socket& listening);
/// Connected to who listens beside this address, non-blocking; -1 when that is nobody, who is busy, or somebody of another user. Does not wait.
Socket dial_beside(const sockaddr* address);

}  // namespace troupe
