// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import Trackway
internal import TrackwayCore

/// Collects usage records for one or more targets until they are uploaded.
///
/// ```swift
/// let store = try UsageStore()
/// Usage.shared.configure(with: store)
/// Usage.shared.reporter().report(.event("SomeCustomEvent"))
/// ```
/// Every report is stored, unless data collection was switched off or the user withdrew consent; reports that are not
/// stored are counted in ``droppedReports``. Stored records are sent only if data collection was switched on and the
/// user consented; see ``outputEnabled()``. Both decisions persist across restarts. Thread-safe.
public final class Usage: Sendable {
    /// The target used when none is specified.
    public static let defaultTargetID: String = "default"
    /// The storage ID of records without a known user.
    public static let unattributedStorageID: String = "unattributed"
    /// The user ID of records without a known user.
    public static let unattributedUserID: String = "00000000-0000-0000-0000-000000000000"

    let core: UsageCore

    package init(_ environment: UsageEnvironment) {
        core = UsageCore(environment)
    }

    // MARK: Shared instance

    private static let only = Locked<Usage?>(nil)

    /// The instance that an app shares.
    public class var shared: Usage {
        only.withLock { only in
            let usage = only ?? Usage(UsageEnvironment())
            only = usage
            return usage
        }
    }

    /// Replaces the shared instance, as a new process would.
    ///
    /// Use this method in tests, and in apps that change diagnostics, transport, or limits.
    ///
    /// ```swift
    /// Usage.startOver { $0.run(in: InMemoryEnvironment()) }   // with `import TrackwayTesting`
    /// ```
    /// Stores and reporters created earlier belong to the previous instance.
    ///
    /// - Parameter configure: changes settings that this class does not expose. Called once, before this method
    ///   returns.
    public static func startOver(_ configure: (inout Configuration) -> Void = { _ in }) {
        let usage = Usage(UsageEnvironment(configure))
        only.withLock { $0 = usage }
    }

    /// Returns the ID of a target's destination.
    ///
    /// The ledger, interceptors' routes, and `Configuration.setRules(_:for:)` use this ID.
    ///
    /// The ID is `t.` followed by the target's name, for example `t.default`. If the name is not valid in an ID,
    /// because of capital letters, spaces, or more than 62 characters, the ID is `h.` followed by 56 digits of the
    /// name's SHA-256.
    public static func destinationID(for targetID: String = Usage.defaultTargetID) -> DestinationID {
        DestinationID(target: targetID)
    }

    /// The current time, from the clock that timestamps reports.
    public static var now: Date { shared.core.environment.now.date }

    // MARK: State

    /// The store in use.
    ///
    /// Before ``configure(with:retainLastUnattributedSession:addSessionData:)``, this is the default unattributed
    /// store, for reading only, or nil if that store cannot be opened.
    public var store: (any UsageStoring)? { core.store }

    /// Whether the administrator switched data collection on.
    public var dataCollectionEnabled: Bool { core.decisions.collection == true }

    /// Whether the user of the store in use consented.
    ///
    /// False while no user is known.
    public var userConsent: Bool { core.userConsent }

    /// The user of the store in use; nil if unknown.
    public var userID: String? { core.userID }

    /// Whether records may be sent.
    ///
    /// True if a store is in use, data collection was switched on, and the user consented.
    public func outputEnabled() -> Bool { core.outputEnabled }

    /// The number of reports not stored since the process started, by reason.
    ///
    /// Reasons include `disabled`, `consent_denied`, `not_configured`, `reporter_invalid`, and storage errors.
    public var droppedReports: [DropReason: UInt64] { core.droppedReports }

    // MARK: Configuration

    /// Sets the store to use.
    ///
    /// Only the first call in a process has an effect; later calls are ignored and reported as a `Diagnostic`.
    ///
    /// - Parameters:
    ///   - store: a ``UsageStore`` or a custom store. Its storage ID identifies the user, and therefore whose consent
    ///     applies.
    ///   - retainLastUnattributedSession: whether the last unattributed session is read for injection into a user's
    ///     store; see ``reporter(for:injectUnattributed:)``. Otherwise, the session stays in the unattributed store.
    ///   - applicationIdentifier: if given and records may be sent, a session of this application begins.
    public func configure(
        with store: any UsageStoring,
        retainLastUnattributedSession: Bool = false,
        addSessionData applicationIdentifier: String? = nil
    ) {
        core.configure(store, retainsSession: retainLastUnattributedSession, application: applicationIdentifier)
    }

    /// Switches data collection on.
    ///
    /// - Parameter applicationIdentifier: if given and records may be sent that could not be sent before, a session
    ///   of this application begins.
    public func enableDataCollection(addSessionData applicationIdentifier: String? = nil) {
        core.setCollection(true, application: applicationIdentifier)
    }

    /// Switches data collection off.
    ///
    /// Reports are dropped and counted, nothing is sent, and stored records are kept.
    ///
    /// - Parameter emitData: whether to first end the current session, if records could be sent before the call.
    public func disableDataCollection(addSessionData emitData: Bool = false) {
        core.setCollection(false, endsSession: emitData)
    }

    /// Saves a user's consent decision.
    ///
    /// The decision applies whenever the user's store is in use.
    ///
    /// - Parameters:
    ///   - userID: the user.
    ///   - consent: the decision. False, the default, withdraws consent: the user's stored records are removed, and
    ///     reports are dropped and counted until the user consents again. A store that is not in use removes its
    ///     records immediately if it can be opened, otherwise when it is next opened, regardless of decisions made
    ///     until then.
    ///   - applicationIdentifier: if given and records may be sent that could not be sent before, a session of this
    ///     application begins.
    public func consentForUser(
        _ userID: UUID,
        given consent: Bool = false,
        addSessionData applicationIdentifier: String? = nil
    ) {
        core.setConsent(consent, of: userID.uuidString, application: applicationIdentifier)
    }

    /// Whether a user consented.
    public func hasConsentForUser(_ userID: UUID) -> Bool {
        core.decisions.consents[userID.uuidString] == true
    }

    // MARK: Reporters

    /// Returns the reporter of a target; the same object for every caller.
    ///
    /// A reporter requested before ``configure(with:retainLastUnattributedSession:addSessionData:)`` never reports;
    /// request it again afterward.
    ///
    /// - Parameters:
    ///   - targetID: the target.
    ///   - injectUnattributed: whether to first store a retained unattributed session for the target; this happens only
    ///     once.
    public func reporter(
        for targetID: String = Usage.defaultTargetID,
        injectUnattributed: Bool = true
    ) -> UsageReporter {
        core.reporter(for: targetID, injects: injectUnattributed)
    }

    /// Registers an instance of the app's own reporter class for a target.
    ///
    /// The target's previous reporter stops reporting; further reports to it cause a `Diagnostic`.
    ///
    /// - Parameters:
    ///   - reporter: an instance that reports for a single target; registering it again removes it from the previous
    ///     target.
    ///   - targetID: the target.
    ///   - injectUnattributed: as for ``reporter(for:injectUnattributed:)``.
    public func register(
        reporter: UsageReporter,
        for targetID: String = Usage.defaultTargetID,
        injectUnattributed: Bool = true
    ) {
        core.register(reporter, for: targetID, injects: injectUnattributed)
    }

    /// Unregisters a target's reporter.
    ///
    /// The reporter stops reporting until it is registered again; further reports to it cause a `Diagnostic`.
    public func unregisterReporter(from targetID: String) {
        core.unregister(targetID)
    }

    /// The targets that have stored records or a reporter, in alphabetical order.
    public func targetIdentifiers() -> [String] {
        core.targetIdentifiers()
    }
}
