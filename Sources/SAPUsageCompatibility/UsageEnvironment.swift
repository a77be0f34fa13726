// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
package import TrackwayEvents
internal import TrackwayPlatform
package import TrackwayWire

/// Where one app's usage lives: its folder, clock, network and facts, and where mistakes are told.
package final class UsageEnvironment: Sendable {
    /// What every diagnostic's line begins with while the app has no handler for diagnostics.
    package static let logPrefix = "SAP.Common.Usage"

    private let base: Configuration
    private let made = Locked<Dependencies?>(nil)
    private let ids = EventIDGenerator()

    /// Makes an environment.
    ///
    /// - Parameter configure: changes what the module has no word for: where diagnostics go, the transport, limits of bytes.
    package init(_ configure: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
            destinations: []
        )
        configuration.capture = .none
        configuration.followsLifeCycle = false
        // Where no folder can be named, making the store says so.
        try? configuration.useFolder(ofModule: "sap-usage")
        configure(&configuration)
        if configuration.onDiagnostic == nil {
            let log = StandardErrorLog { StandardErrorLog.writeLine(Self.line($0)) }
            configuration.onDiagnostic = { log.report($0) }
        }
        base = configuration
    }

    /// A line of the log with the prefix that the document names.
    package static func line(_ line: String) -> String {
        let own = "trackway: "
        return "\(logPrefix): \(line.hasPrefix(own) ? String(line.dropFirst(own.count)) : line)"
    }

    /// The folder with a folder for each person's records, and the decisions.
    package var folder: URL {
        base.storageFolder ?? URL(fileURLWithPath: "/nonexistent/sap-usage", isDirectory: true)
    }

    /// The configuration of one folder's analytics.
    package func configuration(folder: String, targets: [DestinationID]) -> Configuration {
        var configuration = base
        configuration.storageFolder = URL(fileURLWithPath: folder, isDirectory: true)
        configuration.destinations = targets.map { AppTarget($0) }
        // A record is one text, escaped once more: at most twice its bytes, and a little.
        configuration.limits.stringBytes = UsageRecord.maximumBytes
        configuration.limits.eventBytes = 2 * UsageRecord.maximumBytes + 4_096
        return configuration
    }

    /// What the app works with.
    ///
    /// - Throws: ``TrackwayError`` when the folder cannot be used.
    package func dependencies() throws(TrackwayError) -> Dependencies {
        try made.withLock { (made) throws(TrackwayError) -> Dependencies in
            if let made { return made }
            var configuration = base
            configuration.storageFolder = folder
            let fresh = try configuration.dependencies()
            made = fresh
            return fresh
        }
    }

    /// The time of day.
    package var now: Timestamp {
        // Without a folder there is still a time.
        (try? dependencies())?.clock.now().wall ?? Analytics.wallTime
    }

    /// Carries requests.
    package var transport: (any Transport)? {
        // Without a folder there is nothing to send.
        base.transport ?? (try? dependencies())?.transport
    }

    /// Tells of a mistake.
    package func report(_ diagnostic: Diagnostic) {
        base.onDiagnostic?(diagnostic)
    }

    /// Tells of something that did not work.
    package func report(_ error: TrackwayError, in call: String) {
        report(
            Diagnostic(
                code: .init(rawValue: error.code.rawValue),
                field: call,
                value: "",
                remedy: "\(error.message)\(error.cause.map { " (\($0))" } ?? "")."
            )
        )
    }

    /// An id nobody else has.
    package func newID() -> String {
        ids.next(at: now).description.uppercased()
    }

    /// What a session's start says of itself and the device.
    func sessionInfo() -> UsageInfo {
        // Without a folder nothing is recorded, whatever the device is.
        let device = (try? dependencies())?.device ?? [:]
        func text(_ name: String) -> String? { device[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        var info: UsageInfo = [
            UsageRecord.sessionIdentifierKey: newID(),
            UsageRecord.deviceIdentifierKey: text("id") ?? "empty",
        ]
        info[UsageRecord.deviceModelKey] = text("model")
        info[UsageRecord.systemNameKey] = text("platform")
        info[UsageRecord.systemVersionKey] = text("os_version")
        return info
    }
}
