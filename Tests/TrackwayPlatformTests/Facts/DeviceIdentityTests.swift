// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import TrackwayPlatform

@Suite("Device identity")
struct DeviceIdentityTests {
    static let machine = "0123456789abcdef0123456789abcdef"

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
    func `the hash matches FIPS 180-4`(_ message: String, _ expected: String) {
        #expect(SHA256.hash(Array(message.utf8)).hexadecimal == expected)
    }

    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ] as [([UInt8], String, String)]
    )
    func `the keyed hash matches RFC 4231`(_ key: [UInt8], _ message: String, _ expected: String) {
        #expect(SHA256.authenticate(Array(message.utf8), key: key).hexadecimal == expected)
    }

    @Test
    func `two apps on one device get IDs that cannot be linked`() throws {
        let one = try #require(DeviceIdentity.make(machineID: Self.machine, appID: "one"))
        let two = try #require(DeviceIdentity.make(machineID: Self.machine, appID: "two"))
        #expect(one != two)
        #expect(one.utf8.count == 32)
        #expect(one != Self.machine)
        #expect(DeviceIdentity.make(machineID: Self.machine.uppercased(), appID: "one") == one)
    }
}
