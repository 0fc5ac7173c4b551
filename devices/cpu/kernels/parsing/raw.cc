// DecodeRaw, DecodePaddedRaw, DecodeCompressed.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// Turns the bytes of each number round; a complex number is two.
void swap_bytes(DataType dtype, char* data, size_t bytes) {
  size_t size = dtype_size(dtype);
  if (is_complex(dtype)) size /= 2;
  if (size == 1) return;
  for (size_t i = 0; i + size <= bytes; i += size) std::reverse(data + i, data + i + size);
}

/// Bytes that any number but 0 and 1 would make an invalid bool.
void normalize_bools(DataType dtype, char* data, size_t bytes) {
  if (dtype != DataType::kBool) return;
  for (size_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
}

class DecodeRawKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("little_endian", &little_endian_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    auto in = input.flat<TString>();
    const DataType dtype = context.output_type(0);
    const size_t width = dtype_size(dtype);
    const size_t bytes = in.empty() ? 0 : in[0].size();
    for (size_t i = 1; i < in.size(); ++i) {
      if (in[i].size() != bytes) {
        return invalid("DecodeRaw requires input strings to all be the same size, but element ", i,
                       " has size ", bytes, " != ", in[i].size());
      }
    }
    if (bytes % width != 0) {
      return invalid("Input to DecodeRaw has length ", bytes, " that is not a multiple of ", width,
                     ", the size of ", dtype_name(dtype));
    }
    std::vector<int64_t> dims = input.shape().to_vector();
    dims.push_back(static_cast<int64_t>(bytes / width));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, shape));
    if (bytes == 0) return absl::OkStatus();
    char* out = static_cast<char*>(output->raw());
    for (const TString& s : in) {
      std::memcpy(out, s.data(), bytes);
      if (!little_endian_) swap_bytes(dtype, out, bytes);
      normalize_bools(dtype, out, bytes);
      out += bytes;
    }
    return absl::OkStatus();
  }

 private:
  bool little_endian_ = true;
};

class DecodePaddedRawKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("little_endian", &little_endian_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& fixed = context.input(1);
    const DataType dtype = context.output_type(0);
    const int64_t width = static_cast<int64_t>(dtype_size(dtype));
    if (fixed.rank() != 0) return invalid("k must be scalar, got shape ", fixed.shape().to_string());
    const int64_t length = int_at(fixed, 0);
    if (length % width != 0) {
      return invalid("fixed_length (", length, ") must be a multiple of the size of out_type (", width, ")");
    }
    if (length <= 0) return invalid("fixed_length (", length, ") must be greater than zero.");
    std::vector<int64_t> dims = input.shape().to_vector();
    dims.push_back(length / width);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, shape));
    char* out = static_cast<char*>(output->raw());
    for (const TString& s : input.flat<TString>()) {
      const size_t n = std::min(s.size(), static_cast<size_t>(length));
      std::memcpy(out, s.data(), n);
      std::memset(out + n, 0, static_cast<size_t>(length) - n);
      if (!little_endian_) swap_bytes(dtype, out, static_cast<size_t>(length));
      out += length;
    }
    return absl::OkStatus();
  }

 private:
  bool little_endian_ = true;
};

/// Most bytes that one string may unpack to: a few bytes can stand for any number of them.
constexpr size_t kMaxUnpackedBytes = size_t{1} << 31;

/// A zlib stream being read; closed when it goes.
class Inflater {
 public:
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (open_) inflateEnd(&stream_);
  }

  /// Everything that `s` unpacks to. A stream that breaks off gives what is there.
  absl::Status run(absl::string_view s, bool gzip, std::string* out) {
    if (s.size() > std::numeric_limits<uInt>::max())
      return invalid("Compressed input of ", s.size(), " bytes is too long");
    stream_ = {};
    if (inflateInit2(&stream_, gzip ? MAX_WBITS + 16 : MAX_WBITS) != Z_OK) {
      return absl::InternalError("inflateInit() failed");
    }
    open_ = true;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(s.data()));
    stream_.avail_in = static_cast<uInt>(s.size());
    out->clear();
    char chunk[1 << 14];
    while (true) {
      stream_.next_out = reinterpret_cast<Bytef*>(chunk);
      stream_.avail_out = sizeof(chunk);
      const int rc = inflate(&stream_, Z_NO_FLUSH);
      if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
        return absl::DataLossError(absl::StrCat("inflate() failed with error ", rc,
                                                stream_.msg == nullptr ? "" : ": ",
                                                stream_.msg == nullptr ? "" : stream_.msg));
      }
      const size_t made = sizeof(chunk) - stream_.avail_out;
      out->append(chunk, made);
      if (out->size() > kMaxUnpackedBytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("Compressed input unpacks to more than ", kMaxUnpackedBytes, " bytes"));
      }
      if (rc == Z_STREAM_END) {
        // gzip files may be strung together.
        if (!gzip || stream_.avail_in == 0) return absl::OkStatus();
        if (inflateReset(&stream_) != Z_OK) return absl::InternalError("inflateReset() failed");
      } else if (made == 0 && stream_.avail_in == 0) {
        return absl::OkStatus();
      } else if (rc == Z_BUF_ERROR && made == 0) {
        return absl::DataLossError("inflate() made no progress");
      }
    }
  }

 private:
  z_stream stream_{};
  bool open_ = false;
};

class DecodeCompressedKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("compression_type", &type_); }
  absl::Status init(const KernelConstruction&) {
    if (!type_.empty() && type_ != "ZLIB" && type_ != "GZIP") {
      return invalid("Only ZLIB, GZIP or NONE are supported compressions");
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    if (type_.empty()) {
      context.forward_input(0, 0);
      return absl::OkStatus();
    }
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
    auto in = input.flat<TString>();
    auto out = output->flat<TString>();
    std::string text;
    for (size_t i = 0; i < in.size(); ++i) {
      Inflater inflater;
      TROUPE_RETURN_IF_ERROR(inflater.run(in[i].view(), type_ == "GZIP", &text));
      out[i].assign(text);
    }
    return absl::OkStatus();
  }

 private:
  std::string type_;
};

}  // namespace

void register_parsing_raw(KernelRegistry* registry) {
  const std::vector<DataType> plain = {DataType::kBfloat16, DataType::kDouble, DataType::kFloat,
                                       DataType::kInt16,    DataType::kInt32,  DataType::kInt64,
                                       DataType::kInt8,     DataType::kUint16, DataType::kUint8};
  registry->add(KernelDef("DecodeRaw")
                    .types("out_type", with(plain, {DataType::kHalf, DataType::kBool, DataType::kComplex64,
                                                    DataType::kComplex128}))
                    .kernel<DecodeRawKernel>());
  registry->add(KernelDef("DecodePaddedRaw").types("out_type", plain).kernel<DecodePaddedRawKernel>());
  registry->add(KernelDef("DecodeCompressed").kernel<DecodeCompressedKernel>());
}

}  // namespace troupe
