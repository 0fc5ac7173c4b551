#include "actors/message_types.h"

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>

#include <string>
#include <typeindex>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/messages.h"

namespace troupe {
namespace {

/// What add_message_type does, but for lists and streams of the message: those would have to be written out to be sent to other
/// processes, where these messages never go.
template <class T>
void add(caf::actor_system_config& config, absl::string_view name) {
  const std::string full_name = absl::StrCat("troupe::", name);
  config.type_names_by_rtti.emplace(std::type_index(typeid(T)), full_name);
  config.value_factories_by_name.emplace(full_name, &caf::make_type_erased_value<T>);
  config.value_factories_by_rtti.emplace(std::type_index(typeid(T)), &caf::make_type_erased_value<T>);
}

}  // namespace

void add_message_types(caf::actor_system_config& config) {
  config.add_error_category(caf::atom("troupe"), [](uint8_t code, caf::atom_value, const caf::message& text) {
    return to_status(caf::error(code, caf::atom("troupe"), text)).ToString();
  });
#define TROUPE_ADD_MESSAGE(name) add<name>(config, #name);
  TROUPE_MESSAGES(TROUPE_ADD_MESSAGE)
#undef TROUPE_ADD_MESSAGE
}

}  // namespace troupe
