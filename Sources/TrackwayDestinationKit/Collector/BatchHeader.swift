// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The first line of a batch in Trackway's own format.
///
/// The header describes the origin of the events and the gaps between them.
///
/// Simple clients may omit any member or the whole line, but must omit `first` and `last` only together. Without
/// these two members, the events have no sequence numbers.
public struct BatchHeader: Sendable, Hashable {
    /// The batch's ID, at most 128 bytes.
    ///
    /// A batch that is sent twice has the same ID.
    public var id: String?
    /// The installation that recorded the events.
    public var installation: InstallationID?
    /// The writer that recorded the events.
    public var writer: WriterID?
    /// The first sequence number that the batch covers.
    public var first: UInt64?
    /// The last sequence number that the batch covers.
    ///
    /// The value is `first - 1` if the batch covers none.
    public var last: UInt64?
    /// The writer's highest sequence number when the batch was created.
    public var recorded: UInt64?
    /// The device's wall-clock time at which the batch was sent.
    public var sent: Timestamp?
    /// The software that created the batch, such as `trackway/0.1.0`.
    public var sdk: String?
    /// Lost sequence numbers with reasons; may include numbers before `first`.
    public var dropped: [DroppedRange]
    /// Sequence numbers of events addressed only to other destinations.
    ///
    /// The ranges may include numbers before `first`.
    public var skipped: [ClosedRange<UInt64>]

    /// Creates a header.
    public init(
        id: String? = nil,
        installation: InstallationID? = nil,
        writer: WriterID? = nil,
        first: UInt64? = nil,
        last: UInt64? = nil,
        recorded: UInt64? = nil,
        sent: Timestamp? = nil,
        sdk: String? = nil,
        dropped: [DroppedRange] = [],
        skipped: [ClosedRange<UInt64>] = []
    ) {
        self.id = id
        self.installation = installation
        self.writer = writer
        self.first = first
        self.last = last
        self.recorded = recorded
        self.sent = sent
        self.sdk = sdk
        self.dropped = dropped
        self.skipped = skipped
    }

    /// The sequence numbers of the events that follow, in order.
    ///
    /// Nil if the header contains no range.
    ///
    /// - Complexity: O(n log n) in the number of gaps.
    public var sequences: BatchSequences? {
        guard let first, let last else { return nil }
        return BatchSequences(first: first, last: last, without: dropped.map(\.sequences) + skipped)
    }
}

extension BatchHeader {
    /// The maximum length of a string member, in bytes.
    private static let longestText = 128

    /// Parses a header line, `{"batch":{…}}`.
    ///
    /// Unknown members are ignored, so that headers of newer senders can be read.
    ///
    /// - Throws: `JSONError` if the line is not JSON, or a known member has an invalid value.
    public init(json line: UnsafeRawBufferPointer) throws(JSONError) {
        self.init()
        var scanner = try JSONScanner(line)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "batch") {
                try readMembers(&scanner)
            } else {
                _ = try scanner.skipValue()
            }
        }
        try scanner.finish()
        // A single bound does not determine the events' sequence numbers.
        guard (first == nil) == (last == nil) else { throw JSONError(.memberMissing, at: line.count) }
        if let first, let last, last < first, last != first &- 1 {
            throw JSONError(.memberInvalid, at: line.count)
        }
    }

    private mutating func readMembers(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "id") {
                id = try Self.readText(&scanner)
            } else if scanner.text(key, equals: "installation") {
                installation = try Self.readID(&scanner)
            } else if scanner.text(key, equals: "writer") {
                writer = try Self.readID(&scanner)
            } else if scanner.text(key, equals: "first") {
                first = try Self.readCount(&scanner)
            } else if scanner.text(key, equals: "last") {
                last = try Self.readCount(&scanner)
            } else if scanner.text(key, equals: "recorded") {
                recorded = try Self.readCount(&scanner)
            } else if scanner.text(key, equals: "sent") {
                sent = Timestamp(milliseconds: try Self.readInteger(&scanner))
            } else if scanner.text(key, equals: "sdk") {
                sdk = try Self.readText(&scanner)
            } else if scanner.text(key, equals: "dropped") {
                dropped = try Self.readRanges(&scanner, withReasons: true).map {
                    DroppedRange(sequences: $0.range, reason: DropReason(rawValue: $0.reason))
                }
            } else if scanner.text(key, equals: "skipped") {
                skipped = try Self.readRanges(&scanner, withReasons: false).map(\.range)
            } else {
                _ = try scanner.skipValue()
            }
        }
    }

    private static func readText(_ scanner: inout JSONScanner) throws(JSONError) -> String {
        let at = scanner.offset
        let text = try scanner.readText()
        guard scanner.length(text) <= longestText else { throw JSONError(.tooLarge, at: at) }
        return scanner.string(text)
    }

    private static func readID<ID: UniqueID>(_ scanner: inout JSONScanner) throws(JSONError) -> ID {
        let at = scanner.offset
        guard let id = ID(try readText(&scanner)) else { throw JSONError(.memberInvalid, at: at) }
        return id
    }

    private static func readInteger(_ scanner: inout JSONScanner) throws(JSONError) -> Int64 {
        let at = scanner.offset
        guard case .integer(let value) = try scanner.readNumber() else { throw JSONError(.memberInvalid, at: at) }
        return value
    }

    private static func readCount(_ scanner: inout JSONScanner) throws(JSONError) -> UInt64 {
        let at = scanner.offset
        guard let value = UInt64(exactly: try readInteger(&scanner)) else { throw JSONError(.memberInvalid, at: at) }
        return value
    }

    private static func readRanges(
        _ scanner: inout JSONScanner,
        withReasons: Bool
    ) throws(JSONError) -> [(range: ClosedRange<UInt64>, reason: String)] {
        var ranges: [(range: ClosedRange<UInt64>, reason: String)] = []
        try scanner.enterArray()
        while try scanner.nextElement() {
            let at = scanner.offset
            try scanner.enterArray()
            var bounds: [UInt64] = []
            var reason = ""
            while try scanner.nextElement() {
                switch bounds.count {
                case 0, 1: bounds.append(try readCount(&scanner))
                case 2 where withReasons && reason.isEmpty: reason = try readText(&scanner)
                default: _ = try scanner.skipValue()
                }
            }
            guard bounds.count == 2, bounds[0] <= bounds[1], withReasons != reason.isEmpty else {
                throw JSONError(.memberInvalid, at: at)
            }
            ranges.append((bounds[0]...bounds[1], reason))
        }
        return ranges
    }
}

extension BatchHeader {
    /// Writes the header line without its line ending.
    ///
    /// Members that are nil are omitted.
    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("batch")
        writer.beginObject()
        if let id { writer.member("id", id) }
        if let installation {
            writer.key("installation")
            writer.id(installation)
        }
        if let writerID = self.writer {
            writer.key("writer")
            writer.id(writerID)
        }
        for (key, value) in [("first", first), ("last", last), ("recorded", recorded)] {
            guard let value else { continue }
            writer.key(key)
            writer.integer(value)
        }
        if let sent {
            writer.key("sent")
            writer.integer(sent.milliseconds)
        }
        if let sdk { writer.member("sdk", sdk) }
        writer.ranges("dropped", dropped.map { ($0.sequences, $0.reason.rawValue) })
        writer.ranges("skipped", skipped.map { ($0, nil) })
        writer.endObject()
        writer.endObject()
    }
}

extension JSONWriter {
    mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    fileprivate mutating func ranges(_ key: String, _ ranges: [(ClosedRange<UInt64>, String?)]) {
        guard !ranges.isEmpty else { return }
        self.key(key)
        beginArray()
        for (range, reason) in ranges {
            element()
            beginArray()
            element()
            integer(range.lowerBound)
            element()
            integer(range.upperBound)
            if let reason {
                element()
                string(reason)
            }
            endArray()
        }
        endArray()
    }
}
