// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SiftCompatibility

/// Uses Sift's calls.
@main
struct LinkedSift {
    static func main() {
        let sift = Sift.sharedInstance()
        sift.setAccountId("account")
        sift.setBeaconKey("key")
        sift.append(SiftEvent(type: "started", path: "/", fields: ["value": "1"]))
        print(sift.upload())
    }
}
