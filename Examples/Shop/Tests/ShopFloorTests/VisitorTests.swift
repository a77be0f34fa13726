// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor
internal import Testing

@Suite("Simulated visitors")
struct VisitorTests {
    static func visit(seed: UInt64, number: UInt64) -> (keys: [Key], story: [Happening], pause: Duration) {
        var shop = Shop(customer: "v\(number)")
        var visitor = Visitor(seed: seed, number: number)
        var keys: [Key] = []
        var story = shop.enter()
        var pause = Duration.zero
        while !shop.isOver, keys.count < 2_000 {
            let move = visitor.move(in: shop)
            keys.append(move.key)
            pause += move.pause
            var happenings = shop.press(move.key)
            if case .ordered? = happenings.last { happenings += shop.paymentFinished(isPaid: true) }
            story += happenings
        }
        return (keys, story, pause)
    }

    @Test("every visit ends within a realistic time", arguments: 0..<10)
    func ends(_ seed: UInt64) {
        for number in 0..<100 {
            let visit = Self.visit(seed: seed, number: UInt64(number))
            #expect(visit.keys.count < 2_000)
            guard case .left? = visit.story.last else {
                Issue.record("visit \(number) did not end with the visitor leaving")
                return
            }
            #expect(visit.pause < .seconds(900))
        }
    }

    @Test("some visitors are interrupted, which does not change what they do in the shop")
    func calledAway() {
        var absences: [Duration] = []
        var lingering = 0
        var deeds = 0
        for number in 0..<200 {
            var shop = Shop(customer: "v")
            var visitor = Visitor(seed: 3, number: UInt64(number))
            while !shop.isOver, deeds < 100_000 {
                let move = visitor.move(in: shop)
                deeds += 1
                if move.absence > .zero { absences.append(move.absence) }
                if move.lingers { lingering += 1 }
                if case .ordered? = shop.press(move.key).last { _ = shop.paymentFinished(isPaid: true) }
            }
        }
        #expect(absences.contains(Visitor.longAbsence))
        #expect(absences.contains { $0 <= .seconds(20) })
        #expect(absences.count * 10 < deeds)
        #expect((1...deeds / 50).contains(lingering))
    }

    @Test("a number always gives the same customer, and different numbers give different ones")
    func customers() {
        #expect(Customer(seed: 7, number: 1) == Customer(seed: 7, number: 1))
        let customers = (0..<100).map { Customer(seed: 7, number: $0) }
        #expect(Set(customers.map(\.id)).count == 100)
        #expect(Set(customers.map(\.town)).count > 3)
    }

    @Test("the same seed gives the same visits")
    func repeats() {
        for number in 0..<20 {
            #expect(
                Self.visit(seed: 7, number: UInt64(number)).story == Self.visit(seed: 7, number: UInt64(number)).story
            )
        }
        #expect(Self.visit(seed: 7, number: 1).keys != Self.visit(seed: 8, number: 1).keys)
    }

    @Test("some visitors buy, some remove products, some find nothing")
    func mixture() {
        var purchases = 0
        var removals = 0
        var vain = 0
        for number in 0..<400 {
            let story = Self.visit(seed: 1, number: UInt64(number)).story
            purchases += story.contains { if case .purchased = $0 { true } else { false } } ? 1 : 0
            removals += story.contains { if case .removed = $0 { true } else { false } } ? 1 : 0
            vain += story.contains { if case .searched(_, found: 0) = $0 { true } else { false } } ? 1 : 0
        }
        #expect((80...280).contains(purchases))
        #expect(removals > 0)
        #expect(vain > 0)
    }
}
