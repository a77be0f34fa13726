// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
package import TrackwayEvents
internal import TrackwayJournal

/// Which stream records go to, under which subject, and which positions they have.
package struct StreamPlace: Sendable, Hashable {
    /// The header that says what a record is: the kind of frame it would be in the intake log.
    package static let kindHeader = "Trackway-Kind"
    /// So many partitions there are, for ever: which one an installation belongs to must never change.
    package static let partitions = 256

    /// The stream's name.
    package var stream: String
    /// The stream's number in positions.
    package var number: Int

    /// A stream; the first one unless something else is said.
    package init(number: Int = 0) {
        self.number = number
        stream = "INTAKE_\(number)"
    }

    /// The subject that the stream has while it takes no records: before it is opened, and once it is closed. A record there says that no
    /// other follows.
    package var closedSubject: String { "intake.closed.\(number)" }

    /// The kind of a record of which nobody makes anything.
    static let emptyKind = "255"

    /// The subjects of partitions.
    package static func subjects(of partitions: [Int]) -> [String] { partitions.map { "intake.\($0)" } }

    /// The stream of what is decided about this one's blocks. One for each, so that the number of a decision is that of its block.
    package var decisions: String { "BLOCKS_\(number)" }

    /// The subject of decisions.
    package var decisionSubject: String { "blocks.\(number)" }

    /// The stream in which collectors say how far their indexes have read this one.
    package var readers: String { "READERS_\(number)" }

    /// The subjects of what collectors say there, one for each collector.
    var readerSubjects: String { "readers.\(number).*" }

    /// The subject of what a collector says there. Its name has more than a subject may have, so a hash of it stands there.
    func readerSubject(of name: String) -> String {
        // FNV-1a over the name's bytes.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return "readers.\(number).\(String(hash, radix: 16))"
    }

    /// The stream in which it is listed what was deleted from this one since it was erased.
    package var erased: String { "ERASED_\(number)" }

    /// The subjects of that list.
    var erasedSubjects: String { "erased.\(number).*" }

    /// The subject of a record there.
    func erasedSubject(of sequence: UInt64) -> String { "erased.\(number).\(sequence)" }

    /// The subject of how far the records were looked through.
    var erasedProgress: String { "erased.\(number).progress" }

    /// The partition of an installation; records that belong to none are together in the first.
    package static func partition(of installation: InstallationID?) -> Int {
        guard let installation else { return 0 }
        // FNV-1a over the id's bytes. Fixed for ever, as the count of partitions is.
        var hash: UInt32 = 0x811c_9dc5
        for byte in installation.description.lowercased().utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int((hash >> 16 ^ hash) % UInt32(partitions))
    }

    /// The subject for records of an installation.
    func subject(of installation: InstallationID?) -> String { "intake.\(Self.partition(of: installation))" }

    /// The place just behind a record.
    func position(behind sequence: UInt64) -> LogPosition { LogPosition(stream: number, sequence: sequence + 1) }

    /// The number of the record that an event came in; nil for an event of another stream.
    func sequence(at position: EventPosition) -> UInt64? {
        position.stream == number ? position.streamSequence : nil
    }
}

extension FrameKind {
    private static let streamNames: [(kind: FrameKind, name: String)] = [
        (.intake, "intake"), (.quarantine, "quarantine"), (.erasure, "erasure"), (.erasedEvents, "erased_events"),
        (.reset, "reset"),
    ]

    /// How a stream's records say of which kind they are; the number of a kind that has no name.
    var streamName: String { Self.streamNames.first { $0.kind == self }?.name ?? "\(rawValue)" }

    /// The kind of this name, or of this number.
    init?(streamName: String) {
        if let known = Self.streamNames.first(where: { $0.name == streamName }) {
            self = known.kind
        } else if let number = UInt8(streamName) {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }
}
