// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import ClickstreamCompatibility

func documentFlushesEvents() {// 实时发送事件
ClickstreamAnalytics.flushEvents()
}
