// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable internal import ShopFloor

@Suite("Simulated phone")
struct PhoneTests {
    @Test("the same number gives the same phone on the same route, another number a different one", arguments: 0..<4)
    func same(_ number: Int) {
        var one = Phone(number: UInt64(number))
        var again = Phone(number: UInt64(number))
        var other = Phone(number: UInt64(number) + 1)
        for _ in 0..<100 {
            one.walk()
            again.walk()
            other.walk()
            #expect(one == again)
        }
        #expect(one != other)
    }

    @Test("the battery level stays valid, and the position changes at walking speed", arguments: 0..<20)
    func way(_ number: Int) {
        var phone = Phone(number: UInt64(number))
        var (drained, charged, updates) = (false, false, 0)
        for _ in 0..<1_000 {
            let before = phone
            phone.walk()
            #expect((0...1).contains(phone.battery))
            drained = drained || phone.battery < before.battery
            charged = charged || phone.battery > before.battery
            updates += phone.systemVersion == before.systemVersion ? 0 : 1
            #expect(abs(phone.latitude - before.latitude) < 0.001 && abs(phone.longitude - before.longitude) < 0.002)
        }
        #expect(drained && charged && updates == 1)
    }
}
