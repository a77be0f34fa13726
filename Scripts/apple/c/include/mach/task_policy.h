// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <Availability.h>
#include <mach/mach.h>
typedef unsigned int task_policy_flavor_t;
typedef int *task_policy_t;
#define TASK_CATEGORY_POLICY 1
typedef enum task_role {
    TASK_RENICED = -1,
    TASK_UNSPECIFIED = 0,
    TASK_FOREGROUND_APPLICATION,
    TASK_BACKGROUND_APPLICATION,
    TASK_CONTROL_APPLICATION,
    TASK_GRAPHICS_SERVER,
    TASK_THROTTLE_APPLICATION,
    TASK_NONUI_APPLICATION,
    TASK_DEFAULT_APPLICATION,
    TASK_DARWINBG_APPLICATION,
} task_role_t;
typedef struct task_category_policy {
    task_role_t role;
} task_category_policy_data_t;
#define TASK_CATEGORY_POLICY_COUNT ((mach_msg_type_number_t)(sizeof(task_category_policy_data_t) / sizeof(int)))
kern_return_t task_policy_get(
    mach_port_t task,
    task_policy_flavor_t flavor,
    task_policy_t policy,
    mach_msg_type_number_t *count,
    boolean_t *is_default
) SYNTHETIC_NOT_ON_TV_OR_WATCH;
