// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import CollectorCore

struct AddressTests {
    @Test(
        arguments: [
            ("127.0.0.1", .v4(0x7f00_0001)), ("0.0.0.0", .v4(0)), ("255.255.255.255", .v4(.max)),
            ("::1", .v6(network: 0, interface: 1)), ("::", .v6(network: 0, interface: 0)),
            ("0:0:0:0:0:0:0:1", .v6(network: 0, interface: 1)),
            ("0000:0000:0000:0000:0000:0000:0000:0001", .v6(network: 0, interface: 1)),
            ("2001:DB8::42", .v6(network: 0x2001_0db8_0000_0000, interface: 0x42)),
            ("2001:db8:1:2::", .v6(network: 0x2001_0db8_0001_0002, interface: 0)),
            ("::ffff:127.0.0.1", .v4(0x7f00_0001)), ("::ffff:7f00:1", .v4(0x7f00_0001)),
            ("64:ff9b::1.2.3.4", .v6(network: 0x0064_ff9b_0000_0000, interface: 0x0102_0304)),
        ] as [(String, IPAddress)]
    )
    func `valid addresses are parsed`(_ text: String, _ address: IPAddress) {
        #expect(IPAddress(text) == address)
    }

    @Test(arguments: [
        "", ".", ":", "127", "127.1", "127.0.1", "127.0.0.1.", ".127.0.0.1", "127.0.0.1.2", "127..0.1",
        "127.0.0.256",
        "127.0.0.01", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "127.0.0.+1", "127.0.0.-1",
        "127.0.0. 1",
        " 127.0.0.1", "127.0.0.1 ", "127.0.0.1\0", "１２７.0.0.1", "127.evil.com", "1.2.3.4.5", "4294967296",
        "999999999999999999999.0.0.1", "[::1]", "::1%lo", "::1%25lo", ":::1", "::1::", "1::2::3", ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::12345", "::g", "::+1",
        "::1.2.3", "::1.2.3.4:5", "1.2.3.4::", "::ffff:127.0.0.01", String(repeating: "1", count: 100_000),
    ])
    func `invalid addresses are rejected`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.0.0.1:8787", true), ("127.255.255.254", true), ("127.0.0.1:", true),
        ("localhost", true), ("LocalHost:8787", true), ("[::1]", true), ("[::1]:8787", true),
        ("[0:0:0:0:0:0:0:1]:80", true), ("[::ffff:127.0.0.1]", true), ("[::FFFF:7f00:0001]:80", true),
        ("", false), (" ", false), (":8787", false), ("127.evil.com", false), ("127.0.0.1.nip.io", false),
        ("127.0.0.1.nip.io:8787", false), ("127.0.0.1@evil.com", false), ("evil.com@127.0.0.1", false),
        ("127.0.0.1:8787@evil.com", false), ("127.0.0.1:8787:80", false), ("127.0.0.1:x", false),
        ("127.0.0.1:-1", false), ("127.0.0.1:123456", false), ("[::1].evil.com", false), ("[::1]evil.com", false),
        ("[::1", false), ("::1", false), ("[]", false), ("[127.0.0.1]", false), ("[::1%25lo]", false),
        ("[::1%lo]", false), ("[::1]@evil.com", false), ("[::2]", false), ("[::]", false), ("0.0.0.0", false),
        ("localhost.", false), ("127.0.0.1.", false), ("localhost.evil.com", false), ("evil.localhost", false),
        ("localhost:8787:1", false), ("localhost/", false), ("localhost%00", false), ("localhost\0", false),
        ("127.0.0.1, evil.com", false), ("127.0.0.1 evil.com", false), ("127.1", false), ("0177.0.0.1", false),
        ("2130706433", false), ("0x7f000001", false), ("127.0.0.01", false), ("[::ffff:8.8.8.8]", false),
        ("[::127.0.0.1]", false), ("[64:ff9b::127.0.0.1]", false), ("128.0.0.1", false), ("10.0.0.1", false),
        ("127。0。0。1", false), (String(repeating: "a", count: 100_000), false),
    ])
    func `only hosts that cannot refer to another machine count as loopback`(_ authority: String, _ isLoopback: Bool) {
        #expect((HostName(authority: authority)?.isLoopback ?? false) == isLoopback)
    }

    @Test(arguments: [
        ("::1", true), ("[::1]", true), ("127.0.0.1", true), ("localhost", true), ("::", false), ("0.0.0.0", false),
        ("127.evil.com", false), ("127.1", false), ("", false),
    ])
    func `a listen address may omit the brackets`(_ host: String, _ isLoopback: Bool) {
        #expect((HostName(listening: host)?.isLoopback ?? false) == isLoopback)
    }
}
