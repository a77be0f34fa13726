// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

extension FrameKind {
    /// An operator has erased an installation: an ``ErasureRecord``.
    public static let erasure = FrameKind(rawValue: 18)
    /// Events of an erased installation came and were not kept: an ``ErasureRecord`` with their count.
    public static let erasedEvents = FrameKind(rawValue: 19)
}

/// What the intake log keeps about an erased installation beside the installation's own word: that an operator erased it
/// (frames of kind `erasure`), or that events of it came afterwards, which are not kept themselves (`erasedEvents`).
public struct ErasureRecord: Sendable, Hashable {
    /// When it happened, by the collector's clock.
    public var received: Timestamp
    /// The name of the key it came with.
    public var key: String
    /// The installation.
    public var installation: InstallationID
    /// How many events came; 0 for an erasure.
    public var events: Int

    /// A record of these facts.
    public init(received: Timestamp, key: String, installation: InstallationID, events: Int = 0) {
        self.received = received
        self.key = key
        self.installation = installation
        self.events = events
    }

    /// The record's bytes: one JSON object.
    public var bytes: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("received", received)
            writer.member("key", key)
            writer.member("installation", installation)
            writer.member("events", Int64(events))
            writer.endObject()
            return writer.array()
        }
    }

    /// Reads a record. Unknown members are passed over.
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
    }
}

/// Whom to erase, and who says so.
public struct ErasureOrder: Sendable, Hashable {
    /// The installation.
    public let installation: InstallationID
    /// When it was ordered, by the collector's clock.
    public let time: Timestamp
    /// The name of the key it came with.
    public let key: String
    /// Whether an operator ordered it, and not the installation itself.
    public let isByOperator: Bool

    /// An operator's.
    public init(_ record: ErasureRecord) {
        installation = record.installation
        time = record.received
        key = record.key
        isByOperator = true
    }

    /// The installation's own, in a batch with this header.
    public init(_ installation: InstallationID, _ header: IntakeHeader) {
        self.installation = installation
        time = header.received
        key = header.key
        isByOperator = false
    }
}
