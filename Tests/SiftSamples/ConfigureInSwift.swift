// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SiftCompatibility

func documentConfiguresInSwift() {
let sift = Sift.sharedInstance
sift().accountId = "YOUR_ACCOUNT_ID"
sift().beaconKey = "YOUR_JAVASCRIPT_SNIPPET_KEY"
}
