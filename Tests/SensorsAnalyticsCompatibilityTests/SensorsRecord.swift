// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit

/// A record as a back end reads it.
///
/// It is parsed independently of the code that wrote it.
struct SensorsRecord: Sendable {
    let json: JSONValue

    /// Returns the records of all uploads, after verifying their checksums.
    static func all(in requests: [WireRequest]) throws -> [SensorsRecord] {
        try requests.filter { $0.method == "POST" }.flatMap { try all(in: $0) }
    }

    private static func all(in request: WireRequest) throws -> [SensorsRecord] {
        var fields: [String: String] = [:]
        for pair in String(decoding: request.body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            fields[parts[0]] = parts[1].removingPercentEncoding
        }
        let list = try #require(fields["data_list"])
        let sum = list.utf16.reduce(Int32(0)) { 31 &* $0 &+ Int32($1) }
        #expect(fields["crc"] == String(sum))
        #expect(fields["gzip"] == "1")
        let packed = try #require(Data(base64Encoded: list))
        let records = try #require(JSONValue.parse(Gzip.inflate([UInt8](packed))).array)
        return records.map { SensorsRecord(json: $0) }
    }

    var type: String? { json["type"]?.string }
    var event: String? { json["event"]?.string }
    var distinctID: String? { json["distinct_id"]?.string }
    var identities: [String: String] {
        (json["identities"]?.object?.members ?? []).reduce(into: [:]) { $0[$1.key] = $1.value.string }
    }

    subscript(property: String) -> JSONValue? { json["properties"]?[property] }

    /// The event's name, with the relevant details of automatic events.
    var summary: String {
        let words: [String?]
        switch event {
        case "$AppStart", "$AppStartPassively":
            words = [
                self["$is_first_time"] == .boolean(true) ? "first" : nil,
                self["$resume_from_background"] == .boolean(true) ? "resumed" : nil,
            ]
        case "$AppEnd":
            words = [self["event_duration"]?.double.map { "\($0)s" }, self["_is_recovered"] == nil ? nil : "recovered"]
        case "$AppViewScreen":
            words = [self["$screen_name"]?.string]
        default:
            words = []
        }
        return ([event ?? type ?? "?"] + words.compactMap { $0 }).joined(separator: " ")
    }
}
