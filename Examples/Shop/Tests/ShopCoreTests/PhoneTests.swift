// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable internal import ShopCore

@Suite("Simulated phone")
struct PhoneTests {
    @Test(arguments: 0..<4)
    func `the same number gives the same phone on the same route, another number a different one`(_ number: Int) {
        var one = Phone(number: UInt64(number))
        var again = Phone(number: UInt64(number))
        var other = Phone(number: UInt64(number) + 1)
        for _ in 0..<100 {
            one.advance()
            again.advance()
            other.advance()
            #expect(one == again)
        }
        #expect(one != other)
    }

    @Test(arguments: 0..<20)
    func `the battery level stays valid, and the position changes at walking speed`(_ number: Int) {
        var phone = Phone(number: UInt64(number))
        var (drained, charged, updates) = (false, false, 0)
        for _ in 0..<1_000 {
            let before = phone
            phone.advance()
            #expect((0...1).contains(phone.battery))
            drained = drained || phone.battery < before.battery
            charged = charged || phone.battery > before.battery
            updates += phone.systemVersion == before.systemVersion ? 0 : 1
            #expect(abs(phone.latitude - before.latitude) < 0.001 && abs(phone.longitude - before.longitude) < 0.002)
        }
        #expect(drained && charged && updates == 1)
    }
}
