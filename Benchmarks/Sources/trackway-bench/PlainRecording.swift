// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway

/// Records and does nothing else, so that a profiler or instruction counter measures only that.
struct PlainRecording {
    let count: Int
    var features = FeatureSet.off

    func run() throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let analytics = try scratch.analytics(port: 9, features)
        for index in 0..<count { analytics.record(Workload.name, Workload.attributes(index), to: features.route) }
        print("recorded: \(analytics.ledger().recorded)")
    }
}
