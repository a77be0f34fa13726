// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <stdint.h>
typedef unsigned int mach_port_t;
typedef unsigned int mach_msg_type_number_t;
typedef int kern_return_t;
typedef unsigned int boolean_t;
#define KERN_SUCCESS 0
#define FALSE 0
#define TRUE 1
extern mach_port_t mach_task_self_;
#define mach_task_self() mach_task_self_
