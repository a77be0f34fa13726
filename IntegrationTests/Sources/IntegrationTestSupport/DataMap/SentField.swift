// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore
internal import TrackwayDestinationKit

/// One value that a request contains, with the path of its field.
package struct SentField: Sendable, Hashable {
    /// The format of the request.
    package let format: DataMap.Format
    /// The path of the field, with `*` for a name that the app chose.
    package let path: String
    /// The value as text.
    package let value: String

    /// Returns every value in a request: of the address, the header and the body.
    ///
    /// - Throws: `TestSupportError` if a part belongs to no format.
    package static func fields(in request: RecordedRequest) throws -> [SentField] {
        var reader = try RequestReader(request)
        try reader.read()
        return reader.fields
    }
}

/// Collects the fields of one request.
private struct RequestReader {
    private let request: RecordedRequest
    private let format: DataMap.Format
    private(set) var fields: [SentField] = []

    init(_ request: RecordedRequest) throws {
        self.request = request
        guard let format = Self.formats[request.target.host] else {
            throw TestSupportError("\(request.target.host) belongs to no format")
        }
        self.format = format
    }

    private static let formats: [String: DataMap.Format] = [
        "collector.test": .collector, "clickstream.test": .clickstream, "sensors.test": .sensorsAnalytics,
        "sift.test": .sift, "sap.test": .sapMobileServices,
    ]

    /// The names that the sample shop chose; those of the other test app begin with `own`.
    private static let shopNames: Set<String> = ["add_to_cart", "purchase", "sku", "price", "total", "count"]

    private static func isOwn(_ name: String) -> Bool { name.hasPrefix("own") || shopNames.contains(name) }

    /// The name of the header field that the app chose.
    private static let ownHeader = "x-own"

    mutating func read() throws {
        try readAddress()
        for header in request.headers {
            add("header.\(header.name == Self.ownHeader ? "*" : header.name)", header.value)
        }
        for item in request.target.query {
            let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
            add("query.\(parts[0])", parts.count > 1 ? parts[1] : "")
        }
        switch format {
        case .collector: try readLines()
        case .clickstream: try walk(parse(decoded(request.body)), "")
        case .sensorsAnalytics: try readForm()
        case .sift: try walk(member("data", of: try parse(decoded(request.body))), "")
        case .sapMobileServices: try walk(parse(request.body), "")
        }
    }

    private mutating func readAddress() throws {
        var words = request.target.path.split(separator: "/").map(String.init)
        func fail() -> TestSupportError { TestSupportError("an unknown address: \(request.target.path)") }
        func take(_ word: String) throws {
            guard !words.isEmpty, words.removeFirst() == word else { throw fail() }
        }
        func takeValue() throws -> String {
            guard !words.isEmpty else { throw fail() }
            return words.removeFirst()
        }
        switch format {
        case .collector: try ["v1", "events"].forEach(take)
        case .clickstream: try take("collect")
        case .sensorsAnalytics: try take("sa")
        case .sift:
            try ["v3", "accounts"].forEach(take)
            add("url.account", try takeValue())
            try take("mobile_events")
        case .sapMobileServices:
            try ["mobileservices", "application"].forEach(take)
            add("url.application", try takeValue())
            try ["clientusage", "v1", "runtime", "clientusage", "application"].forEach(take)
            add("url.application", try takeValue())
            if !words.isEmpty {
                try take("device")
                add("url.device", try takeValue())
            }
        }
        guard words.isEmpty, request.method == "POST" || format == .sift && request.method == "PUT" else {
            throw fail()
        }
    }

    // MARK: Bodies

    private mutating func readLines() throws {
        for line in try decoded(request.body).split(separator: UInt8(ascii: "\n")) {
            let value = try parse(Array(line))
            if value["batch"] != nil || value["context"] != nil {
                try walk(value, "")
                continue
            }
            guard let name = value["name"]?.string else {
                throw TestSupportError("not an event: \(String(decoding: line, as: UTF8.self))")
            }
            // The rows of the SDK's events are those of their attributes, or one of the event if it has none.
            let isOwn = Self.isOwn(name)
            for member in value.object?.members ?? [] {
                switch member.key {
                case "name" where isOwn: add("event.name", name)
                case "name": if value["attributes"] == nil { add(name, name) }
                case "attributes": try walk(member.value, isOwn ? "event.attributes" : name)
                default: try walk(member.value, "event.\(member.key)")
                }
            }
        }
    }

    private mutating func readForm() throws {
        for item in request.body.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard parts.count == 2, let value = parts[1].removingPercentEncoding else {
                throw TestSupportError("not a form: \(request.body.prefix(200))")
            }
            if parts[0] == "data_list" {
                try walk(parse(decoded(Array(value.utf8))), "")
            } else {
                add("form.\(parts[0])", value)
            }
        }
    }

    // MARK: Values

    /// The fields whose members have names that the app chose and members of their own.
    private static let described: Set<String> = ["context.user.attributes.*", "user.*"]

    private mutating func walk(_ value: JSONValue, _ path: String) throws {
        if path.hasSuffix(".*"), !Self.described.contains(path) { return add(path, text(value)) }
        switch value {
        case .object(let object):
            for member in object.members {
                let name = Self.isOwn(member.key) ? "*" : member.key
                try walk(member.value, path.isEmpty ? name : "\(path).\(name)")
            }
        case .array(let values):
            for element in values { try walk(element, path) }
            if values.isEmpty { add(path, "[]") }
        case .string(let string) where string.hasPrefix("{") || string.hasPrefix("["):
            // A format without lists and objects contains them as text.
            guard let inner = try? parse(Array(string.utf8)) else { return add(path, string) }
            try walk(inner, path)
        default: add(path, text(value))
        }
    }

    private mutating func add(_ path: String, _ value: String) {
        fields.append(SentField(format: format, path: path, value: value))
    }

    private func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.json(), as: UTF8.self)
    }

    private func member(_ key: String, of value: JSONValue) throws -> JSONValue {
        guard value.object?.members.map(\.key) == [key], let member = value[key] else {
            throw TestSupportError("a body with other members than \(key)")
        }
        return member
    }

    private func parse(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONValue.parse(bytes, limits: JSONLimits(bytes: 16 << 20, depth: 64))
    }

    /// Returns the bytes without their encoding: gzip, and base64 around it.
    private func decoded(_ bytes: [UInt8]) throws -> [UInt8] {
        if bytes.starts(with: [0x1f, 0x8b]) { return try Gzip.inflate(bytes) }
        if let first = bytes.first, first != UInt8(ascii: "{"), first != UInt8(ascii: "["),
            let packed = Base64.decode(bytes)
        {
            return try Gzip.inflate(packed)
        }
        return bytes
    }
}
