// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import TrackwayCore
internal import TrackwayDestinationKit

/// The events that an app sent over the network in five formats, with each format's own names.
struct SimulatedAppTraffic {
    /// A format, and its account in the app.
    enum Format: String, CaseIterable, Sendable {
        case native = "shop-app"
        case clickstream = "shop-clickstream"
        case sensors = "shop-sensors"
        case sift = "shop-sift"
        case sap = "shop-sap"

        /// The format of a request; nil if it belongs to none.
        init?(_ startLine: String) {
            let path = startLine.split(separator: " ").dropFirst().first ?? ""
            if path.hasPrefix("/v1/events") {
                self = .native
            } else if path.hasPrefix("/collect?"), path.contains("appId=shop-clickstream") {
                self = .clickstream
            } else if path == "/sa?project=shop-sensors" {
                self = .sensors
            } else if path == "/v3/accounts/shop-sift/mobile_events" {
                self = .sift
            } else if path.contains("/shop-sap/"), startLine.hasPrefix("POST ") {
                self = .sap
            } else {
                return nil
            }
        }
    }

    /// One event as its format encodes it.
    struct SentEvent {
        /// A value that is the same whenever the event is sent again.
        var identity: String
        /// The collector's id for the event if the format has ids; otherwise empty.
        var id = ""
        /// The session that contains it, in formats that group events by session.
        var session = ""
        /// Its name and attributes of starts, screens, elements, users and versions, without times and ids.
        var line: String
    }

    /// The distinct events of each format, in the order in which they were first sent.
    private(set) var events: [Format: [SentEvent]] = [:]
    /// The number of repeated events.
    private(set) var repeatCount = 0
    /// Requests that belong to no format.
    private(set) var unrecognizedRequests: [String] = []

    /// Parses requests.
    init(_ requests: [FlakyServer.Request]) throws {
        var known: Set<String> = []
        for request in requests.map(\.message) {
            guard let format = Format(request.startLine) else {
                // Clients of the SAP format request their policy first.
                if !request.startLine.hasPrefix("GET ") { unrecognizedRequests.append(request.startLine) }
                continue
            }
            for event in try Self.read(request, format) {
                if known.insert("\(format) \(event.identity)").inserted {
                    events[format, default: []].append(event)
                } else {
                    repeatCount += 1
                }
            }
        }
    }

    /// Returns a format's events as lines, grouped by session if the format does so.
    func lines(_ format: Format) -> [String] {
        let events = events[format] ?? []
        var sessions: [String] = []
        for event in events where !sessions.contains(event.session) { sessions.append(event.session) }
        return sessions.flatMap { session in events.filter { $0.session == session }.map(\.line) }
    }

    // MARK: Formats

    private static func read(_ request: HTTPMessage, _ format: Format) throws -> [SentEvent] {
        switch format {
        case .native: return try native(request)
        case .clickstream: return try list(try decoded(request.body)).map(clickstream)
        case .sensors: return try list(try form(request)).map(sensors)
        case .sift:
            return try (parse(try decoded(request.body))["data"]?.array ?? []).map { sift($0) }
        case .sap:
            let report = try parse(try decoded(request.body))
            let version = report["appInfo"]?["appVersion"]
            return (report["sessions"]?.array ?? []).flatMap { session in
                let id = session["sessionInfo"]?["sessionId"]?.string ?? ""
                return (session["events"]?.array ?? []).map { sap($0, in: id, version) }
            }
        }
    }

    private static func native(_ request: HTTPMessage) throws -> [SentEvent] {
        var context = JSONValue.null
        var sent: [SentEvent] = []
        for line in try decoded(request.body).split(separator: UInt8(ascii: "\n")) {
            let value = try parse(Array(line))
            if value["batch"] != nil { continue }
            if let next = value["context"] {
                context = next
                continue
            }
            guard let id = value["id"]?.string, let name = value["name"]?.string else {
                throw TestSupportError("not an event: \(String(decoding: line, as: UTF8.self))")
            }
            let words = Self.words(
                value["attributes"],
                [
                    ("on", context["screen"]?["name"]), ("by", context["user"]?["id"]),
                    ("app", context["app"]?["version"]),
                ]
            )
            sent.append(SentEvent(identity: id, id: id, line: ([name] + words).joined(separator: " ")))
        }
        return sent
    }

    private static func clickstream(_ value: JSONValue) -> SentEvent {
        let id = value["event_id"]?.string?.lowercased() ?? ""
        let words = words(
            value["attributes"],
            [("by", value["user"]?["_user_id"]?["value"]), ("app", value["app_version"])]
        )
        return SentEvent(
            identity: id,
            id: id,
            line: ([value["event_type"]?.string ?? "?"] + words).joined(separator: " ")
        )
    }

    private static func sensors(_ value: JSONValue) -> SentEvent {
        let known = value["distinct_id"]?.string == "carl" ? value["distinct_id"] : nil
        let name = value["event"]?.string ?? value["type"]?.string ?? "?"
        let words = words(value["properties"], [("by", known), ("app", value["lib"]?["$app_version"])])
        let identity = [value["_track_id"], value["time"], value["type"]].map { text($0 ?? .null) }
        return SentEvent(
            identity: (identity + [name]).joined(separator: " "),
            line: ([name] + words).joined(separator: " ")
        )
    }

    private static func sift(_ value: JSONValue) -> SentEvent {
        let words = words(value["fields"], [("path", value["path"]), ("by", value["user_id"])])
        let name = value["mobile_event_type"]?.string ?? "?"
        return SentEvent(identity: text(value), line: ([name] + words).joined(separator: " "))
    }

    private static func sap(_ value: JSONValue, in session: String, _ version: JSONValue?) -> SentEvent {
        // A screen size in parentheses is not a screen name.
        let screen = value["screen"].flatMap { $0.string?.hasPrefix("(") == true ? nil : $0 }
        let others = value["others"]?.string.flatMap { try? parse(Array($0.utf8)) }
        let members: [(String, JSONValue?)] = [
            ("type", value["type"]), ("view", value["view"]), ("value", value["value"]), ("on", screen),
            ("app", version),
        ]
        let name = value["key"]?.string ?? "?"
        let line = ([name] + words(others, members)).joined(separator: " ")
        return SentEvent(identity: "\(session) \(text(value))", session: session, line: line)
    }

    // MARK: Lines

    /// The attributes that are shown.
    ///
    /// All others are times, ids or properties of the machine.
    private static let shownAttributes = [
        "_start_kind", "_is_first_time", "_is_first_start", "_resumed_from_background", "_is_recovered",
        "$is_first_time",
        "$resume_from_background", "_screen_name", "_previous_screen_name", "$screen_name", "_element_id",
        "_element_type",
        "$element_id", "$element_type", "_trigger", "_trace", "_previous_app_version", "sku", "price", "total", "count",
    ]

    private static func words(_ attributes: JSONValue?, _ others: [(String, JSONValue?)]) -> [String] {
        let shown = shownAttributes.map { ($0, attributes?[$0]) }
        return (shown + others).compactMap { key, value in value.map { "\(key)=\(text($0))" } }
    }

    private static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.json(), as: UTF8.self)
    }

    // MARK: Encoding

    private static func parse(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONValue.parse(bytes, limits: JSONLimits(bytes: 16 << 20, depth: 64))
    }

    private static func list(_ bytes: [UInt8]) throws -> [JSONValue] {
        try parse(bytes).array ?? []
    }

    /// Returns the bytes without their encoding: gzip, and base64 around it.
    private static func decoded(_ bytes: [UInt8]) throws -> [UInt8] {
        if bytes.starts(with: [0x1f, 0x8b]) { return try Gzip.inflate(bytes) }
        if let first = bytes.first, first != UInt8(ascii: "{"), first != UInt8(ascii: "["),
            let packed = Base64.decode(bytes)
        {
            return try Gzip.inflate(packed)
        }
        return bytes
    }

    /// Returns the events from a form: `data_list`, URL-encoded, as base64 of gzipped bytes.
    private static func form(_ request: HTTPMessage) throws -> [UInt8] {
        let field = request.text.split(separator: "&").first { $0.hasPrefix("data_list=") }
        guard let text = field?.dropFirst("data_list=".count).removingPercentEncoding else {
            throw TestSupportError("a form without data: \(request.text.prefix(200))")
        }
        return try decoded(Array(text.utf8))
    }
}
