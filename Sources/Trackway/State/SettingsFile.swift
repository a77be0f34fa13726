// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
package import TrackwayJournal
package import TrackwayLifecycle

/// The settings on disk, shared by all processes of an installation.
///
/// A change has reached the kernel before ``change(_:)`` returns, so it survives a kill of the process. The storage
/// queue flushes it to stable storage soon afterward, so that no caller waits for a disk. The file is read, changed and
/// replaced under an exclusive lock, so that no process restores a value that another process has just replaced. A
/// caller waits only briefly for the lock. If another process was suspended while holding the lock, the change takes
/// effect in this process immediately, and the storage queue writes it later.
package final class SettingsFile: Sendable {
    private struct State: Sendable {
        var settings: Settings
        /// Changes that could not be written yet.
        ///
        /// These changes are applied again to the file's later content.
        var unsaved: [@Sendable (inout Settings) -> Void] = []
        /// Whether a retry is scheduled on the storage queue.
        var isRetrying = false
        /// Whether the file is still unread, so that earlier decisions are unknown.
        var isUnread = false
        /// Tracks failures of writes and flushes on the storage queue.
        ///
        /// A handler that changes the settings must not be called endlessly because of its own changes.
        var failure = ReportedFailure()
    }

    /// The maximum number of unsaved changes, which accumulate on a full disk.
    ///
    /// The oldest changes are dropped.
    private static let maxUnsaved = 64

    private let file: StateFile<Settings>
    private let queue: StorageQueue
    private let reporter: DiagnosticReporter
    private let rules: ConsentRules
    /// Held while the file is read or changed; acquired before `state`'s lock.
    ///
    /// Reading the known settings never waits for it.
    private let access = Locked(())
    private let state: Locked<State>

    /// Reads the settings.
    ///
    /// Damaged settings count as pending consent: nothing may be sent until consent is decided again, and nothing is
    /// discarded.
    ///
    /// - Parameters:
    ///   - rules: The app's rules for consent; not stored.
    ///   - isTemporary: Returns whether the file will be readable later despite an error. If so, consent counts as
    ///     pending until `load` succeeds.
    /// - Throws: `StorageError` if the settings exist but currently cannot be read.
    package init(
        _ rules: ConsentRules,
        folder: String,
        storage: any JournalStorage,
        queue: StorageQueue,
        reporter: DiagnosticReporter,
        isTemporary: (StorageError) -> Bool = { _ in false }
    ) throws(StorageError) {
        file = StateFile("settings", in: folder, of: storage, format: .settings(rules))
        self.queue = queue
        self.reporter = reporter
        self.rules = rules
        do throws(StorageError) {
            let (settings, problem) = Self.settings(of: try file.read(), rules)
            state = Locked(State(settings: settings))
            if let problem { reporter.report(problem) }
        } catch {
            guard isTemporary(error) else { throw error }
            var settings = Settings(rules)
            _ = settings.consent.decide(.pending, by: .device)
            state = Locked(State(settings: settings, isUnread: true))
        }
    }

    /// - Returns: The settings, and a diagnostic to report once no lock is held.
    private static func settings(
        of content: StateFile<Settings>.Content,
        _ rules: ConsentRules
    ) -> (Settings, Diagnostic?) {
        switch content {
        case .missing:
            return (Settings(rules), nil)
        case .stored(let stored, _):
            return (stored, nil)
        case .damaged(let what):
            var settings = Settings(rules)
            _ = settings.consent.decide(.pending, by: .device)
            let problem = Diagnostic(
                code: .settingsDamaged,
                field: "settings",
                value: what,
                message: "The stored settings are damaged (\(what)). Events are stored and not sent until consent is "
                    + "set again.",
                recoverySuggestion: "Ask for consent again and call setConsent."
            )
            return (settings, problem)
        }
    }

    /// Removes the users; device-wide decisions are kept.
    ///
    /// Call this before anything reads the settings. Damaged settings are left unchanged: they name no user, and
    /// nothing may be sent under them.
    static func removeUsers(
        _ rules: ConsentRules,
        folder: String,
        storage: any JournalStorage
    ) throws(StorageError) {
        let file = StateFile<Settings>("settings", in: folder, of: storage, format: .settings(rules))
        guard case .stored(var settings, _) = try file.read() else { return }
        _ = settings.identity.erase()
        _ = settings.consent.erase()
        settings.forgetConsentOfPeople()
        settings.global = [:]
        settings.personal = []
        try file.write(settings)
    }

    /// Reads the file, and applies the changes made since startup.
    ///
    /// For a file that could not be read at startup.
    ///
    /// - Parameters:
    ///   - change: Changes the content of the file before any other change; nil for none.
    ///   - first: Receives the resulting content before the other changes.
    /// - Throws: If the file still cannot be read.
    package func load(
        changing change: (@Sendable (inout Settings) -> Void)? = nil,
        _ first: (Settings) -> Void
    ) throws(StorageError) {
        let problem = try access.withLock { (_) throws(StorageError) -> Diagnostic? in
            guard state.withLock({ $0.isUnread }) else { return nil }
            var (stored, problem) = Self.settings(of: try file.read(), rules)
            change?(&stored)
            first(stored)
            let isChanged = state.withLock { state in
                if let change { state.unsaved.insert(change, at: 0) }
                state.settings = stored
                for change in state.unsaved { change(&state.settings) }
                state.isUnread = false
                return !state.unsaved.isEmpty
            }
            // If this fails, the next change retries.
            if isChanged { _ = save(.few) }
            return problem
        }
        if let problem { reporter.report(problem) }
    }

    /// The settings as known to this process.
    package var current: Settings { state.withLock { $0.settings } }

    /// Changes the settings in memory and on disk.
    ///
    /// - Parameter body: Called under the settings' lock, on the known settings and again on the content that another
    ///   process may have written since.
    /// - Returns: The result of `body` for the current settings.
    @discardableResult
    package func change<Outcome: Sendable>(_ body: @escaping @Sendable (inout Settings) -> Outcome) -> Outcome {
        let (outcome, failure) = changeWithoutReporting(body)
        if let failure { report(failure) }
        return outcome
    }

    /// Changes the settings like ``change(_:)``, for a caller that holds a lock.
    ///
    /// The caller must ``report(_:)`` a failure after releasing that lock.
    func changeWithoutReporting<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout Settings) -> Outcome
    ) -> (Outcome, StorageError?) {
        let outcomeOfSave = Locked<Outcome?>(nil)
        let (first, result) = access.withLock { _ -> (Outcome, SaveResult) in
            let first = state.withLock { state -> Outcome in
                let first = body(&state.settings)
                state.unsaved.append { settings in
                    let outcome = body(&settings)
                    outcomeOfSave.withLock { $0 = outcome }
                }
                if state.unsaved.count > Self.maxUnsaved { state.unsaved.removeFirst() }
                return first
            }
            return (first, save(.few))
        }
        switch result {
        case .saved:
            queue.enqueue { [self] in flush() }
            return (outcomeOfSave.withLock { $0 } ?? first, nil)
        case .failed(let failure):
            return (first, failure)
        case .lockUnavailable:
            retry()
            return (first, nil)
        case .deferred:
            return (first, nil)
        }
    }

    /// Reads the file again, because another process may have changed it.
    ///
    /// Unsaved changes are written first. If that is currently not possible, they stay in effect.
    package func refresh() {
        access.withLock { _ in
            guard !state.withLock({ $0.isUnread }) else { return }
            guard state.withLock({ $0.unsaved.isEmpty }) else {
                _ = save(.once)  // A failure was reported with the change; the next refresh retries.
                return
            }
            // If the file currently cannot be read, the known settings stay in effect.
            guard let stored = file.storedValue else { return }
            state.withLock { $0.settings = stored }
        }
    }

    // MARK: Writing

    /// The result of an attempt to write changes.
    private enum SaveResult: Sendable {
        case saved
        case failed(StorageError)
        /// Another process holds the file; nothing was attempted.
        case lockUnavailable
        /// The file is still unreadable; the change waits until it is readable.
        case deferred
    }

    /// Schedules a retry that waits for the lock on the storage queue.
    ///
    /// Called when a caller did not get the lock in time.
    private func retry() {
        let isNeeded = state.withLock { state in
            defer { state.isRetrying = true }
            return !state.isRetrying
        }
        guard isNeeded else { return }
        queue.enqueue { [self] in
            state.withLock { $0.isRetrying = false }
            switch access.withLock({ _ in save(.many) }) {
            case .saved:
                flush()
            case .failed(let error):
                reportOnce(error)
            case .lockUnavailable:
                reportOnce(file.lockUnavailable)
            case .deferred:
                break
            }
        }
    }

    /// Flushes the file to stable storage.
    ///
    /// Runs on the storage queue.
    private func flush() {
        do throws(StorageError) {
            try file.synchronize()
            state.withLock { $0.failure.noteSuccess() }
        } catch {
            reportOnce(error)
        }
    }

    /// Reports only the first of several consecutive failures.
    private func reportOnce(_ error: StorageError) {
        if state.withLock({ $0.failure.noteFailure() }) { report(error) }
    }

    /// Applies unsaved changes to the file's content and writes it.
    ///
    /// The caller must hold the access lock.
    private func save(_ attempts: LockAttempts) -> SaveResult {
        let (known, unsaved, isUnread) = state.withLock { ($0.settings, $0.unsaved, $0.isUnread) }
        guard !isUnread, !unsaved.isEmpty else { return isUnread ? .deferred : .saved }
        var settings = known
        do throws(StorageError) {
            let hasLock = try file.exclusively(attempts) { () throws(StorageError) in
                // Another process may have changed other members; apply only this process's changes. A file that cannot
                // be read or decoded is replaced by the known settings.
                if let stored = file.storedValue {
                    settings = stored
                    for change in unsaved { change(&settings) }
                }
                try file.write(settings)
            }
            guard hasLock else { return .lockUnavailable }
        } catch {
            return .failed(error)
        }
        let written = settings
        state.withLock { state in
            state.settings = written
            state.unsaved = []
        }
        return .saved
    }

    /// Reports that a change has not been written yet.
    func report(_ error: StorageError) {
        reporter.report(
            Diagnostic(
                code: .settingsNotSaved,
                field: "settings",
                value: "\(error)",
                message: "The settings could not be saved (\(error)). The decision applies to this process and is "
                    + "written with the next change.",
                recoverySuggestion: "Free some space, or make the storage folder writable."
            )
        )
    }
}

extension StateFormat where Value == Settings {
    /// The format of the settings file: JSON.
    fileprivate static func settings(_ rules: ConsentRules) -> StateFormat {
        StateFormat(bytes: { $0.bytes }, value: { bytes in try Settings(bytes: bytes, rules) })
    }
}
