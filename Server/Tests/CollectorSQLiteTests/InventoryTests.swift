// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Inventory of an index")
struct InventoryTests {
    @Test
    func `an empty index has an inventory of zeros`() async throws {
        let environment = try IndexEnvironment()
        let inventory = try await environment.store.inventory()
        #expect(inventory.users == 0 && inventory.visitors == 0 && inventory.events == 0 && inventory.first == nil)
        #expect(inventory.attributes.isEmpty && inventory.members.isEmpty && inventory.contexts == 0)
    }

    @Test
    func `people are counted under the identity rules, with their attributes and identifiers`() async throws {
        let environment = try IndexEnvironment()
        let time: Int64 = 1_700_000_000_000
        func append(_ installation: UInt64, _ lines: [String], rejected: [Int] = []) throws {
            var batch = Batch(installation, installation, 1...UInt64(lines.count { !$0.hasPrefix(#"{"context"#) }))
            batch.lines = lines
            batch.rejected = rejected.map { ($0, "name_empty") }
            try environment.append(batch)
        }
        // A visitor who becomes anna, bob with an address and a device id, a visitor, and a rejected event.
        try append(
            1,
            [
                line(1, time: time),
                #"{"context":{"user":{"id":"anna","attributes":{"plan":{"value":"pro","set":1}}}}}"#,
                line(2, time: time + 5),
            ]
        )
        try append(
            2,
            [
                #"{"context":{"ip":"192.0.2.7","device":{"id":"d","advertising_id":null},"user":{"id":"bob","identities":{},"attributes":{"plan":{"value":"x","set":1},"age":{"value":1,"set":1}}}}}"#,
                line(3, time: time + 9),
            ]
        )
        try append(3, [line(4, time: time + 2), line(5, "")], rejected: [1])
        try await environment.index()
        let inventory = try await environment.store.inventory()
        #expect(inventory.users == 2 && inventory.visitors == 1 && inventory.installations == 3)
        #expect(inventory.events == 4 && inventory.rejected == 1)
        #expect(inventory.first?.milliseconds == time && inventory.last?.milliseconds == time + 9)
        #expect(inventory.attributes == [.init(name: "plan", people: 2), .init(name: "age", people: 1)])
        #expect(inventory.members == [.userID: 2, .attributes: 2, .deviceID: 1, .address: 1])
        try await environment.erase(user: "bob")
        let left = try await environment.store.inventory()
        #expect(left.users == 1 && left.installations == 2 && left.members[.address] == nil)
        #expect(left.attributes == [.init(name: "plan", people: 1)])
    }
}
