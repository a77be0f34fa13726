// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CSiftCompatibility
public import Foundation
internal import Trackway
internal import TrackwayEvents

/// A queue of events that wait until they are worth an upload.
///
/// The object holds no events: they lie in the journal, and what is asked here is read there. Any thread.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SiftQueue: NSObject, Sendable {
    /// The queue's name.
    public let identifier: String
    /// Its rules.
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

    /// The events that wait, oldest first, whoever recorded them: earlier processes too. What was handed over for delivery is
    /// not among them. The same from a process's first moment on, and in a pause.
    ///
    /// - Complexity: O(what waits), read from the disk.
    public var queue: [SiftEvent] { core.waiting(in: destination) }

    /// The event taken last. While none waits it is the last one that this process appended, and nil when it appended none.
    ///
    /// - Complexity: O(what waits), read from the disk.
    public var lastEvent: SiftEvent? {
        // What waits came after everything that was handed over; what the SDK collected is known to the journal alone.
        if let waiting = queue.last { return waiting }
        return core.state.withLock { $0.queues[identifier]?.lastEvent }.map { SiftEvent($0) }
    }

    /// When the queue was found to be worth an upload last, in milliseconds since 1970; 0 when it never was.
    public var lastUploadTimestamp: UInt64 {
        UInt64(clamping: core.analytics()?.lastUpload(of: destination)?.milliseconds ?? 0)
    }

    /// The directory of the journal, in which the queue's events lie; empty while it cannot be used.
    public var archivePath: String { core.analytics()?.delivery.environment.folder ?? "" }

    /// Takes an event; see ``Sift/append(_:toQueue:)``.
    @discardableResult
    public func append(_ event: SiftEvent?) -> Bool {
        core.append(event, to: identifier)
    }

    /// Hands everything that waits over for delivery.
    ///
    /// - Returns: The events that were handed over, oldest first. They are delivered from the journal: handing them to
    ///   ``SiftUploader/upload(_:)`` as well changes nothing. Empty while account, key or address are missing or wrong: then
    ///   nothing is handed over.
    @discardableResult
    public func transfer() -> [SiftEvent] {
        let events = queue
        guard !events.isEmpty, core.upload([destination], force: true) else { return [] }
        for event in events { event.isHandedOver = true }
        return events
    }

    /// Whether the queue is worth an upload: it holds more events than `uploadWhenMoreThan`, or any, and
    /// the last upload is longer ago than `uploadWhenOlderThan`.
    public func readyForUpload() -> Bool {
        core.analytics()?.isReadyForUpload(destination) ?? false
    }

    /// Uploads the queues that are worth it; see ``Sift/upload()``.
    @discardableResult
    public func requestUpload() -> Bool {
        core.upload(force: false)
    }

    /// The journal is the archive, and what was appended is in it already. This also lets it survive power loss, soon.
    public func archive() {
        core.archive()
    }

    /// The journal is the archive, and every question here reads it: there is nothing to be done.
    public func unarchive() {}
}
