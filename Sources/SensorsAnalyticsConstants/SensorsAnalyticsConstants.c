// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The header contains everything. A target needs a source file, and this one verifies that the header is
// self-contained.
#include "SensorsAnalyticsConstants.h"
