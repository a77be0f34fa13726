// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#include "DevicePropertiesQueueConfig.h"

// The document's sample as it stands there: Objective-C that is C, and so compiles everywhere.
static const SiftQueueConfig SFIosDevicePropertiesCollectorQueueConfig = {
.uploadWhenMoreThan = 0,
.acceptSameEventAfter = 3600 // 1 hour
};

SiftQueueConfig documentDevicePropertiesQueueConfig(void) {
    return SFIosDevicePropertiesCollectorQueueConfig;
}
