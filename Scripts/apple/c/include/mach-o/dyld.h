// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <stdbool.h>
#include <stdint.h>
struct mach_header;
uint32_t _dyld_image_count(void);
const struct mach_header *_dyld_get_image_header(uint32_t index);
const char *_dyld_get_image_name(uint32_t index);
intptr_t _dyld_get_image_vmaddr_slide(uint32_t index);
void _dyld_register_func_for_add_image(void (*body)(const struct mach_header *header, intptr_t slide));
void _dyld_register_func_for_remove_image(void (*body)(const struct mach_header *header, intptr_t slide));
