// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Translates a record of a usage report into one of our events.
///
/// Sessions, starts and views become the events that our own SDK captures. Everything else becomes an event named by
/// its key, with the format's properties as attributes.
struct SAPUsageTranslation: VendorTranslation {
    private let application: String
    private let device: String
    private let context: RecordedContext
    private let fromDevice: InstallationID
    private var occurrences = VendorOccurrences()

    /// The key of a session's start.
    static let sessionStart = "SessionStart"
    /// The key of a session's end.
    static let sessionEnd = "SessionEnd"
    /// The key of something that a user saw or did.
    static let behaviorEvent = "BehaviorEvent"
    /// The type of a behavior event for a view.
    static let viewDisplayed = "viewDisplayed"
    /// The key of changes between foreground and background.
    static let lifecycle = "OSLifecycle"
    /// The value of a lifecycle record for the app entering the foreground.
    static let enterApplication = "EnterApplication"
    /// The key that clients send for an event without a key.
    static let other = "Other"
    /// The properties of a record other than its key and time.
    static let fields = [
        "type", "duration", "screen", "view", "element", "action", "behavior", "cases", "category", "result", "unit",
        "measurement", "value",
    ]
    /// The property that contains everything else.
    private static let others = "others"
    /// The maximum number of members in an event.
    ///
    /// More members would become more attributes than an event may have.
    private static let maximumMembers = 1_024
    /// The maximum number of members of `others` that become attributes.
    ///
    /// With more members, `others` remains one string.
    private static let maximumOthers = 256

    /// Creates a translation for the events of one report.
    ///
    /// - Parameter salt: If set, no personal data is stored, and the device's id is hashed with the salt.
    init(_ source: SAPUsageSource, salt: String? = nil) {
        application = source.application
        device =
            salt.map { StableID.installation(["sap-device", $0, source.device]).description.uppercased() }
            ?? source.device
        fromDevice = StableID.installation(["sap", source.application, device])
        var context = RecordedContext()
        context.app["id"] = .string(source.application)
        context.app["version"] = source.version.map { .string($0) }
        context.device = source.facts
        context.device["id"] = .string(device)
        if salt == nil { context.user.id = source.registration }
        self.context = context
    }

    /// Returns the event for an element of ``SAPUsageBody``.
    ///
    /// - Throws: ``VendorFault`` with the path of a missing or invalid member.
    mutating func event(_ value: JSONValue) throws(VendorFault) -> VendorEvent {
        let path = value["path"]?.string ?? ""
        guard let session = value["session"]?.text else {
            let owner = path.prefix { $0 != "." }
            throw .missing("\(owner).sessionInfo.sessionId")
        }
        guard let given = value["event"]?.object else { throw .invalid(path, "an object", value["event"] ?? .null) }
        guard given.members.count <= Self.maximumMembers else {
            throw VendorFault(
                .tooManyAttributes,
                path,
                "The event has \(given.members.count) members; at most \(Self.maximumMembers) are accepted."
            )
        }
        var record = given.withoutNulls
        let time = try Self.time(&record, path)
        let key = try Self.text("key", &record, path) ?? Self.other
        var texts: [String: String] = [:]
        for field in Self.fields { texts[field] = try Self.text(field, &record, path) }
        var attributes = JSONValue.Object()
        let name = Self.name(of: key, &texts, session, at: time.moment, &attributes)
        for field in Self.fields { attributes.putNew(field, texts[field].map { .string($0) }) }
        Self.putOthers(record.take(Self.others), into: &attributes)
        for member in record.members { attributes.putNew(member.key, member.value) }
        if name == CapturedName.appEnd, attributes[CapturedKey.foregroundDuration] == nil {
            attributes.put(CapturedKey.foregroundDuration, texts["duration"].flatMap(Self.milliseconds))
        }
        var context = context
        if time.zoneSeconds != 0 { context.device["zone_offset_seconds"] = .integer(time.zoneSeconds) }
        if let began = value["began"]?.integer {
            context.session = .init(id: session, number: 0, start: Timestamp(milliseconds: began))
        } else {
            // A report may begin within a session, in which case it does not contain the session's beginning.
            attributes.putNew(CapturedKey.sessionID, .string(session))
        }
        return VendorEvent(
            installation: fromDevice,
            context: context,
            id: id(of: given, in: session, at: time.moment),
            name: name,
            time: time.moment,
            attributes: attributes.withoutNulls
        )
    }

    /// Returns the installation of an event: the device together with the application.
    func installation(_ value: JSONValue) -> InstallationID? { fromDevice }

    /// Derives the event's id, because the format has none.
    ///
    /// The id depends on the device, the session, the whole record, and the number of equal records before it in the
    /// session's part of the report.
    private mutating func id(of record: JSONValue.Object, in session: String, at time: Timestamp) -> EventID {
        let content = JSONValue.object(record.withoutNulls).inOrder.json()
        let occurrence = String(occurrences.next(Array(session.utf8) + [0] + content))
        return StableID.event(
            at: time,
            ["sap", application, device, session, String(decoding: content, as: UTF8.self), occurrence]
        )
    }

    /// Returns our name for a key.
    ///
    /// Removes the values that the name or our attributes replace.
    private static func name(
        of key: String,
        _ texts: inout [String: String],
        _ session: String,
        at time: Timestamp,
        _ attributes: inout JSONValue.Object
    ) -> String {
        switch key {
        case sessionStart:
            attributes.put(CapturedKey.sessionID, .string(session))
            attributes.put(CapturedKey.sessionStart, .integer(time.milliseconds))
            return CapturedName.sessionStart
        case sessionEnd: return CapturedName.appEnd
        case lifecycle where texts["value"] == enterApplication:
            texts["value"] = nil
            return CapturedName.appStart
        case behaviorEvent where texts["type"] == viewDisplayed && texts["view"] != nil:
            attributes.put(CapturedKey.screenName, texts.removeValue(forKey: "view").map { .string($0) })
            texts["type"] = nil
            return CapturedName.screenView
        default: return key
        }
    }

    /// Adds the members of an object as attributes.
    ///
    /// Anything else remains one string.
    private static func putOthers(_ value: JSONValue?, into attributes: inout JSONValue.Object) {
        guard let value else { return }
        if let text = value.string, text.utf8.first == UInt8(ascii: "{"),
            // Text that is not JSON remains a string.
            let object = try? JSONValue.parse(Array(text.utf8), limits: JSONLimits(bytes: 64 << 10, depth: 16)).object,
            object.members.count <= maximumOthers
        {
            for member in object.members { attributes.putNew(member.key, member.value) }
        } else {
            attributes.putNew(others, value)
        }
    }

    private static func time(_ record: inout JSONValue.Object, _ path: String) throws(VendorFault) -> SAPUsageTime {
        guard let value = record.take("time") else { throw .missing("\(path).time") }
        guard let time = value.string.flatMap({ SAPUsageTime($0) }) else {
            throw .invalid("\(path).time", "a time such as 2014-07-02T12:01:49.178+03", value)
        }
        return time
    }

    /// Reads a non-empty string.
    ///
    /// Numbers and Boolean values become the text of their JSON.
    private static func text(
        _ key: String,
        _ record: inout JSONValue.Object,
        _ path: String
    ) throws(VendorFault) -> String? {
        guard let value = record.take(key) else { return nil }
        switch value {
        case .string(let text): return text.isEmpty ? nil : text
        case .integer, .double, .boolean: return String(decoding: value.json(), as: UTF8.self)
        case .null, .array, .object: throw .invalid("\(path).\(key)", "text", value)
        }
    }

    private static func milliseconds(_ seconds: String) -> JSONValue? {
        guard let number = Double(seconds), number >= 0, number < 1e12 else { return nil }
        return .integer(Int64((number * 1_000).rounded()))
    }
}

/// A time in the notation of usage reports, such as `2014-07-02T12:01:49.178+03`.
///
/// The fraction of a second is optional; the zone is `+03`, `+0300`, `+03:00` or `Z`.
struct SAPUsageTime: Sendable, Hashable {
    /// The point in time.
    let moment: Timestamp
    /// The offset of the zone ahead of UTC, in seconds.
    let zoneSeconds: Int64

    /// Reads a time in this notation.
    ///
    /// Nil if the text is invalid, or if the day does not exist.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (20...40).contains(bytes.count) else { return nil }
        var rest = bytes[19...]
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard (1...9).contains(digits.count) else { return nil }
            fraction = Array(digits.prefix(3))
            rest = rest.dropFirst(1 + digits.count)
        }
        while fraction.count < 3 { fraction.append(UInt8(ascii: "0")) }
        guard let zone = Self.zone(rest) else { return nil }
        let plain = String(decoding: bytes[..<19] + [UInt8(ascii: ".")] + fraction + [UInt8(ascii: "Z")], as: UTF8.self)
        guard let local = Timestamp(iso8601: plain) else { return nil }
        zoneSeconds = zone
        moment = Timestamp(milliseconds: local.milliseconds - zone * 1_000)
    }

    private static func zone(_ text: ArraySlice<UInt8>) -> Int64? {
        if text.elementsEqual("Z".utf8) { return 0 }
        guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        var digits = Array(text.dropFirst())
        if digits.count == 5, digits[2] == UInt8(ascii: ":") { digits.remove(at: 2) }
        guard digits.count == 2 || digits.count == 4, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        func number(_ pair: ArraySlice<UInt8>) -> Int64 { pair.reduce(0) { $0 * 10 + Int64($1 - 0x30) } }
        let (hours, minutes) = (number(digits[0..<2]), digits.count == 4 ? number(digits[2..<4]) : 0)
        // No time zone is more than 18 hours from UTC.
        guard hours <= 18, minutes < 60 else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }
}
