// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal

/// Keeps queues from taking an event that says what the one before it said.
///
/// Its lock lies between the context store's and the journal's: an event is compared, appended and remembered under it, so that of
/// two equal events at the same time only one is taken. Processes of one installation read what the others took, but do
/// not wait for each other: of two equal events within microseconds both may be taken.
final class RepeatFilter: Sendable {
    private struct State: Sendable {
        /// What this process saw; asked when the file cannot be read, or could not be written.
        var latest: [DestinationID: DuplicateSuppression<String>] = [:]
        /// The queues whose file could not be written.
        var unsaved: Set<DestinationID> = []
        var failure = ReportedFailure()
    }

    /// Beyond so many queues, those that are not there are forgotten when a process starts.
    static let most = 512

    private let files: LastAccepted
    private let boot: String
    private let state = Locked(State())

    /// - Parameter expected: the destinations that may be there in this run.
    init(_ files: LastAccepted, boot: String, expected: Set<DestinationID>) {
        self.files = files
        self.boot = boot
        // What cannot be listed or removed now costs a little space until the next start.
        if let known = try? files.known(), known.count > Self.most {
            for id in known where !expected.contains(id) { try? files.remove(id) }
        }
    }

    /// Appends an event unless it says what the last one said.
    ///
    /// - Parameters:
    ///   - content: what the event says; see ``ContentDigest``.
    ///   - window: how long it counts as a repeat.
    ///   - append: appends it to the journal. Called under the lock.
    /// - Returns: what the journal answered, nil for a repeat; and what could not be remembered.
    func append(
        _ content: String,
        to id: DestinationID,
        within window: Duration,
        at now: Moment,
        _ append: () -> AppendOutcome
    ) -> (AppendOutcome?, Diagnostic?) {
        state.withLock { state in
            var latest = latest(of: id, state)
            guard latest.takes(content, within: window, at: DeviceTime(now, boot: boot)) else { return (nil, nil) }
            let outcome = append()
            // One that was lost says nothing of the next one.
            guard outcome.isRecorded else { return (outcome, nil) }
            state.latest[id] = latest
            state.unsaved.insert(id)
            return (outcome, save(&state))
        }
    }

    /// A queue takes events without looking at them: which one is the last is not known any more.
    ///
    /// - Returns: what could not be remembered.
    func forget(_ id: DestinationID) -> Diagnostic? {
        state.withLock { state in
            state.latest[id] = DuplicateSuppression()
            state.unsaved.insert(id)
            return save(&state)
        }
    }

    /// Forgets what every queue took.
    func forgetAll() throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            state.latest = [:]
            state.unsaved = []
            for id in try files.known() { try files.remove(id) }
        }
    }

    private func latest(of id: DestinationID, _ state: State) -> DuplicateSuppression<String> {
        let known = state.latest[id] ?? DuplicateSuppression()
        guard !state.unsaved.contains(id) else { return known }
        return (try? files.read(id)) ?? known  // What this process saw is good enough while the file cannot be read.
    }

    /// - Returns: what is to be told, once no lock is held: the first failure in a row.
    private func save(_ state: inout State) -> Diagnostic? {
        do throws(StorageError) {
            for id in state.unsaved {
                try files.write(state.latest[id] ?? DuplicateSuppression(), of: id)
                state.unsaved.remove(id)
            }
            state.failure.worked()
            return nil
        } catch {
            return state.failure.failed() ? .streamsNotKept(error) : nil
        }
    }
}

extension AppendOutcome {
    fileprivate var isRecorded: Bool {
        switch self {
        case .kept, .held: true
        case .dropped, .closed: false
        }
    }
}
