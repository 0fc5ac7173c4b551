#include "actors/message_types.h"

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <typeindex>

#include "absl/strings/match.h"
#include "actors/errors.h"
#include "actors/interfaces.h"

namespace troupe {
namespace {

/// "troupe::RunStep".
template <class T>
std::string name_of() {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : typeid(T).name();
}

/// What add_message_type does, but for lists and streams of the message: those would have to be written out to be sent to other
/// processes, where these messages never go. CAF's own types, and actors' handles, it knows.
template <class T>
void add(caf::actor_system_config& config) {
  if constexpr (caf::allowed_unsafe_message_type<T>::value) {
    const std::string name = name_of<T>();
    if (!absl::StartsWith(name, "troupe::")) return;
    config.type_names_by_rtti.emplace(std::type_index(typeid(T)), name);
    config.value_factories_by_name.emplace(name, &caf::make_type_erased_value<T>);
    config.value_factories_by_rtti.emplace(std::type_index(typeid(T)), &caf::make_type_erased_value<T>);
  }
}

/// The messages and answers of a handler.
template <class... In, class... Out>
void add(caf::actor_system_config& config,
         caf::typed_mpi<caf::detail::type_list<In...>, caf::output_tuple<Out...>>*) {
  (add<In>(config), ...);
  (add<Out>(config), ...);
}

/// Those of an actor's interface.
template <class... Handlers>
void add(caf::actor_system_config& config, caf::typed_actor<Handlers...>*) {
  (add(config, static_cast<Handlers*>(nullptr)), ...);
}

template <class... Actors>
void add_all(caf::actor_system_config& config) {
  (add(config, static_cast<Actors*>(nullptr)), ...);
}

}  // namespace

void add_message_types(caf::actor_system_config& config) {
  config.add_error_category(caf::atom("troupe"), [](uint8_t code, caf::atom_value, const caf::message& text) {
    return to_status(caf::error(code, caf::atom("troupe"), text)).ToString();
  });
  add_all<RuntimeActor, SessionActor, PartialRunActor, StepActor, ExecutorActor, RendezvousActor,
          DeviceActor>(config);
}

}  // namespace troupe
