// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// One event as a record of a session in this format.
struct SAPUsageRecord {
    /// The id of the session that the record belongs to.
    let session: String
    /// The event's time, with the device's zone offset.
    let time: String
    /// The key, which states what happened.
    private(set) var key: String
    private var fields: [SAPUsageField: String] = [:]

    /// Translates an event, using its context.
    ///
    /// - Parameters:
    ///   - sessionlessID: The session id of events outside a session.
    /// - Returns: nil if the format cannot express the event's time.
    init?(_ event: Event, in context: RecordedContext, sessionlessID: String) {
        guard let time = Self.time(event.time, zone: context.device["zone_offset_seconds"]?.integer) else { return nil }
        self.time = time
        let name = event.name.isEmpty ? SAPUsageKey.other : event.name
        key = event.attributes[SAPUsageKey.key]?.string ?? name
        let given = event.attributes[SAPUsageKey.session]?.string
        session =
            given.map { $0.isEmpty ? sessionlessID : $0 } ?? context.session.map { SAPUsageID.session($0.id) }
            ?? sessionlessID
        var content = Attributes(event.attributes.filter { !SAPUsageKey.isReserved($0.key) })
        if given == nil {
            if RecordSubject(name: event.name, attributes: content).takesSharedAttributes {
                content = content.filled(from: context.global, limit: .max)
            }
            translate(event, &content, context)
        }
        fill(&content, items: event.items)
        // Add the current screen to events that do not specify a location, except the SDK's records about people and
        // devices.
        if given == nil, fields[.screen] == nil, fields[.view] == nil, !event.name.hasPrefix("_") {
            fields[.screen] = context.screen?.name
        }
    }

    // MARK: Captured events

    /// Sets the fields of a captured event.
    ///
    /// Removes the attributes that they replace.
    private mutating func translate(_ event: Event, _ content: inout Attributes, _ context: RecordedContext) {
        switch event.name {
        case CapturedName.sessionStart:
            key = SAPUsageKey.sessionStart
            // The record's session and time already contain these.
            content[CapturedKey.sessionID] = nil
            content[CapturedKey.sessionStart] = nil
        case CapturedName.appEnd:
            // In this format, a session ends when the app leaves the foreground. If the session continues, its last end
            // counts.
            key = SAPUsageKey.sessionEnd
            let start = context.session?.start ?? event.time
            fields[.duration] = Self.seconds(milliseconds: event.time.milliseconds, since: start.milliseconds)
        case CapturedName.appStart where content[CapturedKey.startKind]?.string != "passive":
            key = SAPUsageKey.lifecycle
            fields[.value] = SAPUsageKey.enterApplication
            if let height = context.device["screen_height"]?.integer,
                let width = context.device["screen_width"]?.integer
            {
                fields[.screen] = "(\(height)h) x (\(width)w) pixels"
            }
        case CapturedName.screenView:
            key = SAPUsageKey.behaviorEvent
            fields[.type] = SAPUsageKey.viewDisplayed
            fields[.view] = Self.take(CapturedKey.screenName, &content)?.sapText
        case CapturedName.userEngagement:
            fields[.duration] = content[CapturedKey.engagementTime]?.integer
                .map { Self.seconds(milliseconds: $0, since: 0) }
            fields[.screen] = context.screen?.name
        default:
            // This is a timed event. If it also has its own duration, both are kept.
            guard content[SAPUsageField.duration.rawValue] == nil,
                let duration = content[CapturedKey.eventDuration]?.sapSeconds
            else { break }
            fields[.duration] = duration
            content[CapturedKey.eventDuration] = nil
        }
    }

    private static func take(_ key: String, _ content: inout Attributes) -> AttributeValue? {
        defer { content[key] = nil }
        return content[key]
    }

    // MARK: Fields

    /// Fills the fields from attributes of the same names.
    ///
    /// All other attributes go into `others`.
    private mutating func fill(_ content: inout Attributes, items: [Item]) {
        var rest = Attributes()
        var others: AttributeValue?
        for (name, value) in content {
            switch SAPUsageField(attribute: name) {
            case .others?: others = value
            case .duration? where fields[.duration] == nil && value.sapSeconds != nil:
                fields[.duration] = value.sapSeconds
            case nil, .duration?: rest[name] = value
            case .some(let field) where fields[field] == nil: fields[field] = value.sapText
            case .some: rest[name] = value
            }
        }
        var object = rest.json
        if !items.isEmpty { object.members.append(.init(key: "items", value: .array(items.map(\.sapJSON)))) }
        guard !object.members.isEmpty else {
            fields[.others] = others?.sapText
            return
        }
        if let others { object.members.append(.init(key: SAPUsageField.others.rawValue, value: others.json)) }
        fields[.others] = String(decoding: JSONValue.object(object).json(), as: UTF8.self)
    }

    /// Writes the record as a JSON object.
    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        if let type = fields[.type] {
            writer.key(SAPUsageField.type.rawValue)
            writer.string(type)
        }
        writer.key("key")
        writer.string(key)
        writer.key("time")
        writer.string(time)
        for field in SAPUsageField.allCases where field != .type {
            guard let text = fields[field] else { continue }
            writer.key(field.rawValue)
            writer.string(text)
        }
        writer.endObject()
    }

    // MARK: Times

    /// Returns a time in the form `2024-06-10T08:13:20.000+02:00`.
    ///
    /// The suffix is `Z` if the zone is UTC. Returns nil if the year has more than four digits.
    static func time(_ moment: Timestamp, zone seconds: Int64?) -> String? {
        // Zone offsets are at most 18 hours, in whole minutes; a larger offset is ignored.
        let minutes = seconds.flatMap { (-64_800...64_800).contains($0) ? $0 / 60 : nil } ?? 0
        let (local, isOver) = moment.milliseconds.addingReportingOverflow(minutes * 60_000)
        let shown = Timestamp(milliseconds: local)
        guard !isOver, Timestamp.representableRange.contains(shown) else { return nil }
        guard minutes != 0 else { return shown.iso8601 }
        let size = abs(minutes)
        let offset =
            [size / 600, size / 60 % 10].map(String.init).joined()
            + ":" + [size % 60 / 10, size % 10].map(String.init).joined()
        return shown.iso8601.dropLast() + (minutes < 0 ? "-" : "+") + offset
    }

    /// Returns the seconds between two times.
    ///
    /// Returns 0 if the clock was set back.
    private static func seconds(milliseconds: Int64, since start: Int64) -> String {
        let (length, isOver) = milliseconds.subtractingReportingOverflow(start)
        return decimal(micros: isOver ? 0 : max(0, length).multipliedReportingOverflow(by: 1_000).partialValue)
    }

    /// Returns a number of microseconds as decimal seconds without trailing zeros.
    static func decimal(micros: Int64) -> String {
        let (whole, rest) = max(0, micros).quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return String(whole) }
        var digits = String(1_000_000 + rest).dropFirst()
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}

/// Creates ids that the format requires and the app did not specify.
///
/// The same strings always result in the same id (UUID version 8).
enum SAPUsageID {
    /// Returns a session's id in the form of the format's clients.
    ///
    /// A UUID is written in uppercase; any other id is hashed.
    static func session(_ id: String) -> String {
        InstallationID(id)?.description.uppercased() ?? make(["session", id])
    }

    /// Returns the session id of events outside a session.
    ///
    /// Each process has its own id.
    static func sessionlessID(_ installation: InstallationID, _ writer: WriterID) -> String {
        make(["outside", installation.description, writer.description])
    }

    /// Creates an id from strings.
    ///
    /// The strings are hashed with their lengths, so that different lists never result in the same input.
    static func make(_ texts: [String]) -> String {
        make(of: texts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) })
    }

    /// Creates an id from bytes.
    static func make(of bytes: [UInt8]) -> String {
        let digest = SHA256.hash(bytes)
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return InstallationID(
            high: word(digest[0..<8]) & ~0xF000 | 0x8000,
            low: word(digest[8..<16]) & (1 << 62 - 1) | 1 << 63
        ).description.uppercased()
    }
}

extension AttributeValue {
    /// The value as a string, the only type that the format has.
    ///
    /// Numbers and Booleans are written as in JSON, a date in its ISO 8601 form, and arrays and objects as compact
    /// JSON.
    var sapText: String {
        switch self {
        case .string(let text): text
        case .date(let date): date.iso8601
        case .integer, .double, .boolean, .array, .object: String(decoding: json.json(), as: UTF8.self)
        }
    }

    /// The value as a number of seconds.
    ///
    /// Nil if it is not a number or is below zero.
    ///
    /// A string that is a decimal number is used unchanged.
    fileprivate var sapSeconds: String? {
        switch self {
        case .integer(let number): number >= 0 ? String(number) : nil
        case .double(let number):
            number >= 0 && number < 9e12 ? SAPUsageRecord.decimal(micros: Int64((number * 1e6).rounded())) : nil
        case .string(let text): text.isDecimal ? text : nil
        case .date, .boolean, .array, .object: nil
        }
    }
}

extension String {
    /// Whether the string consists of digits and at most one inner decimal point.
    fileprivate var isDecimal: Bool {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.count <= 18 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }
}

extension Item {
    /// The item as JSON, with its id, name and attributes.
    fileprivate var sapJSON: JSONValue {
        var object = JSONValue.Object([.init(key: "id", value: .string(id))])
        if let name { object.members.append(.init(key: "name", value: .string(name))) }
        if !attributes.isEmpty { object.members.append(.init(key: "attributes", value: .object(attributes.json))) }
        return .object(object)
    }
}
