// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayEvents
internal import TrackwayJournal

/// The implementation of ``Usage``: the store in use, reporters and decisions.
///
/// The store's analytics enforce the decisions. Thread-safe. The state's lock protects the state and is never held
/// while a store or the app is called. Decisions and the configuration are serialized by a separate lock, which is
/// recursive because a custom store may call back.
package final class UsageCore: Sendable {
    private struct State: Sendable {
        var configured: SerializedStore?
        var early: SerializedStore?
        var reporters: [String: Kept<UsageReporter>] = [:]
        var decisions: UsageDecisions?
        /// Decision changes that could not be saved yet.
        var unwritten: [@Sendable (inout UsageDecisions) -> Void] = []
        var retained: UnattributedSessions?
        /// Targets with an open session that began in this process.
        var sessions: Set<String> = []
        var dropped: [DropReason: UInt64] = [:]
        /// Targets with an upload in progress.
        var uploads: Set<String> = []
        /// The broker that was started last.
        var broker: UsageBrokerRunner?
        /// The broker that an app shares.
        var sharedBroker: Kept<UsageBroker>?
    }

    /// The environment of this usage.
    package let environment: UsageEnvironment
    private let state = Locked(State())
    private let transitions = NSRecursiveLock()

    init(_ environment: UsageEnvironment) {
        self.environment = environment
    }

    // MARK: Current state

    var decisions: UsageDecisions {
        if let known = state.withLock({ $0.decisions }) { return known }
        // Without a folder nothing is stored or sent; the store reports it.
        guard let read = (try? UsageDecisionsFile(in: environment))?.read() else { return UsageDecisions() }
        return state.withLock { state in
            let decisions = state.decisions ?? read
            state.decisions = decisions
            return decisions
        }
    }

    /// Serialized access to the store in use.
    var access: SerializedStore? { state.withLock { $0.configured } }

    var userID: String? { access?.userID }

    /// The user's ID as spelled in decisions.
    var person: String? { access?.person }

    var userConsent: Bool { access?.person.map { decisions.consents[$0] == true } ?? false }

    var outputEnabled: Bool { access.map { decisions.maySend(of: $0.person) } ?? false }

    var droppedReports: [DropReason: UInt64] { state.withLock { $0.dropped } }

    var store: (any UsageStoring)? { accessForReading?.object }

    /// The store in use, or the default store if none is configured.
    var accessForReading: SerializedStore? {
        if let known = state.withLock({ $0.configured ?? $0.early }) { return known }
        do {
            let fresh = SerializedStore(try UsageStore(environment.folder, nil, in: environment))
            return state.withLock { state in
                let access = state.configured ?? state.early ?? fresh
                if state.configured == nil { state.early = access }
                return access
            }
        } catch {
            environment.report(error, in: "store")
            return nil
        }
    }

    // MARK: Transitions

    func configure(_ store: any UsageStoring, retains: Bool, application: String?) {
        transitions.lock()
        defer { transitions.unlock() }
        guard access == nil else {
            environment.report(
                Diagnostic(
                    code: .usageConfiguredTwice,
                    field: "configure(with:)",
                    value: store.storageID,
                    message: "A store is already in use, so \(store.storageID) was ignored.",
                    recoverySuggestion: "Call configure(with:) once, when the app starts."
                )
            )
            return
        }
        let access = SerializedStore(store)
        let retained =
            retains && access.userID != nil
            ? UnattributedSessions(
                in: access.folder ?? environment.folder,
                key: access.core?.encryption,
                of: environment
            ) : nil
        state.withLock { state in
            state.configured = access
            state.early = nil
            state.retained = retained
            // Reporters returned before this point never report.
            state.reporters = [:]
        }
        follow()
        if outputEnabled { beginSession(application) }
        broker?.decided()
    }

    func setCollection(_ isOn: Bool, application: String? = nil, endsSession: Bool = false) {
        transitions.lock()
        defer { transitions.unlock() }
        let before = outputEnabled
        if endsSession, before, !isOn { endSession() }
        decide { $0.collection = isOn }
        if !before, outputEnabled { beginSession(application) }
        broker?.decided()
    }

    func setConsent(_ consent: Bool, of user: String, application: String?) {
        transitions.lock()
        defer { transitions.unlock() }
        let before = outputEnabled
        decide { $0.decide(consent, of: user) }
        if !consent { carryOutWithdrawal(of: user) }
        if !before, outputEnabled { beginSession(application) }
        broker?.decided()
    }

    private func decide(_ change: @escaping @Sendable (inout UsageDecisions) -> Void) {
        self.change(change)
        follow()
    }

    private func change(_ change: @escaping @Sendable (inout UsageDecisions) -> Void) {
        var decisions = decisions
        let changes = state.withLock { $0.unwritten } + [change]
        var isWritten = false
        do throws(TrackwayError) {
            let file = try UsageDecisionsFile(in: environment)
            do throws(StorageError) {
                decisions = try file.change(decisions) { decisions in for change in changes { change(&decisions) } }
                isWritten = true
            } catch {
                change(&decisions)
                environment.report(
                    Diagnostic(
                        code: .usageStateNotKept,
                        field: "decision",
                        value: "\(error)",
                        message: "The consent decision could not be saved (\(error)). It applies to this process.",
                        recoverySuggestion: "Make the folder writable, and repeat the call."
                    )
                )
            }
        } catch {
            change(&decisions)
            environment.report(error, in: "decision")
        }
        let (decided, left) = (decisions, isWritten ? [] : changes)
        state.withLock { state in
            state.decisions = decided
            state.unwritten = left
        }
    }

    /// Applies the decisions to the store's analytics, which enforce them.
    private func follow() {
        guard let access else { return }
        guard let store = access.core else { return applyWithdrawalToCustomStore(access) }
        let analytics = store.analytics
        let decisions = decisions
        let isOn = decisions.collection != false
        if isOn != analytics.isEnabled {
            analytics.isEnabled = isOn
        }
        let consent = decisions.hasWithdrawn(access.person) ? Consent.denied : .granted
        // Stop recording before the stored records are removed, and resume only after their removal.
        if consent == .denied, consent != analytics.consent { analytics.setConsent(consent) }
        if let person = access.person, let withdrawal = decisions.withdrawal(of: person) {
            store.carryOut(withdrawal: withdrawal)
        }
        if consent != analytics.consent { analytics.setConsent(consent) }
        // The session starts were removed with the other records.
        if consent == .denied { state.withLock { $0.sessions = [] } }
    }

    /// Applies a withdrawal to a custom store, unless already applied.
    private func applyWithdrawalToCustomStore(_ access: SerializedStore) {
        guard let person = access.person, let withdrawal = decisions.withdrawal(of: person),
            decisions.carriedOut?[access.name] ?? 0 < withdrawal
        else { return }
        let targets = state.withLock { state in
            state.sessions = []
            return Set(state.reporters.keys)
        }
        let left = access.removeEverything(of: targets)
        CustomStoreUploads.forget(access.name, in: environment)
        guard left == 0 else {
            return environment.report(
                Diagnostic(
                    code: .usageStateNotKept,
                    field: "consentForUser(_:given:)",
                    value: "\(left) records",
                    message: "The store still has \(left) records of a user who withdrew consent.",
                    recoverySuggestion: "Remove them with removeRecords(before:after:targetID:), and call "
                        + "consentForUser(_:given:) again."
                )
            )
        }
        change { $0.carriedOut = ($0.carriedOut ?? [:]).merging([access.name: withdrawal]) { max($0, $1) } }
    }

    /// Removes the records of a user whose store is not in use.
    ///
    /// A store that cannot be opened now, or needs a key, removes them when it is next opened.
    private func carryOutWithdrawal(of user: String) {
        guard let withdrawal = decisions.withdrawal(of: user) else { return }
        var folders = [environment.folder]
        if let folder = access?.folder, folder != environment.folder { folders.append(folder) }
        let open = UsageStoreCore.inUse(of: user, in: environment)
        for core in open { core.carryOut(withdrawal: withdrawal) }
        // Without a folder there is nothing to remove.
        guard open.isEmpty, let storage = (try? environment.dependencies())?.storage else { return }
        for folder in folders {
            let own = folder.appendingPathComponent(user, isDirectory: true).standardizedFileURL
            // A store that cannot be read now applies the withdrawal when it is opened.
            guard let size = try? storage.size(of: own.path + "/usage"), size > 0 else { continue }
            // Opening the store applies the withdrawal. If that requires the key, the app opens it later.
            _ = try? UsageStoreCore.open(folder, storageID: user, in: environment)
        }
    }

    /// Rereads the decisions that other processes saved, and applies them.
    func refresh() {
        transitions.lock()
        defer { transitions.unlock() }
        // Without a folder, the decisions known to this process apply.
        guard var read = (try? UsageDecisionsFile(in: environment))?.read() else { return }
        for change in state.withLock({ $0.unwritten }) { change(&read) }
        guard read != decisions else { return }
        let decided = read
        state.withLock { $0.decisions = decided }
        follow()
    }

    private func beginSession(_ application: String?) {
        guard let application else { return }
        let record = environment.sessionStart(application: application, version: nil)
        report(record, for: Usage.defaultTargetID)
    }

    private func endSession() {
        guard state.withLock({ $0.sessions.contains(Usage.defaultTargetID) }) else { return }
        report(UsageRecord(.sessionEnd, date: environment.now.date), for: Usage.defaultTargetID)
    }

    /// Whether a target has an open session that began in this process.
    func hasSession(of target: String) -> Bool {
        state.withLock { $0.sessions.contains(target) }
    }

    // MARK: The broker

    private var broker: UsageBrokerRunner? { state.withLock { $0.broker } }

    /// The broker that the app shares, created on first use.
    var sharedBroker: UsageBroker {
        let fresh = Kept(object: UsageBroker(of: self))
        return state.withLock { state in
            let broker = state.sharedBroker ?? fresh
            state.sharedBroker = broker
            return broker
        }.object
    }

    /// Replaces the broker that was started last; nil for none.
    ///
    /// - Returns: the previous broker.
    func exchange(broker: UsageBrokerRunner?) -> UsageBrokerRunner? {
        state.withLock { state in
            defer { state.broker = broker }
            return state.broker
        }
    }

    /// Stops a broker if it is the one that was started last.
    func end(broker: UsageBrokerRunner) {
        let isIts = state.withLock { state in
            guard state.broker === broker else { return false }
            state.broker = nil
            return true
        }
        if isIts { broker.stop() }
    }

    // MARK: Reports

    /// Stores a report of a registered reporter.
    ///
    /// - Parameters:
    ///   - record: the report.
    ///   - target: the report's target.
    ///   - isFiltered: whether interceptors and rules already processed the report in another store.
    /// - Returns: nil if the report was stored, otherwise the reason why not.
    @discardableResult
    func report(_ record: UsageRecord, for target: String, isFiltered: Bool = false) -> DropReason? {
        if let reason = storing(record, for: target, isFiltered: isFiltered) {
            count(reason)
            return reason
        }
        switch record.event {
        case .sessionStart: state.withLock { _ = $0.sessions.insert(target) }
        case .sessionEnd: state.withLock { _ = $0.sessions.remove(target) }
        case .event: break
        }
        return nil
    }

    private func storing(_ record: UsageRecord, for target: String, isFiltered: Bool) -> DropReason? {
        guard let access else { return .usageNotConfigured }
        // A custom store has no analytics to enforce the decisions.
        if access.core == nil, let refusal = decisions.refusal(for: access.person) { return refusal }
        return access.record(record, for: target, isFiltered: isFiltered, in: environment)
    }

    /// Counts a report that was not stored.
    func count(_ reason: DropReason) {
        state.withLock { $0.dropped[reason, default: 0] += 1 }
    }

    // MARK: Uploads

    /// Begins an upload of a target.
    ///
    /// - Returns: false while another upload of the target is in progress.
    func beginUpload(of target: String) -> Bool {
        state.withLock { $0.uploads.insert(target).inserted }
    }

    /// Ends an upload of a target.
    func endUpload(of target: String) {
        state.withLock { _ = $0.uploads.remove(target) }
    }

    // MARK: Reporters

    func reporter(for target: String, injects: Bool) -> UsageReporter {
        let fresh = Kept(object: UsageReporter())
        let (reporter, isNew, isConfigured) = state.withLock { state in
            let isConfigured = state.configured != nil
            if let known = state.reporters[target] { return (known, false, isConfigured) }
            if isConfigured { fresh.object.bind(to: self, target) }
            state.reporters[target] = fresh
            return (fresh, true, isConfigured)
        }
        if !isConfigured, isNew { environment.report(.notConfigured("reporter(for:)", target)) }
        if isConfigured, injects { inject(target) }
        return reporter.object
    }

    func register(_ reporter: UsageReporter, for target: String, injects: Bool) {
        let fresh = Kept(object: reporter)
        let (replaced, isConfigured) = state.withLock { state in
            guard state.configured != nil else { return (nil as Kept<UsageReporter>?, false) }
            // The reporter may currently be registered for another target.
            for (other, known) in state.reporters where known.object === fresh.object && other != target {
                state.reporters[other] = nil
            }
            let former = state.reporters.updateValue(fresh, forKey: target)
            fresh.object.bind(to: self, target)
            return (former.flatMap { $0.object === fresh.object ? nil : $0 }, true)
        }
        replaced?.object.end("another reporter was registered for \"\(target)\"")
        guard isConfigured else { return environment.report(.notConfigured("register(reporter:for:)", target)) }
        if injects { inject(target) }
    }

    func unregister(_ target: String) {
        let former = state.withLock { $0.reporters.removeValue(forKey: target) }
        former?.object.end("it was unregistered")
    }

    func targetIdentifiers() -> [String] {
        let reported = state.withLock { Set($0.reporters.keys) }
        return reported.union(accessForReading?.targetIdentifiers() ?? []).sorted()
    }

    private func inject(_ target: String) {
        guard let (sessions, access) = state.withLock({ state in state.retained.map { ($0, state.configured) } }),
            let access
        else { return }
        sessions.inject(target, into: access) { [self] record in
            // Store it unchanged: records stored before an interruption are recognized by their text.
            report(record, for: target, isFiltered: true)
        }
    }
}

extension Diagnostic {
    fileprivate static func notConfigured(_ call: String, _ target: String) -> Diagnostic {
        Diagnostic(
            code: .usageNotConfigured,
            field: call,
            value: target,
            message: "No store is configured, so this reporter for \"\(target)\" reports nothing.",
            recoverySuggestion: "Call configure(with:) first, and then get the reporter again."
        )
    }
}
