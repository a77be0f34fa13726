// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal

/// The implementation of ``Usage``: the store in use, reporters, and decisions.
///
/// The store's analytics enforce the decisions. Thread-safe. The state's lock is never held while a store or the app
/// is called. Changes to decisions and configuration are serialized by a separate lock, which is recursive because a
/// custom store may call back.
package final class UsageCore: Sendable {
    private struct State: Sendable {
        var configuredStore: SerializedStore?
        var earlyStore: SerializedStore?
        var reporters: [String: UncheckedSendableBox<UsageReporter>] = [:]
        var decisions: UsageDecisions?
        /// Decision changes that could not be saved yet.
        var unsavedChanges: [@Sendable (inout UsageDecisions) -> Void] = []
        var retainedSessions: UnattributedSessions?
        /// Targets with an open session that began in this process.
        var sessions: Set<String> = []
        var dropped: [DropReason: UInt64] = [:]
        /// Targets with an upload in progress.
        var uploads: Set<String> = []
        /// The most recently started broker.
        var broker: UsageBrokerRunner?
        /// The broker that an app shares.
        var sharedBroker: UncheckedSendableBox<UsageBroker>?
    }

    /// The environment of this instance.
    package let environment: UsageEnvironment
    private let state = Locked(State())
    private let transitions = NSRecursiveLock()

    init(_ environment: UsageEnvironment) {
        self.environment = environment
    }

    // MARK: Current state

    var decisions: UsageDecisions {
        if let known = state.withLock({ $0.decisions }) { return known }
        // Without a folder, nothing is stored or sent; the store reports the problem.
        guard let read = (try? UsageDecisionsFile(in: environment))?.read() else { return UsageDecisions() }
        return state.withLock { state in
            let decisions = state.decisions ?? read
            state.decisions = decisions
            return decisions
        }
    }

    /// Serialized access to the store in use.
    var access: SerializedStore? { state.withLock { $0.configuredStore } }

    var userID: String? { access?.userID }

    /// The user's ID as spelled in decisions.
    var canonicalUserID: String? { access?.canonicalUserID }

    var userConsent: Bool { access?.canonicalUserID.map { decisions.consents[$0] == true } ?? false }

    var outputEnabled: Bool { access.map { decisions.canSend(for: $0.canonicalUserID) } ?? false }

    var droppedReports: [DropReason: UInt64] { state.withLock { $0.dropped } }

    var store: (any UsageStoring)? { accessForReading?.object }

    /// The store in use, or the default store if none is configured.
    var accessForReading: SerializedStore? {
        if let known = state.withLock({ $0.configuredStore ?? $0.earlyStore }) { return known }
        do {
            let created = SerializedStore(try UsageStore(environment.folder, nil, in: environment))
            return state.withLock { state in
                let access = state.configuredStore ?? state.earlyStore ?? created
                if state.configuredStore == nil { state.earlyStore = access }
                return access
            }
        } catch {
            environment.report(error, in: "store")
            return nil
        }
    }

    // MARK: Transitions

    func configure(_ store: any UsageStoring, retainsSession: Bool, application: String?) {
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
            retainsSession && access.userID != nil
            ? UnattributedSessions(
                in: access.folder ?? environment.folder,
                key: access.core?.encryption,
                of: environment
            ) : nil
        state.withLock { state in
            state.configuredStore = access
            state.earlyStore = nil
            state.retainedSessions = retained
            // Reporters returned before this point never report.
            state.reporters = [:]
        }
        applyDecisions()
        if outputEnabled { beginSession(application) }
        broker?.decisionsChanged()
    }

    func setCollection(_ isOn: Bool, application: String? = nil, endsSession: Bool = false) {
        transitions.lock()
        defer { transitions.unlock() }
        let before = outputEnabled
        if endsSession, before, !isOn { endSession() }
        changeAndApply { $0.collection = isOn }
        if !before, outputEnabled { beginSession(application) }
        broker?.decisionsChanged()
    }

    func setConsent(_ consent: Bool, of user: String, application: String?) {
        transitions.lock()
        defer { transitions.unlock() }
        let before = outputEnabled
        changeAndApply { $0.setConsent(consent, of: user) }
        if !consent { applyWithdrawal(of: user) }
        if !before, outputEnabled { beginSession(application) }
        broker?.decisionsChanged()
    }

    private func changeAndApply(_ change: @escaping @Sendable (inout UsageDecisions) -> Void) {
        self.change(change)
        applyDecisions()
    }

    private func change(_ change: @escaping @Sendable (inout UsageDecisions) -> Void) {
        var decisions = decisions
        let changes = state.withLock { $0.unsavedChanges } + [change]
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
                        message: "The consent decision could not be saved (\(error)). It applies only to this process.",
                        recoverySuggestion: "Make the folder writable, and repeat the call."
                    )
                )
            }
        } catch {
            change(&decisions)
            environment.report(error, in: "decision")
        }
        let (decided, unsaved) = (decisions, isWritten ? [] : changes)
        state.withLock { state in
            state.decisions = decided
            state.unsavedChanges = unsaved
        }
    }

    /// Applies the decisions to the store's analytics, which enforce them.
    private func applyDecisions() {
        guard let access else { return }
        guard let store = access.core else { return applyWithdrawalToCustomStore(access) }
        let analytics = store.analytics
        let decisions = decisions
        let isOn = decisions.collection != false
        if isOn != analytics.isEnabled {
            analytics.isEnabled = isOn
        }
        let consent = decisions.hasWithdrawn(access.canonicalUserID) ? Consent.denied : .granted
        // Stop recording before the stored records are removed, and resume only after their removal.
        if consent == .denied, consent != analytics.consent { analytics.setConsent(consent) }
        if let userID = access.canonicalUserID, let withdrawal = decisions.withdrawal(of: userID) {
            store.applyWithdrawal(withdrawal)
        }
        if consent != analytics.consent { analytics.setConsent(consent) }
        // The session start records were removed with the other records.
        if consent == .denied { state.withLock { $0.sessions = [] } }
    }

    /// Applies a withdrawal to a custom store, unless already applied.
    private func applyWithdrawalToCustomStore(_ access: SerializedStore) {
        guard let userID = access.canonicalUserID, let withdrawal = decisions.withdrawal(of: userID),
            decisions.carriedOut?[access.name] ?? 0 < withdrawal
        else { return }
        let targets = state.withLock { state in
            state.sessions = []
            return Set(state.reporters.keys)
        }
        let remaining = access.removeAllRecords(of: targets)
        CustomStoreUploads.forget(access.name, in: environment)
        guard remaining == 0 else {
            return environment.report(
                Diagnostic(
                    code: .usageStateNotKept,
                    field: "consentForUser(_:given:)",
                    value: "\(remaining) records",
                    message: "The store still has \(remaining) records of a user who withdrew consent.",
                    recoverySuggestion: "Remove them with removeRecords(before:after:targetID:), and call "
                        + "consentForUser(_:given:) again."
                )
            )
        }
        change { $0.carriedOut = ($0.carriedOut ?? [:]).merging([access.name: withdrawal]) { max($0, $1) } }
    }

    /// Removes the records of a user whose store is not in use.
    ///
    /// A store that currently cannot be opened, or requires a key, removes its records when it is next opened.
    private func applyWithdrawal(of user: String) {
        guard let withdrawal = decisions.withdrawal(of: user) else { return }
        var folders = [environment.folder]
        if let folder = access?.folder, folder != environment.folder { folders.append(folder) }
        let open = UsageStoreCore.openCores(of: user, in: environment)
        for core in open { core.applyWithdrawal(withdrawal) }
        // Without a folder, there is nothing to remove.
        guard open.isEmpty, let storage = (try? environment.dependencies())?.storage else { return }
        for folder in folders {
            let own = folder.appendingPathComponent(user, isDirectory: true).standardizedFileURL
            // A store that currently cannot be read applies the withdrawal when it is opened.
            guard let size = try? storage.size(of: own.path + "/usage"), size > 0 else { continue }
            // Opening the store applies the withdrawal. If that requires the key, the app must open the store later.
            _ = try? UsageStoreCore.open(folder, storageID: user, in: environment)
        }
    }

    /// Rereads the decisions that other processes saved, and applies them.
    func refresh() {
        transitions.lock()
        defer { transitions.unlock() }
        // Without a folder, the decisions known to this process apply.
        guard var read = (try? UsageDecisionsFile(in: environment))?.read() else { return }
        for change in state.withLock({ $0.unsavedChanges }) { change(&read) }
        guard read != decisions else { return }
        let decided = read
        state.withLock { $0.decisions = decided }
        applyDecisions()
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
        let created = UncheckedSendableBox(object: UsageBroker(of: self))
        return state.withLock { state in
            let broker = state.sharedBroker ?? created
            state.sharedBroker = broker
            return broker
        }.object
    }

    /// Replaces the most recently started broker; nil for none.
    ///
    /// - Returns: the previous broker.
    func replaceBroker(with broker: UsageBrokerRunner?) -> UsageBrokerRunner? {
        state.withLock { state in
            defer { state.broker = broker }
            return state.broker
        }
    }

    /// Stops a broker if it is the most recently started broker.
    func stop(broker: UsageBrokerRunner) {
        let isCurrentBroker = state.withLock { state in
            guard state.broker === broker else { return false }
            state.broker = nil
            return true
        }
        if isCurrentBroker { broker.stop() }
    }

    // MARK: Reports

    /// Stores a report from a registered reporter.
    ///
    /// - Parameters:
    ///   - record: the report.
    ///   - target: the report's target.
    ///   - isFiltered: whether interceptors and rules already processed the report in another store.
    /// - Returns: nil if the report was stored; otherwise the reason why it was not.
    @discardableResult
    func report(_ record: UsageRecord, for target: String, isFiltered: Bool = false) -> DropReason? {
        if let reason = storeRecord(record, for: target, isFiltered: isFiltered) {
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

    private func storeRecord(_ record: UsageRecord, for target: String, isFiltered: Bool) -> DropReason? {
        guard let access else { return .usageNotConfigured }
        // A custom store has no analytics to enforce the decisions.
        if access.core == nil, let reason = decisions.dropReason(for: access.canonicalUserID) { return reason }
        return access.record(record, for: target, isFiltered: isFiltered, in: environment)
    }

    /// Counts a report that was not stored.
    func count(_ reason: DropReason) {
        state.withLock { $0.dropped[reason, default: 0] += 1 }
    }

    // MARK: Uploads

    /// Begins uploading a target's records.
    ///
    /// - Returns: false while another upload of the target is in progress.
    func beginUpload(of target: String) -> Bool {
        state.withLock { $0.uploads.insert(target).inserted }
    }

    /// Ends the upload of a target's records.
    func endUpload(of target: String) {
        state.withLock { _ = $0.uploads.remove(target) }
    }

    // MARK: Reporters

    func reporter(for target: String, injects: Bool) -> UsageReporter {
        let created = UncheckedSendableBox(object: UsageReporter())
        let (reporter, isNew, isConfigured) = state.withLock { state in
            let isConfigured = state.configuredStore != nil
            if let known = state.reporters[target] { return (known, false, isConfigured) }
            if isConfigured { created.object.bind(to: self, target) }
            state.reporters[target] = created
            return (created, true, isConfigured)
        }
        if !isConfigured, isNew { environment.report(.notConfigured("reporter(for:)", target)) }
        if isConfigured, injects { inject(target) }
        return reporter.object
    }

    func register(_ reporter: UsageReporter, for target: String, injects: Bool) {
        let created = UncheckedSendableBox(object: reporter)
        let (replaced, isConfigured) = state.withLock { state in
            guard state.configuredStore != nil else { return (nil as UncheckedSendableBox<UsageReporter>?, false) }
            // The reporter may currently be registered for another target.
            for (other, known) in state.reporters where known.object === created.object && other != target {
                state.reporters[other] = nil
            }
            let previous = state.reporters.updateValue(created, forKey: target)
            created.object.bind(to: self, target)
            return (previous.flatMap { $0.object === created.object ? nil : $0 }, true)
        }
        replaced?.object.invalidate("another reporter was registered for \"\(target)\"")
        guard isConfigured else { return environment.report(.notConfigured("register(reporter:for:)", target)) }
        if injects { inject(target) }
    }

    func unregister(_ target: String) {
        let previous = state.withLock { $0.reporters.removeValue(forKey: target) }
        previous?.object.invalidate("it was unregistered")
    }

    func targetIdentifiers() -> [String] {
        let reported = state.withLock { Set($0.reporters.keys) }
        return reported.union(accessForReading?.targetIdentifiers() ?? []).sorted()
    }

    private func inject(_ target: String) {
        guard
            let (sessions, access) = state.withLock({ state in
                state.retainedSessions.map { ($0, state.configuredStore) }
            }),
            let access
        else { return }
        sessions.inject(target, into: access) { [self] record in
            // Store the record unchanged, because records stored before an interruption are recognized by their text.
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
