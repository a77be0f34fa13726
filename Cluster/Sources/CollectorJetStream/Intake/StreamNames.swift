// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
package import TrackwayCore
internal import TrackwayJournal

/// The names, subjects, and positions of one intake stream.
package struct StreamNames: Sendable, Hashable {
    /// The header with a record's kind, as in the intake log's frames.
    package static let kindHeader = "Trackway-Kind"
    /// The number of partitions.
    ///
    /// This number must never change, because it determines an installation's partition.
    package static let partitions = 256

    /// The stream's name.
    package var stream: String
    /// The stream's number, as used in positions.
    package var number: Int

    /// Creates the names of a stream; by default, the first one's.
    package init(number: Int = 0) {
        self.number = number
        stream = "INTAKE_\(number)"
    }

    /// The only subject of the stream while it accepts no records.
    ///
    /// The subject applies before the stream is opened and after it is closed.
    ///
    /// A record with this subject marks the stream's end: no other record follows it.
    package var closedSubject: String { "intake.closed.\(number)" }

    /// The kind of records that readers ignore.
    static let emptyKind = "255"

    /// Returns the subjects for the given partitions.
    package static func subjects(of partitions: [Int]) -> [String] { partitions.map { "intake.\($0)" } }

    /// The stream of decisions about this stream's blocks.
    ///
    /// The stream has one record per block, so a decision's number is the number of its block.
    package var decisions: String { "BLOCKS_\(number)" }

    /// The subject of decisions about this stream's blocks.
    package var decisionSubject: String { "blocks.\(number)" }

    /// The stream of collectors' reports on how far their indexes have read.
    package var readers: String { "READERS_\(number)" }

    /// The subjects of collectors' reports, one for each collector.
    var readerSubjects: String { "readers.\(number).*" }

    /// Returns the subject of a collector's reports.
    ///
    /// The subject contains a hash of the collector's name, because not every name is valid in a subject.
    func readerSubject(of name: String) -> String {
        // FNV-1a over the name's bytes.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return "readers.\(number).\(String(hash, radix: 16))"
    }

    /// The stream that lists the records deleted from this stream for erasure.
    package var erased: String { "ERASED_\(number)" }

    /// The subjects of the list of deleted records.
    var erasedSubjects: String { "erased.\(number).*" }

    /// Returns the subject of a deleted record in the list.
    func erasedSubject(of sequence: UInt64) -> String { "erased.\(number).\(sequence)" }

    /// The subject of the stored progress of searches for erased records.
    var erasedProgress: String { "erased.\(number).progress" }

    /// Returns the partition of an installation.
    ///
    /// Records without an installation are in the first partition.
    package static func partition(of installation: InstallationID?) -> Int {
        guard let installation else { return 0 }
        // FNV-1a over the id's bytes. Like the number of partitions, the hash must never change.
        var hash: UInt32 = 0x811c_9dc5
        for byte in installation.description.lowercased().utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int((hash >> 16 ^ hash) % UInt32(partitions))
    }

    /// Returns the subject for records from an installation.
    func subject(of installation: InstallationID?) -> String { "intake.\(Self.partition(of: installation))" }

    /// Returns the position immediately after a record.
    func position(after sequence: UInt64) -> LogPosition { LogPosition(stream: number, sequence: sequence + 1) }

    /// Returns the sequence of the record that contains an event.
    ///
    /// Returns nil for an event in another stream.
    func sequence(at position: EventPosition) -> UInt64? {
        position.stream == number ? position.streamSequence : nil
    }
}

extension FrameKind {
    private static let streamNames: [(kind: FrameKind, name: String)] = [
        (.intake, "intake"), (.quarantine, "quarantine"), (.erasure, "erasure"), (.erasedEvents, "erased_events"),
        (.reset, "reset"),
    ]

    /// The kind's name in a stream's records, or its number if it has no name.
    var streamName: String { Self.streamNames.first { $0.kind == self }?.name ?? "\(rawValue)" }

    /// Creates the kind with the given name or number.
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
