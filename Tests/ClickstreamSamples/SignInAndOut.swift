// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import ClickstreamCompatibility

func documentSignsInAndOut() {
// 当用户登录成功时设置
ClickstreamAnalytics.setUserId("userId")

// 当用户退出登录时设置
ClickstreamAnalytics.setUserId(nil)
}
