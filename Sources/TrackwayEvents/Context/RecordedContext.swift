// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What events had in common when they were recorded: the content of a context record, typed.
///
/// The SDK writes it when something in it changes, every event refers to one, and destinations read it back when they
/// encode. Sections without content are absent from the JSON.
public struct RecordedContext: Sendable, Hashable {
    /// About the app.
    public var app: Attributes
    /// About the device.
    public var device: Attributes
    /// Which boot of the device monotonic times belong to; empty when unknown.
    public var boot: String
    /// Who used the app.
    public var user: User
    /// The session, when one was under way.
    public var session: Session?
    /// The screen that was shown, when one was.
    public var screen: Screen?
    /// Attributes of all events.
    public var global: Attributes
    /// How events recorded now are to be treated by destinations that know more than one way (debug modes, say), by the
    /// destinations' ids. A destination whose id is not here goes by its settings.
    public var modes: Attributes

    /// A context of these parts.
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
        self.app = app
        self.device = device
        self.boot = boot
        self.user = user
        self.session = session
        self.screen = screen
        self.global = global
        self.modes = modes
    }

    /// A session.
    public struct Session: Sendable, Hashable, Codable {
        /// Its id.
        public var id: String
        /// The how manieth session of this installation it is, from 1.
        public var number: Int64
        /// When it began.
        public var start: Timestamp
        /// When it began by the monotonic clock; nil when unknown.
        public var monotonicStart: MonotonicTime?
        /// The boot that ``monotonicStart`` belongs to; nil when unknown.
        public var boot: String?

        /// A session of these parts.
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

    /// A screen.
    public struct Screen: Sendable, Hashable, Codable {
        /// Its name.
        public var name: String
        /// Its id: for screens found by the SDK, where in the app it lies.
        public var id: String?
        /// What tells two screens of one name apart.
        public var uniqueID: String?

        /// A screen of these parts.
        public init(name: String, id: String? = nil, uniqueID: String? = nil) {
            self.name = name
            self.id = id
            self.uniqueID = uniqueID
        }
    }
}

extension RecordedContext {
    /// Who used the app, as far as the app said.
    public struct User: Sendable, Hashable {
        /// The id the app gave; nil when nobody was signed in.
        public var id: String?
        /// When the user signed in; nil when nobody did, or when it is not known.
        public var signedInAt: Timestamp?
        /// Names the person for back-ends that tell people apart on one device: the same again when a known user comes
        /// back.
        public var uniqueID: String?
        /// When this person first opened the app.
        public var firstTouch: Timestamp?
        /// Names the device's anonymous visitor; stays when people sign in and out.
        public var anonymousID: String?
        /// Further ids of the person, by the name of their kind.
        public var identities: Attributes
        /// The groups that the user belongs to: ids by type, such as `company`.
        public var groups: Attributes
        /// What the app said about the person.
        public var attributes: [Attribute]
        /// Whose consent counts for events of this context; nil when consent is not kept by person.
        public var subject: String?
        /// The number of withdrawals of consent before the event, on this installation.
        public var consentEpoch: Int64
        /// Whether anonymous events stay those of an anonymous visitor, also if a user signs in next.
        public var isSeparate: Bool

        /// A user of these parts.
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
            /// Its name.
            public var name: String
            /// Its value.
            public var value: AttributeValue
            /// When the app set it.
            public var setAt: Timestamp

            /// An attribute of these parts.
            public init(name: String, value: AttributeValue, setAt: Timestamp) {
                self.name = name
                self.value = value
                self.setAt = setAt
            }
        }
    }
}

extension RecordedContext {
    /// Reads the JSON of a context record. Members it does not know, or that hold something else than expected, are passed
    /// over: a context is worth having in parts.
    ///
    /// - Throws: `JSONError` when the bytes are no JSON object.
    public init(json bytes: UnsafeRawBufferPointer) throws(JSONError) {
        let json = try JSONValue.parse(bytes)
        guard json.object != nil else { throw JSONError(.unexpectedType, at: 0) }
        self.init(json)
    }

    /// Reads the JSON of a context record.
    ///
    /// - Throws: `JSONError` when the bytes are no JSON object.
    public init(json bytes: [UInt8]) throws(JSONError) {
        self = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> RecordedContext in
            try RecordedContext(json: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Reads a context out of a JSON value; what is not there stays empty.
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
        if let texts = json["texts"] { restoreTexts(texts) }
    }

    private mutating func restoreTexts(_ texts: JSONValue) {
        func pointers(_ section: String) -> [String] { (texts[section]?.array ?? []).compactMap(\.string) }
        global.restoreTexts(at: pointers("global"))
        let described = pointers("user")
        guard !described.isEmpty else { return }
        var attributes = Attributes(user.attributes.map { (key: $0.name, value: $0.value) })
        attributes.restoreTexts(at: described)
        for index in user.attributes.indices {
            user.attributes[index].value = attributes[user.attributes[index].name] ?? user.attributes[index].value
        }
    }

    /// The pointers of texts that would be read as dates.
    private var texts: JSONValue.Object {
        let described = Attributes(user.attributes.map { (key: $0.name, value: $0.value) })
        let sections = [("global", global.textsInFormOfDates), ("user", described.textsInFormOfDates)]
        return JSONValue.Object(
            sections.filter { !$0.1.isEmpty }.map { section, pointers in
                JSONValue.Object.Member(key: section, value: .array(pointers.map { .string($0) }))
            }
        )
    }

    /// The context as the journal stores it and destinations read it.
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
            identities: Attributes(texts: json["identities"]?.object ?? .init()),
            groups: Attributes(texts: json["groups"]?.object ?? .init()),
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
    /// How far the two clocks may differ because both are read to the millisecond, and the wall clock is corrected a little at a time.
    private static let clockTolerance: Int64 = 1_000

    /// How long the session had lasted at this event, in milliseconds, at least 0; nil without a session.
    ///
    /// The wall clock tells it, unless the monotonic clock of the same boot shows that the wall clock was set meanwhile.
    public func sessionDuration(at event: Event) -> Int64? {
        guard let session else { return nil }
        let byWall = Self.difference(event.time.milliseconds, session.start.milliseconds)
        guard let start = session.monotonicStart, session.boot == boot else { return max(0, byWall ?? 0) }
        let byMonotonic = Self.difference(event.monotonic.milliseconds, start.milliseconds) ?? 0
        let isWallRight =
            byWall.flatMap { Self.difference($0, byMonotonic) }.map { abs($0) <= Self.clockTolerance } ?? false
        return max(0, isWallRight ? byWall ?? 0 : byMonotonic)
    }

    /// nil when it is beyond 64 bits.
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

    /// The monotonic start is written only if the session began in the boot of the context: in another boot it means nothing.
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
