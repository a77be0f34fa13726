// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#include "DevicePropertiesQueueConfig.h"

// The document's sample, unchanged: Objective-C that is also C, so it compiles everywhere.
static const SiftQueueConfig SFIosDevicePropertiesCollectorQueueConfig = {
.uploadWhenMoreThan = 0,
.acceptSameEventAfter = 3600 // 1 hour
};

SiftQueueConfig documentDevicePropertiesQueueConfig(void) {
    return SFIosDevicePropertiesCollectorQueueConfig;
}
