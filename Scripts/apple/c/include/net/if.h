// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#define IFF_UP 0x1
#define IFF_LOOPBACK 0x8
