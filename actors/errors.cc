#include "actors/errors.h"

#include <caf/atom.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

#include <string>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

const caf::atom_value kCategory = caf::atom("troupe");

absl::Status from_sec(caf::sec code) {
  switch (code) {
    case caf::sec::request_timeout: return absl::DeadlineExceededError("the actor did not answer in time");
    case caf::sec::request_receiver_down: return absl::UnavailableError("the actor that was asked is gone");
    default: return absl::InternalError(absl::StrCat("actor system error: ", caf::to_string(code)));
  }
}

}  // namespace

caf::error to_error(const absl::Status& status) {
  if (status.ok()) return {};
  return caf::error(static_cast<uint8_t>(status.code()), kCategory,
                    caf::make_message(std::string(status.message())));
}

absl::Status to_status(const caf::error& error) {
  if (!error) return absl::OkStatus();
  if (error.category() == kCategory) {
    std::string text;
    if (error.context().match_elements<std::string>()) text = error.context().get_as<std::string>(0);
    return absl::Status(static_cast<absl::StatusCode>(error.code()), text);
  }
  if (error.category() == caf::atom("system")) return from_sec(static_cast<caf::sec>(error.code()));
  if (error.category() == caf::atom("exit")) {
    return absl::UnavailableError(
        absl::StrCat("the actor has ended: ", caf::to_string(static_cast<caf::exit_reason>(error.code()))));
  }
  return absl::InternalError(absl::StrCat("error ", error.code(), " of another category"));
}

}  // namespace troupe
