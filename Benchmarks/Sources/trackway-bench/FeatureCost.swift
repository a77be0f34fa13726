// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import Trackway

/// Time and allocations per `record` with all features on and with all off.
///
/// The configurations alternate, so that all run under the same conditions.
struct FeatureCost {
    let count: Int
    private let rounds = 6

    func run() throws {
        var durations: [FeatureSet: [UInt64]] = [:]
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let all = try FeatureSet.allCases.filter { $0 != .capture }.map { ($0, try scratch.analytics(port: 9, $0)) }
        for (features, analytics) in all {
            for index in 0..<20_000 { analytics.record(Workload.name, Workload.attributes(index), to: features.route) }
            let before = ccounters_allocations()
            for index in 0..<10_000 { analytics.record(Workload.name, Workload.attributes(index), to: features.route) }
            print("\(features), allocations per record: \(Double(ccounters_allocations() - before) / 10_000)")
        }
        for round in 0..<rounds {
            for offset in all.indices {
                // Each round begins with a different configuration.
                let (features, analytics) = all[(round + offset) % all.count]
                durations[features, default: []] += Measurement.durations(count / rounds) {
                    analytics.record(Workload.name, Workload.attributes($0), to: features.route)
                }
            }
        }
        for (features, _) in all {
            print("\(features), record, 1 thread: \(Measurement(durations[features] ?? []).summary)")
        }
    }
}
