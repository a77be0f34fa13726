// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit
public import TrackwayJournal

/// Everything that the collector has about one person, as a ZIP archive.
///
/// The archive serves requests for access and portability. It contains what an erasure of the person would remove, and
/// nothing about other people. It is written in parts, so its size is not limited by memory.
public struct PersonExport: Sendable {
    /// The numbers of exported items.
    public struct Counts: Sendable, Hashable {
        /// The number of events.
        public var events = 0
        /// The number of sessions.
        public var sessions = 0
        /// The number of installations.
        public var installations = 0
        /// The number of rejected events and batches.
        public var rejected = 0
        /// The number of consent decisions.
        public var consent = 0

        /// Creates counts of zero.
        public init() {}

        /// Reads the counts from the comment of a complete archive.
        ///
        /// Nil for any other text.
        public init?(comment: String) {
            guard let json = try? JSONValue.parse(Array(comment.utf8)), let events = json["events"]?.integer else {
                return nil
            }
            self.events = Int(clamping: events)
            sessions = Int(clamping: json["sessions"]?.integer ?? 0)
            installations = Int(clamping: json["installations"]?.integer ?? 0)
            rejected = Int(clamping: json["rejected"]?.integer ?? 0)
            consent = Int(clamping: json["consent"]?.integer ?? 0)
        }

        var comment: String {
            JSONWriter.withThreadBuffer { writer in
                writer.beginObject()
                for (name, count) in [
                    ("events", events), ("sessions", sessions), ("installations", installations),
                    ("rejected", rejected), ("consent", consent),
                ] {
                    writer.member(name, Int64(count))
                }
                writer.endObject()
                return String(decoding: writer.bytes, as: UTF8.self)
            }
        }
    }

    /// The maximum number of different further identifiers that are listed.
    static let maximumIdentifiers = 10_000

    /// Returns the record at a position of the intake log.
    ///
    /// Nil if no readable record begins there.
    public typealias RecordReader = @Sendable (EventPosition) async throws -> (kind: FrameKind, payload: [UInt8])?

    let store: any EventStore
    let record: RecordReader
    let limits: AdmissionLimits
    let person: PersonKey
    let profile: PersonProfile
    let installations: [PersonInstallation]
    /// The erasures of the person that are not complete.
    let pending: [ErasurePlan]
    let created: Timestamp
    /// The position before which events are exported, so that all files have the same events.
    let end: EventPosition
    /// The person's events before ``end``, as of the beginning.
    let events: any PersonEventReader

    /// Collects what the export needs before it can begin.
    ///
    /// - Parameters:
    ///   - person: A user, or a visitor. If the visitor signed in as one user, that user is exported.
    ///   - record: Reads the records with rejected events.
    ///   - limits: The limits of admission, used to read rejected events.
    ///   - erasures: The erasures of users that are not complete.
    ///   - pageEvents: The number of events read at once.
    /// - Returns: Nil for an unknown person.
    /// - Throws: ``StoreError``, of the kind `behind` if the index lacks events that have arrived.
    public static func prepare(
        of person: PersonKey,
        store: any EventStore,
        record: @escaping RecordReader,
        limits: AdmissionLimits,
        erasures: [ErasurePlan],
        clock: any EventClock,
        pageEvents: Int = 10_000
    ) async throws(StoreError) -> PersonExport? {
        if let reason = store.incompleteReason { throw .behind(reason) }
        let end = store.indexed
        guard let profile = try await store.profile(ProfileQuery(person, attributes: 1_000)) else { return nil }
        let resolved: PersonKey = profile.person.id.map { .user($0) } ?? person
        let events = try await store.eventReader(of: resolved, before: end, limit: pageEvents)
        guard let events else { return nil }
        let pending = erasures.filter { plan in
            let users = (profile.person.id.map { [$0] } ?? []) + profile.person.mergedIDs
            return users.contains { user in plan.user.map { ByteText($0) == ByteText(user) } ?? false }
        }
        return PersonExport(
            store: store,
            record: record,
            limits: limits,
            person: resolved,
            profile: profile,
            installations: try await store.installations(of: resolved),
            pending: pending,
            created: clock.now().wall,
            end: end,
            events: events
        )
    }

    /// The person's id for titles: the user's id, or the visitor's installation.
    public var subject: String {
        switch person {
        case .user(let id): id
        case .visitor(let id): "visitor-\(id)"
        }
    }

    /// A file name for the archive, of at most 64 ASCII characters.
    public var fileName: String {
        let letters = subject.utf8.prefix(60).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        return String(decoding: letters, as: UTF8.self) + ".zip"
    }

    /// Writes the archive.
    ///
    /// - Parameter output: Receives the next bytes of the archive, and may check whether the reader is still
    ///   authorized.
    /// - Throws: The error of `output`, of the index, or of the log. The archive is then incomplete and lacks its
    ///   directory.
    @concurrent
    public func write(_ output: @concurrent ([UInt8]) async throws -> Void) async throws {
        var archive = try ZipWriter(time: created)
        var counts = Counts()
        counts.installations = installations.count
        try await writeProfile(&archive)
        try await writeInstallations(&archive)
        counts.sessions = try await writeSessions(&archive, output)
        counts.events = try await writeEvents(&archive, &counts.consent, output)
        counts.rejected = try await writeRejected(&archive, output)
        archive.begin("README.txt")
        archive.write(Array(readMe(counts).utf8))
        archive.finish(comment: counts.comment)
        try await output(archive.takeBytes())
    }

    private func readMe(_ counts: Counts) -> String {
        let title: String
        switch person {
        case .user(let id): title = "Data about the user \(id)"
        case .visitor(let id): title = "Data about the visitor of the installation \(id)"
        }
        return """
            \(title)

            Everything that the collector had about this person on \(created.iso8601).
            Each file exists twice: .json for programs, .csv for spreadsheets.

            profile        ids, and first and last use (JSON only)
            attributes     what the app set about the person, with the time at which it was set
            identifiers    further ids that the app sent with events
            devices        installations of the app: \(counts.installations)
            sessions       periods of use, latest first: \(counts.sessions)
            events         what was recorded, latest first: \(counts.events)
            consent        consent decisions: \(counts.consent)
            rejected       events that arrived but were not accepted: \(counts.rejected)
            erasures       requests to erase this person or a device

            "visit" marks events that were recorded before the person signed in.
            On a device marked "shared", other people signed in, too; their data is not included.
            Times in JSON are milliseconds since January 1, 1970, UTC. Times in CSV are UTC.
            Files with more than \(ExportTable.maximumFileRows) rows continue in files with -2, -3, …

            """
    }
}
