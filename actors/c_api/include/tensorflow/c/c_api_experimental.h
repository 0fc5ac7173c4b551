#pragma once

#include "c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads a plug-in for devices: calls its TF_InitKernel, if it has one, so that it registers its ops and
   kernels for the devices that there are. Unimplemented when it brings a device (SE_InitPlugin,
   TFNPD_InitPlugin), graph passes (TF_InitGraph) or a profiler (TF_InitProfiler). NotFound when it cannot be
   loaded. */
TF_CAPI_EXPORT extern TF_Library* TF_LoadPluggableDeviceLibrary(const char* library_filename,
                                                                TF_Status* status);
/* Frees the handle; what was registered stays. */
TF_CAPI_EXPORT extern void TF_DeletePluggableDeviceLibraryHandle(TF_Library* lib_handle);

#ifdef __cplusplus
} /* extern "C" */
#endif
