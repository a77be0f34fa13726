// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import ClickstreamCompatibility

func documentDisablesAndEnables() {
// 禁用 SDK
ClickstreamAnalytics.disable()

// 启用 SDK
ClickstreamAnalytics.enable()
}
