// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway

/// What sends events to the back-end.
///
/// The object holds no batches: what was handed over lies in the journal until the back-end has taken it. Any thread.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SiftUploader: NSObject, Sendable {
    private let core: SiftCore

    init(_ core: SiftCore) {
        self.core = core
        super.init()
    }

    /// Sends these events: takes them into the default queue and hands it over. Events that ``SiftQueue/transfer()`` gave are
    /// on their way already, and are left aside.
    ///
    /// - Returns: Whether all of them are on their way. False, with a diagnostic, when one of them was not taken, or nothing
    ///   can be sent: those that were taken wait then. False also when there are none.
    @discardableResult
    public func upload(_ events: [SiftEvent]?) -> Bool {
        guard let events, !events.isEmpty else { return false }
        let new = events.filter { !$0.isHandedOver }
        let identifier = core.state.withLock { $0.defaultQueue }
        let taken = new.count { core.append($0, to: identifier) }
        if taken > 0, let queue = core.entry(identifier) {
            guard core.canUpload() else { return false }
            // The queue's own rules may have handed them over before; then nothing of them waits here.
            core.upload([queue.destination], force: true)
        }
        return taken == new.count
    }

    /// Sends what waits; see ``Sift/upload(_:)``.
    @discardableResult
    public func doUpload() -> Bool {
        core.upload(force: true)
    }

    /// The journal is the archive, and what was handed over is in it already. This also lets it survive power loss, soon.
    public func archive() {
        core.archive()
    }

    /// The journal is the archive, and delivery reads it: there is nothing to be done.
    public func unarchive() {}
}
