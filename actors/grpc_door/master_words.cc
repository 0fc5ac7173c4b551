#include "actors/grpc_door/master_words.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troupe {

absl::Status as_master_says(const absl::Status& status,
                            const google::protobuf::RepeatedPtrField<std::string>& fetches) {
  constexpr absl::string_view kNotThere =
      ", specified in either feed_devices or fetch_devices was not found in the Graph";
  if (!absl::IsInvalidArgument(status)) return status;
  absl::string_view text = status.message();
  if (text == "Must run 'setup' before performing partial runs!")
    return absl::InvalidArgumentError("Must run PartialRunSetup before performing partial runs");
  if (!absl::ConsumePrefix(&text, "Tensor ") || !absl::ConsumeSuffix(&text, kNotThere)) return status;
  if (std::find(fetches.begin(), fetches.end(), text) != fetches.end())
    return absl::NotFoundError(absl::StrCat("FetchOutputs node ", text, ": not found"));
  return absl::NotFoundError(absl::StrCat("FeedInputs: unable to find feed output ", text));
}

}  // namespace troupe
