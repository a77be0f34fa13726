// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable import CollectorCore

@Suite("The client data report")
struct UsageReportRowTests {
    /// Returns the rows of a received report.
    ///
    /// The events have the form in which the index provides them.
    private static func rows(_ body: String) throws -> [UsageReportRow] {
        let report = try SAPUsageIntake().admit(
            Array(body.utf8),
            of: .init(application: SAPUsageSamples.application),
            grant: VendorEnvironment.grant,
            received: VendorEnvironment.received
        )
        return try VendorEnvironment.visit(report.batch).compactMap { kept in
            Self.row(kept.json, kept.context ?? .null, session: SAPUsageSamples.session)
        }
    }

    private static func row(
        _ event: JSONValue,
        _ context: JSONValue,
        user: String? = nil,
        session: String? = nil,
        in scope: UsageReportRow.Scope = .init()
    ) -> UsageReportRow? {
        UsageReportRow(
            StoredEvent(
                position: .start,
                id: EventID(high: 1, low: 1),
                name: event["name"]?.string ?? "",
                time: Timestamp(milliseconds: event["time"]?.integer ?? 0),
                received: Timestamp(milliseconds: 0),
                user: user,
                session: session,
                json: event.json(),
                context: context == .null ? [] : context.json()
            ),
            in: scope
        )
    }

    private static func columns(_ line: String) -> [String] {
        line.dropLast().split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    @Test
    func `the format's example produces the reference rows, column by column`() throws {
        let names = Self.columns(UsageReportRow.heading)
        let rows = try Self.rows(SAPUsageSamples.body).map { Self.columns($0.line) }
        #expect(rows.count == 5 && rows.allSatisfy { $0.count == names.count })
        func subset(_ row: [String]) -> String {
            [
                "APPLICATIONID", "DEVICEMODEL", "DEVICEPLATFORM", "DEVICEVERSION", "USERSESSIONID", "RECORDKEY",
                "RECORDTYPE", "TIMERSTART", "TIMERDURATION", "I_SCREEN", "I_VIEW", "I_ELEMENT", "I_ACTION", "I_TYPE",
                "I_VALUE",
            ].map { row[names.firstIndex(of: $0) ?? 0] }.joined(separator: ",")
        }
        #expect(
            subset(rows[2])
                == "org.example.shop,iPhone,iOS,17.5.1,E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10,BehaviorEvent,,2024-06-10 06:13:29.480+0000,0,,Products Listing Screen,Products Table,Row Selected,userInteraction,Trail Shoe"
        )
        #expect(
            subset(rows[4])
                == "org.example.shop,iPhone,iOS,17.5.1,E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10,SessionEnd,,2024-06-10 06:15:10.250+0000,110.25,,,,,,"
        )
        #expect(
            rows.map { $0[6] } == ["SessionStart", "BehaviorEvent", "BehaviorEvent", "CheckoutDuration", "SessionEnd"]
        )
        #expect(subset(rows[1]).hasSuffix(",0,,Products Listing Screen,,,viewDisplayed,"))
        #expect(rows[3][9...].joined(separator: ",") == "88.75,Checkout,,,,,B,timer,Sales,success,EUR,basket,99.9")
        #expect(
            UsageReportRow.heading
                == "APPLICATIONID,DEVICEMODEL,DEVICEPLATFORM,DEVICEVERSION,REGISTRATIONID,USERSESSIONID,RECORDKEY,RECORDTYPE,TIMERSTART,TIMERDURATION,I_SCREEN,I_VIEW,I_ELEMENT,I_ACTION,I_BEHAVIOR,I_CASE,I_TYPE,I_CATEGORY,I_RESULT,I_UNIT,I_MEASUREMENT,I_VALUE\n"
        )
    }

    @Test
    func `events captured by our own SDK use the format's terms, and a scope admits only its application`() throws {
        let context = try JSONValue.parse(Array(#"{"app":{"id":"shop"},"device":{"model":"m"}}"#.utf8))
        func line(_ event: String, _ application: String? = nil) throws -> [String]? {
            let row = Self.row(
                try JSONValue.parse(Array(event.utf8)),
                context,
                user: "user-42",
                session: "s",
                in: .init(application: application)
            )
            return row.map { Self.columns($0.line) }
        }
        let view = try #require(
            try line(#"{"name":"_screen_view","time":0,"attributes":{"_screen_name":"Home"}}"#, "shop")
        )
        #expect(view[4...6] == ["user-42", "s", "BehaviorEvent"] && view[11] == "Home" && view[16] == "viewDisplayed")
        let end = try #require(try line(#"{"name":"_app_end","attributes":{"_foreground_duration_msec":15349}}"#))
        #expect(end[6] == "SessionEnd" && end[9] == "15.349")
        let timer = try #require(try line(#"{"name":"t","attributes":{"event_duration":2.0,"value":99.9}}"#))
        #expect(timer[9] == "2" && timer[21] == "99.9")
        #expect(try line(#"{"name":"e"}"#, "other") == nil)
    }

    @Test
    func `an event in a list produces the same row as the stored event`() throws {
        let stored = StoredEvent(
            position: .start,
            id: EventID(high: 1, low: 1),
            name: "e",
            time: Timestamp(milliseconds: 1_718_000_000_000),
            received: Timestamp(milliseconds: 0),
            user: "u",
            session: "s",
            json: Array(#"{"id":"x","name":"e","time":1718000000000,"attributes":{"value":"v"}}"#.utf8),
            context: Array(#"{"app":{"id":"shop"}}"#.utf8)
        )
        let text = JSONWriter.withThreadBuffer { writer in
            stored.write(to: &writer)
            return writer.array()
        }
        let scope = UsageReportRow.Scope(application: "shop")
        let row = try #require(UsageReportRow(stored, in: scope))
        #expect(UsageReportRow(listed: try JSONValue.parse(text), in: scope) == row)
        #expect(row.line.hasPrefix("shop,,,,u,s,e,,2024-06-10 06:13:20.000+0000,0,"))
        #expect(UsageReportRow(listed: try JSONValue.parse(text), in: .init(application: "other")) == nil)
    }

    @Test(arguments: [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("two\nlines", "\"two\nlines\""),
        ("cr\rhere", "\"cr\rhere\""), ("crlf\r\nhere", "\"crlf\r\nhere\""), (" edge ", "\" edge \""),
        ("=1+1", "'=1+1"), ("+cmd", "'+cmd"), ("-cmd", "'-cmd"), ("@SUM(A1)", "'@SUM(A1)"),
        ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""), ("  =1", "'  =1"), ("＝1", "'＝1"),
        ("\t=1", "\"'\t=1\""), ("\r=1", "\"'\r=1\""), ("\u{FEFF}=1", "'\u{FEFF}=1"), ("-5", "-5"), ("+1.5", "+1.5"),
        ("-1+1", "'-1+1"), ("-", "'-"), ("-1.2.3", "'-1.2.3"), ("nul\u{0}l", "null"), ("\u{0}=1", "'=1"),
        ("😀", "😀"),
        ("a=b", "a=b"),
    ])
    func `a cell is quoted if needed, and never read as a formula by a spreadsheet`(_ value: String, _ cell: String)
        throws
    {
        let event = JSONValue.object(
            .init([
                .init(key: "name", value: .string("e")),
                .init(key: "attributes", value: .object(.init([.init(key: "value", value: .string(value))]))),
            ])
        )
        let line = try #require(Self.row(event, .null)).line
        #expect(line.hasSuffix(",,,,,,,,,,,\(cell)\n"))
    }
}
