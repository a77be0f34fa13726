// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SiftCompatibility
internal import Testing
internal import TrackwayCore

@Suite("Sift events")
struct SiftEventTests {
    @Test
    func `a new event has only the given type, path and fields, and the current time`() {
        let event = SiftEvent(type: "checkout", path: "/cart", fields: ["cart_size": "3"])
        #expect(event.type == "checkout")
        #expect(event.path == "/cart")
        #expect(event.fields == ["cart_size": "3"])
        #expect(event.userId == nil)
        #expect(event.installationId == nil)
        #expect(event.deviceProperties == nil)
        #expect(event.metrics == nil)
        #expect(event.iosAppState == nil)
        #expect(event.iosDeviceProperties == nil)
        // After this test was written, and before the year 3000.
        #expect((1_760_000_000_000...32_503_680_000_000).contains(event.time))
    }

    @Test
    func `an event may be empty, and the other documented initializer is equivalent`() {
        let nothing = SiftEvent(type: nil, path: nil, fields: nil)
        #expect(nothing.type == nil)
        #expect(nothing.fields == nil)
        #expect(nothing.sanityCheck())
        let other = SiftEvent.eventWithType("checkout", path: "/cart", fields: ["cart_size": "3"])
        #expect(other.isEssentiallyEqual(to: SiftEvent(type: "checkout", path: "/cart", fields: ["cart_size": "3"])))
    }

    // MARK: Essential equality

    /// A change to one member.
    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var apply: @Sendable (SiftEvent) -> Void

        init(_ description: String, _ apply: @escaping @Sendable (SiftEvent) -> Void) {
            testDescription = description
            self.apply = apply
        }
    }

    static let changes: [Change] = [
        Change("type") { $0.type = "other" },
        Change("no type") { $0.type = nil },
        Change("path") { $0.path = "/other" },
        Change("user") { $0.userId = "user-43" },
        Change("no user") { $0.userId = nil },
        Change("installation") { $0.installationId = "other" },
        Change("a field's value") { $0.fields = ["cart_size": "4"] },
        Change("a field's name") { $0.fields = ["cart-size": "3"] },
        Change("one more field") { $0.fields?["coupon"] = "" },
        Change("no fields") { $0.fields = nil },
        Change("empty fields") { $0.fields = [:] },
        Change("device properties") { $0.deviceProperties = ["a": "b"] },
        Change("metrics") { $0.metrics = ["a": "b"] },
        Change("a number in the fields") { $0.setFields(["cart_size": "3", "n": 1]) },
        Change("app state") { $0.iosAppState = ["battery_level": 0.83] },
        Change("a number deep in the app state") { $0.iosAppState?["location"] = ["latitude": 1, "longitude": 3] },
        Change("iOS device properties") { $0.iosDeviceProperties = ["device_name": "other"] },
        Change("no iOS device properties") { $0.iosDeviceProperties = nil },
    ]

    private static func full() -> SiftEvent {
        let event = SiftEvent(type: "checkout", path: "/cart", fields: ["cart_size": "3"])
        event.time = 1_750_000_000_123
        event.userId = "user-42"
        event.installationId = "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E"
        event.iosAppState = ["battery_level": 0.5, "location": ["latitude": 1, "longitude": 2]]
        event.iosDeviceProperties = ["device_name": "iPhone"]
        return event
    }

    @Test(arguments: changes)
    func `an event differs from a copy with one changed member, in both directions`(change: Change) {
        let (event, other) = (Self.full(), Self.full())
        change.apply(other)
        #expect(!event.isEssentiallyEqual(to: other))
        #expect(!other.isEssentiallyEqual(to: event))
    }

    @Test
    func `an event is essentially equal to itself, even at another time or with values in another order`() {
        let (event, other) = (Self.full(), Self.full())
        #expect(event.isEssentiallyEqual(to: event))
        other.time = 0
        #expect(event.isEssentiallyEqual(to: other))
        other.iosAppState = ["location": ["longitude": 2, "latitude": 1], "battery_level": 0.5]
        #expect(event.isEssentiallyEqual(to: other))
        #expect(!event.isEssentiallyEqual(to: nil))
    }

    // MARK: Sanity

    @Test
    func `an event with only text fields or no fields is valid`() {
        for fields: [AnyHashable: Any]? in [nil, [:], ["a": "b"], ["": ""], ["emoji 👩‍👩‍👧": "\u{0}"]] {
            let event = SiftEvent(type: nil, path: nil, fields: fields)
            event.setMetrics(fields)
            event.setDeviceProperties(fields)
            #expect(event.sanityCheck())
        }
    }

    @Test
    func `an event with a name or value that is not text is invalid and reports its faults`() {
        let bad: [([AnyHashable: Any], String)] = [
            (["cart_size": 3], "fields.cart_size"),
            (["price": Double.nan], "fields.price"),
            (["nested": ["a": "b"]], "fields.nested"),
            ([7: "seven"], "fields"),
            (["fine": "text", "odd": true], "fields.odd"),
        ]
        for (fields, place) in bad {
            let event = SiftEvent(type: "checkout", path: nil, fields: fields)
            #expect(!event.sanityCheck())
            #expect(event.content.faults.map(\.field) == [place])
        }
        let event = SiftEvent(type: "checkout", path: nil, fields: nil)
        event.setMetrics(["a": 1])
        #expect(!event.sanityCheck())
        event.metrics = ["a": "1"]
        event.setDeviceProperties(["b": 2])
        #expect(event.content.faults.map(\.field) == ["deviceProperties.b"])
        event.deviceProperties = nil
        #expect(event.sanityCheck())
    }

    @Test
    func `an event with two snapshots is invalid, because the format's receivers accept one`() {
        let event = Self.full()
        #expect(!event.sanityCheck())
        #expect(event.content.faults.map(\.field) == ["iosDeviceProperties"])
        event.iosAppState = nil
        #expect(event.sanityCheck())
    }

    @Test
    func `only the text values of mixed fields are readable`() {
        let event = SiftEvent(type: "checkout", path: nil, fields: ["size": "3", "price": 9.5])
        #expect(event.fields == ["size": "3"])
    }

    // MARK: Use as a class

    @Test
    func `an event can be created without arguments, and then has only a time`() {
        let event = SiftEvent()
        #expect(event.type == nil && event.path == nil && event.fields == nil && event.userId == nil)
        #expect(event.time > 0)
        #expect(event.isEssentiallyEqual(to: SiftEvent(type: nil)))
    }

    /// An app's own event class.
    private final class Order: SiftEvent, @unchecked Sendable {
        init(number: Int) {
            super.init(type: "order", path: "/orders", fields: ["number": "\(number)"])
        }

        required init?(coder: NSCoder) {
            super.init(coder: coder)
        }
    }

    @Test
    func `a subclass behaves like any other event`() async throws {
        let app = SiftApp()
        let sift = try await app.launchWithAccount()
        #expect(sift.append(Order(number: 7)))
        await sift.deliverAll()
        #expect(try app.received.first?["fields"]?["number"]?.string == "7")
    }

    @Test(arguments: [true, false])
    func `an archive keeps every member`(isSecure: Bool) throws {
        let event = SiftEvent(type: "checkout", path: "/cart", fields: ["cart_size": "3", "": ""])
        event.time = 1_625_000_000_123
        event.userId = "user-42"
        event.installationId = "here"
        event.deviceProperties = ["a": "b"]
        event.metrics = [:]
        event.iosAppState = [
            "battery_level": 0.5, "whole": 1.0, "network_addresses": ["10.0.0.7"], "proximity_state": true,
        ]
        let decoded = try copy(event, isSecure: isSecure)
        #expect(decoded.content == event.content)
        let empty = SiftEvent()
        #expect(try copy(empty, isSecure: isSecure).content == empty.content)
        let properties = SiftEvent()
        properties.iosDeviceProperties = ["device_name": "iPhone"]
        #expect(try copy(properties, isSecure: isSecure).content == properties.content)
    }

    @Test
    func `an invalid event stays invalid after archiving`() throws {
        let event = SiftEvent(type: "order", path: nil, fields: ["price": 3, "name": "x"])
        let decoded = try copy(event, isSecure: true)
        #expect(!decoded.sanityCheck())
        #expect(decoded.fields == ["name": "x"])
    }

    private func copy(_ event: SiftEvent, isSecure: Bool) throws -> SiftEvent {
        let data = try NSKeyedArchiver.archivedData(withRootObject: event, requiringSecureCoding: isSecure)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: SiftEvent.self, from: data))
    }
}
