// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Inventory of personal data")
struct InventoryCommandTests {
    @Test(arguments: [
        "email", "e_mail", "userEmail", "customer-email", "Phone", "first_name", "lastName", "full name", "ip", "IP",
        "user_id", "billing_address", "birthDate", "lat", "customerID", "zip", "iban",
    ])
    func `an attribute with the name of personal data is found`(_ name: String) {
        #expect(PersonalDataHint.isLikely(name: name, values: []))
    }

    @Test(arguments: [
        "total", "name", "screen_name", "zipped", "ship", "latency", "page", "agent", "card_id_", "", "_", "tip",
    ])
    func `other names are not found, unless a value is an e-mail address`(_ name: String) {
        #expect(PersonalDataHint.isLikely(name: name, values: []) == (name == "card_id_"))
        #expect(PersonalDataHint.isLikely(name: name, values: ["x", "ann@example.com"]))
        let others = ["@", "a@", "@b.c", "a@b", "a@b.", "a b@c.d", "a@b@c.d", "https://a.b/@c"]
        #expect(PersonalDataHint.isLikely(name: name, values: others) == (name == "card_id_"))
    }

    @Test
    func `the text has the numbers, the period, the addresses, and what is found`() throws {
        let json = try JSONValue.parse(
            Array(
                #"""
                {"users":1200,"visitors":3,"installations":7,"events":90000,"rejected":2,"first":1764500000000,
                "last":1764590000000,"user_attributes":[{"name":"e\u001bmail","people":1100}],
                "contexts":{"searched":20000,"user.id":5,"ip":0},"client_addresses":"truncate",
                "keys":[{"name":"app","scopes":["write"]},{"name":"officer","scopes":["write","read"]}]}
                """#.utf8
            )
        )
        let text = InventoryText(style: Style(isColored: false))
        let lines = text.lines(json, eventAttributes: ["order.email"], names: 2, of: 5)
        #expect(
            lines.prefix(5) == [
                "People         1,200 users, 3 visitors", "Installations  7", "Events         90,000, and 2 rejected",
                "Period         2025-11-30 to 2025-12-01",
                "Addresses      stored without the last part (--client-addresses truncate)",
            ]
        )
        #expect(lines.contains("  user.id (5)") && !lines.contains { $0.contains("ip (0)") })
        #expect(lines.contains("Attributes of events that may be personal (2 of 5 names checked)"))
        #expect(
            lines.contains("  order.email") && lines.suffix(3) == ["Keys", "  app (write)", "  officer (write+read)"]
        )
        #expect(!lines.joined().contains("\u{1b}"))
        let empty = text.lines(.object(.init()), eventAttributes: [], names: 0, of: 0)
        #expect(empty[3] == "Period         no events" && empty.contains("  none"))
    }
}
