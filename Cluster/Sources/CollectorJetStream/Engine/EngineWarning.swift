// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// A problem that needs attention but does not stop intake yet.
package enum EngineWarning: Sendable, Hashable, CustomStringConvertible {
    /// The other servers have no contact with a server.
    case gone(server: String)
    /// A server runs but stores nothing.
    case storesNothing(server: String)
    /// This machine's clock is ahead of the servers' by this duration; behind if negative.
    case clock(Duration)
    /// A server's clock is ahead of the others' by this duration; behind if negative.
    case serverClock(server: String, Duration)

    /// The maximum difference between clocks.
    static let tolerance: Duration = .seconds(5)

    /// What the warning is about.
    ///
    /// Warnings with the same subject are the same, even if their figures differ.
    var subject: String {
        switch self {
        case .gone(let server): "server \(server) is unreachable"
        case .storesNothing(let server): "server \(server) stores nothing"
        case .clock: "clock of this machine"
        case .serverClock(let server, _): "clock of the server \(server)"
        }
    }

    /// One or two sentences with the fix.
    package var description: String {
        switch self {
        case .gone(let server):
            "Server \(server) is unreachable; losing one more stops intake. Check its connections, or start it."
        case .storesNothing(let server):
            "Server \(server) stores nothing; losing one more stops intake. \(DurabilityFault.causeOfStoringNothing)."
        case .clock(let offset):
            "The clock of this machine is \(Self.words(offset)) the NATS servers' clocks, and arrival times depend on "
                + "it. Correct it, for example with NTP."
        case .serverClock(let server, let offset):
            "The clock of server \(server) is \(Self.words(offset)) the other servers' clocks, and purging by age "
                + "depends on it. Correct it, for example with NTP."
        }
    }

    /// One sentence that reports the end of the problem.
    var relief: String {
        switch self {
        case .gone(let server): "Server \(server) is reachable again."
        case .storesNothing(let server): "Server \(server) no longer reports that it stores nothing."
        case .clock: "The clock of this machine agrees with the NATS servers' clocks again."
        case .serverClock(let server, _): "The clock of server \(server) agrees with the other servers' clocks again."
        }
    }

    private static func words(_ offset: Duration) -> String {
        let seconds = offset.components.seconds
        return "\(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of")"
    }

    /// Returns the warnings about servers, then those about clocks.
    static func all(_ nodes: [ClusterReport.Node], _ reports: [MemberReport]) -> [EngineWarning] {
        let servers = nodes.compactMap { node -> EngineWarning? in
            switch node.state {
            case .gone: .gone(server: node.name)
            case .off: .storesNothing(server: node.name)
            case .proven, .notSynced, .unknown: nil
            }
        }
        return servers + clocks(reports)
    }

    /// Returns how far this machine's clock is ahead of most servers'.
    ///
    /// Nil if it was not compared.
    static func clockOffset(_ reports: [MemberReport]) -> Duration? {
        let offsets = reports.compactMap(\.clockOffset).sorted()
        return offsets.isEmpty ? nil : offsets[(offsets.count - 1) / 2]
    }

    private static func clocks(_ reports: [MemberReport]) -> [EngineWarning] {
        guard let usual = clockOffset(reports) else { return [] }
        var warnings: [EngineWarning] = []
        if isWide(usual) { warnings.append(.clock(usual)) }
        var known: Set<String> = []
        for report in reports where known.insert(report.name).inserted {
            // This machine's clock is the reference: the further it is ahead of a server's, the further that one is
            // behind.
            guard let offset = report.clockOffset.map({ usual - $0 }) else { continue }
            if isWide(offset) { warnings.append(.serverClock(server: report.name, offset)) }
        }
        return warnings
    }

    private static func isWide(_ offset: Duration) -> Bool { offset > tolerance || offset < Duration.zero - tolerance }
}

/// Decides which warnings are new and which are resolved.
///
/// A value type.
struct WarningChanges: Sendable {
    private var known: [EngineWarning] = []

    /// Handles the current warnings.
    ///
    /// - Returns: Sentences to report about new problems and about resolved ones.
    mutating func see(_ warnings: [EngineWarning]) -> (worse: [String], better: [String]) {
        let subjects = Set(warnings.map(\.subject))
        let before = Set(known.map(\.subject))
        defer { known = warnings }
        return (
            warnings.filter { !before.contains($0.subject) }.map(\.description),
            known.filter { !subjects.contains($0.subject) }.map(\.relief)
        )
    }
}
