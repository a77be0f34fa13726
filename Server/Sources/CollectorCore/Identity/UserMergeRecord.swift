// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

extension FrameKind {
    /// The kind of records about merged users.
    ///
    /// The content is a ``UserMergeRecord``.
    public static let userMerge = FrameKind(rawValue: 25)
}

/// The intake log's record of an operator's request to merge two users, or to undo a merge.
///
/// When one of the users is erased, the record is rewritten without the IDs.
public struct UserMergeRecord: Sendable, Hashable {
    /// When the request arrived, by the collector's clock.
    public var received: Timestamp
    /// The time of the statement, which is after all statements of operators that it concerns.
    public var time: Timestamp
    /// The name of the request's key.
    public var key: String
    /// The user who is merged or separated; nil after the erasure of one of the users.
    public var user: String?
    /// The user with whom the other is counted; nil to undo a merge.
    public var target: String?

    /// Creates a record.
    ///
    /// - Parameter time: The time of the statement; nil for the time of arrival.
    public init(received: Timestamp, time: Timestamp? = nil, key: String, user: String?, target: String?) {
        self.received = received
        self.time = time ?? received
        self.key = key
        self.user = user
        self.target = target
    }

    /// The record's statement; nil after the erasure of one of the users.
    public var statement: MergeStatement? {
        user.map { MergeStatement($0, into: target, at: time.milliseconds, by: .operator) }
    }

    /// The record's bytes, one JSON object.
    public var bytes: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("received", received)
            if time != received { writer.member("time", time) }
            writer.member("key", key)
            if let user { writer.member("user", user) }
            if let target { writer.member("into", target) }
            writer.endObject()
            return writer.array()
        }
    }

    /// Returns the record's bytes without the IDs, padded with spaces to a given length.
    public func redacted(count: Int) -> [UInt8] {
        let bytes = UserMergeRecord(received: received, time: time, key: key, user: nil, target: nil).bytes
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: max(0, count - bytes.count))
    }

    /// Reads a record, ignoring unknown members.
    ///
    /// - Throws: ``RecordError``.
    public init(payload: UnsafeRawBufferPointer) throws(RecordError) {
        do {
            let json = try JSONValue.parse(payload)
            let received = Timestamp(milliseconds: json["received"]?.integer ?? 0)
            self.received = received
            time = json["time"]?.integer.map { Timestamp(milliseconds: $0) } ?? received
            key = json["key"]?.string ?? ""
            user = json["user"]?.string
            target = json["into"]?.string
        } catch {
            throw RecordError(message: "the record of a merge cannot be read: \(error)")
        }
    }
}
