// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway

/// Sends events to the back end.
///
/// The object contains no batches: events that were handed over stay in the journal until the back end has accepted
/// them. Thread-safe.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SiftUploader: NSObject, Sendable {
    private let core: SiftCore

    init(_ core: SiftCore) {
        self.core = core
        super.init()
    }

    /// Sends events.
    ///
    /// The events are appended to the default queue, and the queue is handed over for delivery. Events returned by
    /// ``SiftQueue/transfer()`` are already being delivered and are skipped.
    ///
    /// - Returns: Whether all events are being delivered. False, with a diagnostic, if one of them was not accepted or
    ///   nothing can be sent; accepted events then stay pending. Also false without events.
    @discardableResult
    public func upload(_ events: [SiftEvent]?) -> Bool {
        guard let events, !events.isEmpty else { return false }
        let new = events.filter { !$0.isHandedOver }
        let identifier = core.state.withLock { $0.defaultQueue }
        let taken = new.count { core.append($0, to: identifier) }
        if taken > 0, let queue = core.entry(identifier) {
            guard core.canUpload() else { return false }
            // The queue's rules may already have handed the events over. In this case, none of them is pending.
            core.upload([queue.destination], force: true)
        }
        return taken == new.count
    }

    /// Sends all pending events; see ``Sift/upload(_:)``.
    @discardableResult
    public func doUpload() -> Bool {
        core.upload(force: true)
    }

    /// Flushes the events to disk in the background.
    ///
    /// The events then survive power loss. The journal is the archive and already contains the events that were handed
    /// over.
    public func archive() {
        core.archive()
    }

    /// Does nothing: the journal is the archive, and delivery reads it.
    public func unarchive() {}
}
