// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SAPUsageCompatibility

func documentConfiguresTheStore() {
do {
let store = try UsageStore()
Usage.shared.configure(with: store)
} catch {
// handle error
}
}
