// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
package import TrackwayCore
package import TrackwayDestinationKit
internal import TrackwayPlatform

/// An app's folder, clock, network, device properties, and diagnostics handler.
package final class UsageEnvironment: Sendable {
    /// The prefix of log lines if the app has no diagnostics handler.
    package static let logPrefix = "SAP.Common.Usage"

    private let base: Configuration
    /// The targets' rules.
    ///
    /// The rules are applied here instead of when events are read, because a stored event contains its record as one
    /// string.
    private let rules: UsageRules
    private let areRulesReported = Locked(false)
    /// The interceptors for records in stores without analytics.
    ///
    /// Nil until the first such record.
    private let interceptors = Locked<InterceptorChain?>(nil)
    private let createdDependencies = Locked<Dependencies?>(nil)
    private let ids = EventIDGenerator()

    /// Creates an environment.
    ///
    /// - Parameter configure: changes settings that the module does not expose: the diagnostics handler, the
    ///   transport, and byte limits.
    package init(_ configure: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
            destinations: [],
            consent: .granted
        )
        configuration.recordsConsent = false
        configuration.privacy.sharesVendorID = true
        configuration.capture = []
        configuration.lifecycle.isObserved = false
        // If no folder is available, opening the store reports the problem.
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

    /// Returns a log line with the documented prefix.
    package static func line(_ line: String) -> String {
        let own = "trackway: "
        return "\(logPrefix): \(line.hasPrefix(own) ? String(line.dropFirst(own.count)) : line)"
    }

    /// The folder that contains each user's folder of records, and the decisions.
    package var folder: URL {
        base.storage.folder ?? URL(fileURLWithPath: "/nonexistent/sap-usage", isDirectory: true)
    }

    /// Returns the configuration of one folder's analytics.
    package func configuration(folder: String, targets: [DestinationID]) -> Configuration {
        var configuration = base
        configuration.storage.folder = URL(fileURLWithPath: folder, isDirectory: true)
        configuration.destinations = targets.map { .local($0) }
        // A record is one string, escaped once more: at most twice its bytes, plus a small overhead.
        configuration.limits.stringBytes = UsageRecord.maximumBytes
        configuration.limits.eventBytes = 2 * UsageRecord.maximumBytes + 4_096
        return configuration
    }

    // MARK: Interceptors and rules

    /// Returns the filter that applies interceptors and a target's rules to records.
    ///
    /// - Parameters:
    ///   - target: the target.
    ///   - storageID: the storage ID of the records' owner.
    ///   - installation: the installation of the store; nil if the store has none.
    ///   - interceptors: passes an event to the interceptors and returns whether to keep it; nil if the store has no
    ///     analytics to do so.
    func filter(
        for target: String,
        of storageID: String,
        installation: String? = nil,
        interceptors: ((inout InterceptedEvent) -> Bool)? = nil
    ) -> UsageRecordFilter {
        UsageRecordFilter(
            destination: DestinationID(target: target),
            rules: rules.rules(of: target),
            userID: storageID == Usage.unattributedStorageID ? installation ?? storageID : storageID,
            installation: installation ?? storageID,
            intercept: base.interceptors.isEmpty ? nil : interceptors ?? interceptorChain.shouldKeep,
            report: { self.report($0) }
        )
    }

    private var interceptorChain: InterceptorChain {
        if let known = interceptors.withLock({ $0 }) { return known }
        // Without a folder, use the system clock.
        let clock: any EventClock = (try? dependencies())?.clock ?? SystemClock()
        let fresh = InterceptorChain(base, clock: clock)
        return interceptors.withLock { known in
            let chain = known ?? fresh
            known = chain
            return chain
        }
    }

    /// Reports problems with the app's rules, but only once.
    ///
    /// - Parameter targets: the known targets.
    func reportRules(for targets: Set<String>) {
        let isFirst = areRulesReported.withLock { isReported in
            defer { isReported = true }
            return !isReported
        }
        guard isFirst else { return }
        for diagnostic in rules.diagnostics(for: targets) { report(diagnostic) }
    }

    /// Returns the dependencies, creating them on the first call.
    ///
    /// - Throws: ``TrackwayError`` if the folder cannot be used.
    package func dependencies() throws(TrackwayError) -> Dependencies {
        try createdDependencies.withLock { (created) throws(TrackwayError) -> Dependencies in
            if let created { return created }
            var configuration = base
            configuration.storage.folder = folder
            let fresh = try configuration.dependencies()
            created = fresh
            return fresh
        }
    }

    /// The current wall time.
    package var now: Timestamp {
        // Without a folder, use the system's wall time.
        (try? dependencies())?.clock.now().wall ?? Analytics.wallTime
    }

    /// The transport that sends requests.
    package var transport: (any Transport)? {
        // Without a folder, there is nothing to send.
        base.delivery.transport ?? (try? dependencies())?.transport
    }

    /// Reports a diagnostic.
    package func report(_ diagnostic: Diagnostic) {
        base.onDiagnostic?(diagnostic)
    }

    /// Reports an error as a diagnostic.
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

    /// Returns a new unique ID.
    package func newID() -> String {
        ids.next(at: now).description.uppercased()
    }

    /// Returns the info of a session start: the session ID and device properties.
    func sessionInfo() -> UsageInfo {
        // Without a folder, nothing is recorded, so the device properties are irrelevant.
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
