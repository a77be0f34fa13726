// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

extension FrameKind {
    /// The kind of records about erased users.
    ///
    /// The content is a ``UserErasureRecord``.
    public static let userErasure = FrameKind(rawValue: 21)
}

/// The intake log's record of an operator's request to erase a user.
///
/// When the erasure is complete, the record is rewritten without the user's id. The hash of the id remains, so a
/// rebuilt index recognizes later events of the user.
public struct UserErasureRecord: Sendable, Hashable {
    /// When the erasure was requested, by the collector's clock.
    public var received: Timestamp
    /// The name of the request's key.
    public var key: String
    /// The hash of the user's id.
    public var identity: IdentityHash
    /// The user's id; nil after the erasure is complete.
    public var user: String?
    /// The number of removed events on installations that remain, or without an installation; 0 before the erasure is
    /// complete.
    ///
    /// The records of erased installations count their own events.
    public var events: Int

    /// Creates a record.
    public init(received: Timestamp, key: String, identity: IdentityHash, user: String?, events: Int = 0) {
        self.received = received
        self.key = key
        self.identity = identity
        self.user = user
        self.events = events
    }

    /// The record's bytes: one JSON object, followed by spaces.
    ///
    /// The spaces leave room for the number of events, which is added without changing the record's length.
    public var bytes: [UInt8] { json + [UInt8](repeating: UInt8(ascii: " "), count: 32) }

    /// Returns the record's bytes, padded to a given length; nil if they do not fit.
    public func bytes(count: Int) -> [UInt8]? {
        let json = json
        guard json.count <= count else { return nil }
        return json + [UInt8](repeating: UInt8(ascii: " "), count: count - json.count)
    }

    private var json: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("received", received)
            writer.member("key", key)
            writer.member("identity", identity.description)
            if let user { writer.member("user", user) }
            if events > 0 { writer.member("events", Int64(events)) }
            writer.endObject()
            return writer.array()
        }
    }

    /// Reads a record, ignoring unknown members.
    ///
    /// - Throws: ``RecordError``.
    public init(payload: UnsafeRawBufferPointer) throws(RecordError) {
        let json: JSONValue
        do {
            json = try JSONValue.parse(payload)
        } catch {
            throw RecordError(message: "the user's erasure record cannot be read: \(error)")
        }
        guard let identity = json["identity"]?.string.flatMap({ IdentityHash($0) }) else {
            throw RecordError(message: "the user's erasure record contains no hash")
        }
        self.identity = identity
        received = Timestamp(milliseconds: json["received"]?.integer ?? 0)
        key = json["key"]?.string ?? ""
        user = json["user"]?.string
        events = max(0, Int(clamping: json["events"]?.integer ?? 0))
    }
}
