// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayJournal

/// The settings on disk, shared by all processes of an installation.
///
/// A change is with the kernel before ``change(_:)`` returns, so it survives the death of the process; it is flushed to
/// stable storage soon after, on the storage queue, so that no caller waits for a disk.
package final class SettingsFile: Sendable {
    private struct State: Sendable {
        var settings: Settings
        /// What changed here and could not be written yet; applied again on what the file then holds.
        var unsaved: [@Sendable (inout Settings) -> Void] = []
    }

    /// An app on a full disk may change its mind this often before the oldest changes are given up.
    private static let mostUnsaved = 64

    private let folder: String
    private let path: String
    private let storage: any JournalStorage
    private let queue: StorageQueue
    private let reporter: DiagnosticReporter
    private let rules: ConsentRules
    private let state: Locked<State>

    /// Reads the settings.
    ///
    /// Damaged settings count as consent pending: nothing may be sent before somebody decided again, and nothing is
    /// thrown away.
    ///
    /// - Parameter rules: how the app handles consent; not stored.
    /// - Throws: `StorageError` when they are there and cannot be read now.
    package init(
        _ rules: ConsentRules,
        folder: String,
        storage: any JournalStorage,
        queue: StorageQueue,
        reporter: DiagnosticReporter
    ) throws(StorageError) {
        self.rules = rules
        self.folder = folder
        path = folder + "/settings"
        self.storage = storage
        self.queue = queue
        self.reporter = reporter
        var settings = Settings(rules)
        do throws(ReadError) {
            settings = try Self.read(path, storage, rules) ?? settings
        } catch {
            switch error {
            case .storage(let error):
                throw error
            case .damaged(let error):
                _ = settings.consent.decided(.pending, by: .device)
                reporter.report(
                    Diagnostic(
                        code: .settingsDamaged,
                        field: "settings",
                        value: "\(path): \(error)",
                        remedy: "Ask for consent again and call setConsent; until then events are kept and not sent."
                    )
                )
            }
        }
        state = Locked(State(settings: settings))
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
        if let failure { tell(failure) }
        return outcome
    }

    /// The same for a caller who holds a lock of its own: it must ``tell(_:)`` of a failure once it has let go of it.
    func changeUntold<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout Settings) -> Outcome
    ) -> (Outcome, StorageError?) {
        let again = Locked<Outcome?>(nil)
        let (first, failure) = state.withLock { state -> (Outcome, StorageError?) in
            let first = body(&state.settings)
            state.unsaved.append { settings in
                let outcome = body(&settings)
                again.withLock { $0 = outcome }
            }
            if state.unsaved.count > Self.mostUnsaved { state.unsaved.removeFirst() }
            return (first, save(&state))
        }
        if let failure { return (first, failure) }
        queue.order { [self] in flush() }
        return (again.withLock { $0 } ?? first, nil)
    }

    /// What another process may have decided meanwhile: reads the file again, unless changes wait here to be written.
    package func refresh() {
        state.withLock { state in
            guard state.unsaved.isEmpty else { return }
            // Unreadable now: what is known stays true until the file says otherwise.
            if let stored = try? Self.read(path, storage, rules) { state.settings = stored }
        }
    }

    // MARK: Writing

    /// On the storage queue: brings what was written to stable storage.
    private func flush() {
        do throws(StorageError) {
            try storage.synchronize(path)
            try storage.synchronizeFolder(folder)
        } catch {
            tell(error)
        }
    }

    /// Writes under the lock: the file's content, changed by what changed here.
    private func save(_ state: inout State) -> StorageError? {
        var settings = state.settings
        // Another process may have changed other members meanwhile; only our own changes are put on top. A file that
        // cannot be read or understood is replaced by what is known here.
        if let stored = try? Self.read(path, storage, rules) {
            settings = stored
            for change in state.unsaved { change(&settings) }
        }
        do throws(StorageError) {
            try storage.replace(path, with: settings.bytes, durably: false)
        } catch {
            return error
        }
        state.settings = settings
        state.unsaved = []
        return nil
    }

    /// Tells the app that a change is not written yet.
    func tell(_ error: StorageError) {
        reporter.report(
            Diagnostic(
                code: .settingsNotSaved,
                field: "settings",
                value: "\(error)",
                remedy: "Free some space or make the storage folder writable; the decision holds in this process and "
                    + "is written with the next change."
            )
        )
    }

    // MARK: Reading

    private enum ReadError: Error {
        case storage(StorageError)
        case damaged(JSONError)
    }

    private static func read(
        _ path: String,
        _ storage: any JournalStorage,
        _ rules: ConsentRules
    ) throws(ReadError) -> Settings? {
        let bytes: [UInt8]?
        do throws(StorageError) {
            bytes = try storage.contents(of: path)
        } catch {
            throw .storage(error)
        }
        guard let bytes else { return nil }
        do throws(JSONError) {
            return try Settings(bytes: bytes, rules)
        } catch {
            throw .damaged(error)
        }
    }
}
