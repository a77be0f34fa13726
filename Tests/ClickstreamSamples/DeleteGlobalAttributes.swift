// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import ClickstreamCompatibility

func documentDeletesGlobalAttributes() {
// 删除全局属性
ClickstreamAnalytics.deleteGlobalAttributes("level")
}
