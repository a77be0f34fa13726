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

/// What each queue that suppresses repeats took last: a small file of its own in the folder `taken`.
///
/// It is written with every event such a queue takes, on the thread that records, so it is written where it lies. That
/// survives the death of the process. A file that power loss left in pieces shows by its checksum and counts as nothing
/// known: an event that says nothing new is then taken, and none is lost.
struct LastAccepted: Sendable {
    private let folder: String
    private let storage: any JournalStorage

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder + "/taken"
        self.storage = storage
    }

    /// What a queue took last; nothing when that is not known.
    func read(_ id: DestinationID) throws(StorageError) -> DuplicateSuppression<String> {
        switch try file(id).read() {
        case .kept(let taken, _): DuplicateSuppression(last: taken)
        case .nothing, .damaged: DuplicateSuppression()
        }
    }

    /// Keeps what a queue took last.
    func write(_ latest: DuplicateSuppression<String>, of id: DestinationID) throws(StorageError) {
        guard let last = latest.last else { return try remove(id) }
        try file(id).write(last)
    }

    /// The queues of which something is kept.
    func known() throws(StorageError) -> [DestinationID] {
        try storage.names(in: folder).compactMap { DestinationID($0) }.sorted()
    }

    /// Forgets what a queue took.
    func remove(_ id: DestinationID) throws(StorageError) {
        try file(id).remove()
    }

    /// No size is asked for: that would be one more system call for each event.
    private func file(_ id: DestinationID) -> StateFile<DuplicateSuppression<String>.Taken> {
        StateFile(id.rawValue, in: folder, of: storage, format: .taken, writing: .inPlace, maxBytes: nil)
    }
}

extension StateFormat where Value == DuplicateSuppression<String>.Taken {
    /// Lines with a checksum.
    fileprivate static var taken: StateFormat {
        StateFormat(
            bytes: { taken in
                var lines = CheckedLines()
                lines.add("taken", 1)
                lines.add("content", taken.content)
                lines.add("wall", taken.at.wall.milliseconds)
                lines.add("monotonic", taken.at.monotonic.milliseconds)
                lines.add("boot", taken.at.boot)
                return lines.bytes
            },
            value: { bytes in
                guard let lines = CheckedLines(bytes), let content = lines["content"], let boot = lines["boot"],
                    let wall = lines["wall"].flatMap({ Int64($0) }),
                    let monotonic = lines["monotonic"].flatMap({ Int64($0) })
                else { throw Damage() }
                let at = DeviceTime(
                    wall: Timestamp(milliseconds: wall),
                    monotonic: MonotonicTime(milliseconds: monotonic),
                    boot: boot
                )
                return DuplicateSuppression.Taken(content: content, at: at)
            }
        )
    }

    private struct Damage: Error {}
}

/// What an event says, its time and identity left out, in 64 hexadecimal digits: two events are essentially equal when
/// these are.
enum ContentDigest {
    private static let digits = Array("0123456789abcdef".utf8)

    /// - Parameters:
    ///   - user: who is signed in; nil for nobody.
    ///   - limits: how large an event may be; what is cut off makes no difference.
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
            moment: Moment(wall: Timestamp(milliseconds: 0), monotonic: MonotonicTime(milliseconds: 0)),
            attributes: attributes.inOrder,
            items: items.map { Item(id: $0.id, name: $0.name, $0.attributes.inOrder) },
            limits: limits,
            into: &writer,
            // Told when the event itself is recorded.
            report: { _ in }
        )
        // An end that no JSON has: nobody and somebody without a name differ, and no name can look like an event.
        let whose: [UInt8] = user.map { [1] + Array($0.utf8) } ?? [0]
        let hash = SHA256.hash(writer.array() + whose)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension Attributes {
    /// The same by name: in which order the app gave them says nothing.
    fileprivate var inOrder: Attributes {
        Attributes(keys.sorted().compactMap { key in self[key].map { (key: key, value: $0) } })
    }
}
