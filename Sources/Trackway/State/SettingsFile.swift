// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayJournal

/// The settings on disk, shared by all processes of an installation.
///
/// A change has reached the kernel before ``change(_:)`` returns, so it survives a kill of the process. The storage
/// queue flushes it to stable storage soon afterwards, so that no caller waits for a disk. The file is read, changed
/// and replaced under an exclusive lock, so that no process restores a value that another one has just replaced. A
/// caller waits only briefly for the lock. If another process was stopped while holding it, the change takes effect in
/// this process immediately, and the storage queue writes it later.
package final class SettingsFile: Sendable {
    private struct State: Sendable {
        var settings: Settings
        /// Changes that could not be written yet.
        ///
        /// They are applied again to the file's later content.
        var unsaved: [@Sendable (inout Settings) -> Void] = []
        /// Whether the storage queue is about to try again.
        var isRetrying = false
        /// Whether the file could not be read yet, so that earlier decisions are unknown.
        var isAwaiting = false
        /// Tracks failures of writes and flushes on the storage queue.
        ///
        /// A handler that changes the settings must not be called for its own change endlessly.
        var failure = ReportedFailure()
    }

    /// The maximum number of unsaved changes, for example on a full disk.
    ///
    /// The oldest ones are dropped.
    private static let maxUnsaved = 64

    private let file: StateFile<Settings>
    private let queue: StorageQueue
    private let reporter: DiagnosticReporter
    private let rules: ConsentRules
    /// Held while the file is changed or read, and acquired before the lock below.
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
    ///   - isTemporary: Returns whether the file will be readable later despite an error. Until ``take(_:)``, consent
    ///     then counts as pending.
    /// - Throws: `StorageError` if the settings exist but cannot be read now.
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
            _ = settings.consent.decided(.pending, by: .device)
            state = Locked(State(settings: settings, isAwaiting: true))
        }
    }

    /// - Returns: The settings, and a diagnostic to report once no lock is held.
    private static func settings(
        of content: StateFile<Settings>.Content,
        _ rules: ConsentRules
    ) -> (Settings, Diagnostic?) {
        switch content {
        case .nothing:
            return (Settings(rules), nil)
        case .kept(let stored, _):
            return (stored, nil)
        case .damaged(let what):
            var settings = Settings(rules)
            _ = settings.consent.decided(.pending, by: .device)
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

    /// Removes the users; decisions for the device stay.
    ///
    /// Call this before anything reads the settings. Damaged settings stay as they are: they name no user, and nothing
    /// may be sent under them.
    static func forgetPeople(
        _ rules: ConsentRules,
        folder: String,
        storage: any JournalStorage
    ) throws(StorageError) {
        let file = StateFile<Settings>("settings", in: folder, of: storage, format: .settings(rules))
        guard case .kept(var settings, _) = try file.read() else { return }
        _ = settings.identity.erased()
        _ = settings.consent.erased()
        settings.global = [:]
        settings.personal = []
        try file.write(settings)
    }

    /// Reads the file, and applies the changes made since the start.
    ///
    /// The file could not be read at the start.
    ///
    /// - Parameters:
    ///   - change: Changes the content of the file before any other change; nil for none.
    ///   - first: Receives the resulting content before the other changes.
    /// - Throws: If the file still cannot be read.
    package func take(
        changing change: (@Sendable (inout Settings) -> Void)? = nil,
        _ first: (Settings) -> Void
    ) throws(StorageError) {
        let problem = try access.withLock { (_) throws(StorageError) -> Diagnostic? in
            guard state.withLock({ $0.isAwaiting }) else { return nil }
            var (stored, problem) = Self.settings(of: try file.read(), rules)
            change?(&stored)
            first(stored)
            let isChanged = state.withLock { state in
                if let change { state.unsaved.insert(change, at: 0) }
                state.settings = stored
                for change in state.unsaved { change(&state.settings) }
                state.isAwaiting = false
                return !state.unsaved.isEmpty
            }
            // If this fails, the next change tries again.
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
        let again = Locked<Outcome?>(nil)
        let (first, ending) = access.withLock { _ -> (Outcome, Ending) in
            let first = state.withLock { state -> Outcome in
                let first = body(&state.settings)
                state.unsaved.append { settings in
                    let outcome = body(&settings)
                    again.withLock { $0 = outcome }
                }
                if state.unsaved.count > Self.maxUnsaved { state.unsaved.removeFirst() }
                return first
            }
            return (first, save(.few))
        }
        switch ending {
        case .saved:
            queue.order { [self] in flush() }
            return (again.withLock { $0 } ?? first, nil)
        case .failed(let failure):
            return (first, failure)
        case .notOurTurn:
            retry()
            return (first, nil)
        case .awaited:
            return (first, nil)
        }
    }

    /// Reads the file again, because another process may have changed it.
    ///
    /// Unsaved changes are written first. If that is not possible now, they stay in effect.
    package func refresh() {
        access.withLock { _ in
            guard !state.withLock({ $0.isAwaiting }) else { return }
            guard state.withLock({ $0.unsaved.isEmpty }) else {
                _ = save(.once)  // A failure was reported with the change; the next refresh retries.
                return
            }
            // If the file cannot be read now, the known settings stay in effect.
            guard let stored = file.readable else { return }
            state.withLock { $0.settings = stored }
        }
    }

    // MARK: Writing

    /// The result of an attempt to write changes.
    private enum Ending: Sendable {
        case saved
        case failed(StorageError)
        /// Another process holds the file; nothing was attempted.
        case notOurTurn
        /// The file could not be read yet; the change waits for it.
        case awaited
    }

    /// Makes the storage queue wait for the lock.
    ///
    /// A caller did not get the lock in time.
    private func retry() {
        let isNeeded = state.withLock { state in
            defer { state.isRetrying = true }
            return !state.isRetrying
        }
        guard isNeeded else { return }
        queue.order { [self] in
            state.withLock { $0.isRetrying = false }
            switch access.withLock({ _ in save(.many) }) {
            case .saved:
                flush()
            case .failed(let error):
                reportOnce(error)
            case .notOurTurn:
                reportOnce(file.notOurTurn)
            case .awaited:
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
            state.withLock { $0.failure.worked() }
        } catch {
            reportOnce(error)
        }
    }

    /// Reports only the first of several consecutive failures.
    private func reportOnce(_ error: StorageError) {
        if state.withLock({ $0.failure.failed() }) { report(error) }
    }

    /// Applies unsaved changes to the file's content and writes it.
    ///
    /// Requires access to the file.
    private func save(_ attempts: LockAttempts) -> Ending {
        let (known, unsaved, isAwaiting) = state.withLock { ($0.settings, $0.unsaved, $0.isAwaiting) }
        guard !isAwaiting, !unsaved.isEmpty else { return isAwaiting ? .awaited : .saved }
        var settings = known
        do throws(StorageError) {
            let isOurs = try file.exclusively(attempts) { () throws(StorageError) in
                // Another process may have changed other members; apply only this process's changes. A file that cannot
                // be read or decoded is replaced by the known settings.
                if let stored = file.readable {
                    settings = stored
                    for change in unsaved { change(&settings) }
                }
                try file.write(settings)
            }
            guard isOurs else { return .notOurTurn }
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
    /// The settings as JSON.
    fileprivate static func settings(_ rules: ConsentRules) -> StateFormat {
        StateFormat(bytes: { $0.bytes }, value: { bytes in try Settings(bytes: bytes, rules) })
    }
}
