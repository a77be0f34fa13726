// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A typed context record: the data that events share when recorded.
///
/// The SDK writes a context when any of its data changes. Every event refers to a context, and destinations read the
/// context back when they encode. Empty sections are left out of the JSON.
public struct RecordedContext: Sendable, Hashable {
    private struct Fields: Sendable, Hashable {
        var app: Attributes
        var device: Attributes
        var boot: String
        var user: User
        var session: Session?
        var screen: Screen?
        var global: Attributes
        var modes: Attributes
    }

    private var fields: CopyOnWrite<Fields>

    /// Properties of the app.
    public var app: Attributes {
        _read { yield fields.value.app }
        _modify { yield &fields.value.app }
    }
    /// Properties of the device.
    public var device: Attributes {
        _read { yield fields.value.device }
        _modify { yield &fields.value.device }
    }
    /// The id of the device's boot that monotonic times belong to.
    ///
    /// Empty if unknown.
    public var boot: String {
        _read { yield fields.value.boot }
        _modify { yield &fields.value.boot }
    }
    /// The user of the app.
    public var user: User {
        _read { yield fields.value.user }
        _modify { yield &fields.value.user }
    }
    /// The session, if one was active.
    public var session: Session? {
        _read { yield fields.value.session }
        _modify { yield &fields.value.session }
    }
    /// The screen that was shown, if any.
    public var screen: Screen? {
        _read { yield fields.value.screen }
        _modify { yield &fields.value.screen }
    }
    /// The global attributes, which apply to all events.
    public var global: Attributes {
        _read { yield fields.value.global }
        _modify { yield &fields.value.global }
    }
    /// The modes of destinations that have several modes, by destination id.
    ///
    /// A mode, such as a debug mode, determines how a destination treats the events.
    ///
    /// A destination without an entry uses its settings.
    public var modes: Attributes {
        _read { yield fields.value.modes }
        _modify { yield &fields.value.modes }
    }

    /// Creates a context.
    public init(
        app: Attributes = [:],
        device: Attributes = [:],
        boot: String = "",
        user: User = User(),
        session: Session? = nil,
        screen: Screen? = nil,
        global: Attributes = [:],
        modes: Attributes = [:]
    ) {
        fields = CopyOnWrite(
            Fields(
                app: app,
                device: device,
                boot: boot,
                user: user,
                session: session,
                screen: screen,
                global: global,
                modes: modes
            )
        )
    }

    /// The session that events belong to.
    public struct Session: Sendable, Hashable, Codable {
        /// The session's id.
        public var id: String
        /// The session's number within this installation, starting at 1.
        public var number: Int64
        /// The time when the session began.
        public var start: Timestamp
        /// The session's start on the monotonic clock; nil if unknown.
        public var monotonicStart: MonotonicTime?
        /// The boot that ``monotonicStart`` belongs to; nil if unknown.
        public var boot: String?

        /// Creates a session.
        public init(
            id: String,
            number: Int64,
            start: Timestamp,
            monotonicStart: MonotonicTime? = nil,
            boot: String? = nil
        ) {
            self.id = id
            self.number = number
            self.start = start
            self.monotonicStart = monotonicStart
            self.boot = boot
        }
    }

    /// The screen that was shown when events were recorded.
    public struct Screen: Sendable, Hashable, Codable {
        /// The screen's name.
        public var name: String
        /// The screen's id.
        ///
        /// For a screen that the SDK detects, the id is its location in the app.
        public var id: String?
        /// An id that distinguishes two screens of the same name.
        public var uniqueID: String?

        /// Creates a screen.
        public init(name: String, id: String? = nil, uniqueID: String? = nil) {
            self.name = name
            self.id = id
            self.uniqueID = uniqueID
        }
    }
}

extension RecordedContext {
    /// The data that the app provided about its user.
    public struct User: Sendable, Hashable {
        /// The id that the app provided.
        ///
        /// Nil if no user was signed in.
        public var id: String?
        /// The time of the user's sign-in.
        ///
        /// Nil if no user was signed in, or if the time is unknown.
        public var signedInAt: Timestamp?
        /// The person's id, for back ends that distinguish people on one device.
        ///
        /// A known user who returns gets the same id again.
        public var uniqueID: String?
        /// The time when this person first opened the app.
        public var firstTouch: Timestamp?
        /// The id of the device's anonymous visitor, unchanged by sign-in and sign-out.
        public var anonymousID: String?
        /// Other ids of the person, by the name of their type.
        public var identities: Attributes
        /// The user's groups: ids by type, such as `company`.
        public var groups: Attributes
        /// The attributes that the app set for the person.
        public var attributes: [Attribute]
        /// The subject whose consent applies to events of this context.
        ///
        /// Nil if consent is not stored per person.
        public var subject: String?
        /// The number of withdrawals of consent before the event, on this installation.
        public var consentEpoch: Int64
        /// Whether anonymous events stay anonymous, even if a user then signs in.
        public var isSeparate: Bool

        /// Creates a user.
        public init(
            id: String? = nil,
            signedInAt: Timestamp? = nil,
            uniqueID: String? = nil,
            firstTouch: Timestamp? = nil,
            anonymousID: String? = nil,
            identities: Attributes = [:],
            groups: Attributes = [:],
            attributes: [Attribute] = [],
            subject: String? = nil,
            consentEpoch: Int64 = 0,
            isSeparate: Bool = false
        ) {
            self.id = id
            self.signedInAt = signedInAt
            self.uniqueID = uniqueID
            self.firstTouch = firstTouch
            self.anonymousID = anonymousID
            self.identities = identities
            self.groups = groups
            self.attributes = attributes
            self.subject = subject
            self.consentEpoch = consentEpoch
            self.isSeparate = isSeparate
        }

        /// One attribute of a user.
        public struct Attribute: Sendable, Hashable {
            /// The attribute's name.
            public var name: String
            /// The attribute's value.
            public var value: AttributeValue
            /// The time when the app set the attribute.
            public var setAt: Timestamp

            /// Creates an attribute.
            public init(name: String, value: AttributeValue, setAt: Timestamp) {
                self.name = name
                self.value = value
                self.setAt = setAt
            }
        }
    }
}

extension RecordedContext {
    /// Reads the JSON of a context record.
    ///
    /// Unknown members, and members with unexpected values, are skipped: a partial context is still useful.
    ///
    /// - Throws: `JSONError` if the bytes are not a JSON object.
    public init(json bytes: UnsafeRawBufferPointer) throws(JSONError) {
        let json = try JSONValue.parse(bytes)
        guard json.object != nil else { throw JSONError(.unexpectedType, at: 0) }
        self.init(json)
    }

    /// Reads the JSON of a context record.
    ///
    /// - Throws: `JSONError` if the bytes are not a JSON object.
    public init(json bytes: [UInt8]) throws(JSONError) {
        self = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> RecordedContext in
            try RecordedContext(json: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Reads a context from a JSON value; missing members stay empty.
    public init(_ json: JSONValue) {
        self.init(
            app: Attributes(json["app"]?.object ?? .init()),
            device: Attributes(json["device"]?.object ?? .init()),
            boot: json["boot"]?.string ?? "",
            user: json["user"].map { User($0) } ?? User(),
            session: json["session"].flatMap { Session($0, boot: json["boot"]?.string ?? "") },
            screen: json["screen"].flatMap { Screen($0) },
            global: Attributes(json["global"]?.object ?? .init()),
            modes: Attributes(json["modes"]?.object ?? .init())
        )
        if let texts = json["texts"] { restoreStrings(texts) }
    }

    private mutating func restoreStrings(_ texts: JSONValue) {
        func pointers(_ section: String) -> [String] { (texts[section]?.array ?? []).compactMap(\.string) }
        global.restoreStrings(at: pointers("global"))
        let described = pointers("user")
        guard !described.isEmpty else { return }
        var attributes = Attributes(user.attributes.map { (key: $0.name, value: $0.value) })
        attributes.restoreStrings(at: described)
        for index in user.attributes.indices {
            user.attributes[index].value = attributes[user.attributes[index].name] ?? user.attributes[index].value
        }
    }

    /// The pointers of strings that would be read as dates.
    private var texts: JSONValue.Object {
        let described = Attributes(user.attributes.map { (key: $0.name, value: $0.value) })
        let sections = [("global", global.dateLikeStringPointers), ("user", described.dateLikeStringPointers)]
        return JSONValue.Object(
            sections.filter { !$0.1.isEmpty }.map { section, pointers in
                JSONValue.Object.Member(key: section, value: .array(pointers.map { .string($0) }))
            }
        )
    }

    /// Returns the context as JSON.
    ///
    /// The journal stores it in this form, and destinations read it.
    ///
    /// - Complexity: O(size of the context).
    public func json() -> [UInt8] {
        var members: [JSONValue.Object.Member] = []
        func put(_ key: String, _ object: JSONValue.Object) {
            if !object.members.isEmpty { members.append(.init(key: key, value: .object(object))) }
        }
        put("app", app.json)
        put("device", device.json)
        if !boot.isEmpty { members.append(.init(key: "boot", value: .string(boot))) }
        put("user", user.json)
        if let session { put("session", session.json(inBoot: boot)) }
        if let screen { put("screen", screen.json) }
        put("global", global.json)
        put("modes", modes.json)
        put("texts", texts)
        return JSONValue.object(.init(members)).json()
    }
}

extension RecordedContext.User {
    fileprivate init(_ json: JSONValue) {
        self.init(
            id: json["id"]?.string,
            signedInAt: json["signed_in"]?.integer.map { Timestamp(milliseconds: $0) },
            uniqueID: json["unique_id"]?.string,
            firstTouch: json["first_touch"]?.integer.map { Timestamp(milliseconds: $0) },
            anonymousID: json["anonymous_id"]?.string,
            identities: Attributes(strings: json["identities"]?.object ?? .init()),
            groups: Attributes(strings: json["groups"]?.object ?? .init()),
            attributes: (json["attributes"]?.object?.members ?? []).compactMap { member in
                guard let value = member.value["value"].flatMap({ AttributeValue($0) }),
                    let set = member.value["set"]?.integer
                else { return nil }
                return Attribute(name: member.key, value: value, setAt: Timestamp(milliseconds: set))
            },
            subject: json["subject"]?.string,
            consentEpoch: json["consent_epoch"]?.integer ?? 0,
            isSeparate: json["separate"]?.boolean ?? false
        )
    }

    fileprivate var json: JSONValue.Object {
        var object = JSONValue.Object()
        func put(_ key: String, _ value: JSONValue?) {
            if let value { object.members.append(.init(key: key, value: value)) }
        }
        put("id", id.map { .string($0) })
        put("signed_in", signedInAt.map { .integer($0.milliseconds) })
        put("unique_id", uniqueID.map { .string($0) })
        put("first_touch", firstTouch.map { .integer($0.milliseconds) })
        put("anonymous_id", anonymousID.map { .string($0) })
        put("identities", identities.isEmpty ? nil : .object(identities.json))
        put("groups", groups.isEmpty ? nil : .object(groups.json))
        let described = attributes.map { attribute in
            JSONValue.Object.Member(
                key: attribute.name,
                value: .object(
                    .init([
                        .init(key: "value", value: attribute.value.json),
                        .init(key: "set", value: .integer(attribute.setAt.milliseconds)),
                    ])
                )
            )
        }
        put("attributes", described.isEmpty ? nil : .object(.init(described)))
        put("subject", subject.map { .string($0) })
        put("consent_epoch", consentEpoch == 0 ? nil : .integer(consentEpoch))
        put("separate", isSeparate ? .boolean(true) : nil)
        return object
    }
}

extension RecordedContext {
    /// The tolerated difference between the two clocks, in milliseconds.
    ///
    /// The clocks differ slightly because both are read to the millisecond and the wall clock is corrected gradually. A
    /// larger difference means that the wall clock was changed.
    private static let clockTolerance: Int64 = 1_000

    /// Returns the session's duration at this event, in milliseconds, at least 0.
    ///
    /// Returns nil without a session. The duration is measured with the wall clock, unless the monotonic clock of the
    /// same boot shows that the wall clock was changed during the session.
    public func sessionDuration(at event: Event) -> Int64? {
        guard let session else { return nil }
        let byWall = Self.difference(event.time.milliseconds, session.start.milliseconds)
        guard let start = session.monotonicStart, session.boot == boot else { return max(0, byWall ?? 0) }
        let byMonotonic = Self.difference(event.monotonic.milliseconds, start.milliseconds) ?? 0
        let isWallRight =
            byWall.flatMap { Self.difference($0, byMonotonic) }.map { abs($0) <= Self.clockTolerance } ?? false
        return max(0, isWallRight ? byWall ?? 0 : byMonotonic)
    }

    /// Returns the difference of two numbers; nil if it exceeds 64 bits.
    private static func difference(_ later: Int64, _ earlier: Int64) -> Int64? {
        let (difference, isOver) = later.subtractingReportingOverflow(earlier)
        return isOver || difference == .min ? nil : difference
    }
}

extension RecordedContext.Session {
    fileprivate init?(_ json: JSONValue, boot: String) {
        guard let id = json["id"]?.string, let number = json["number"]?.integer, let start = json["start"]?.integer
        else { return nil }
        let monotonic = json["mono"]?.integer
        self.init(
            id: id,
            number: number,
            start: Timestamp(milliseconds: start),
            monotonicStart: monotonic.map { MonotonicTime(milliseconds: $0) },
            boot: monotonic.map { _ in boot }
        )
    }

    /// Writes the session.
    ///
    /// The monotonic start is written only if the session began in the boot of the context: it has no meaning in a
    /// different boot.
    fileprivate func json(inBoot current: String) -> JSONValue.Object {
        var object = JSONValue.Object([
            .init(key: "id", value: .string(id)),
            .init(key: "number", value: .integer(number)),
            .init(key: "start", value: .integer(start.milliseconds)),
        ])
        if let monotonicStart, boot == current {
            object.members.append(.init(key: "mono", value: .integer(monotonicStart.milliseconds)))
        }
        return object
    }
}

extension RecordedContext.Screen {
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["name"]?.string else { return nil }
        self.init(name: name, id: json["id"]?.string, uniqueID: json["unique_id"]?.string)
    }

    fileprivate var json: JSONValue.Object {
        var object = JSONValue.Object([.init(key: "name", value: .string(name))])
        if let id { object.members.append(.init(key: "id", value: .string(id))) }
        if let uniqueID { object.members.append(.init(key: "unique_id", value: .string(uniqueID))) }
        return object
    }
}
