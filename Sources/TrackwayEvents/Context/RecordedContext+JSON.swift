// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
            session: json["session"].flatMap { Session($0) },
            screen: json["screen"].flatMap { Screen($0) },
            global: Attributes(json["global"]?.object ?? .init()),
            modes: Attributes(json["modes"]?.object ?? .init())
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
        if let session { put("session", session.json) }
        if let screen { put("screen", screen.json) }
        put("global", global.json)
        put("modes", modes.json)
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
            identities: Attributes(json["identities"]?.object ?? .init()),
            attributes: (json["attributes"]?.object?.members ?? []).compactMap { member in
                guard let value = member.value["value"].flatMap({ AttributeValue($0) }),
                    let set = member.value["set"]?.integer
                else { return nil }
                return Attribute(name: member.key, value: value, setAt: Timestamp(milliseconds: set))
            },
            subject: json["subject"]?.string
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
        return object
    }
}

extension RecordedContext.Session {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let number = json["number"]?.integer, let start = json["start"]?.integer
        else { return nil }
        self.init(id: id, number: number, start: Timestamp(milliseconds: start))
    }

    fileprivate var json: JSONValue.Object {
        .init([
            .init(key: "id", value: .string(id)),
            .init(key: "number", value: .integer(number)),
            .init(key: "start", value: .integer(start.milliseconds)),
        ])
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
