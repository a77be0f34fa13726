// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore
internal import Testing

@Suite("Simulated visitors")
struct VisitorTests {
    static func visit(seed: UInt64, number: UInt64) -> (keys: [Key], events: [ShopEvent], pause: Duration) {
        var shop = Shop(customer: "v\(number)")
        var visitor = Visitor(seed: seed, number: number)
        var keys: [Key] = []
        var events = shop.enter()
        var pause = Duration.zero
        while !shop.hasLeft, keys.count < 2_000 {
            let action = visitor.nextAction(in: shop)
            keys.append(action.key)
            pause += action.pause
            var newEvents = shop.press(action.key)
            if case .ordered? = newEvents.last { newEvents += shop.paymentFinished(isPaid: true) }
            events += newEvents
        }
        return (keys, events, pause)
    }

    @Test(arguments: 0..<10)
    func `every visit ends within a realistic time`(_ seed: UInt64) {
        for number in 0..<100 {
            let visit = Self.visit(seed: seed, number: UInt64(number))
            #expect(visit.keys.count < 2_000)
            guard case .leftShop? = visit.events.last else {
                Issue.record("visit \(number) did not end with the visitor leaving")
                return
            }
            #expect(visit.pause < .seconds(900))
        }
    }

    @Test
    func `some visitors are interrupted, which does not change what they do in the shop`() {
        var absences: [Duration] = []
        var lingering = 0
        var actions = 0
        for number in 0..<200 {
            var shop = Shop(customer: "v")
            var visitor = Visitor(seed: 3, number: UInt64(number))
            while !shop.hasLeft, actions < 100_000 {
                let action = visitor.nextAction(in: shop)
                actions += 1
                if action.absence > .zero { absences.append(action.absence) }
                if action.lingers { lingering += 1 }
                if case .ordered? = shop.press(action.key).last { _ = shop.paymentFinished(isPaid: true) }
            }
        }
        #expect(absences.contains(Visitor.longAbsence))
        #expect(absences.contains { $0 <= .seconds(20) })
        #expect(absences.count * 10 < actions)
        #expect((1...actions / 50).contains(lingering))
    }

    @Test
    func `a number always gives the same customer, and different numbers give different ones`() {
        #expect(Customer(seed: 7, number: 1) == Customer(seed: 7, number: 1))
        let customers = (0..<100).map { Customer(seed: 7, number: $0) }
        #expect(Set(customers.map(\.id)).count == 100)
        #expect(Set(customers.map(\.town)).count > 3)
    }

    @Test
    func `the same seed gives the same visits`() {
        for number in 0..<20 {
            #expect(
                Self.visit(seed: 7, number: UInt64(number)).events == Self.visit(seed: 7, number: UInt64(number)).events
            )
        }
        #expect(Self.visit(seed: 7, number: 1).keys != Self.visit(seed: 8, number: 1).keys)
    }

    @Test
    func `some visitors buy, some remove products, some find nothing`() {
        var purchases = 0
        var removals = 0
        var emptySearches = 0
        for number in 0..<400 {
            let events = Self.visit(seed: 1, number: UInt64(number)).events
            purchases += events.contains { if case .purchased = $0 { true } else { false } } ? 1 : 0
            removals += events.contains { if case .removed = $0 { true } else { false } } ? 1 : 0
            emptySearches += events.contains { if case .searched(_, found: 0) = $0 { true } else { false } } ? 1 : 0
        }
        #expect((80...280).contains(purchases))
        #expect(removals > 0)
        #expect(emptySearches > 0)
    }
}
