// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("People behind a point on the command line")
struct PeopleOptionsTests {
    @Test(arguments: [
        ("3", "3"), ("total", "total"), ("3/1", "3/1"), ("2/reached", "2/reached"),
        ("2026-11-21", "1795215600000"), ("2026-11-21/new", "1795215600000/new"),
        ("2026-11-21T10:30/1", "1795253400000/1"), ("2026-11-21T00:00:00Z", "1795219200000"), ("-1", "-1"),
    ])
    func `a date stands for the interval that contains it, in the time zone of the query`(
        _ text: String,
        _ point: String
    ) throws {
        let options = try QueryOptions.parse(["--zone", "Europe/Berlin"])
        #expect(try PeopleOptions.point(text, options) == point)
    }

    @Test
    func `an invalid date is rejected`() throws {
        let options = try QueryOptions.parse([])
        #expect(throws: CommandFailure.self) { try PeopleOptions.point("2026-13-45", options) }
    }

    private static let answer = """
        {"people":[{"user":"=carl","installation":null,"first":1795219200000,"last":1795222800000,"events":1204},\
        {"user":null,"installation":"00000000-0000-7000-8000-000000000000","first":1795219200000,\
        "last":1795219200000,"events":1}],"total":3,"without_person":2,"next":"1.2","read":9}
        """

    @Test
    func `people are printed as a table or as CSV`() throws {
        let answer = try JSONValue.parse(Array(Self.answer.utf8))
        let table = PeopleOptions.table(answer, DateLabels(style: Style(isColored: false), zone: .gmt))
        #expect(table.heading == "3 people, latest 2; --csv prints all; 2 events without a person")
        #expect(
            table.rows == [
                ["user =carl", "2026-11-21 00:00", "2026-11-21 01:00", "1,204"],
                [
                    "installation 00000000-0000-7000-8000-000000000000", "2026-11-21 00:00", "2026-11-21 00:00", "1",
                ],
            ]
        )
        #expect(
            PeopleOptions.csv(answer["people"]?.array ?? []) == [
                "user,installation,group,first,last,events",
                "'=carl,,,2026-11-21T00:00:00.000Z,2026-11-21T01:00:00.000Z,1204",
                ",00000000-0000-7000-8000-000000000000,,2026-11-21T00:00:00.000Z,2026-11-21T00:00:00.000Z,1",
            ]
        )
        let groups = try JSONValue.parse(
            Array(#"{"people":[{"group":"acme","first":0,"last":0,"events":1}],"total":1,"without_person":0}"#.utf8)
        )
        let list = PeopleOptions.table(groups, DateLabels(style: Style(isColored: false), zone: .gmt))
        #expect(list.heading == "1 group" && list.rows.first?.first == "group acme")
    }
}
