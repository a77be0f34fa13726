// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Tables of events")
struct EventTableTests {
    private static func event(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    @Test
    func `nested attributes and contexts become columns, and lists become JSON`() throws {
        let event = try Self.event(
            #"""
            {"position":"1.40.0","id":"a","time":0,"received":1000,"user":"u, \"1\"",
            "event":{"id":"a","name":"buy","time":0,"attributes":{"total":12.5,"tags":["x","y"],"a.b":1,"more":{"z":true}},
            "items":[{"id":"i"}]},"context":{"app":{"version":"1.2"},"global":{"theme":"=dark"}}}
            """#
        )
        var table = EventTable()
        table.addColumns(of: event)
        #expect(
            table.headingLine()
                == "position,id,name,time,received,installation,writer,sequence,user,session,attributes.a\\.b,"
                + "attributes.more.z,attributes.tags,attributes.total,context.app.version,context.global.theme,items"
        )
        #expect(
            table.line(event)
                == "1.40.0,a,buy,1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z,,,,\"u, \"\"1\"\"\",,1,true,"
                + "\"[\"\"x\"\",\"\"y\"\"]\",12.5,1.2,'=dark,\"[{\"\"id\"\":\"\"i\"\"}]\""
        )
    }

    @Test
    func `values beyond the maximum number of columns are one JSON object`() throws {
        var table = EventTable(maximumColumns: 2)
        let first = try Self.event(#"{"event":{"name":"a","attributes":{"x":1,"y":2}}}"#)
        let second = try Self.event(#"{"event":{"name":"b","attributes":{"x":3,"z":4,"w":"5"}}}"#)
        for event in [first, second] { table.addColumns(of: event) }
        #expect(table.headingLine().hasSuffix("session,attributes.x,attributes.y,more"))
        #expect(table.line(first) == ",,a,,,,,,,,1,2,")
        #expect(
            table.line(second)
                == #",,b,,,,,,,,3,,"{""attributes.z"":4,""attributes.w"":""5""}""#.replacing("}\"", with: "}\"")
        )
    }

    @Test
    func `an attribute nested a hundred times deep does not exhaust the stack or the columns`() throws {
        let deep = String(repeating: #"{"a":"#, count: 30) + "1" + String(repeating: "}", count: 30)
        let event = try Self.event(#"{"event":{"name":"a","attributes":\#(deep)}}"#)
        var table = EventTable()
        table.addColumns(of: event)
        #expect(table.heading.count == EventTable.fixedColumns.count + 1)
    }
}

@Suite("Reading CSV")
struct CSVRecordsTests {
    private static func records(_ text: String, chunk: Int = 3) throws -> [CSVRecords.Record] {
        var reader = CSVRecords()
        var records: [CSVRecords.Record] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            records += try reader.feed(bytes[start..<min(start + chunk, bytes.count)])
        }
        if let last = try reader.finish() { records.append(last) }
        return records
    }

    @Test(arguments: [
        ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
        ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
        ("\"a,1\",\"b\"\"c\"\n", [["a,1", "b\"c"]]),
        ("\"x\ny\",z\n\n,\n", [["x\ny", "z"], ["", ""]]),
        ("a,\n", [["a", ""]]),
        ("\"\"\n", [[""]]),
        ("ä,\"ö\"\n", [["ä", "ö"]]),
    ])
    func `records have cells with quotes, commas and line feeds`(text: String, cells: [[String]]) throws {
        for chunk in [1, 2, 1_000] { #expect(try Self.records(text, chunk: chunk).map(\.cells) == cells) }
    }

    @Test
    func `records have the line on which they begin`() throws {
        #expect(try Self.records("a\n\"b\nc\"\n\nd\n").map(\.line) == [1, 2, 5])
    }

    @Test
    func `a file cut inside quotes, and a record with a million columns, are errors with the line`() throws {
        let cut = #expect(throws: CommandFailure.self) { try Self.records("a,b\n1,\"2") }
        #expect(cut?.message == "line 2: a quotation mark is not closed")
        let wide = #expect(throws: CommandFailure.self) {
            try Self.records(String(repeating: ",", count: 1_000_000), chunk: 100_000)
        }
        #expect(wide?.message.hasPrefix("line 1: the record has more than 10,000 cells") == true)
    }

    @Test(arguments: [
        (["when=time"], "the file has no column “when”"), (["a=wrong"], "“wrong” is not a field"),
        (["a"], "“a” has no “=”"), (["a=name", "b=attributes."], "“attributes.” is not a field"),
    ])
    func `a wrong mapping is an error`(options: [String], message: String) throws {
        let error = #expect(throws: CommandFailure.self) { try CSVMapping(heading: ["a", "b"], options: options) }
        #expect(error?.message == message)
    }

    @Test
    func `a column that appears twice is an error`() throws {
        #expect(throws: CommandFailure.self) { try CSVMapping(heading: ["name", "name"], options: []) }
        #expect(throws: CommandFailure.self) { try CSVMapping(heading: ["name", "title"], options: ["title=name"]) }
    }

    @Test
    func `cells become numbers, Booleans, lists and texts, and equal records stay different events`() throws {
        let mapping = try CSVMapping(
            heading: ["\u{FEFF}time", "order", "customer", "sum", "code", "paid", "tags", "note"],
            options: [
                "order=id", "customer=user", "sum=attributes.total", "code=attributes.code", "paid=attributes.paid",
                "tags=attributes.tags",
            ]
        )
        #expect(mapping.ignored == ["note"])
        var seen = RecordOccurrences()
        let cells = ["2026-11-21", "A-1", "u1", "12.5", "007", "true", "[1,2]", "x"]
        let event = try mapping.event(.init(line: 2, cells: cells), name: "buy", occurrences: &seen)
        let json = try JSONValue.parse(event.json)
        #expect(json["name"]?.string == "buy" && json["time"]?.integer == 1_795_219_200_000)
        #expect(
            json["attributes"]
                == (try JSONValue.parse(
                    Array(#"{"total":12.5,"code":"007","paid":true,"tags":[1,2],"imported_id":"A-1"}"#.utf8)
                ))
        )
        #expect(String(decoding: event.context, as: UTF8.self) == #"{"user":{"id":"u1"}}"#)
        let again = try mapping.event(.init(line: 3, cells: cells), name: "buy", occurrences: &seen)
        #expect(again.json == event.json)
        var anonymous = cells
        anonymous[1] = ""
        let first = try mapping.event(.init(line: 4, cells: anonymous), name: "buy", occurrences: &seen)
        let second = try mapping.event(.init(line: 5, cells: anonymous), name: "buy", occurrences: &seen)
        #expect(first.json != second.json)
        var repeated = RecordOccurrences()
        let same = try mapping.event(.init(line: 9, cells: anonymous), name: "buy", occurrences: &repeated)
        #expect(same.json == first.json)
    }
}
