// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import Trackway
internal import TrackwayEvents

/// Collects what people do in an app, for one target or several, and keeps it until somebody uploads it.
///
/// ```swift
/// let store = try UsageStore()
/// Usage.shared.configure(with: store)
/// Usage.shared.reporter().report(.event("SomeCustomEvent"))
/// ```
/// Two questions are asked of every report. Is it stored? Always, unless data collection was switched off or the person took
/// consent back: then it is counted in ``droppedReports``. May it be sent? Only when data collection was switched on and the
/// person consented; see ``outputEnabled()``. Both answers survive restarts. Every call may come from any thread.
public final class Usage: Sendable {
    /// The target that is meant when none is named.
    public static let defaultTargetID: String = "default"
    /// The storage id of records of nobody known.
    public static let unattributedStorageID: String = "unattributed"
    /// The user id of records of nobody known.
    public static let unattributedUserID: String = "00000000-0000-0000-0000-000000000000"

    let core: UsageCore

    package init(_ environment: UsageEnvironment) {
        core = UsageCore(environment)
    }

    // MARK: The one instance

    private static let only = Locked<Usage?>(nil)

    /// The instance that an app shares.
    public class var shared: Usage {
        only.withLock { only in
            let usage = only ?? Usage(UsageEnvironment())
            only = usage
            return usage
        }
    }

    /// Makes the shared instance anew, as the start of a process does; for tests, and for an app that has wishes about
    /// diagnostics, transport or limits.
    ///
    /// ```swift
    /// Usage.startOver { $0.run(in: InMemoryEnvironment()) }   // with `import TrackwayTesting`
    /// ```
    /// Stores and reporters of before belong to the former instance.
    ///
    /// - Parameter configure: changes what this class has no word for. Called once, at once.
    public static func startOver(_ configure: (inout Configuration) -> Void = { _ in }) {
        let usage = Usage(UsageEnvironment(configure))
        only.withLock { $0 = usage }
    }

    /// The id of a target's destination in the ledger, in interceptors' routes and in `Configuration.setRules(_:for:)`.
    ///
    /// It is `t.` and the target's name, for example `t.default`. A name that an id cannot have, because of capital letters, spaces
    /// or more than 62 characters, has `h.` and 56 digits of its SHA-256 instead.
    public static func destinationID(for targetID: String = Usage.defaultTargetID) -> DestinationID {
        DestinationID(target: targetID)
    }

    /// The present moment, as the reports' dates tell it.
    public static var now: Date { shared.core.environment.now.date }

    // MARK: State

    /// The store in use. Asked before ``configure(with:retainLastUnattributedSession:addSessionData:)``, it is the default
    /// store of nobody known, for reading; nil when that cannot be opened.
    public var store: (any UsageStoring)? { core.store }

    /// Whether data collection was switched on, as the administrator wants it.
    public var dataCollectionEnabled: Bool { core.decisions.collection == true }

    /// Whether the person whose store is in use consented. False while nobody is known.
    public var userConsent: Bool { core.userConsent }

    /// The person whose store is in use; nil while nobody is known.
    public var userID: String? { core.userID }

    /// Whether records may be sent: a store is in use, data collection was switched on, and the person consented.
    public func outputEnabled() -> Bool { core.outputEnabled }

    /// Reports that were not stored since this process began, by reason: `disabled`, `consent_denied`, `not_configured`,
    /// `reporter_invalid`, or what the disk said.
    public var droppedReports: [DropReason: UInt64] { core.droppedReports }

    // MARK: Configuration

    /// Puts a store in use. The first call counts, for the life of the process; a further one is told and changes nothing.
    ///
    /// - Parameters:
    ///   - store: a ``UsageStore``, or one of the app's own. Its storage id says who the person is, and so which consent
    ///     counts.
    ///   - retainLastUnattributedSession: whether the last session of nobody known is read, to be injected into a person's
    ///     store; see ``reporter(for:injectUnattributed:)``. Otherwise it stays where it is.
    ///   - applicationIdentifier: when given, and records may now be sent, a session of this application begins.
    public func configure(
        with store: any UsageStoring,
        retainLastUnattributedSession: Bool = false,
        addSessionData applicationIdentifier: String? = nil
    ) {
        core.configure(store, retains: retainLastUnattributedSession, application: applicationIdentifier)
    }

    /// Switches data collection on.
    ///
    /// - Parameter applicationIdentifier: when given, and records may be sent that could not before, a session of this
    ///   application begins.
    public func enableDataCollection(addSessionData applicationIdentifier: String? = nil) {
        core.setCollection(true, application: applicationIdentifier)
    }

    /// Switches data collection off: reports are dropped and counted, nothing is sent, and what is stored stays.
    ///
    /// - Parameter emitData: whether a session that is under way ends first, if records could be sent until now.
    public func disableDataCollection(addSessionData emitData: Bool = false) {
        core.setCollection(false, endsSession: emitData)
    }

    /// Remembers what a person decided. It counts when the person's store is in use, now or later.
    ///
    /// - Parameters:
    ///   - userID: the person.
    ///   - consent: the decision. False, the default, withdraws consent: what is stored of the person is removed, and
    ///     reports are dropped and counted, until the person consents again. A store that is not in use removes its records
    ///     at once where it can be opened, otherwise when it is opened next, whatever is decided until then.
    ///   - applicationIdentifier: when given, and records may be sent that could not before, a session of this application
    ///     begins.
    public func consentForUser(
        _ userID: UUID,
        given consent: Bool = false,
        addSessionData applicationIdentifier: String? = nil
    ) {
        core.setConsent(consent, of: userID.uuidString, application: applicationIdentifier)
    }

    /// Whether a person consented.
    public func hasConsentForUser(_ userID: UUID) -> Bool {
        core.decisions.consents[userID.uuidString] == true
    }

    // MARK: Reporters

    /// The reporter of a target, the same for everybody who asks.
    ///
    /// One that is asked for before ``configure(with:retainLastUnattributedSession:addSessionData:)`` never reports; ask again
    /// afterwards.
    ///
    /// - Parameters:
    ///   - targetID: the target.
    ///   - injectUnattributed: whether a session of nobody known that was retained is stored for the target first, once.
    public func reporter(
        for targetID: String = Usage.defaultTargetID,
        injectUnattributed: Bool = true
    ) -> UsageReporter {
        core.reporter(for: targetID, injects: injectUnattributed)
    }

    /// Makes a reporter of the app's own class the one of a target. The former one reports no more, and says so.
    ///
    /// - Parameters:
    ///   - reporter: an instance that reports for one target alone; registered again, it leaves the former target.
    ///   - targetID: the target.
    ///   - injectUnattributed: as for ``reporter(for:injectUnattributed:)``.
    public func register(
        reporter: UsageReporter,
        for targetID: String = Usage.defaultTargetID,
        injectUnattributed: Bool = true
    ) {
        core.register(reporter, for: targetID, injects: injectUnattributed)
    }

    /// Ends a target's reporter: it reports no more, and says so, until it is registered again.
    public func unregisterReporter(from targetID: String) {
        core.unregister(targetID)
    }

    /// The targets that records are stored for, and those that have a reporter, in alphabetical order.
    public func targetIdentifiers() -> [String] {
        core.targetIdentifiers()
    }
}
