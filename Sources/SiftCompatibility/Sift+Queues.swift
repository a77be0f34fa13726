// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CSiftCompatibility

extension Sift {
    /// The queue that ``append(_:)`` takes events into; `sift-default` at first.
    public var defaultQueueIdentifier: String? {
        get { core.state.withLock { $0.defaultQueue } }
        set { core.state.withLock { $0.defaultQueue = newValue } }
    }

    /// Whether there is a queue of this name.
    public func hasEventQueue(_ identifier: String?) -> Bool {
        core.entry(identifier) != nil
    }

    /// Adds a queue, whose events then travel when its rules say so. What an earlier process, or a queue that was removed,
    /// left under this name is in it.
    ///
    /// Any text is a name: slashes, capital letters and emoji included.
    ///
    /// - Returns: False, with a diagnostic, when it has no name or is there already, when a time is not a number, or when
    ///   there are more queues than the SDK takes (256 destinations in all).
    @discardableResult
    public func addEventQueue(_ identifier: String?, config: SiftQueueConfig) -> Bool {
        core.addQueue(identifier, config)
    }

    /// Removes a queue. What was handed over for delivery is delivered; what waits in it stays on the device, within the
    /// journal's bounds, and goes on when the queue is added again.
    ///
    /// - Returns: False, with a diagnostic, when there is no such queue.
    @discardableResult
    public func removeEventQueue(_ identifier: String?) -> Bool {
        core.removeQueue(identifier)
    }

    /// Takes an event into a queue. When it returns true, the event survives the death of the process.
    ///
    /// The event is completed with ``userId`` and the installation where it does not name them.
    ///
    /// - Returns: False, with a diagnostic, when there is no event or no such queue, when the event makes no sense (see
    ///   ``SiftEvent/sanityCheck()``) or is too much (192 KiB, 10,000 texts of a kind, names of 4,096 bytes). True in a pause,
    ///   too: the event waits for its end. True also when the queue's rules leave it out because it says nothing new.
    @nonobjc @discardableResult
    public func append(_ event: SiftEvent?, toQueue identifier: String?) -> Bool {
        core.append(event, to: identifier)
    }

    /// Takes an event into ``defaultQueueIdentifier``; see ``append(_:toQueue:)``.
    @nonobjc @discardableResult
    public func append(_ event: SiftEvent?) -> Bool {
        core.append(event, to: defaultQueueIdentifier)
    }

    /// Takes an event into the queue of device properties, which appears if it is not there yet.
    @discardableResult
    public func appendDevicePropertiesEvent(_ event: SiftEvent?) -> Bool {
        core.state.withLock { $0.queues.propertiesAppeared() }
        return core.append(event, to: SiftQueueTable.properties)
    }

    /// A queue as an object; nil when there is none of this name.
    public func eventQueue(_ identifier: String?) -> SiftQueue? {
        guard let identifier, let entry = core.entry(identifier) else { return nil }
        return SiftQueue(identifier, entry, core)
    }

    /// What sends.
    public var uploader: SiftUploader { SiftUploader(core) }
}

extension SiftEvent {
    /// Takes an event into the shared instance's queue of device properties; see ``Sift/appendDevicePropertiesEvent(_:)``.
    @discardableResult
    public static func appendDevicePropertiesEvent(_ event: SiftEvent?) -> Bool {
        Sift.sharedInstance().appendDevicePropertiesEvent(event)
    }
}
