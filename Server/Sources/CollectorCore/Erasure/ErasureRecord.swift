// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

extension FrameKind {
    /// The kind of records about erasures requested by operators.
    ///
    /// The content is an ``ErasureRecord``.
    public static let erasure = FrameKind(rawValue: 18)
    /// The kind of records about events that arrived after an erasure.
    ///
    /// The events were not stored. The content is an ``ErasureRecord`` with their count.
    public static let erasedEvents = FrameKind(rawValue: 19)
}

/// The intake log's record of an erased installation.
///
/// In addition to the installation's own event, the log records that an operator erased an installation (frames of kind
/// `erasure`), or that events of the installation arrived afterward and were not stored (`erasedEvents`).
public struct ErasureRecord: Sendable, Hashable {
    /// When the erasure or the arrival happened, by the collector's clock.
    public var received: Timestamp
    /// The name of the request's key.
    public var key: String
    /// The installation.
    public var installation: InstallationID
    /// The number of events that arrived; 0 for an erasure.
    public var events: Int
    /// Whether the installation was erased together with its only user.
    ///
    /// The user's receipt then includes the installation.
    public var isPartOfUser: Bool

    /// Creates a record.
    public init(
        received: Timestamp,
        key: String,
        installation: InstallationID,
        events: Int = 0,
        isPartOfUser: Bool = false
    ) {
        self.received = received
        self.key = key
        self.installation = installation
        self.events = events
        self.isPartOfUser = isPartOfUser
    }

    /// The record's bytes: one JSON object.
    public var bytes: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("received", received)
            writer.member("key", key)
            writer.member("installation", installation)
            writer.member("events", Int64(events))
            if isPartOfUser { writer.member("part_of_user", true) }
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
            throw RecordError(message: "the erasure record cannot be read: \(error)")
        }
        guard let installation = json["installation"]?.string.flatMap({ InstallationID($0) }) else {
            throw RecordError(message: "the erasure record names no installation")
        }
        self.installation = installation
        received = Timestamp(milliseconds: json["received"]?.integer ?? 0)
        key = json["key"]?.string ?? ""
        events = max(0, Int(clamping: json["events"]?.integer ?? 0))
        isPartOfUser = json["part_of_user"]?.boolean ?? false
    }
}

/// A request to erase an installation, with its origin.
public struct DeletionRequest: Sendable, Hashable {
    /// The installation.
    public let installation: InstallationID
    /// When the erasure was requested, by the collector's clock.
    public let time: Timestamp
    /// The name of the request's key.
    public let key: String
    /// Whether an operator, not the installation itself, requested the erasure.
    public let isByOperator: Bool
    /// Whether the installation was erased together with its only user.
    public let isPartOfUser: Bool

    /// Creates the request of an operator.
    public init(_ record: ErasureRecord) {
        installation = record.installation
        time = record.received
        key = record.key
        isByOperator = true
        isPartOfUser = record.isPartOfUser
    }

    /// Creates the request of an installation, from a batch with this header.
    public init(_ installation: InstallationID, _ header: IntakeHeader) {
        self.installation = installation
        time = header.received
        key = header.key
        isByOperator = false
        isPartOfUser = false
    }
}
