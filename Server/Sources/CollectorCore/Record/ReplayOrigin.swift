// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The origin of a stored batch that was made from rejected events.
///
/// Ids and times that events lack are derived from the position and time of their first arrival, so that an event that
/// is replayed twice remains the same event.
public struct ReplayOrigin: Sendable, Hashable {
    /// When the events were admitted by the replay.
    public var at: Timestamp
    /// The name of the operator's key.
    public var key: String
    /// The position of the record in which the events were rejected.
    ///
    /// This is the rejected record, or the record that contains the rejected events. The ordinal is 0.
    public var position: EventPosition
    /// The ordinals of the events in that record, in order.
    ///
    /// Empty for all events of a batch rejected as a whole.
    public var ordinals: [Int]
    /// Events that were checked again and rejected for another reason.
    ///
    /// The indexes of these events are their indexes in the record.
    public var refused: [RejectedEvent]

    /// Creates an origin.
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

    /// Returns the position where an event of the batch was rejected.
    ///
    /// - Parameter index: The event's index in the batch.
    public func place(of index: Int) -> EventPosition {
        let ordinal = index < ordinals.count ? ordinals[index] : index
        return EventPosition(segment: position.segment, offset: position.offset, ordinal: ordinal)
    }

    /// Returns the position of one of the ``refused`` events.
    public func place(of event: RejectedEvent) -> EventPosition {
        EventPosition(segment: position.segment, offset: position.offset, ordinal: event.index)
    }
}

extension ReplayOrigin {
    /// Writes the origin:
    /// `{"at":…,"key":"…","position":"3.88213.0","ordinals":[7],"refused":[[8,"code","field","message"]]}`.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("at", at)
        writer.member("key", key)
        writer.member("position", position.description)
        writer.list("ordinals", ordinals) { ordinal, writer in writer.integer(Int64(ordinal)) }
        writer.list("refused", refused) { $0.writeElements(to: &$1) }
        writer.endObject()
    }

    /// Reads an origin, ignoring unknown members.
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
