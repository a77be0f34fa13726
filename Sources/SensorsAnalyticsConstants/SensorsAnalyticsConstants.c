// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The header holds everything; a target needs a file to compile, and this one shows that the header stands alone.
#include "SensorsAnalyticsConstants.h"
