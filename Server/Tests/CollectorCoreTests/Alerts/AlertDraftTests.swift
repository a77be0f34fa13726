// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorCore

@Suite("Reading and writing alerts")
struct AlertDraftTests {
    @Test(arguments: [
        (#"[]"#, ""), (#"{}"#, "condition"), (#"{"condition":{"kind":"missing"}}"#, "title"),
        (#"{"title":"a","condition":5}"#, "condition"), (#"{"title":"a","condition":{}}"#, "condition.kind"),
        (#"{"title":"a","condition":{"kind":"x"}}"#, "condition.kind"),
        (#"{"title":"a","condition":{"kind":"missing","query":"a"}}"#, "condition.query"),
        (#"{"title":"a","condition":{"kind":"missing","threshold":-1}}"#, "condition.threshold"),
        (#"{"title":"a","condition":{"kind":"missing","threshold":1e999}}"#, "condition.threshold"),
        (#"{"title":"a","condition":{"kind":"trends","query":"last=1h"}}"#, "condition.operator"),
        (#"{"title":"a","condition":{"kind":"trends","query":"last=1h","operator":"<"}}"#, "condition.threshold"),
        (
            #"{"title":"a","condition":{"kind":"trends","query":"last=1h","operator":"=","threshold":1}}"#,
            "condition.operator"
        ),
        (
            #"{"title":"a","condition":{"kind":"trends","query":"a b","operator":"<","threshold":1}}"#,
            "condition.query"
        ),
        (
            #"{"title":"a","condition":{"kind":"trends","query":"a","operator":"<","threshold":"1"}}"#,
            "condition.threshold"
        ),
        (
            #"{"title":"a","condition":{"kind":"trends","query":"a","operator":"<","threshold":1,"of":"x"}}"#,
            "condition.of"
        ),
        (#"{"title":"a","condition":{"kind":"failed","threshold":101}}"#, "condition.threshold"),
        (#"{"title":"a","condition":{"kind":"failed","at_least":0}}"#, "condition.at_least"),
        (#"{"title":"a","condition":{"kind":"silence","within":"10s"}}"#, "condition.within"),
        (
            #"{"title":"a","condition":{"kind":"trends","query":"a","operator":"<","threshold":1,"of":"bytes"}}"#,
            "condition.of"
        ),
        (#"{"title":"a","condition":{"kind":"disk","of":"value"}}"#, "condition.of"),
        (#"{"title":"a","condition":{"kind":"disk","of":"bytes"}}"#, "condition.threshold"),
        (#"{"title":"a","condition":{"kind":"disk","threshold":101}}"#, "condition.threshold"),
        (#"{"title":"a","condition":{"kind":"disk","operator":"<"}}"#, "condition.operator"),
        (#"{"title":"a","condition":{"kind":"lag","threshold":-1}}"#, "condition.threshold"),
        (#"{"title":"a","condition":{"kind":"lag","of":"share"}}"#, "condition.of"),
        (#"{"title":"a","condition":{"kind":"silence","within":"9999999999999d"}}"#, "condition.within"),
        (#"{"title":"a","condition":{"kind":"silence","within":10}}"#, "condition.within"),
        (#"{"title":"a","every":"30s","condition":{"kind":"missing"}}"#, "every"),
        (#"{"title":"a","every":"25h","condition":{"kind":"missing"}}"#, "every"),
        (#"{"title":"a","for":"-5m","condition":{"kind":"missing"}}"#, "for"),
        (#"{"title":"a","keep_firing_for":"x","condition":{"kind":"missing"}}"#, "keep_firing_for"),
        (#"{"title":"a","repeat":"1m","condition":{"kind":"missing"}}"#, "repeat"),
        (#"{"title":"a","paused":1,"condition":{"kind":"missing"}}"#, "paused"),
        (#"{"title":"a","webhook":5,"condition":{"kind":"missing"}}"#, "webhook"),
        (#"{"title":"a","webhook":"","condition":{"kind":"missing"}}"#, "webhook"),
        (#"{"title":"a","version":0,"condition":{"kind":"missing"}}"#, "version"),
        (#"{"title":"a","colour":1,"condition":{"kind":"missing"}}"#, "colour"),
    ])
    func `an invalid alert is rejected with an error that names the member`(_ json: String, _ field: String) throws {
        let error = #expect(throws: SavedError.self) {
            guard let value = try? JSONValue.parse(Array(json.utf8)) else {
                throw SavedError(.malformed, field: field, "JSON cannot represent this number.")
            }
            return try AlertDraft(value)
        }
        #expect(error?.kind == .malformed && error?.field == field && error?.message.isEmpty == false)
    }

    @Test(
        arguments: [
            (#"{"kind":"disk"}"#, #"{"kind":"disk","of":"share","threshold":10.0}"#, 9.9, 10),
            (
                #"{"kind":"disk","of":"bytes","threshold":5e9}"#,
                #"{"kind":"disk","of":"bytes","threshold":5000000000.0}"#, 1, 5e9
            ),
            (#"{"kind":"lag"}"#, #"{"kind":"lag","threshold":300.0}"#, 301, 300),
        ] as [(String, String, Double, Double)]
    )
    func `conditions on the disk and the index have defaults, and are written in the form in which they are read`(
        _ given: String,
        _ written: String,
        _ fires: Double,
        _ calm: Double
    ) throws {
        let condition = try AlertCondition(try JSONValue.parse(Array(given.utf8)))
        var writer = JSONWriter()
        writer.beginObject()
        condition.writeMembers(to: &writer)
        writer.endObject()
        #expect(try JSONValue.parse(Array(writer.bytes)) == (try JSONValue.parse(Array(written.utf8))))
        #expect(condition.holds(for: fires) && !condition.holds(for: calm))
        #expect(condition.page == "/")
    }

    @Test
    func `a link uses the page's shortest period that covers the query's, at most 90 days`() {
        for (last, shown) in [("90m", "24h"), ("24h", "24h"), ("25h", "7d"), ("30d", "30d"), ("366d", "90d")] {
            let condition = AlertCondition(.trends, query: "name=a&last=\(last)&where=b%3D1")
            #expect(condition.page == "/?questions=trends&name=a&where=b%3D1&last=\(shown)")
        }
        #expect(
            AlertCondition(.funnels, query: "step=a&step=b&last=1d").page == "/?questions=funnel&step=a&step=b&last=24h"
        )
    }

    @Test(arguments: [("90s", 90, "90s"), ("60s", 60, "1m"), ("24h", 86_400, "1d"), ("0m", 0, "0m")])
    func `durations are parsed and formatted`(_ text: String, _ seconds: Int64, _ written: String) {
        #expect(DurationText.length(text) == .seconds(seconds))
        #expect(DurationText.text(.seconds(seconds)) == written)
        for wrong in ["", "m", "1", "-1m", "+1m", "1.5h", "1w", "99999999999d", "9999999999d", "１m"] {
            #expect(DurationText.length(wrong) == nil, "\(wrong)")
        }
    }
}
