// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Trackway
internal import TrackwayCore
internal import TrackwayDestinations
package import TrackwayUIKit

/// The implementation of the static methods: the analytics and their configuration.
///
/// Thread-safe. The lock protects the state; nothing is called while it is held. The analytics are created under a
/// second lock, so that two threads that start at the same time create them only once.
package final class ClickstreamCore: Sendable {
    /// A function that creates the analytics.
    package typealias AnalyticsFactory = @Sendable (Configuration) throws -> Analytics
    /// A function that reads `amplifyconfiguration.json`; nil if it does not exist.
    package typealias FileReader = @Sendable () throws -> [UInt8]?

    private struct State: Sendable {
        var analytics: Analytics?
        var configuration: ClickstreamConfiguration?
        var automaticCapture: AutomaticCapture?
        var earlyCalls = 0
        var readFile: FileReader
        var makeAnalytics: AnalyticsFactory
    }

    private let state: Locked<State>
    /// A lock that serializes starts; acquired before every other lock.
    private let startLock = Locked(())

    /// Creates a core that has not been started.
    ///
    /// - Parameters:
    ///   - readFile: reads the configuration file; the main bundle's by default.
    ///   - makeAnalytics: creates the analytics.
    package init(
        readFile: @escaping FileReader = { try ClickstreamConfigurationFile.readFromMainBundle() },
        makeAnalytics: @escaping AnalyticsFactory = { try Analytics($0) }
    ) {
        state = Locked(State(readFile: readFile, makeAnalytics: makeAnalytics))
    }

    /// Releases the analytics as if the process had ended.
    ///
    /// The next start creates new analytics, from a configuration that `configure` changes.
    func startOver(_ configure: @escaping @Sendable (inout Configuration) -> Void) {
        restart(
            readFile: { try ClickstreamConfigurationFile.readFromMainBundle() },
            makeAnalytics: { configuration in
                var configuration = configuration
                configure(&configuration)
                return try Analytics(configuration)
            }
        )
    }

    /// Releases the analytics, and sets how the next ones are created.
    package func restart(readFile: @escaping FileReader, makeAnalytics: @escaping AnalyticsFactory) {
        let previous = state.withLock { state in
            let previous = state
            state = State(readFile: readFile, makeAnalytics: makeAnalytics)
            return previous
        }
        previous.configuration?.bind(previous.configuration?.settings ?? ClickstreamSettings()) { _ in }
    }

    /// The currently captured parts of the interface; none before the start.
    package var automaticCapture: AutomaticCapture.Features {
        state.withLock { $0.automaticCapture }?.features ?? AutomaticCapture.Features()
    }

    /// The analytics, or nil before the start.
    var currentAnalytics: Analytics? { state.withLock { $0.analytics } }

    /// Returns the analytics; before the start, counts the call and returns nil.
    private func analytics() -> Analytics? {
        state.withLock { state in
            if state.analytics == nil { state.earlyCalls += 1 }
            return state.analytics
        }
    }

    func start(_ appConfiguration: ClickstreamConfiguration?) throws {
        let file = try state.withLock { $0.readFile }()
        let settings = try (appConfiguration?.settings ?? ClickstreamSettings()).withDefaults(
            from: file.map(ClickstreamConfigurationFile.settings) ?? ClickstreamSettings()
        )
        let configuration = try settings.configuration()
        let (analytics, diagnostics, faults) = try startLock.withLock {
            _ -> (Analytics, [Diagnostic], [ClickstreamFault]) in
            let (known, makeAnalytics) = state.withLock { ($0.analytics, $0.makeAnalytics) }
            if let known { return (known, [.initializedTwice], []) }
            let analytics = try Self.open(configuration, makeAnalytics)
            // Apply the initial settings before any other thread can access the analytics, so that the settings do not
            // restore something that another thread has just removed.
            let faults = Self.applyInitialSettings(analytics, settings)
            let automatic = AutomaticCapture(analytics)
            automatic.capture(settings.automaticCapture)
            let early = state.withLock { state in
                state.analytics = analytics
                state.automaticCapture = automatic
                // The object that the app passed becomes the live configuration.
                state.configuration = appConfiguration ?? ClickstreamConfiguration()
                state.configuration?.bind(settings) { [weak analytics] settings in
                    guard let analytics else { return }
                    Self.apply(settings, to: analytics)
                    automatic.capture(settings.automaticCapture)
                }
                return state.earlyCalls
            }
            let earlyCallDiagnostics = early > 0 ? [Diagnostic(earlyCalls: early)] : []
            return (analytics, earlyCallDiagnostics + settings.unknownKeys.map { Diagnostic(unknownKey: $0) }, faults)
        }
        // No lock is held here, because the app may call back.
        for diagnostic in diagnostics { analytics.report(diagnostic) }
        for fault in faults { Self.report(fault, analytics) }
    }

    func liveConfiguration() throws(ClickstreamError) -> ClickstreamConfiguration {
        guard let configuration = state.withLock({ $0.configuration }) else {
            throw ClickstreamError(.notInitialized, "The SDK is not initialized; call initSDK first.")
        }
        return configuration
    }

    private static func open(_ configuration: Configuration, _ makeAnalytics: AnalyticsFactory) throws(ClickstreamError)
        -> Analytics
    {
        do {
            return try makeAnalytics(configuration)
        } catch {
            throw ClickstreamError(.notStarted, "The SDK could not be started: \(error)")
        }
    }

    /// Applies the initial settings, and returns their faults.
    private static func applyInitialSettings(_ analytics: Analytics, _ settings: ClickstreamSettings)
        -> [ClickstreamFault]
    {
        // In the format's own SDK, global attributes and the enabled state last until the process ends.
        let (initial, faults) = withinLimits(settings.globalAttributes ?? [:], existing: [])
        analytics.changeGlobalAttributes { $0 = initial }
        if !analytics.isEnabled { analytics.isEnabled = true }
        return faults
    }

    /// Applies changed settings.
    private static func apply(_ settings: ClickstreamSettings, to analytics: Analytics) {
        var form: EventLogForm?
        do throws(ClickstreamError) {
            let destination = try settings.destination()
            form = { batch, _ in destination.eventJSON(of: batch) }
            do throws(TrackwayError) {
                try analytics.replaceDestination(DestinationConfiguration(destination))
            } catch {
                assertionFailure("the only destination is unknown: \(error)")
            }
        } catch {
            analytics.report(
                Diagnostic(
                    code: .configurationInvalid,
                    field: "configuration",
                    value: "",
                    message: "The changed configuration is invalid, and the previous one remains in use: "
                        + "\(error.message)",
                    recoverySuggestion: "Correct it with getClickstreamConfiguration."
                )
            )
        }
        var options = analytics.options
        options.logEvents = settings.isLoggingEvents ?? false
        if let form { options.eventLogForm = form }
        options.capture = settings.capture
        options.sessions.timeout = settings.timeout
        analytics.options = options
    }
}

extension Diagnostic {
    fileprivate static let initializedTwice = Diagnostic(
        code: .initializedTwice,
        field: "initSDK",
        value: "",
        message: "The SDK is already initialized, so the call was ignored.",
        recoverySuggestion: "Change what getClickstreamConfiguration returns instead."
    )

    fileprivate init(earlyCalls: Int) {
        self.init(
            code: .calledBeforeInitialization,
            field: "initSDK",
            value: "\(earlyCalls) calls",
            message: "\(earlyCalls) calls were made before initSDK, and were ignored.",
            recoverySuggestion: "Call initSDK first."
        )
    }
}

extension ClickstreamCore {
    func record(_ name: String, _ attributes: ClickstreamAttribute, _ items: [ClickstreamAttribute]) {
        guard let analytics = analytics() else { return }
        guard name == CapturedName.screenView else {
            analytics.record(name, Attributes(attributes), items: items.map { Item($0) })
            return
        }
        var attributes = attributes
        guard case .string(let screen)? = attributes.removeValue(forKey: CapturedKey.screenName)?.attributeValue,
            !screen.isEmpty
        else { return Self.report(ClickstreamRules.screenNameMissing, analytics) }
        // An ID that is not a string counts as missing.
        let uniqueID = attributes.removeValue(forKey: CapturedKey.screenUniqueID)?.attributeValue?.string
        let id = attributes.removeValue(forKey: CapturedKey.screenID)?.attributeValue?.string
        analytics.screen(screen, path: id, instanceID: uniqueID, Attributes(attributes))
    }

    func flush() {
        guard let analytics = analytics() else { return }
        // This does not wait, because the documented call returns immediately.
        Task { _ = await analytics.flush() }
    }

    func disable() {
        analytics()?.isEnabled = false
    }

    func enable() {
        analytics()?.isEnabled = true
    }

    // MARK: Global attributes

    func addGlobalAttributes(_ attributes: ClickstreamAttribute) {
        guard let analytics = analytics() else { return }
        // Check the limits inside the change, so that the second of two concurrent calls uses the result of the first.
        var faults: [ClickstreamFault] = []
        analytics.changeGlobalAttributes { known in
            let (valid, wrong) = Self.withinLimits(attributes, existing: Set(known.keys))
            known.merge(valid)
            faults = wrong
        }
        for fault in faults { Self.report(fault, analytics) }
    }

    /// Returns the attributes within the limits, and the faults of the others.
    ///
    /// The existing attributes count toward the limits.
    private static func withinLimits(
        _ attributes: ClickstreamAttribute,
        existing: Set<String>
    ) -> (Attributes, [ClickstreamFault]) {
        var known = existing
        var valid: [(String, AttributeValue)] = []
        var faults: [ClickstreamFault] = []
        for (name, value) in Attributes(attributes) {
            if let fault = ClickstreamRules.fault(inAttribute: name, value) {
                faults.append(fault)
            } else if !known.contains(name), known.count >= ClickstreamLimits.attributes {
                faults.append(ClickstreamRules.tooManyAttributes(name))
            } else {
                known.insert(name)
                valid.append((name, value))
            }
        }
        return (Attributes(uniquing: valid), faults)
    }

    func deleteGlobalAttributes(_ names: [String]) {
        analytics()?.removeGlobalAttributes(names)
    }

    // MARK: The user

    func setUser(_ id: String?) {
        guard let analytics = analytics() else { return }
        let previous = analytics.recordedContext.user.id
        let id = id.flatMap { $0.isEmpty ? nil : $0 }
        // The documentation specifies an event for every such call. Trackway's own calls record one only if something
        // changes, so record it here.
        guard id != previous else {
            analytics.record(CapturedName.profileSet)
            return
        }
        if let id { analytics.identify(id) } else { analytics.signOutKeepingUniqueID() }
    }

    func addUserAttributes(_ attributes: ClickstreamAttribute) {
        guard let analytics = analytics() else { return }
        var known = Set(analytics.recordedContext.user.attributes.map(\.name))
        var valid: [(String, AttributeValue)] = []
        for (name, value) in Attributes(attributes) {
            if let fault = ClickstreamRules.fault(inUserAttribute: name, value) {
                Self.report(fault, analytics)
            } else if !known.contains(name), known.count >= ClickstreamLimits.userAttributes {
                Self.report(ClickstreamRules.tooManyUserAttributes(name), analytics)
            } else {
                known.insert(name)
                valid.append((name, value))
            }
        }
        if valid.isEmpty {
            analytics.record(CapturedName.profileSet)
        } else {
            analytics.setUserAttributes(Attributes(uniquing: valid))
        }
    }

    /// Reports an omitted attribute as documented.
    ///
    /// The attribute is reported as an event and in the log.
    private static func report(_ fault: ClickstreamFault, _ analytics: Analytics) {
        analytics.report(
            Diagnostic(
                code: .limitBroken,
                field: "\(fault.code.rawValue)",
                value: fault.message,
                message: "An attribute was left out because it exceeds a limit of Clickstream: "
                    + "\(fault.message.sentence)",
                recoverySuggestion: "Stay within the documented limits of Clickstream."
            )
        )
        // A fault in a call that records nothing, such as one about a global attribute, does not trigger the start
        // event.
        analytics.recordAfterLaunch(
            CapturedName.clickstreamError,
            [
                CapturedKey.errorCode: .integer(fault.code.rawValue),
                CapturedKey.errorMessage: .string(fault.message),
            ]
        )
    }
}
