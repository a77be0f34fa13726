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
    /// The rules of targets. They are applied here and not when events are read: what is read holds each record as one text.
    private let rules: UsageRules
    private let areRulesReported = Locked(false)
    /// The interceptors for records of stores that have no analytics; nil until the first such record.
    private let interceptors = Locked<InterceptorChain?>(nil)
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
        configuration.capture = []
        configuration.lifecycle.isObserved = false
        // Where no folder can be named, making the store says so.
        try? configuration.useFolder(ofModule: "sap-usage")
        configure(&configuration)
        if configuration.onDiagnostic == nil {
            let log = StandardErrorLog { StandardErrorLog.writeLine(Self.line($0)) }
            configuration.onDiagnostic = { log.report($0) }
        }
        rules = UsageRules(configuration.rulesByID)
        configuration.rulesByID = [:]
        base = configuration
    }

    /// A line of the log with the prefix that the document names.
    package static func line(_ line: String) -> String {
        let own = "trackway: "
        return "\(logPrefix): \(line.hasPrefix(own) ? String(line.dropFirst(own.count)) : line)"
    }

    /// The folder with a folder for each person's records, and the decisions.
    package var folder: URL {
        base.storage.folder ?? URL(fileURLWithPath: "/nonexistent/sap-usage", isDirectory: true)
    }

    /// The configuration of one folder's analytics.
    package func configuration(folder: String, targets: [DestinationID]) -> Configuration {
        var configuration = base
        configuration.storage.folder = URL(fileURLWithPath: folder, isDirectory: true)
        configuration.destinations = targets.map { .local($0) }
        // A record is one text, escaped once more: at most twice its bytes, and a little.
        configuration.limits.stringBytes = UsageRecord.maximumBytes
        configuration.limits.eventBytes = 2 * UsageRecord.maximumBytes + 4_096
        return configuration
    }

    // MARK: Interceptors and rules

    /// What the app's interceptors and the rules of a target make of records.
    ///
    /// - Parameters:
    ///   - target: the target.
    ///   - storageID: whose records these are.
    ///   - installation: the installation of the store; nil when the store has none.
    ///   - keeps: shows an event to the interceptors; nil where the store has no analytics that do.
    func filter(
        for target: String,
        of storageID: String,
        installation: String? = nil,
        keeps: ((inout InterceptedEvent) -> Bool)? = nil
    ) -> UsageRecordFilter {
        UsageRecordFilter(
            destination: DestinationID(target: target),
            rules: rules.rules(of: target),
            person: storageID == Usage.unattributedStorageID ? installation ?? storageID : storageID,
            installation: installation ?? storageID,
            keeps: base.interceptors.isEmpty ? nil : keeps ?? interceptorChain.keeps,
            report: { self.report($0) }
        )
    }

    private var interceptorChain: InterceptorChain {
        if let known = interceptors.withLock({ $0 }) { return known }
        // Without a folder there is still a clock.
        let clock: any EventClock = (try? dependencies())?.clock ?? SystemClock()
        let fresh = InterceptorChain(base, clock: clock)
        return interceptors.withLock { known in
            let chain = known ?? fresh
            known = chain
            return chain
        }
    }

    /// Reports what is wrong with the app's rules, once.
    ///
    /// - Parameter targets: the targets that are known.
    func reportRules(knowing targets: Set<String>) {
        let isFirst = areRulesReported.withLock { isReported in
            defer { isReported = true }
            return !isReported
        }
        guard isFirst else { return }
        for diagnostic in rules.diagnostics(knowing: targets) { report(diagnostic) }
    }

    /// What the app works with.
    ///
    /// - Throws: ``TrackwayError`` when the folder cannot be used.
    package func dependencies() throws(TrackwayError) -> Dependencies {
        try made.withLock { (made) throws(TrackwayError) -> Dependencies in
            if let made { return made }
            var configuration = base
            configuration.storage.folder = folder
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
        base.delivery.transport ?? (try? dependencies())?.transport
    }

    /// Tells of a mistake.
    package func report(_ diagnostic: Diagnostic) {
        base.onDiagnostic?(diagnostic)
    }

    /// Tells of something that did not work.
    package func report(_ error: TrackwayError, in call: String) {
        report(
            Diagnostic(
                code: Diagnostic.Code(error.code),
                field: call,
                value: "",
                message: "\(error.message)\(error.cause.map { " (\($0))" } ?? "")",
                recoverySuggestion: error.recoverySuggestion
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
