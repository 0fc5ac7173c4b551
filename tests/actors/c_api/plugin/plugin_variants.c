/* Small plug-ins, one for each definition that this file is compiled with. */
#define TF_InputRange_Args_STRUCT_SIZE input_range_size_of_variants
#include "plugin.h"

static void define(const char* name, const char* output) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, output);
  TF_RegisterOpDefinition(op, status);
  TF_DeleteStatus(status);
}

#if defined(PLUG_BAD)
/* One of its ops is not well-formed. */
__attribute__((constructor)) static void register_all(void) {
  define("PlugBad", "y: Nothing");
  define("PlugGood", "y: float");
}
#elif defined(PLUG_TAKEN)
/* One of its ops has a name that is taken. */
__attribute__((constructor)) static void register_all(void) {
  define("MatMul", "y: float");
  define("PlugFree", "y: float");
}
#elif defined(PLUG_INIT)
/* It registers when asked to. */
void TF_InitKernel() { define("PlugInitialised", "y: float"); }
#elif defined(PLUG_DEVICE)
/* It brings a device. */
__attribute__((visibility("default"))) void SE_InitPlugin(void* params, TF_Status* status);
void SE_InitPlugin(void* params, TF_Status* status) {
  (void)params;
  TF_SetStatus(status, TF_INTERNAL, "must not be called");
}
void TF_InitKernel() { define("PlugOfDevice", "y: float"); }
#endif
