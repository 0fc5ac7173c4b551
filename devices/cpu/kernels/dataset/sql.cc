// SqlDataset: the rows that a query of an SQLite database gives.

#include <sqlite3.h>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

absl::StatusCode code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_ABORT: return absl::StatusCode::kAborted;
    case SQLITE_READONLY:
    case SQLITE_MISMATCH: return absl::StatusCode::kFailedPrecondition;
    case SQLITE_MISUSE:
    case SQLITE_INTERNAL: return absl::StatusCode::kInternal;
    case SQLITE_RANGE: return absl::StatusCode::kOutOfRange;
    case SQLITE_CANTOPEN:
    case SQLITE_CONSTRAINT:
    case SQLITE_NOTFOUND:
    case SQLITE_NOTADB: return absl::StatusCode::kInvalidArgument;
    case SQLITE_CORRUPT: return absl::StatusCode::kDataLoss;
    case SQLITE_AUTH:
    case SQLITE_PERM: return absl::StatusCode::kPermissionDenied;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_NOLFS: return absl::StatusCode::kResourceExhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM: return absl::StatusCode::kUnavailable;
    case SQLITE_INTERRUPT: return absl::StatusCode::kCancelled;
    default: return absl::StatusCode::kUnknown;
  }
}

/// What the query gives, row by row. Used by one thread at a time.
class SqlQuery {
 public:
  SqlQuery(std::string database, std::string query, std::vector<DataType> types)
      : database_(std::move(database)), query_(std::move(query)), types_(std::move(types)) {}
  ~SqlQuery() {
    sqlite3_finalize(statement_);
    sqlite3_close(connection_);
  }
  SqlQuery(const SqlQuery&) = delete;
  SqlQuery& operator=(const SqlQuery&) = delete;

  NextElement next(const ElementContext& step) {
    if (done_) return std::nullopt;
    if (statement_ == nullptr) TROUPE_RETURN_IF_ERROR(open());
    // Long queries notice that their step is cancelled.
    constexpr int kInstructionsBetweenLooks = 10'000;
    sqlite3_progress_handler(connection_, kInstructionsBetweenLooks, stopped,
                             const_cast<ElementContext*>(&step));
    const int code = sqlite3_step(statement_);
    sqlite3_progress_handler(connection_, 0, nullptr, nullptr);
    if (code == SQLITE_ROW) return row();
    if (code != SQLITE_DONE) {
      TROUPE_RETURN_IF_ERROR(step.check());
      return error(code, "Failed to step statement");
    }
    done_ = true;
    return std::nullopt;
  }

 private:
  static int stopped(void* step) { return static_cast<const ElementContext*>(step)->check().ok() ? 0 : 1; }

  absl::Status error(int code, absl::string_view what) const {
    const char* const why = connection_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection_);
    return absl::Status(code_of(code), absl::StrCat(what, ": [", code, "] ", why, ": ", query_));
  }
  absl::Status open() {
    if (connection_ == nullptr) {
      constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX;
      const int code = sqlite3_open_v2(database_.c_str(), &connection_, kFlags, nullptr);
      if (code != SQLITE_OK) {
        const absl::Status status = absl::Status(
            code_of(code), absl::StrCat("Sqlite::Open(", database_, ") failed: ", sqlite3_errstr(code)));
        sqlite3_close(std::exchange(connection_, nullptr));
        return status;
      }
    }
    const int code =
        sqlite3_prepare_v2(connection_, query_.data(), static_cast<int>(query_.size()), &statement_, nullptr);
    if (code != SQLITE_OK) return error(code, "Failed to prepare query");
    if (statement_ == nullptr) return invalid("Query has no statement: ", query_);
    const auto columns = static_cast<size_t>(sqlite3_column_count(statement_));
    if (columns == types_.size()) return absl::OkStatus();
    sqlite3_finalize(std::exchange(statement_, nullptr));
    return invalid("The number of columns in query (", columns,
                   ") must match the number of elements in output_types (", types_.size(), ").");
  }
  NextElement row() const {
    Element element;
    for (size_t c = 0; c < types_.size(); ++c) {
      TROUPE_ASSIGN_OR_RETURN(Tensor value, value_of(static_cast<int>(c), types_[c]));
      element.push_back(std::move(value));
    }
    return element;
  }
  /// Whatever SQLite makes of the column as a number or a text.
  absl::StatusOr<Tensor> value_of(int c, DataType type) const {
    const int64_t n =
        type == DataType::kString || type == DataType::kDouble ? 0 : sqlite3_column_int64(statement_, c);
    switch (type) {
      case DataType::kString: {
        const void* const bytes = sqlite3_column_blob(statement_, c);
        const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, c));
        return Tensor::string_scalar(bytes == nullptr ? std::string()
                                                      : std::string(static_cast<const char*>(bytes), size));
      }
      case DataType::kDouble: return Tensor::scalar<double>(sqlite3_column_double(statement_, c));
      case DataType::kInt8: return Tensor::scalar<int8_t>(static_cast<int8_t>(n));
      case DataType::kInt16: return Tensor::scalar<int16_t>(static_cast<int16_t>(n));
      case DataType::kInt32: return Tensor::scalar<int32_t>(static_cast<int32_t>(n));
      case DataType::kInt64: return Tensor::scalar<int64_t>(n);
      case DataType::kUint8: return Tensor::scalar<uint8_t>(static_cast<uint8_t>(n));
      case DataType::kUint16: return Tensor::scalar<uint16_t>(static_cast<uint16_t>(n));
      case DataType::kBool: return Tensor::scalar<bool>(n != 0);
      default: return invalid("SqlDataset gives no ", dtype_name(type));
    }
  }

  const std::string database_;
  const std::string query_;
  const std::vector<DataType> types_;
  sqlite3* connection_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  bool done_ = false;
};

absl::Status check_components(const std::vector<DataType>& types, const std::vector<PartialShape>& shapes) {
  for (const DataType t : types) {
    switch (t) {
      case DataType::kString:
      case DataType::kInt8:
      case DataType::kInt16:
      case DataType::kInt32:
      case DataType::kInt64:
      case DataType::kUint8:
      case DataType::kUint16:
      case DataType::kBool:
      case DataType::kDouble: break;
      default:
        return invalid(
            "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, DT_INT32, "
            "DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, DT_DOUBLE ");
    }
  }
  for (const PartialShape& shape : shapes) {
    if (shape.rank() != 0) return invalid("Each element of `output_shapes_` must be a scalar.");
  }
  return absl::OkStatus();
}

absl::Status make_sql(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(const auto types, attrs.get<std::vector<DataType>>("output_types"));
  TROUPE_ASSIGN_OR_RETURN(const auto shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  TROUPE_RETURN_IF_ERROR(check_components(types, shapes));
  TROUPE_ASSIGN_OR_RETURN(const std::string driver, input_text(context, 0, "driver_name"));
  TROUPE_ASSIGN_OR_RETURN(const std::string database, input_text(context, 1, "data_source_name"));
  TROUPE_ASSIGN_OR_RETURN(const std::string query, input_text(context, 2, "query"));
  if (driver != "sqlite") {
    return invalid("The database type, ", driver,
                   ", is not supported by SqlDataset. The set of supported databases is: {'sqlite'}.");
  }
  if (query.size() > 1'000'000'000) return invalid("The query is too long");
  auto dataset = make_dataset("Sql", {}, [database, query, types](const std::string&) {
    auto rows = std::make_unique<SqlQuery>(database, query, types);
    return iterator_of([rows = std::move(rows)](const ElementContext& step) { return rows->next(step); });
  });
  dataset->blocks = true;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_sql(KernelRegistry* registry) {
  for (const char* op : {"SqlDataset", "ExperimentalSqlDataset"})
    registry->add(KernelDef(op).fn(make_sql, /*cheap=*/true));
}

}  // namespace troupe
