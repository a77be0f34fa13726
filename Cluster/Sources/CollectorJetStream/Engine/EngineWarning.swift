// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Something about an engine that does not stop the intake yet, and needs somebody.
package enum EngineWarning: Sendable, Hashable, CustomStringConvertible {
    /// The others do not hear a server.
    case gone(server: String)
    /// A server runs and stores nothing.
    case storesNothing(server: String)
    /// This machine's clock is that far ahead of those of the servers, or behind them.
    case clock(Duration)
    /// A server's clock is that far ahead of those of the others, or behind them.
    case serverClock(server: String, Duration)

    /// Clocks may differ by so much.
    static let tolerance: Duration = .seconds(5)

    /// What it is about: a warning with the same subject is the same one, whatever its figures are by now.
    var subject: String {
        switch self {
        case .gone(let server): "server \(server) is not there"
        case .storesNothing(let server): "server \(server) stores nothing"
        case .clock: "clock of this machine"
        case .serverClock(let server, _): "clock of the server \(server)"
        }
    }

    /// One or two sentences with the remedy.
    package var description: String {
        switch self {
        case .gone(let server):
            "The server \(server) is not there, so the loss of one more stops the intake: see whether it runs and reaches the others, and start it."
        case .storesNothing(let server):
            "The server \(server) stores nothing, so the loss of one more stops the intake: \(DurabilityFault.causeOfStoringNothing)."
        case .clock(let offset):
            "The clock of this machine is \(Self.words(offset)) those of the engine's servers, and arrivals are recorded by it: correct it, for "
                + "example with NTP."
        case .serverClock(let server, let offset):
            "The clock of the server \(server) is \(Self.words(offset)) those of the other servers, and what is purged by age depends on it: "
                + "correct it, for example with NTP."
        }
    }

    /// What it means that it is over, in a sentence.
    var relief: String {
        switch self {
        case .gone(let server): "The server \(server) is there again."
        case .storesNothing(let server): "The server \(server) is no longer one that stores nothing."
        case .clock: "The clock of this machine agrees with those of the engine's servers again."
        case .serverClock(let server, _): "The clock of the server \(server) agrees with those of the others again."
        }
    }

    private static func words(_ offset: Duration) -> String {
        let seconds = offset.components.seconds
        return "\(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of")"
    }

    /// Those about servers, and about clocks.
    static func all(_ nodes: [EngineReport.Node], _ reports: [MemberReport]) -> [EngineWarning] {
        let servers = nodes.compactMap { node -> EngineWarning? in
            switch node.state {
            case .gone: .gone(server: node.name)
            case .off: .storesNothing(server: node.name)
            case .proven, .notSynced, .unknown: nil
            }
        }
        return servers + clocks(reports)
    }

    /// How far this machine's clock is ahead of those of most servers; nil when it was not compared.
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
            // This machine's clock is the measure: the further it is ahead of a server's, the further that one is behind.
            guard let offset = report.clockOffset.map({ usual - $0 }) else { continue }
            if isWide(offset) { warnings.append(.serverClock(server: report.name, offset)) }
        }
        return warnings
    }

    private static func isWide(_ offset: Duration) -> Bool { offset > tolerance || offset < Duration.zero - tolerance }
}

/// Decides which warnings are news. A value.
struct EngineNews: Sendable {
    private var known: [EngineWarning] = []

    /// These warnings hold now.
    ///
    /// - Returns: What to report of what has become worse and better, a sentence each.
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
