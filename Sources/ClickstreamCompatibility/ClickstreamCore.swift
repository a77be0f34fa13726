// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Trackway
internal import TrackwayDestinations
public import TrackwayEvents

/// What stands behind the static calls: the analytics once they are made, and the configuration they follow.
///
/// Any thread. The lock guards what there is; nothing is called while it is held, making the analytics aside, so that two
/// threads that start at the same time make one.
package final class ClickstreamCore: Sendable {
    /// Makes the analytics.
    package typealias Opening = @Sendable (Configuration) throws -> Analytics
    /// Reads `amplifyconfiguration.json`; nil when there is none.
    package typealias File = @Sendable () throws -> [UInt8]?

    private struct State: Sendable {
        var analytics: Analytics?
        var configuration: ClickstreamConfiguration?
        var earlyCalls = 0
        var file: File
        var opening: Opening
    }

    private let state: Locked<State>

    /// Makes a core that has not been started.
    ///
    /// - Parameters:
    ///   - file: reads the configuration file; the main bundle's by default.
    ///   - opening: makes the analytics.
    package init(
        file: @escaping File = { try ClickstreamConfigurationFile.ofMainBundle() },
        opening: @escaping Opening = { try Analytics($0) }
    ) {
        state = Locked(State(file: file, opening: opening))
    }

    /// Forgets the analytics, as the end of a process does; the next start makes others.
    package func restart(file: @escaping File, opening: @escaping Opening) {
        let former = state.withLock { state in
            let former = state
            state = State(file: file, opening: opening)
            return former
        }
        former.configuration?.follow(former.configuration?.settings ?? ClickstreamSettings()) { _ in }
    }

    /// The analytics, when there are any; a call that comes before them is counted.
    func analytics() -> Analytics? {
        state.withLock { state in
            if state.analytics == nil { state.earlyCalls += 1 }
            return state.analytics
        }
    }

    func start(_ chosen: ClickstreamConfiguration?) throws {
        let file = try state.withLock { $0.file }()
        let settings = try (chosen?.settings ?? ClickstreamSettings()).completed(
            by: file.map(ClickstreamConfigurationFile.settings) ?? ClickstreamSettings()
        )
        let configuration = try settings.configuration()
        let (analytics, isNew, early) = try state.withLock { state -> (Analytics, Bool, Int) in
            if let analytics = state.analytics { return (analytics, false, 0) }
            let analytics = try Self.open(configuration, state.opening)
            state.analytics = analytics
            // The app's object becomes the live one, as it was handed in.
            state.configuration = chosen ?? ClickstreamConfiguration()
            return (analytics, true, state.earlyCalls)
        }
        guard isNew else {
            return analytics.tell(
                Diagnostic(
                    code: .initialisedTwice,
                    field: "initSDK",
                    value: "",
                    remedy: "The SDK works already; change what getClickstreamConfiguration gives instead."
                )
            )
        }
        begin(analytics, settings, early: early)
    }

    func liveConfiguration() throws(ClickstreamError) -> ClickstreamConfiguration {
        guard let configuration = state.withLock({ $0.configuration }) else {
            throw ClickstreamError(.notInitialised, "The SDK is not initialised; call initSDK first.")
        }
        return configuration
    }

    private static func open(_ configuration: Configuration, _ opening: Opening) throws(ClickstreamError) -> Analytics {
        do {
            return try opening(configuration)
        } catch {
            throw ClickstreamError(.notStarted, "The SDK could not be started: \(error)")
        }
    }

    private func begin(_ analytics: Analytics, _ settings: ClickstreamSettings, early: Int) {
        // Global attributes and the switch last as long as a process here.
        analytics.removeGlobalAttributes(analytics.recordedContext.global.keys)
        if !analytics.isEnabled { analytics.enable() }
        if early > 0 {
            analytics.tell(
                Diagnostic(
                    code: .calledBeforeInitialisation,
                    field: "initSDK",
                    value: "\(early) calls",
                    remedy: "Call initSDK first; what was called before it did nothing."
                )
            )
        }
        if let attributes = settings.globalAttributes { addGlobalAttributes(attributes) }
        state.withLock { $0.configuration }?.follow(settings) { [weak analytics] settings in
            guard let analytics else { return }
            Self.follow(settings, analytics)
        }
    }

    /// Lets changed settings count.
    private static func follow(_ settings: ClickstreamSettings, _ analytics: Analytics) {
        do throws(ClickstreamError) {
            let destination = try settings.destination()
            do throws(TrackwayError) {
                try analytics.replace(destination)
            } catch {
                assertionFailure("the only destination is not known: \(error)")
            }
        } catch {
            analytics.tell(
                Diagnostic(code: .configurationInvalid, field: "configuration", value: "", remedy: error.message)
            )
        }
        analytics.reconfigure { options in
            options.logEvents = settings.isLoggingEvents ?? false
            options.capture = settings.capture
            options.sessionTimeout = settings.timeout
        }
    }
}

extension Diagnostic.Code {
    /// `initSDK` was called although the SDK works already.
    public static let initialisedTwice = Diagnostic.Code(rawValue: "initialised_twice")
    /// Something was called before `initSDK`.
    public static let calledBeforeInitialisation = Diagnostic.Code(rawValue: "called_before_initialisation")
    /// A setting was changed to something that cannot work; the former one stays in use.
    public static let configurationInvalid = Diagnostic.Code(rawValue: "configuration_invalid")
    /// An attribute breaks a limit and was left out.
    public static let limitBroken = Diagnostic.Code(rawValue: "limit_broken")
}
