// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

/// Prevents queues from accepting an event that repeats the previous one.
///
/// The filter's lock is acquired after the context store's and before the journal's. An event is compared, appended and
/// stored under this lock, so that of two equal concurrent events only one is accepted. Processes of an installation
/// read which events the other processes accepted, but do not wait for each other: two equal events recorded within
/// microseconds of each other may both be accepted.
final class RepeatFilter: Sendable {
    private struct State: Sendable {
        /// The last events that this process saw.
        ///
        /// Used if the file cannot be read, or could not be written.
        var latest: [DestinationID: DuplicateSuppression<String>] = [:]
        /// The queues whose file could not be written.
        var unsaved: Set<DestinationID> = []
        var failure = ReportedFailure()
    }

    /// The number of queues above which unused ones are removed.
    ///
    /// At startup, a process removes the queues that have no destination.
    static let maximumQueues = 512

    private let files: LastAccepted
    private let boot: String
    private let state = Locked(State())

    /// - Parameter expected: The destinations that may exist during this run.
    init(_ files: LastAccepted, boot: String, expected: Set<DestinationID>) {
        self.files = files
        self.boot = boot
        // A file that currently cannot be listed or removed uses a little space until the next start.
        if let known = try? files.known(), known.count > Self.maximumQueues {
            for id in known where !expected.contains(id) { try? files.remove(id) }
        }
    }

    /// Appends an event unless it repeats the last one.
    ///
    /// - Parameters:
    ///   - content: The event's content; see ``ContentDigest``.
    ///   - window: The period in which an equal event counts as a repeat.
    ///   - append: Appends the event to the journal. Called under the lock.
    /// - Returns: The journal's outcome, or nil for a repeat; and a diagnostic if state could not be stored.
    func append(
        _ content: String,
        to id: DestinationID,
        within window: Duration,
        at now: DualTimestamp,
        _ append: () -> AppendOutcome
    ) -> (AppendOutcome?, Diagnostic?) {
        state.withLock { state in
            var latest = latest(of: id, state)
            guard latest.accept(content, within: window, at: DeviceTime(now, boot: boot)) else { return (nil, nil) }
            let outcome = append()
            // An event that was not recorded cannot be repeated.
            guard outcome.isRecorded else { return (outcome, nil) }
            state.latest[id] = latest
            state.unsaved.insert(id)
            return (outcome, save(&state))
        }
    }

    /// Removes a queue's last event, because the queue now accepts repeats.
    ///
    /// - Returns: A diagnostic if the change could not be stored.
    func forget(_ id: DestinationID) -> Diagnostic? {
        state.withLock { state in
            state.latest[id] = DuplicateSuppression()
            state.unsaved.insert(id)
            return save(&state)
        }
    }

    /// Removes the last events of all queues.
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
        return (try? files.read(id)) ?? known  // The known event suffices while the file cannot be read.
    }

    /// - Returns: A diagnostic to report once no lock is held, for the first of several consecutive failures.
    private func save(_ state: inout State) -> Diagnostic? {
        do throws(StorageError) {
            for id in state.unsaved {
                try files.write(state.latest[id] ?? DuplicateSuppression(), of: id)
                state.unsaved.remove(id)
            }
            state.failure.noteSuccess()
            return nil
        } catch {
            return state.failure.noteFailure() ? .streamsNotKept(error) : nil
        }
    }
}

extension AppendOutcome {
    fileprivate var isRecorded: Bool {
        switch self {
        case .stored, .held: true
        case .dropped, .closed: false
        }
    }
}

/// The last event of each queue that suppresses repeats.
///
/// The events are stored in small files in the folder `taken`. Each queue has its own file. Every event that the queue
/// accepts is written to that file on the recording thread; the file is therefore overwritten in place. A completed
/// write survives a kill of the process. A file that power loss left incomplete is detected by its checksum and counts
/// as empty: a repeated event is then accepted, and no event is lost.
struct LastAccepted: Sendable {
    private let folder: String
    private let storage: any JournalStorage

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder + "/taken"
        self.storage = storage
    }

    /// Returns a queue's last event; empty if it is unknown.
    func read(_ id: DestinationID) throws(StorageError) -> DuplicateSuppression<String> {
        switch try file(id).read() {
        case .stored(let event, _): DuplicateSuppression(last: event)
        case .missing, .damaged: DuplicateSuppression()
        }
    }

    /// Stores a queue's last event.
    func write(_ latest: DuplicateSuppression<String>, of id: DestinationID) throws(StorageError) {
        guard let last = latest.last else { return try remove(id) }
        try file(id).write(last)
    }

    /// Returns the queues with a stored last event.
    func known() throws(StorageError) -> [DestinationID] {
        try storage.names(in: folder).compactMap { DestinationID($0) }.ordered()
    }

    /// Removes a queue's last event.
    func remove(_ id: DestinationID) throws(StorageError) {
        try file(id).remove()
    }

    /// Returns the file of a queue.
    ///
    /// The file's size is not checked, which saves a system call per event.
    private func file(_ id: DestinationID) -> StateFile<DuplicateSuppression<String>.AcceptedEvent> {
        StateFile(id.rawValue, in: folder, of: storage, format: .lastAccepted, mode: .inPlace, maxBytes: nil)
    }
}

extension StateFormat where Value == DuplicateSuppression<String>.AcceptedEvent {
    /// The format of the file: lines with a checksum.
    fileprivate static var lastAccepted: StateFormat {
        StateFormat(
            bytes: { event in
                var lines = ChecksummedKeyValueFile()
                lines.add("taken", 1)
                lines.add("content", event.content)
                lines.add("wall", event.at.wall.milliseconds)
                lines.add("monotonic", event.at.monotonic.milliseconds)
                lines.add("boot", event.at.boot)
                return lines.bytes
            },
            value: { bytes in
                guard let lines = ChecksummedKeyValueFile(bytes), let content = lines["content"],
                    let boot = lines["boot"],
                    let wall = lines["wall"].flatMap({ Int64($0) }),
                    let monotonic = lines["monotonic"].flatMap({ Int64($0) })
                else { throw Damage() }
                let at = DeviceTime(
                    wall: Timestamp(milliseconds: wall),
                    monotonic: MonotonicTime(milliseconds: monotonic),
                    boot: boot
                )
                return DuplicateSuppression.AcceptedEvent(content: content, at: at)
            }
        )
    }

    private struct Damage: Error {}
}

/// A digest of an event's content, as 64 hexadecimal digits.
///
/// The event's time and id are left out. Events with the same digest count as equal.
enum ContentDigest {
    private static let digits = Array("0123456789abcdef".utf8)

    /// - Parameters:
    ///   - user: The signed-in user; nil for none.
    ///   - limits: The limits of an event. Content beyond them is ignored.
    /// - Complexity: O(size of the event).
    static func text(
        _ name: String,
        _ attributes: Attributes,
        items: [Item],
        user: String?,
        limits: EventLimits
    ) -> String {
        var writer = JSONWriter()
        EventEncoder.encode(
            id: EventID(high: 0, low: 0),
            name: name,
            moment: DualTimestamp(wall: Timestamp(milliseconds: 0), monotonic: MonotonicTime(milliseconds: 0)),
            attributes: attributes.inOrder,
            items: items.map { Item(id: $0.id, name: $0.name, $0.attributes.inOrder) },
            limits: limits,
            into: &writer,
            // These diagnostics are reported when the event itself is recorded.
            report: { _ in }
        )
        // A suffix that is not JSON distinguishes a missing user from an empty name, and prevents a name from being
        // mistaken for event data.
        let userBytes: [UInt8] = user.map { [1] + Array($0.utf8) } ?? [0]
        let hash = SHA256.hash(writer.array() + userBytes)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension Attributes {
    /// The attributes, sorted by name.
    ///
    /// The order in which the app set the attributes has no effect.
    fileprivate var inOrder: Attributes {
        Attributes(keys.sorted().compactMap { key in self[key].map { (key: key, value: $0) } })
    }
}
