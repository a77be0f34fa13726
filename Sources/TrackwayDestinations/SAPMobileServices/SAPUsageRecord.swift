// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// One event as the format's record of a session.
struct SAPUsageRecord {
    /// The id of the session it belongs to.
    let session: String
    /// When, with the zone the device was in.
    let time: String
    /// What happened.
    private(set) var key: String
    private var fields: [SAPUsageField: String] = [:]

    /// Translates an event that was recorded in a context.
    ///
    /// - Parameters:
    ///   - outside: The session of events outside every session.
    /// - Returns: nil when its time is none that the format can write.
    init?(_ event: Event, in context: RecordedContext, outside: String) {
        guard let time = Self.time(event.time, zone: context.device["zone_offset_seconds"]?.integer) else { return nil }
        self.time = time
        let name = event.name.isEmpty ? SAPUsageKey.other : event.name
        key = event.attributes[SAPUsageKey.key]?.string ?? name
        let given = event.attributes[SAPUsageKey.session]?.string
        session =
            given.map { $0.isEmpty ? outside : $0 } ?? context.session.map { SAPUsageID.session($0.id) } ?? outside
        var content = Attributes(event.attributes.filter { !SAPUsageKey.isReserved($0.key) })
        if given == nil {
            if RecordSubject(name: event.name, attributes: content).takesSharedAttributes {
                content = content.filled(from: context.global, most: .max)
            }
            translate(event, &content, context)
        }
        fill(&content, items: event.items)
        // Where it happened, for events that say nothing of it. What the SDK says of persons and devices has no place.
        if given == nil, fields[.screen] == nil, fields[.view] == nil, !event.name.hasPrefix("_") {
            fields[.screen] = context.screen?.name
        }
    }

    // MARK: Captured events

    /// Says what captured events mean here, and takes out of the content what that says.
    private mutating func translate(_ event: Event, _ content: inout Attributes, _ context: RecordedContext) {
        switch event.name {
        case CapturedName.sessionStart:
            key = SAPUsageKey.sessionStart
            // The record's session and time say these.
            content[CapturedKey.sessionID] = nil
            content[CapturedKey.sessionStart] = nil
        case CapturedName.appEnd:
            // A session of this format is over when the app leaves the foreground. Of one that goes on, the last end counts.
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
            // A timed event; one with a duration of its own keeps both.
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

    /// Fills the fields from attributes that are called like them, and puts everything else into `others`.
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

    /// Writes the record as one object.
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

    /// A moment as `2024-06-10T08:13:20.000+02:00`, with `Z` where the zone is UTC; nil when the year has more than four
    /// digits.
    static func time(_ moment: Timestamp, zone seconds: Int64?) -> String? {
        // Zones are at most 14 hours from UTC, in whole minutes; anything else is none.
        let minutes = seconds.flatMap { (-64_800...64_800).contains($0) ? $0 / 60 : nil } ?? 0
        let (local, isOver) = moment.milliseconds.addingReportingOverflow(minutes * 60_000)
        let shown = Timestamp(milliseconds: local)
        guard !isOver, Timestamp.expressible.contains(shown) else { return nil }
        guard minutes != 0 else { return shown.iso8601 }
        let size = abs(minutes)
        let offset =
            [size / 600, size / 60 % 10].map(String.init).joined()
            + ":" + [size % 60 / 10, size % 10].map(String.init).joined()
        return shown.iso8601.dropLast() + (minutes < 0 ? "-" : "+") + offset
    }

    /// The time between two moments in seconds; 0 where a clock was set back.
    private static func seconds(milliseconds: Int64, since start: Int64) -> String {
        let (length, isOver) = milliseconds.subtractingReportingOverflow(start)
        return decimal(micros: isOver ? 0 : max(0, length).multipliedReportingOverflow(by: 1_000).partialValue)
    }

    /// A number of millionths as a decimal number without needless zeros.
    static func decimal(micros: Int64) -> String {
        let (whole, rest) = max(0, micros).quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return String(whole) }
        var digits = String(1_000_000 + rest).dropFirst()
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}

/// Ids that the format wants and nobody gave: the same texts always make the same id (UUID version 8).
enum SAPUsageID {
    /// The id of a session, as the format's clients write theirs: one that is a UUID in capitals, any other hashed.
    static func session(_ id: String) -> String {
        InstallationID(id)?.description.uppercased() ?? make(["session", id])
    }

    /// The session of events outside every session: one for each process.
    static func outside(_ installation: InstallationID, _ writer: WriterID) -> String {
        make(["outside", installation.description, writer.description])
    }

    /// An id of these texts, which are hashed with their lengths, so that no two lists run into each other.
    static func make(_ texts: [String]) -> String {
        make(of: texts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) })
    }

    /// An id of these bytes.
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
    /// The value as a text, which is all that the format has: numbers and truth as JSON writes them, a date in its ISO 8601
    /// form, lists and objects as compact JSON.
    var sapText: String {
        switch self {
        case .string(let text): text
        case .date(let date): date.iso8601
        case .integer, .double, .boolean, .array, .object: String(decoding: json.json(), as: UTF8.self)
        }
    }

    /// The value as a number of seconds; nil when it is none, or below zero. A text that is a decimal number stays as it is.
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
    /// True for digits with at most one point between them.
    fileprivate var isDecimal: Bool {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.count <= 18 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }
}

extension Item {
    /// The item with its id, its name, and its attributes.
    fileprivate var sapJSON: JSONValue {
        var object = JSONValue.Object([.init(key: "id", value: .string(id))])
        if let name { object.members.append(.init(key: "name", value: .string(name))) }
        if !attributes.isEmpty { object.members.append(.init(key: "attributes", value: .object(attributes.json))) }
        return .object(object)
    }
}
