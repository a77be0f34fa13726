// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The header contains everything; a target needs a source file.
#include "SiftQueueConfig.h"
