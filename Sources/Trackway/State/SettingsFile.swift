// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayJournal

/// The settings on disk, shared by all processes of an installation.
///
/// A change is with the kernel before ``change(_:)`` returns, so it survives the death of the process; it is flushed to
/// stable storage soon after, on the storage queue, so that no caller waits for a disk. What lies in the file is read,
/// changed and replaced in one turn, so that no process puts back what another one has just replaced. A
/// caller waits for its turn a moment at most; should another process have been stopped in the middle of its own, the
/// change holds here at once, and is written by the storage queue.
package final class SettingsFile: Sendable {
    private struct State: Sendable {
        var settings: Settings
        /// What changed here and could not be written yet; applied again on what the file then holds.
        var unsaved: [@Sendable (inout Settings) -> Void] = []
        /// True while the storage queue is about to try again.
        var isRetrying = false
        /// The file could not be read yet: nothing is known of what was decided before.
        var isAwaiting = false
        /// Of writes and flushes on the storage queue: a handler that changes the settings must not be called for its own change
        /// without end.
        var failure = ReportedFailure()
    }

    /// An app on a full disk may change its mind this often before the oldest changes are given up.
    private static let maxUnsaved = 64

    private let file: StateFile<Settings>
    private let queue: StorageQueue
    private let reporter: DiagnosticReporter
    private let rules: ConsentRules
    /// Taken by whoever changes or reads the file, before the lock below; whoever only asks what is known never waits for it.
    private let access = Locked(())
    private let state: Locked<State>

    /// Reads the settings.
    ///
    /// Damaged settings count as consent pending: nothing may be sent before somebody decided again, and nothing is
    /// thrown away.
    ///
    /// - Parameters:
    ///   - rules: how the app handles consent; not stored.
    ///   - isTemporary: says of a failure that the file will be readable later. Until ``take(_:)`` consent counts as pending then.
    /// - Throws: `StorageError` when they are there and cannot be read now.
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

    /// - Returns: The settings, and what is to be reported once no lock is held.
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

    /// Forgets who used the app; what was decided for the device stays. Call it before anything reads the settings.
    ///
    /// Damaged settings stay as they are: they name nobody, and nothing may be sent under them.
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

    /// The file can be read now, as it could not be at the start: what it holds counts, with what was changed since on top.
    ///
    /// - Parameters:
    ///   - change: changes what the file holds before anything else does; nil for nothing.
    ///   - first: gets what the file then holds, before the other changes.
    /// - Throws: as long as it cannot.
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
            // Tried again with the next change.
            if isChanged { _ = save(.few) }
            return problem
        }
        if let problem { reporter.report(problem) }
    }

    /// The settings as this process knows them.
    package var current: Settings { state.withLock { $0.settings } }

    /// Changes the settings here and on disk.
    ///
    /// - Parameter body: is called under the settings' lock: on what is known here, and again on what another process may
    ///   have written meanwhile.
    /// - Returns: What `body` returned for the settings as they are now.
    @discardableResult
    package func change<Outcome: Sendable>(_ body: @escaping @Sendable (inout Settings) -> Outcome) -> Outcome {
        let (outcome, failure) = changeUntold(body)
        if let failure { report(failure) }
        return outcome
    }

    /// The same for a caller who holds a lock of its own: it must ``report(_:)`` of a failure once it has let go of it.
    func changeUntold<Outcome: Sendable>(
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

    /// What another process may have decided meanwhile: reads the file again. Changes that wait here are written first, or,
    /// if that cannot be now, hold.
    package func refresh() {
        access.withLock { _ in
            guard !state.withLock({ $0.isAwaiting }) else { return }
            guard state.withLock({ $0.unsaved.isEmpty }) else {
                _ = save(.once)  // Told when it was made; it is tried again with the next look.
                return
            }
            // Unreadable now: what is known stays true until the file says otherwise.
            guard let stored = file.readable else { return }
            state.withLock { $0.settings = stored }
        }
    }

    // MARK: Writing

    /// What came of an attempt to write what changed here.
    private enum Ending: Sendable {
        case saved
        case failed(StorageError)
        /// Another process holds the file; nothing was tried.
        case notOurTurn
        /// The file could not be read yet; the change waits for that.
        case awaited
    }

    /// Has the storage queue wait for the turn that a caller did not get in time.
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

    /// On the storage queue: brings what was written to stable storage.
    private func flush() {
        do throws(StorageError) {
            try file.synchronize()
            state.withLock { $0.failure.worked() }
        } catch {
            reportOnce(error)
        }
    }

    /// Reports the first failure in a row.
    private func reportOnce(_ error: StorageError) {
        if state.withLock({ $0.failure.failed() }) { report(error) }
    }

    /// With access to the file: replaces its content by what it holds, changed by what changed here.
    private func save(_ attempts: TurnAttempts) -> Ending {
        let (known, unsaved, isAwaiting) = state.withLock { ($0.settings, $0.unsaved, $0.isAwaiting) }
        guard !isAwaiting, !unsaved.isEmpty else { return isAwaiting ? .awaited : .saved }
        var settings = known
        do throws(StorageError) {
            let isOurs = try file.exclusively(attempts) { () throws(StorageError) in
                // Another process may have changed other members meanwhile; only our own changes are put on top. A file
                // that cannot be read or understood is replaced by what is known here.
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

    /// Tells the app that a change is not written yet.
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
    /// The settings' JSON.
    fileprivate static func settings(_ rules: ConsentRules) -> StateFormat {
        StateFormat(bytes: { $0.bytes }, value: { bytes in try Settings(bytes: bytes, rules) })
    }
}
