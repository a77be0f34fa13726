// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Where the events of a kept batch come from, when it was made of what was refused before and admitted again.
///
/// Ids and times that events lack are made of the place and the moment at which they arrived first, so that the same events
/// admitted again twice are the same events.
public struct ReplayOrigin: Sendable, Hashable {
    /// When it was admitted again.
    public var at: Timestamp
    /// The name of the operator's key.
    public var key: String
    /// The record that was refused, or that holds the refused events; ordinal 0.
    public var position: EventPosition
    /// Which of its events these are, in order; empty for all of a batch that was refused as a whole.
    public var ordinals: [Int]
    /// Events of it that were looked at again and are refused for another reason now; their indexes are those of the record.
    public var refused: [RejectedEvent]

    /// An origin.
    public init(
        at: Timestamp,
        key: String,
        position: EventPosition,
        ordinals: [Int] = [],
        refused: [RejectedEvent] = []
    ) {
        self.at = at
        self.key = key
        self.position = position
        self.ordinals = ordinals
        self.refused = refused
    }

    /// The place where an event of the batch was refused.
    ///
    /// - Parameter index: Its index among the events of the batch.
    public func place(of index: Int) -> EventPosition {
        let ordinal = index < ordinals.count ? ordinals[index] : index
        return EventPosition(segment: position.segment, offset: position.offset, ordinal: ordinal)
    }

    /// The place of one of ``refused``.
    public func place(of event: RejectedEvent) -> EventPosition {
        EventPosition(segment: position.segment, offset: position.offset, ordinal: event.index)
    }
}

extension ReplayOrigin {
    /// Writes the origin: `{"at":…,"key":"…","position":"3.88213.0","ordinals":[7],"refused":[[8,"code","field","message"]]}`.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("at", at)
        writer.member("key", key)
        writer.member("position", position.description)
        writer.list("ordinals", ordinals) { ordinal, writer in writer.integer(Int64(ordinal)) }
        writer.list("refused", refused) { $0.writeElements(to: &$1) }
        writer.endObject()
    }

    /// Reads an origin; members it does not know are passed over.
    init(_ scanner: inout JSONScanner) throws(JSONError) {
        self.init(at: Timestamp(milliseconds: 0), key: "", position: .start)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "at") {
                guard case .integer(let value) = try scanner.readNumber() else {
                    throw JSONError(.memberInvalid, at: scanner.offset)
                }
                at = Timestamp(milliseconds: value)
            } else if scanner.text(key, equals: "key") {
                self.key = scanner.string(try scanner.readText())
            } else if scanner.text(key, equals: "position") {
                guard let position = EventPosition(scanner.string(try scanner.readText())) else {
                    throw JSONError(.memberInvalid, at: scanner.offset)
                }
                self.position = position
            } else if scanner.text(key, equals: "ordinals") {
                try scanner.enterArray()
                while try scanner.nextElement() {
                    guard case .integer(let value) = try scanner.readNumber(),
                        (0...Int64(EventPosition.maximumOrdinal)).contains(value)
                    else { throw JSONError(.memberInvalid, at: scanner.offset) }
                    ordinals.append(Int(value))
                }
            } else if scanner.text(key, equals: "refused") {
                try scanner.enterArray()
                while try scanner.nextElement() { refused.append(try scanner.rejectedEvent()) }
            } else {
                try scanner.skipValue()
            }
        }
    }
}
