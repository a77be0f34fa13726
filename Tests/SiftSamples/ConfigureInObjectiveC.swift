// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SiftCompatibility

// The document's version is in Objective-C. Statement by statement:
//     Sift *sift = [Sift sharedInstance];
//     // At minimum, you should configure these two
//     [sift setAccountId:@"YOUR_ACCOUNT_ID"];
//     [sift setBeaconKey:@"YOUR_JAVASCRIPT_SNIPPET_KEY"];
func documentConfiguresInObjectiveC() {
let sift = Sift.sharedInstance()
// At minimum, you should configure these two
sift.setAccountId("YOUR_ACCOUNT_ID")
sift.setBeaconKey("YOUR_JAVASCRIPT_SNIPPET_KEY")
}
