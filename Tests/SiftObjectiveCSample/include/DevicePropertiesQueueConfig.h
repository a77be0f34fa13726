// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef DEVICE_PROPERTIES_QUEUE_CONFIG_H
#define DEVICE_PROPERTIES_QUEUE_CONFIG_H

#include <SiftQueueConfig.h>

/// The structure of the document's sample.
SiftQueueConfig documentDevicePropertiesQueueConfig(void);

#endif
