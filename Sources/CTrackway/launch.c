// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#include "CTrackway.h"

#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#include <TargetConditionals.h>
#endif

#if defined(__APPLE__) && TARGET_OS_IOS && !TARGET_OS_MACCATALYST && !TARGET_OS_SIMULATOR
#include <mach/mach.h>
#include <mach/task_policy.h>
#define CTRACKWAY_HAS_ROLES 1
#endif

static bool was_prewarmed;

// The system removes the variable after the launch, so read it before any other code of the process runs.
__attribute__((constructor)) static void read_environment(void) {
    const char *value = getenv("ActivePrewarm");
    was_prewarmed = value != NULL && strcmp(value, "1") == 0;
}

bool ctrackway_was_prewarmed(void) {
    return was_prewarmed;
}

int ctrackway_launch_role(void) {
#ifdef CTRACKWAY_HAS_ROLES
    task_category_policy_data_t policy;
    mach_msg_type_number_t count = TASK_CATEGORY_POLICY_COUNT;
    boolean_t is_default = FALSE;
    kern_return_t result =
        task_policy_get(mach_task_self(), TASK_CATEGORY_POLICY, (task_policy_t)&policy, &count, &is_default);
    if (result != KERN_SUCCESS || is_default) return 0;
    switch (policy.role) {
    case TASK_FOREGROUND_APPLICATION: return 1;
    case TASK_BACKGROUND_APPLICATION:
    case TASK_THROTTLE_APPLICATION:
    case TASK_NONUI_APPLICATION: return 2;
    case TASK_DARWINBG_APPLICATION: return 3;
    default: return 0;
    }
#else
    return 0;
#endif
}
