// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CSiftCompatibility
public import Foundation
internal import Trackway
internal import TrackwayCore

/// A queue of events that are pending until upload.
///
/// The object contains no events: they are stored in the journal, and the object's properties read them from there.
/// Thread-safe.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SiftQueue: NSObject, Sendable {
    /// The queue's name.
    public let identifier: String
    /// The queue's rules.
    public let config: SiftQueueConfig
    private let destination: DestinationID
    private let core: SiftCore

    init(_ identifier: String, _ entry: SiftQueueTable.Entry, _ core: SiftCore) {
        self.identifier = identifier
        config = entry.config
        destination = entry.destination
        self.core = core
        super.init()
    }

    /// The pending events, oldest first.
    ///
    /// The list includes events that earlier processes recorded, but not events that were handed over for delivery. It
    /// is available from the start of the process, and during a pause.
    ///
    /// - Complexity: O(pending events), read from disk.
    public var queue: [SiftEvent] { core.pendingEvents(in: destination) }

    /// The event appended last.
    ///
    /// While no event is pending, this is the last event that this process appended, or nil if it appended none.
    ///
    /// - Complexity: O(pending events), read from disk.
    public var lastEvent: SiftEvent? {
        // Pending events are newer than all events handed over, and only the journal contains the events that the SDK
        // collected.
        if let waiting = queue.last { return waiting }
        return core.state.withLock { $0.queues[identifier]?.lastEvent }.map { SiftEvent($0) }
    }

    /// The time when the queue was last ready, in milliseconds since 1970.
    ///
    /// The value is 0 if the queue was never ready for upload.
    public var lastUploadTimestamp: UInt64 {
        UInt64(clamping: core.analytics()?.lastUpload(of: destination)?.milliseconds ?? 0)
    }

    /// The directory of the journal that contains the queue's events.
    ///
    /// The path is empty while the directory cannot be used.
    public var archivePath: String { core.analytics()?.delivery.environment.folder ?? "" }

    /// Appends an event; see ``Sift/append(_:toQueue:)``.
    @discardableResult
    public func append(_ event: SiftEvent?) -> Bool {
        core.append(event, to: identifier)
    }

    /// Hands all pending events over for delivery.
    ///
    /// - Returns: The events that were handed over, oldest first. They are delivered from the journal; passing them to
    ///   ``SiftUploader/upload(_:)`` as well has no effect. The list is empty while the account, key or address is
    ///   missing or invalid, because nothing is handed over.
    @discardableResult
    public func transfer() -> [SiftEvent] {
        let events = queue
        guard !events.isEmpty, core.upload([destination], force: true) else { return [] }
        for event in events { event.isHandedOver = true }
        return events
    }

    /// Whether the queue is ready for upload.
    ///
    /// This is the case if it contains more events than `uploadWhenMoreThan`, or if it contains any event and was last
    /// uploaded longer ago than `uploadWhenOlderThan`.
    public func readyForUpload() -> Bool {
        core.analytics()?.isReadyForUpload(destination) ?? false
    }

    /// Uploads the queues that are ready; see ``Sift/upload()``.
    @discardableResult
    public func requestUpload() -> Bool {
        core.upload(force: false)
    }

    /// Flushes appended events to disk in the background.
    ///
    /// The events then survive power loss. The journal is the archive and already contains the events.
    public func archive() {
        core.archive()
    }

    /// Does nothing: the journal is the archive, and every property reads it.
    public func unarchive() {}
}
