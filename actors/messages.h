#pragma once

// Every message, by who gets it.
#include "actors/messages/device.h"
#include "actors/messages/partial_run.h"
#include "actors/messages/runtime.h"
#include "actors/messages/session.h"
#include "actors/messages/session_internal.h"
#include "actors/messages/step.h"
