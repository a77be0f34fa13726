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
        var durations: [Switches: [UInt64]] = [:]
        let scratch = try Scratch()
        defer { scratch.remove() }
        let all = try Switches.allCases.filter { $0 != .capture }.map { ($0, try scratch.analytics(port: 9, $0)) }
        for (switches, analytics) in all {
            for index in 0..<20_000 { analytics.record(Workload.name, Workload.attributes(index), to: switches.route) }
            let before = ccounters_allocations()
            for index in 0..<10_000 { analytics.record(Workload.name, Workload.attributes(index), to: switches.route) }
            print("\(switches), allocations per record: \(Double(ccounters_allocations() - before) / 10_000)")
        }
        for round in 0..<rounds {
            for offset in all.indices {
                // Each round begins with a different configuration.
                let (switches, analytics) = all[(round + offset) % all.count]
                durations[switches, default: []] += Measurement.durations(count / rounds) {
                    analytics.record(Workload.name, Workload.attributes($0), to: switches.route)
                }
            }
        }
        for (switches, _) in all {
            print("\(switches), record, 1 thread: \(Measurement(durations[switches] ?? []).summary)")
        }
    }
}
