// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
public import TrackwayDestinations
public import TrackwayEvents

/// One event: what happened, where, when, and the app's own texts about it.
///
/// ```swift
/// let event = SiftEvent(type: "checkout", path: "/cart/confirm", fields: ["cart_size": "3"])
/// sift.append(event)
/// ```
/// Any thread. What counts is what the event says when it is appended; changes after that are another event's.
///
/// It can be archived, with or without secure coding, and subclassed, as the documented client's can. What a subclass adds is
/// not sent, and must bear being used on any thread.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SiftEvent: NSObject, NSSecureCoding, @unchecked Sendable {
    // The class is open, so that the compiler cannot know what subclasses hold; here it is one constant behind a lock.
    private let state: Locked<State>

    private struct State: Sendable {
        var content: SiftContent
        /// Whether the app, or an archive, said when it happened.
        var hasOwnTime: Bool
        /// Whether the event is in the journal already, and on its way from there.
        var isHandedOver = false
    }

    /// An event that happens now, and says nothing else.
    public override init() {
        state = Locked(State(content: SiftContent(time: SiftEvent.now), hasOwnTime: false))
        super.init()
    }

    /// An event that happens now.
    ///
    /// - Parameters:
    ///   - type: what happened; nil or empty is left out on the wire.
    ///   - path: where in the app; nil or empty is left out on the wire.
    ///   - fields: the app's own texts by name. An event with anything else in it can be made, and is refused by
    ///     ``sanityCheck()``.
    public init(type: String?, path: String? = nil, fields: [AnyHashable: Any]? = nil) {
        var content = SiftContent(time: SiftEvent.now)
        content.type = type
        content.path = path
        content.fields = fields.map { SiftTexts($0) }
        state = Locked(State(content: content, hasOwnTime: false))
        super.init()
    }

    package init(_ content: SiftContent) {
        state = Locked(State(content: content, hasOwnTime: true))
        super.init()
    }

    private static var now: UInt64 { UInt64(clamping: Analytics.wallTime.milliseconds) }

    /// What it says at this moment.
    package var content: SiftContent { state.withLock { $0.content } }

    /// The same as ``init(type:path:fields:)``.
    @nonobjc public static func eventWithType(_ type: String?, path: String?, fields: [AnyHashable: Any]?) -> SiftEvent
    {
        SiftEvent(type: type, path: path, fields: fields)
    }

    // MARK: Archives

    /// True: whoever reads an archive of events may insist on their class.
    public class var supportsSecureCoding: Bool { true }

    /// Reads an event from an archive. What is missing there, or of another class, counts as not said.
    public required init?(coder: NSCoder) {
        state = Locked(State(content: SiftContent(coder, orAt: SiftEvent.now), hasOwnTime: true))
        super.init()
    }

    /// Writes every member into an archive that has keys, under the documented names. A subclass that has more to say writes
    /// it here, too.
    open func encode(with coder: NSCoder) {
        content.encode(with: coder)
    }

    // MARK: Members

    /// When it happened, in milliseconds since 1970; now, unless it is set.
    public var time: UInt64 {
        get { content.time }
        set {
            state.withLock { state in
                state.content.time = newValue
                state.hasOwnTime = true
            }
        }
    }

    /// What happened.
    public var type: String? {
        get { content.type }
        set { state.withLock { $0.content.type = newValue } }
    }

    /// Where in the app.
    public var path: String? {
        get { content.path }
        set { state.withLock { $0.content.path = newValue } }
    }

    /// Who used the app. When it is nil, appending sets it to ``Sift/userId``.
    public var userId: String? {
        get { content.userId }
        set { state.withLock { $0.content.userId = newValue } }
    }

    /// Which installed copy of the app it was. When it is nil, appending sets it to the one at hand, which is what is sent.
    public var installationId: String? {
        get { content.installationId }
        set { state.withLock { $0.content.installationId = newValue } }
    }

    /// What the app and its device were about, by the format's names: `AppStateSnapshot.attributes`, for instance.
    @nonobjc public var iosAppState: Attributes? {
        get { content.iosAppState }
        set { state.withLock { $0.content.iosAppState = newValue } }
    }

    /// What the device is, by the format's names: `DeviceProperties.attributes`, for instance.
    @nonobjc public var iosDeviceProperties: Attributes? {
        get { content.iosDeviceProperties }
        set { state.withLock { $0.content.iosDeviceProperties = newValue } }
    }

    // MARK: Texts

    /// The app's own texts by name. Entries that are none are not shown.
    @nonobjc public var fields: [String: String]? {
        get { content.fields?.texts }
        set { state.withLock { $0.content.fields = newValue.map { SiftTexts($0) } } }
    }

    /// Texts about the device by name. Entries that are none are not shown.
    @nonobjc public var deviceProperties: [String: String]? {
        get { content.deviceProperties?.texts }
        set { state.withLock { $0.content.deviceProperties = newValue.map { SiftTexts($0) } } }
    }

    /// Texts about the client itself by name. Entries that are none are not shown.
    @nonobjc public var metrics: [String: String]? {
        get { content.metrics?.texts }
        set { state.withLock { $0.content.metrics = newValue.map { SiftTexts($0) } } }
    }

    /// Sets ``fields`` to whatever a dictionary holds; what is no text is refused by ``sanityCheck()``.
    @nonobjc public func setFields(_ fields: [AnyHashable: Any]?) {
        let texts = fields.map { SiftTexts($0) }
        state.withLock { $0.content.fields = texts }
    }

    /// Sets ``deviceProperties`` to whatever a dictionary holds; what is no text is refused by ``sanityCheck()``.
    @nonobjc public func setDeviceProperties(_ deviceProperties: [AnyHashable: Any]?) {
        let texts = deviceProperties.map { SiftTexts($0) }
        state.withLock { $0.content.deviceProperties = texts }
    }

    /// Sets ``metrics`` to whatever a dictionary holds; what is no text is refused by ``sanityCheck()``.
    @nonobjc public func setMetrics(_ metrics: [AnyHashable: Any]?) {
        let texts = metrics.map { SiftTexts($0) }
        state.withLock { $0.content.metrics = texts }
    }

    // MARK: On its way

    /// Whether this object stands for an event that is in the journal already, and on its way from there.
    var isHandedOver: Bool {
        get { state.withLock { $0.isHandedOver } }
        set { state.withLock { $0.isHandedOver = newValue } }
    }

    // MARK: Questions

    /// Whether both say the same: every member, ``time`` left out.
    @nonobjc public func isEssentiallyEqual(to event: SiftEvent?) -> Bool {
        guard let event else { return false }
        return content.isEssentiallyEqual(to: event.content)
    }

    /// Whether the format can carry it: all names and values in ``fields``, ``deviceProperties`` and ``metrics`` are texts.
    public func sanityCheck() -> Bool {
        content.faults.isEmpty
    }

    /// Takes over who used the app, and which copy of it that was, where the event does not say.
    ///
    /// - Parameter time: when it happened, if it does not say that either; nil for when it was made.
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
    /// Events as the body of a request in the format, before it is packed: `{"data":[…]}`. Events that make no sense
    /// (``sanityCheck()``) are left out.
    ///
    /// - Parameters:
    ///   - events: the events, in the order they are to be written; nil is none.
    ///   - edition: which client's set of keys app state and device properties have.
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
    /// The event as it would be recorded, for writing only: it has no identity.
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
