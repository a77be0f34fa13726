// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CSiftCompatibility

extension Sift {
    /// The queue that ``append(_:)`` appends to; initially `sift-default`.
    public var defaultQueueIdentifier: String? {
        get { core.state.withLock { $0.defaultQueue } }
        set { core.state.withLock { $0.defaultQueue = newValue } }
    }

    /// Whether a queue with this name exists.
    public func hasEventQueue(_ identifier: String?) -> Bool {
        core.entry(identifier) != nil
    }

    /// Adds a queue, whose events are uploaded according to its rules.
    ///
    /// The queue contains the events that an earlier process, or a removed queue, left under this name. Any string is a
    /// valid name, including slashes, capital letters and emoji.
    ///
    /// - Returns: False, with a diagnostic, if the name is nil or already in use, if a time is not a number, or if
    ///   there are more queues than the SDK accepts (256 destinations in all).
    @discardableResult
    public func addEventQueue(_ identifier: String?, config: SiftQueueConfig) -> Bool {
        core.addQueue(identifier, config)
    }

    /// Removes a queue.
    ///
    /// Events that were handed over for delivery are delivered. Pending events stay on the device, within the journal's
    /// limits, and are uploaded when the queue is added again.
    ///
    /// - Returns: False, with a diagnostic, if the queue does not exist.
    @discardableResult
    public func removeEventQueue(_ identifier: String?) -> Bool {
        core.removeQueue(identifier)
    }

    /// Appends an event to a queue.
    ///
    /// When this returns true, the event survives termination of the process. If the event has no user or installation,
    /// ``userId`` and this installation are added.
    ///
    /// - Returns: False, with a diagnostic, if the event is nil, the queue does not exist, or the event is invalid (see
    ///   ``SiftEvent/sanityCheck()``) or too large (192 KiB, 10,000 strings of a kind, names of 4,096 bytes). True even
    ///   during a pause: the event stays pending until the pause ends. True even if the queue's rules skip the event
    ///   because it contains nothing new.
    @nonobjc @discardableResult
    public func append(_ event: SiftEvent?, toQueue identifier: String?) -> Bool {
        core.append(event, to: identifier)
    }

    /// Appends an event to ``defaultQueueIdentifier``; see ``append(_:toQueue:)``.
    @nonobjc @discardableResult
    public func append(_ event: SiftEvent?) -> Bool {
        core.append(event, to: defaultQueueIdentifier)
    }

    /// Appends an event to the device properties queue.
    ///
    /// The queue is created if it does not exist yet.
    @discardableResult
    public func appendDevicePropertiesEvent(_ event: SiftEvent?) -> Bool {
        core.state.withLock { $0.queues.showPropertiesQueue() }
        return core.append(event, to: SiftQueueTable.properties)
    }

    /// Returns the queue with this name.
    ///
    /// Returns nil if the queue does not exist.
    public func eventQueue(_ identifier: String?) -> SiftQueue? {
        guard let identifier, let entry = core.entry(identifier) else { return nil }
        return SiftQueue(identifier, entry, core)
    }

    /// The object that sends events.
    public var uploader: SiftUploader { SiftUploader(core) }
}

extension SiftEvent {
    /// Appends an event to the shared instance's device properties queue.
    ///
    /// See ``Sift/appendDevicePropertiesEvent(_:)``.
    @discardableResult
    public static func appendDevicePropertiesEvent(_ event: SiftEvent?) -> Bool {
        Sift.sharedInstance().appendDevicePropertiesEvent(event)
    }
}
