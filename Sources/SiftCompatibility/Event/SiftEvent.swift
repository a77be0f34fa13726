// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
public import TrackwayCore
public import TrackwayDestinations

/// An event: type, path, time, and the app's own strings.
///
/// ```swift
/// let event = SiftEvent(type: "checkout", path: "/cart/confirm", fields: ["cart_size": "3"])
/// sift.append(event)
/// ```
/// Thread-safe. Appending an event records its content at that time; later changes do not affect the appended content.
///
/// The class supports archiving, with or without secure coding, and subclassing, like the documented client's class.
/// Properties that a subclass adds are not sent, and must be thread-safe.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SiftEvent: NSObject, NSSecureCoding, @unchecked Sendable {
    // The class is open, so the compiler cannot check the properties of subclasses; the only property of this class is
    // a constant protected by a lock.
    private let state: Locked<State>

    private struct State: Sendable {
        var content: SiftContent
        /// Whether the app or an archive set the time.
        var hasOwnTime: Bool
        /// Whether the event is in the journal and handed over for delivery.
        var isHandedOver = false
    }

    /// Creates an event that contains only the current time.
    public override init() {
        state = Locked(State(content: SiftContent(time: SiftEvent.now), hasOwnTime: false))
        super.init()
    }

    /// Creates an event with the current time.
    ///
    /// - Parameters:
    ///   - type: The event's type; nil or empty is omitted on the wire.
    ///   - path: The location in the app; nil or empty is omitted on the wire.
    ///   - fields: The app's own strings by name. An event with any other value can be created, but ``sanityCheck()``
    ///     rejects it.
    public init(type: String?, path: String? = nil, fields: [AnyHashable: Any]? = nil) {
        var content = SiftContent(time: SiftEvent.now)
        content.type = type
        content.path = path
        content.fields = fields.map { SiftStrings($0) }
        state = Locked(State(content: content, hasOwnTime: false))
        super.init()
    }

    package init(_ content: SiftContent) {
        state = Locked(State(content: content, hasOwnTime: true))
        super.init()
    }

    private static var now: UInt64 { UInt64(clamping: Analytics.wallTime.milliseconds) }

    /// The current content.
    package var content: SiftContent { state.withLock { $0.content } }

    /// The same as ``init(type:path:fields:)``.
    @nonobjc public static func eventWithType(_ type: String?, path: String?, fields: [AnyHashable: Any]?) -> SiftEvent
    {
        SiftEvent(type: type, path: path, fields: fields)
    }

    // MARK: Archives

    /// Whether archived events support secure coding, which is always true.
    public class var supportsSecureCoding: Bool { true }

    /// Decodes an event from an archive.
    ///
    /// Values that are missing or have an unexpected class count as not set.
    public required init?(coder: NSCoder) {
        state = Locked(State(content: SiftContent(coder, orAt: SiftEvent.now), hasOwnTime: true))
        super.init()
    }

    /// Encodes every member into a keyed archive, under the documented names.
    ///
    /// A subclass with more members encodes them in its override.
    open func encode(with coder: NSCoder) {
        content.encode(with: coder)
    }

    // MARK: Members

    /// The time of the event, in milliseconds since 1970.
    ///
    /// The default is the time of creation.
    public var time: UInt64 {
        get { content.time }
        set {
            state.withLock { state in
                state.content.time = newValue
                state.hasOwnTime = true
            }
        }
    }

    /// The event's type.
    public var type: String? {
        get { content.type }
        set { state.withLock { $0.content.type = newValue } }
    }

    /// The location in the app.
    public var path: String? {
        get { content.path }
        set { state.withLock { $0.content.path = newValue } }
    }

    /// The user's ID.
    ///
    /// If the value is nil, appending the event sets it to ``Sift/userId``.
    public var userId: String? {
        get { content.userId }
        set { state.withLock { $0.content.userId = newValue } }
    }

    /// The installation's ID.
    ///
    /// If the value is nil, appending the event sets it to the current installation's ID, which is sent.
    public var installationId: String? {
        get { content.installationId }
        set { state.withLock { $0.content.installationId = newValue } }
    }

    /// The state of the app and its device, under the format's names.
    ///
    /// For example, `AppStateSnapshot.attributes`.
    @nonobjc public var iosAppState: Attributes? {
        get { content.iosAppState }
        set { state.withLock { $0.content.iosAppState = newValue } }
    }

    /// The device's properties, under the format's names.
    ///
    /// For example, `DeviceProperties.attributes`.
    @nonobjc public var iosDeviceProperties: Attributes? {
        get { content.iosDeviceProperties }
        set { state.withLock { $0.content.iosDeviceProperties = newValue } }
    }

    // MARK: Strings

    /// The app's own strings, keyed by name; entries that are not strings are omitted.
    @nonobjc public var fields: [String: String]? {
        get { content.fields?.texts }
        set { state.withLock { $0.content.fields = newValue.map { SiftStrings($0) } } }
    }

    /// Strings about the device, keyed by name; entries that are not strings are omitted.
    @nonobjc public var deviceProperties: [String: String]? {
        get { content.deviceProperties?.texts }
        set { state.withLock { $0.content.deviceProperties = newValue.map { SiftStrings($0) } } }
    }

    /// Strings about the client, keyed by name; entries that are not strings are omitted.
    @nonobjc public var metrics: [String: String]? {
        get { content.metrics?.texts }
        set { state.withLock { $0.content.metrics = newValue.map { SiftStrings($0) } } }
    }

    /// Sets ``fields`` to the entries of a dictionary.
    ///
    /// ``sanityCheck()`` rejects entries that are not strings.
    @nonobjc public func setFields(_ fields: [AnyHashable: Any]?) {
        let texts = fields.map { SiftStrings($0) }
        state.withLock { $0.content.fields = texts }
    }

    /// Sets ``deviceProperties`` to the entries of a dictionary.
    ///
    /// ``sanityCheck()`` rejects entries that are not strings.
    @nonobjc public func setDeviceProperties(_ deviceProperties: [AnyHashable: Any]?) {
        let texts = deviceProperties.map { SiftStrings($0) }
        state.withLock { $0.content.deviceProperties = texts }
    }

    /// Sets ``metrics`` to the entries of a dictionary.
    ///
    /// ``sanityCheck()`` rejects entries that are not strings.
    @nonobjc public func setMetrics(_ metrics: [AnyHashable: Any]?) {
        let texts = metrics.map { SiftStrings($0) }
        state.withLock { $0.content.metrics = texts }
    }

    // MARK: Delivery

    /// Whether the event is in the journal and handed over for delivery.
    var isHandedOver: Bool {
        get { state.withLock { $0.isHandedOver } }
        set { state.withLock { $0.isHandedOver = newValue } }
    }

    // MARK: Comparison and validation

    /// Whether all members except ``time`` are equal.
    @nonobjc public func isEssentiallyEqual(to event: SiftEvent?) -> Bool {
        guard let event else { return false }
        return content.isEssentiallyEqual(to: event.content)
    }

    /// Whether the format supports the event.
    ///
    /// All names and values in ``fields``, ``deviceProperties`` and ``metrics`` must be strings, and the event must not
    /// have both ``iosAppState`` and ``iosDeviceProperties``.
    public func sanityCheck() -> Bool {
        content.faults.isEmpty
    }

    /// Adds the user and the installation if the event has none.
    ///
    /// - Parameter time: The time to use if none was set; nil for the time of creation.
    func complete(user: String?, installation: String, time: UInt64?) -> SiftContent {
        state.withLock { state in
            if state.content.userId == nil { state.content.userId = user }
            if state.content.installationId == nil { state.content.installationId = installation }
            if let time, !state.hasOwnTime {
                state.content.time = time
                state.hasOwnTime = true
            }
            return state.content
        }
    }
}

extension SiftEvent {
    /// Returns the body of a request with events, before compression: `{"data":[…]}`.
    ///
    /// Events that are invalid (``sanityCheck()``) are left out.
    ///
    /// - Parameters:
    ///   - events: The events, in the order in which they are written; nil for none.
    ///   - edition: The client whose set of keys is used for app state and device properties.
    /// - Returns: JSON as UTF-8.
    @nonobjc public class func listRequest(
        _ events: [SiftEvent]?,
        edition: SiftDestination.Edition = .legacy
    ) -> Data {
        let sane = (events ?? []).map(\.content).filter { $0.faults.isEmpty }
        return Data(SiftDestination.list(sane.map(\.recorded), edition: edition))
    }
}

extension SiftContent {
    /// The event as it would be recorded.
    ///
    /// The value is for encoding only: it has no identity.
    fileprivate var recorded: Event {
        Event(
            id: EventID(high: 0, low: 0),
            name: recordedName,
            time: Timestamp(milliseconds: Int64(clamping: time)),
            monotonic: MonotonicTime(milliseconds: 0),
            attributes: recordedAttributes
        )
    }
}
