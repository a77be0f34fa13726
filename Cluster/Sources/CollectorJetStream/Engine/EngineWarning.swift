// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A problem that needs attention but does not stop intake yet.
package enum EngineWarning: Sendable, Hashable, CustomStringConvertible {
    /// The other servers cannot reach a server.
    case unreachable(server: String)
    /// A server runs but stores nothing.
    case storageDisabled(server: String)
    /// This machine's clock differs from the servers'. Carries this clock's lead, negative if it is behind.
    case clock(Duration)
    /// A server's clock differs from the others'. Carries that clock's lead, negative if it is behind.
    case serverClock(server: String, Duration)

    /// The maximum difference between clocks that causes no warning.
    static let tolerance: Duration = .seconds(5)

    /// The subject of the warning.
    ///
    /// Warnings with the same subject count as the same warning, even if their figures differ.
    var subject: String {
        switch self {
        case .unreachable(let server): "server \(server) is unreachable"
        case .storageDisabled(let server): "server \(server) stores nothing"
        case .clock: "clock of this machine"
        case .serverClock(let server, _): "clock of the server \(server)"
        }
    }

    /// One or two sentences with the problem and its fix.
    package var description: String {
        switch self {
        case .unreachable(let server):
            "Server \(server) is unreachable; losing another server stops intake. Check its connections, or start it."
        case .storageDisabled(let server):
            "Server \(server) stores nothing; losing another server stops intake. "
                + "\(DurabilityFault.storageDisabledCause)."
        case .clock(let offset):
            "The clock of this machine is \(Self.describe(offset)) the NATS servers' clocks, which makes arrival times "
                + "wrong. Correct it, for example with NTP."
        case .serverClock(let server, let offset):
            "The clock of server \(server) is \(Self.describe(offset)) the other servers' clocks, which affects "
                + "purging by age. Correct it, for example with NTP."
        }
    }

    /// A sentence that reports the end of the problem.
    var resolution: String {
        switch self {
        case .unreachable(let server): "Server \(server) is reachable again."
        case .storageDisabled(let server): "Server \(server) no longer reports that it stores nothing."
        case .clock: "The clock of this machine agrees with the NATS servers' clocks again."
        case .serverClock(let server, _): "The clock of server \(server) agrees with the other servers' clocks again."
        }
    }

    private static func describe(_ offset: Duration) -> String {
        let seconds = offset.components.seconds
        return "\(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of")"
    }

    /// Returns the warnings about servers, then those about clocks.
    static func all(_ nodes: [ClusterReport.Node], _ reports: [MemberReport]) -> [EngineWarning] {
        let servers = nodes.compactMap { node -> EngineWarning? in
            switch node.state {
            case .unreachable: .unreachable(server: node.name)
            case .off: .storageDisabled(server: node.name)
            case .proven, .notSynced, .unknown: nil
            }
        }
        return servers + clocks(reports)
    }

    /// Returns the median lead of this machine's clock over the servers'.
    ///
    /// Returns nil if the clocks were not compared.
    static func clockOffset(_ reports: [MemberReport]) -> Duration? {
        let offsets = reports.compactMap(\.clockOffset).sorted()
        return offsets.isEmpty ? nil : offsets[(offsets.count - 1) / 2]
    }

    private static func clocks(_ reports: [MemberReport]) -> [EngineWarning] {
        guard let median = clockOffset(reports) else { return [] }
        var warnings: [EngineWarning] = []
        if exceedsTolerance(median) { warnings.append(.clock(median)) }
        var known: Set<String> = []
        for report in reports where known.insert(report.name).inserted {
            // This machine's clock is the reference: the further it is ahead of a server's clock, the further that
            // server's clock is behind.
            guard let offset = report.clockOffset.map({ median - $0 }) else { continue }
            if exceedsTolerance(offset) { warnings.append(.serverClock(server: report.name, offset)) }
        }
        return warnings
    }

    private static func exceedsTolerance(_ offset: Duration) -> Bool {
        offset > tolerance || offset < Duration.zero - tolerance
    }
}

/// Decides which warnings are new and which are resolved.
///
/// A value type.
struct WarningChanges: Sendable {
    private var known: [EngineWarning] = []

    /// Handles the current warnings.
    ///
    /// - Returns: Sentences to report about new problems and about resolved ones.
    mutating func update(with warnings: [EngineWarning]) -> (raised: [String], resolved: [String]) {
        let subjects = Set(warnings.map(\.subject))
        let before = Set(known.map(\.subject))
        defer { known = warnings }
        return (
            warnings.filter { !before.contains($0.subject) }.map(\.description),
            known.filter { !subjects.contains($0.subject) }.map(\.resolution)
        )
    }
}
