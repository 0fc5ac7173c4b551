// Example and SequenceExample messages, read without building them: most programs ask for a few of many features,
// and strings need not be copied twice.
#include <bit>
#include <cstring>

#include "devices/cpu/kernels/parsing/example.h"

namespace troupe {
namespace {

/// Walks over the fields of a message.
class FieldReader {
 public:
  explicit FieldReader(absl::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  enum Type { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  /// The next field's number and type; false at the end and on errors.
  bool next() {
    uint64_t tag = 0;
    if (at_ == end_ || !varint(&tag)) return false;
    field = static_cast<uint32_t>(tag >> 3);
    type = static_cast<int>(tag & 7);
    if (field == 0 || tag > UINT32_MAX) return fail();
    return true;
  }
  bool varint(uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) return fail();
      const uint64_t byte = static_cast<unsigned char>(*at_++);
      if (shift < 64) *value |= (byte & 127) << shift;
      if (byte < 128) return true;
    }
    return fail();
  }
  bool bytes(absl::string_view* value) {
    uint64_t n = 0;
    if (!varint(&n)) return false;
    if (n > static_cast<uint64_t>(end_ - at_)) return fail();
    *value = {at_, static_cast<size_t>(n)};
    at_ += n;
    return true;
  }
  bool fixed(size_t n, absl::string_view* value) {
    if (static_cast<size_t>(end_ - at_) < n) return fail();
    *value = {at_, n};
    at_ += n;
    return true;
  }
  bool skip() {
    uint64_t number;
    absl::string_view view;
    switch (type) {
      case kVarint: return varint(&number);
      case kFixed64: return fixed(8, &view);
      case kBytes: return bytes(&view);
      case kFixed32: return fixed(4, &view);
      default: return fail();
    }
  }
  bool at_end() const { return at_ == end_; }
  bool ok() const { return ok_; }

  uint32_t field = 0;
  int type = 0;

 private:
  bool fail() {
    ok_ = false;
    at_ = end_;
    return false;
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

/// Calls f(value) for every field `number` that holds bytes. False when the message is broken or f says so.
template <class F>
bool each_bytes_field(absl::string_view message, uint32_t number, F f) {
  FieldReader reader(message);
  while (reader.next()) {
    absl::string_view value;
    if (reader.field != number || reader.type != FieldReader::kBytes) {
      if (!reader.skip()) return false;
    } else if (!reader.bytes(&value) || !f(value)) {
      return false;
    }
  }
  return reader.ok();
}

bool read_feature(absl::string_view message, FeatureView* out) {
  *out = {};
  FieldReader reader(message);
  while (reader.next()) {
    if (reader.field > 3 || reader.type != FieldReader::kBytes) {
      if (!reader.skip()) return false;
      continue;
    }
    if (!reader.bytes(&out->list)) return false;
    out->dtype = reader.field == 1   ? DataType::kString
                 : reader.field == 2 ? DataType::kFloat
                                     : DataType::kInt64;
  }
  return reader.ok();
}

/// Calls f(key, value) for the entries of a map field.
template <class F>
bool each_map_entry(absl::string_view message, F f) {
  return each_bytes_field(message, 1, [&](absl::string_view entry) {
    absl::string_view key, value;
    FieldReader reader(entry);
    while (reader.next()) {
      if (reader.type != FieldReader::kBytes || reader.field > 2) {
        if (!reader.skip()) return false;
      } else if (!reader.bytes(reader.field == 1 ? &key : &value)) {
        return false;
      }
    }
    return reader.ok() && f(key, value);
  });
}

float float_of(absl::string_view bytes) {
  float f;
  std::memcpy(&f, bytes.data(), sizeof(f));
  return f;
}

static_assert(std::endian::native == std::endian::little, "packed floats are copied as they lie");

bool append_ints(absl::string_view list, std::vector<int64_t>* out) {
  FieldReader reader(list);
  while (reader.next()) {
    uint64_t number;
    absl::string_view packed;
    if (reader.field == 1 && reader.type == FieldReader::kVarint) {
      if (!reader.varint(&number)) return false;
      out->push_back(static_cast<int64_t>(number));
    } else if (reader.field == 1 && reader.type == FieldReader::kBytes) {
      if (!reader.bytes(&packed)) return false;
      FieldReader values(packed);
      while (!values.at_end()) {
        if (!values.varint(&number)) return false;
        out->push_back(static_cast<int64_t>(number));
      }
      if (!values.ok()) return false;
    } else if (!reader.skip()) {
      return false;
    }
  }
  return reader.ok();
}

bool append_floats(absl::string_view list, std::vector<float>* out) {
  FieldReader reader(list);
  while (reader.next()) {
    absl::string_view bytes;
    if (reader.field == 1 && reader.type == FieldReader::kFixed32) {
      if (!reader.fixed(4, &bytes)) return false;
      out->push_back(float_of(bytes));
    } else if (reader.field == 1 && reader.type == FieldReader::kBytes) {
      if (!reader.bytes(&bytes) || bytes.size() % 4 != 0) return false;
      const size_t n = out->size();
      out->resize(n + bytes.size() / 4);
      if (!bytes.empty()) std::memcpy(out->data() + n, bytes.data(), bytes.size());
    } else if (!reader.skip()) {
      return false;
    }
  }
  return reader.ok();
}

}  // namespace

void FeatureColumn::clear() {
  ints.clear();
  floats.clear();
  strings.clear();
}

void FeatureColumn::copy_to(int64_t from, int64_t count, Tensor* out, int64_t to) const {
  for (int64_t i = 0; i < count; ++i) {
    switch (dtype) {
      case DataType::kInt64: out->flat<int64_t>()[to + i] = ints[from + i]; break;
      case DataType::kFloat: out->flat<float>()[to + i] = floats[from + i]; break;
      default: out->flat<TString>()[to + i].assign(strings[from + i]); break;
    }
  }
}

bool FeatureView::append_to(FeatureColumn* column) const {
  switch (dtype) {
    case DataType::kInt64: return append_ints(list, &column->ints);
    case DataType::kFloat: return append_floats(list, &column->floats);
    case DataType::kString:
      return each_bytes_field(list, 1, [&](absl::string_view s) {
        column->strings.push_back(s);
        return true;
      });
    default: return true;
  }
}

bool read_features_of(absl::string_view message, const KeyIndex& keys, std::vector<FeatureView>* slots) {
  slots->assign(keys.size(), {});
  return each_bytes_field(message, 1, [&](absl::string_view features) {
    return each_map_entry(features, [&](absl::string_view key, absl::string_view value) {
      const int slot = keys.find(key);
      return slot < 0 || read_feature(value, &(*slots)[slot]);
    });
  });
}

bool read_feature_lists_of(absl::string_view message, const KeyIndex& keys,
                           std::vector<FeatureListView>* slots) {
  slots->assign(keys.size(), {});
  return each_bytes_field(message, 2, [&](absl::string_view lists) {
    return each_map_entry(lists, [&](absl::string_view key, absl::string_view value) {
      const int slot = keys.find(key);
      if (slot < 0) return true;
      FeatureListView& list = (*slots)[slot];
      list.present = true;
      list.steps.clear();
      return each_bytes_field(value, 1, [&](absl::string_view feature) {
        list.steps.emplace_back();
        return read_feature(feature, &list.steps.back());
      });
    });
  });
}

}  // namespace troupe
