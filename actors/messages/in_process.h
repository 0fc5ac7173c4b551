#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <type_traits>

namespace troupe {

// Messages between the actors of one process carry pointers to shared or immutable data and never leave it.

/// The answer of a handler that has nothing to say.
struct Done {};

/// Found for every type of this namespace: a message is what an interface names, and goes to actors of this process only.
template <class T>
void stays_in_this_process(const T&);

}  // namespace troupe

/// CAF wants types that it could not write out named: ours are all such.
template <class T>
  requires requires(const T& message) { stays_in_this_process(message); }
struct caf::allowed_unsafe_message_type<T> : std::true_type {};
