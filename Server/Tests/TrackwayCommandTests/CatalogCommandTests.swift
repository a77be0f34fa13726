// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("The event catalog on the command line")
struct CatalogCommandTests {
    private static let text = CatalogText(style: Style(isColored: false), zone: .gmt)

    private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    private static let list = """
        {"events":[{"name":"purchase","events":1204,"first":1795219200000,"last":1795243080000,"today":12,"days_30":300,\
        "remarks":[]},{"name":"=a,\\u001b","events":1,"first":0,"last":0,"today":0,"days_30":0,"remarks":[\
        {"format":"clickstream","code":"name_invalid","message":"No."},\
        {"format":"trackway","code":"name_reserved","message":"No."}]}],"names":7,"others":5000}
        """

    @Test
    func `the list is shown as a table that states what it omits`() throws {
        #expect(
            Self.text.names(try Self.json(Self.list)) == [
                "event     events  today  30 days  first             last              remarks",
                "purchase   1,204     12      300  2026-11-21 00:00  2026-11-21 06:38  ",
                "=a,·           1      0        0  1970-01-01 00:00  1970-01-01 00:00  clickstream name_invalid, name_reserved",
                "", "2 of 7 names; see --limit and --search", "",
                "5,000 events have unlisted names, because there are too many names.",
            ]
        )
        #expect(Self.text.names(try Self.json(#"{"events":[],"names":0,"others":0}"#)).count == 1)
    }

    @Test
    func `a name in comma-separated values is never a formula`() throws {
        let lines = Self.text.namesCSV(try Self.json(Self.list))
        #expect(lines[0] == "name,events,today,days_30,first,last,remarks")
        #expect(lines[1] == "purchase,1204,12,300,2026-11-21T00:00:00.000Z,2026-11-21T06:38:00.000Z,")
        #expect(lines[2].hasPrefix("\"'=a,\u{1b}\",1,0,0,1970-01-01T00:00:00.000Z"))
        #expect(lines.count == 3)
    }

    private static let description = """
        {"name":"purchase","events":1204,"first":1795219200000,"last":1795243080000,"today":12,"days_30":300,"read":1000,\
        "since":1795219200000,"attributes":[{"name":"total","scope":"event","events":998,"fill":0.998,\
        "types":{"string":2,"integer":996},"conflict":true,"min":1,"max":99,"values":[{"value":5,"events":40},\
        {"value":"5","events":2}],"distinct":100,"more":true,"remarks":[{"format":"trackway","code":"type_conflict",\
        "message":"Values of several types."}]},{"name":"channel","scope":"global","events":1,"fill":0.001,\
        "types":{"string":1},"conflict":false,"values":[],"distinct":0,"more":false,"longest":4,"remarks":[]}],"omitted":3,\
        "max_attributes":2,"items":{"events":4,"max":2},"app_versions":[{"value":"2.1","events":900}],"platforms":[],\
        "remarks":[{"format":"clickstream","code":"name_invalid","message":"No."}]}
        """

    @Test
    func `a description states how many events it covers, and lists the warnings`() throws {
        #expect(
            Self.text.description(try Self.json(Self.description)) == [
                "purchase: 1,204 events, 12 today, 300 in 30 days, from 2026-11-21 00:00 to 2026-11-21 06:38",
                "The following covers the latest 1,000 events, received since 2026-11-21 00:00.", "versions: 2.1 (900)",
                "items: in 4 events, at most 2", "",
                "attribute         type                  in events  min  max  values  most frequent",
                "total             string:2 integer:996        99%    1   99    100+  5 (40), 5 (2)",
                "channel (global)  string                      <1%                 0  ", "",
                "3 values of other attributes are omitted (too many).", "", "! No. [clickstream name_invalid]",
                "! total: Values of several types. [type_conflict]",
            ]
        )
        let lines = Self.text.attributesCSV(try Self.json(Self.description))
        #expect(lines[0] == "name,scope,events,fill,types,conflict,min,max,distinct,more,values")
        #expect(lines[1] == #"total,event,998,0.998,string:2 integer:996,true,1,99,100,true,"5 (40), 5 (2)""#)
    }

    @Test(arguments: [
        ["--json", "--csv"], ["--limit", "0"], ["purchase", "--search", "x"], ["--order", "size"], [""],
    ])
    func `invalid arguments are rejected before any request`(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["catalog"] + words) }
    }

    @Test
    func `a collector describes the events that it received, regardless of their names`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                let client = CollectorClient(address)
                let body = """
                    {"name":"a/b ü?","time":1795219200000,"attributes":{"total":5}}
                    {"name":"a/b ü?","time":1795219200001,"attributes":{"total":"7"}}
                    {"name":"view","time":1795219200002}
                    """
                let sent = try await client.relay(
                    "/v1/events",
                    headers: [("authorization", "Bearer dev")],
                    body: Array(body.utf8)
                )
                let position = try #require(try JSONValue.parse(sent.body)["position"]?.string)
                _ = try await client.get("/v1/wait", query: [("position", position), ("timeout", "60")])
                let list = try await client.get("/v1/catalogue", query: [("zone", "Europe/Berlin"), ("prefix", "a/")])
                #expect(list["events"]?.array?.first?["events"]?.integer == 2 && list["names"]?.integer == 2)
                let one = try await client.get("/v1/catalogue/" + CollectorAddress.escape("a/b ü?"))
                #expect(one["read"]?.integer == 2)
                #expect(one["attributes"]?.array?.first?["conflict"]?.boolean == true)
            }
        }
    }
}
