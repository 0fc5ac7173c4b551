#include "tests/actors/c_api/nonsense_calls.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <regex>
#include <set>

using namespace c_test;

namespace {

/// Allocations that this thread may still make before all fail; below zero: as many as it likes.
thread_local int64_t allocations_left = -1;
/// What the next call may make, and whether it wanted more.
int64_t allocations_allowed = 0;
bool was_short = false;

void* allocate(size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
  throw std::bad_alloc();
}

}  // namespace

// This program's allocations, and those of the library.
void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }

namespace {

struct Call {
  const char* name;
  bool has_status;
  std::function<void(Draw*)> run;
};

template <class F>
Call make_call(const char* name, F* function) {
  return {name, has_status(function), [function](Draw* draw) { call_once(function, draw); }};
}
/// The same for one that takes over the description.
template <class F>
Call make_last_call(const char* name, F* function) {
  return {name, true, [function](Draw* draw) {
            call_once(function, draw);
            draw->take_description();
          }};
}

#define CALL(f) make_call(#f, f)
#define LAST_CALL(f) make_last_call(#f, f)

/// All of c_api.h, but for those that end an object.
std::vector<Call> calls() {
  return {
      CALL(TF_Version),
      CALL(TF_TensorFromProto),
      CALL(TF_NewSessionOptions),
      CALL(TF_SetTarget),
      CALL(TF_SetConfig),
      CALL(TF_NewGraph),
      CALL(TF_GraphSetTensorShape),
      CALL(TF_GraphGetTensorNumDims),
      CALL(TF_GraphGetTensorShape),
      CALL(TF_NewOperationLocked),
      CALL(TF_NewOperation),
      CALL(TF_SetDevice),
      CALL(TF_AddInput),
      CALL(TF_AddInputList),
      CALL(TF_AddControlInput),
      CALL(TF_ColocateWith),
      CALL(TF_SetAttrString),
      CALL(TF_SetAttrStringList),
      CALL(TF_SetAttrInt),
      CALL(TF_SetAttrIntList),
      CALL(TF_SetAttrFloat),
      CALL(TF_SetAttrFloatList),
      CALL(TF_SetAttrBool),
      CALL(TF_SetAttrBoolList),
      CALL(TF_SetAttrType),
      CALL(TF_SetAttrTypeList),
      CALL(TF_SetAttrPlaceholder),
      CALL(TF_SetAttrFuncName),
      CALL(TF_SetAttrShape),
      CALL(TF_SetAttrShapeList),
      CALL(TF_SetAttrTensorShapeProto),
      CALL(TF_SetAttrTensorShapeProtoList),
      CALL(TF_SetAttrTensor),
      CALL(TF_SetAttrTensorList),
      CALL(TF_SetAttrValueProto),
      LAST_CALL(TF_FinishOperationLocked),
      LAST_CALL(TF_FinishOperation),
      CALL(TF_OperationName),
      CALL(TF_OperationOpType),
      CALL(TF_OperationDevice),
      CALL(TF_OperationNumOutputs),
      CALL(TF_OperationOutputType),
      CALL(TF_OperationOutputListLength),
      CALL(TF_OperationNumInputs),
      CALL(TF_OperationInputType),
      CALL(TF_OperationInputListLength),
      CALL(TF_OperationInput),
      CALL(TF_OperationAllInputs),
      CALL(TF_OperationOutputNumConsumers),
      CALL(TF_OperationOutputConsumers),
      CALL(TF_OperationNumControlInputs),
      CALL(TF_OperationGetControlInputs),
      CALL(TF_OperationNumControlOutputs),
      CALL(TF_OperationGetControlOutputs),
      CALL(TF_OperationGetAttrMetadata),
      CALL(TF_OperationGetAttrString),
      CALL(TF_OperationGetAttrStringList),
      CALL(TF_OperationGetAttrInt),
      CALL(TF_OperationGetAttrIntList),
      CALL(TF_OperationGetAttrFloat),
      CALL(TF_OperationGetAttrFloatList),
      CALL(TF_OperationGetAttrBool),
      CALL(TF_OperationGetAttrBoolList),
      CALL(TF_OperationGetAttrType),
      CALL(TF_OperationGetAttrTypeList),
      CALL(TF_OperationGetAttrShape),
      CALL(TF_OperationGetAttrShapeList),
      CALL(TF_OperationGetAttrTensorShapeProto),
      CALL(TF_OperationGetAttrTensorShapeProtoList),
      CALL(TF_OperationGetAttrTensor),
      CALL(TF_OperationGetAttrTensorList),
      CALL(TF_OperationGetAttrValueProto),
      CALL(TF_OperationGetNumAttrs),
      CALL(TF_OperationGetAttrNameLength),
      CALL(TF_OperationGetAttrName),
      CALL(TF_GraphOperationByName),
      CALL(TF_GraphNextOperation),
      CALL(TF_GraphToGraphDef),
      CALL(TF_GraphGetOpDef),
      CALL(TF_GraphVersions),
      CALL(TF_NewImportGraphDefOptions),
      CALL(TF_ImportGraphDefOptionsSetPrefix),
      CALL(TF_ImportGraphDefOptionsSetDefaultDevice),
      CALL(TF_ImportGraphDefOptionsSetUniquifyNames),
      CALL(TF_ImportGraphDefOptionsSetUniquifyPrefix),
      CALL(TF_ImportGraphDefOptionsAddInputMapping),
      CALL(TF_ImportGraphDefOptionsRemapControlDependency),
      CALL(TF_ImportGraphDefOptionsAddControlDependency),
      CALL(TF_ImportGraphDefOptionsAddReturnOutput),
      CALL(TF_ImportGraphDefOptionsNumReturnOutputs),
      CALL(TF_ImportGraphDefOptionsAddReturnOperation),
      CALL(TF_ImportGraphDefOptionsNumReturnOperations),
      CALL(TF_ImportGraphDefResultsReturnOutputs),
      CALL(TF_ImportGraphDefResultsReturnOperations),
      CALL(TF_ImportGraphDefResultsMissingUnusedInputMappings),
      CALL(TF_GraphImportGraphDefWithResults),
      CALL(TF_GraphImportGraphDefWithResultsNoSerialization),
      CALL(TF_GraphImportGraphDefWithReturnOutputs),
      CALL(TF_GraphImportGraphDef),
      CALL(TF_GraphCopyFunction),
      CALL(TF_GraphNumFunctions),
      CALL(TF_GraphGetFunctions),
      CALL(TF_OperationToNodeDef),
      CALL(TF_NewWhile),
      CALL(TF_FinishWhile),
      CALL(TF_AbortWhile),
      CALL(TF_AddGradients),
      CALL(TF_AddGradientsWithPrefix),
      CALL(TF_GraphToFunction),
      CALL(TF_GraphToFunctionWithControlOutputs),
      CALL(TF_FunctionName),
      CALL(TF_FunctionToFunctionDef),
      CALL(TF_FunctionImportFunctionDef),
      CALL(TF_FunctionSetAttrValueProto),
      CALL(TF_FunctionGetAttrValueProto),
      CALL(TF_TryEvaluateConstant),
      CALL(TF_NewSession),
      CALL(TF_LoadSessionFromSavedModel),
      CALL(TF_CloseSession),
      CALL(TF_SessionRun),
      CALL(TF_SessionPRunSetup),
      CALL(TF_SessionPRun),
      CALL(TF_NewDeprecatedSession),
      CALL(TF_CloseDeprecatedSession),
      CALL(TF_Reset),
      CALL(TF_ExtendGraph),
      CALL(TF_Run),
      CALL(TF_PRunSetup),
      CALL(TF_PRun),
      CALL(TF_SessionListDevices),
      CALL(TF_DeprecatedSessionListDevices),
      CALL(TF_DeviceListCount),
      CALL(TF_DeviceListName),
      CALL(TF_DeviceListType),
      CALL(TF_DeviceListMemoryBytes),
      CALL(TF_DeviceListIncarnation),
      CALL(TF_LoadLibrary),
      CALL(TF_GetOpList),
      CALL(TF_GetAllOpList),
      CALL(TF_NewApiDefMap),
      CALL(TF_ApiDefMapPut),
      CALL(TF_ApiDefMapGet),
      CALL(TF_GetAllRegisteredKernels),
      CALL(TF_GetRegisteredKernelsForOp),
      CALL(TF_UpdateEdge),
      CALL(TF_NewServer),
      CALL(TF_ServerStart),
      CALL(TF_ServerStop),
      CALL(TF_ServerJoin),
      CALL(TF_ServerTarget),
      CALL(TF_RegisterLogListener),
      CALL(TF_RegisterFilesystemPlugin),
      CALL(TF_AddOperationControlInput),
      CALL(TF_SetAttr),
      CALL(TF_ClearAttr),
      CALL(TF_SetFullType),
      CALL(TF_SetRequestedDevice),
      CALL(TF_RemoveAllControlInputs),
      CALL(TF_SetRequireShapeInferenceFns),
      CALL(TF_ExtendSession),
      CALL(TF_GetHandleShapeAndType),
      CALL(TF_SetHandleShapeAndType),
      CALL(TF_AddWhileInputHack),
  };
}

/// Whether the environment asks for this one: the variable's value is its name, or absent.
bool is_wanted(const Call& call) {
  const char* only = std::getenv("TROUPE_NONSENSE_ONLY");
  return only == nullptr || call.name == std::string(only);
}

/// Those that end one of their arguments: null alone.
void end_nothing(TF_Status* status) {
  TF_DeleteSessionOptions(nullptr);
  TF_DeleteGraph(nullptr);
  TF_DeleteImportGraphDefOptions(nullptr);
  TF_DeleteImportGraphDefResults(nullptr);
  TF_DeleteFunction(nullptr);
  TF_DeletePRunHandle(nullptr);
  TF_DeleteDeviceList(nullptr);
  TF_DeleteLibraryHandle(nullptr);
  TF_DeleteApiDefMap(nullptr);
  TF_DeleteServer(nullptr);
  TF_DeleteSession(nullptr, status);
  TF_DeleteDeprecatedSession(nullptr, status);
}

const std::set<std::string> kTakesNothing = {
    // There is nothing that could be wrong.
    "TF_FunctionImportFunctionDef",
    "TF_GetAllRegisteredKernels",
    "TF_GetRegisteredKernelsForOp",
    "TF_NewDeprecatedSession",
    "TF_NewServer",
    "TF_Reset"};

/// With up to how many allocations each call is tried.
constexpr int64_t kMostAllowed = 100;
/// Tried with none alone. Beyond the first, libraries break: Abseil's hash maps, which mark a place as taken before they make what
/// belongs there, protobuf's descriptors, and CAF, where what may throw is noexcept.
const std::set<std::string> kBreakLibraries = {
    "TF_CloseDeprecatedSession",
    "TF_CloseSession",
    "TF_DeprecatedSessionListDevices",
    "TF_ExtendGraph",
    "TF_ExtendSession",
    "TF_GetHandleShapeAndType",
    "TF_GraphCopyFunction",
    "TF_NewDeprecatedSession",
    "TF_NewSession",
    "TF_OperationToNodeDef",
    "TF_PRun",
    "TF_PRunSetup",
    "TF_Reset",
    "TF_SessionListDevices",
    "TF_SessionPRun",
    "TF_SessionPRunSetup",
    "TF_SessionRun",
    "TF_Run",
    "TF_LoadSessionFromSavedModel",
};
/// Their allocations are without number.
const std::set<std::string> kAllocatesMuch = {"TF_GetAllOpList", "TF_GetAllRegisteredKernels"};

}  // namespace

TEST(Nonsense, is_refused_by_every_function_with_a_status) {
  World world;
  for (const Call& call : calls()) {
    if (!call.has_status || kTakesNothing.count(call.name) != 0 || !is_wanted(call)) continue;
    std::fprintf(stderr, "%s\n", call.name);
    TF_SetStatus(world.status(), TF_OK, "");
    Draw draw(&world, 1, /*nulls=*/true);
    call.run(&draw);
    EXPECT_NE(TF_GetCode(world.status()), TF_OK) << call.name;
  }
}

TEST(Nonsense, is_survived_by_every_function) {
  World world;
  constexpr uint64_t kRounds = 100;
  for (const Call& call : calls()) {
    if (!is_wanted(call)) continue;
    // The last line says who did not.
    std::fprintf(stderr, "%s\n", call.name);
    // These have no arguments to vary.
    const std::string name = call.name;
    const bool lists_all = name == "TF_GetAllOpList" || name == "TF_GetAllRegisteredKernels";
    for (uint64_t round = 0; round < (lists_all ? 1 : kRounds); ++round) {
      Draw draw(&world, round + 1, /*nulls=*/round == 0);
      call.run(&draw);
    }
  }
  end_nothing(world.status());
}

TEST(ShortMemory, is_survived_by_every_function) {
  World world;
  around_calls.before = [] { allocations_left = allocations_allowed; };
  around_calls.after = [] {
    was_short = allocations_left == 0;
    allocations_left = -1;
  };
  for (const Call& call : calls()) {
    if (!is_wanted(call) || kAllocatesMuch.count(call.name) != 0) continue;
    std::fprintf(stderr, "%s\n", call.name);
    const int64_t most = kBreakLibraries.count(call.name) != 0 ? 0 : kMostAllowed;
    for (uint64_t round = 1; round < 8; ++round) {
      // The first time with all it wants: what libraries make once, protobuf's descriptors among them, is not made in short memory.
      was_short = true;
      for (allocations_allowed = -1; was_short && allocations_allowed <= most; ++allocations_allowed) {
        Draw draw(&world, round, /*nulls=*/false);
        call.run(&draw);
        if (allocations_allowed < 0) was_short = true;
      }
    }
  }
  around_calls = {};
}

TEST(Nonsense, is_survived_without_arrays_and_places_for_results) {
  World world;
  constexpr uint64_t kRounds = 50;
  for (const Call& call : calls()) {
    if (!is_wanted(call)) continue;
    std::fprintf(stderr, "%s\n", call.name);
    for (uint64_t round = 0; round < kRounds; ++round) {
      Draw draw(&world, round + 1, /*nulls=*/false, /*arrays=*/false);
      call.run(&draw);
    }
  }
}

TEST(Nonsense, is_tried_on_all_of_the_header) {
  std::ifstream file(std::string(TROUPE_C_INCLUDE) + "/tensorflow/c/c_api.h");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::regex declaration("(TF_[A-Za-z0-9]+)\\(");
  std::set<std::string> called;
  for (const Call& call : calls()) called.insert(call.name);
  int found = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
    const std::string name = (*it)[1];
    if (name.rfind("TF_Delete", 0) == 0) continue;
    ++found;
    EXPECT_TRUE(called.count(name) != 0) << name;
  }
  EXPECT_GT(found, 100);
}
