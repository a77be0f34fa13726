// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A row of the client data report on an application's usage.
///
/// The row represents one stored event of any format, under the names used by SAP Mobile Services.
public struct UsageReportRow: Sendable, Hashable {
    /// The line with the column names.
    public static let heading = columns.joined(separator: ",") + "\n"

    /// The events that a report covers.
    public struct Scope: Sendable, Hashable {
        /// The application; nil for all.
        public var application: String?

        /// Creates a scope.
        public init(application: String? = nil) {
            self.application = application
        }
    }

    private static let columns = [
        "APPLICATIONID", "DEVICEMODEL", "DEVICEPLATFORM", "DEVICEVERSION", "REGISTRATIONID", "USERSESSIONID",
        "RECORDKEY", "RECORDTYPE", "TIMERSTART", "TIMERDURATION", "I_SCREEN", "I_VIEW", "I_ELEMENT", "I_ACTION",
        "I_BEHAVIOR", "I_CASE", "I_TYPE", "I_CATEGORY", "I_RESULT", "I_UNIT", "I_MEASUREMENT", "I_VALUE",
    ]
    /// The attributes for the columns that begin with `I_`, in order.
    private static let properties = [
        "screen", "view", "element", "action", "behavior", "cases", "type", "category", "result", "unit", "measurement",
        "value",
    ]

    private let cells: [String]

    /// Creates the row of an event.
    ///
    /// Nil if the event is out of scope or unreadable.
    ///
    /// - Complexity: O(bytes of the event and its context).
    public init?(_ stored: StoredEvent, in scope: Scope) {
        // An unreadable context belongs to no application.
        let context = try? JSONValue.parse(stored.context)
        guard scope.application == nil || context?["app"]?["id"]?.string == scope.application else { return nil }
        // Admission already checked the text.
        guard let event = try? JSONValue.parse(stored.json) else { return nil }
        self.init(
            event: event,
            context: context ?? .null,
            time: stored.time,
            user: stored.user,
            session: stored.session,
            in: scope
        )
    }

    /// Creates the row of an event listed by `GET /v1/events`.
    ///
    /// Nil if the event is out of scope.
    public init?(listed: JSONValue, in scope: Scope) {
        guard let event = listed["event"], let time = event["time"]?.integer else { return nil }
        self.init(
            event: event,
            context: listed["context"] ?? .null,
            time: Timestamp(milliseconds: time),
            user: listed["user"]?.string,
            session: listed["session"]?.string,
            in: scope
        )
    }

    private init?(
        event: JSONValue,
        context: JSONValue,
        time: Timestamp,
        user: String?,
        session: String?,
        in scope: Scope
    ) {
        let application = context["app"]?["id"]?.string
        guard scope.application == nil || application == scope.application else { return nil }
        let record = Record(event)
        var cells = [application ?? ""]
        for fact in ["model", "platform", "os_version"] { cells.append(context["device"]?[fact]?.string ?? "") }
        cells += [user ?? "", session ?? "", record.key]
        // The contents of RECORDTYPE are not known for certain, so it stays empty.
        cells += ["", Self.time(time), record.duration]
        cells += Self.properties.map { record.texts[$0] ?? "" }
        self.cells = cells
    }

    /// The row, including the newline at its end.
    public var line: String { cells.map(Self.quoted).joined(separator: ",") + "\n" }

    /// An event under the names used by SAP Mobile Services.
    ///
    /// The event arrived in that format, or was captured by our own SDK.
    private struct Record {
        var key: String
        var texts: [String: String] = [:]
        var duration = "0"

        init(_ event: JSONValue) {
            let attributes = event["attributes"]
            key = event["name"]?.string ?? ""
            for property in UsageReportRow.properties { texts[property] = attributes?[property].flatMap(Self.text) }
            switch key {
            case CapturedName.sessionStart: key = SAPUsageTranslation.sessionStart
            case CapturedName.appEnd: key = SAPUsageTranslation.sessionEnd
            case CapturedName.appStart where attributes?[CapturedKey.startKind]?.string != "passive":
                key = SAPUsageTranslation.lifecycle
                texts["value"] = SAPUsageTranslation.enterApplication
            case CapturedName.screenView:
                key = SAPUsageTranslation.behaviorEvent
                texts["type"] = SAPUsageTranslation.viewDisplayed
                texts["view"] = attributes?[CapturedKey.screenName].flatMap(Self.text) ?? texts["view"]
            default: break
            }
            let seconds = attributes?["duration"] ?? attributes?[CapturedKey.eventDuration]
            let milliseconds = attributes?[CapturedKey.foregroundDuration] ?? attributes?[CapturedKey.engagementTime]
            if let text = seconds.flatMap(Self.text) {
                duration = text
            } else if let length = milliseconds?.integer, length > 0 {
                duration = Self.text(.double(Double(length) / 1_000)) ?? "0"
            }
        }

        private static func text(_ value: JSONValue) -> String? {
            switch value {
            case .null: nil
            case .string(let text): text
            case .double(let number): Int64(exactly: number).map { String($0) } ?? number.description
            case .boolean, .integer, .array, .object: String(decoding: value.json(), as: UTF8.self)
            }
        }
    }

    /// Returns a time in the report's form: `2019-01-25 18:42:18.076+0000`.
    private static func time(_ moment: Timestamp) -> String {
        guard Timestamp.representableRange.contains(moment) else { return "" }
        let text = moment.iso8601
        return "\(text.prefix(10)) \(text.dropFirst(11).dropLast())+0000"
    }

    // MARK: Cells

    /// Returns a table cell (RFC 4180), in quotes if necessary.
    ///
    /// Text that a spreadsheet would treat as a formula gets a leading apostrophe, except for numbers: any sender can
    /// choose this text.
    public static func quoted(_ cell: String) -> String {
        var text = cell
        // A zero byte ends the text for some readers.
        if text.utf8.contains(0) { text = String(text.unicodeScalars.filter { $0.value != 0 }.map(Character.init)) }
        if isFormula(text) { text = "'" + text }
        guard let first = text.utf8.first, let last = text.utf8.last else { return "" }
        let needsQuotes =
            first == UInt8(ascii: " ") || last == UInt8(ascii: " ")
            || text.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 < 0x20 }
        return needsQuotes
            ? "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
            : text
    }

    private static let formulaSigns: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n"]

    private static func isFormula(_ text: String) -> Bool {
        // Some readers recognize a formula even after white space.
        let scalars = text.unicodeScalars.drop { $0 == " " || $0 == "\u{A0}" || $0 == "\u{FEFF}" }
        guard let first = scalars.first, formulaSigns.contains(first) else { return false }
        return !isNumber(text)
    }

    private static func isNumber(_ text: String) -> Bool {
        let digits =
            text.utf8.first == UInt8(ascii: "-") || text.utf8.first == UInt8(ascii: "+") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }
}
