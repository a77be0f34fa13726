// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import Testing

@testable import CollectorJetStream

@Suite("NATS commands and addresses")
struct NATSCommandTests {
    private func text(_ command: NATSCommand) -> String {
        var buffer = ByteBuffer()
        command.write(to: &buffer)
        return String(buffer: buffer)
    }

    @Test
    func `commands are encoded as the protocol requires`() {
        #expect(text(.ping) == "PING\r\n" && text(.pong) == "PONG\r\n")
        #expect(text(.subscribe(subject: "_INBOX.a.*", subscription: 1)) == "SUB _INBOX.a.* 1\r\n")
        #expect(
            text(.publish(subject: "a", reply: nil, headers: nil, body: Array("hi".utf8))) == "PUB a 2\r\nhi\r\n"
        )
        #expect(
            text(.publish(subject: "a", reply: "b", headers: ["X": "1"], body: Array("hi".utf8)))
                == "HPUB a b 18 20\r\nNATS/1.0\r\nX: 1\r\n\r\nhi\r\n"
        )
        #expect(
            text(.connect(NATSCredentials(user: "u", password: "p\"w"), client: "c"))
                == "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true,\"protocol\":1,"
                + "\"lang\":\"swift\",\"version\":\"1\",\"name\":\"c\",\"user\":\"u\",\"pass\":\"p\\\"w\"}\r\n"
        )
        #expect(!text(.connect(nil, client: "c")).contains("pass"))
    }

    @Test(arguments: [
        ("nats://a:4222", "nats://a:4222"), ("a", "nats://a:4222"), ("10.0.0.1:5", "nats://10.0.0.1:5"),
        ("nats://[::1]:5", "nats://[::1]:5"), ("[fe80::1]", "nats://[fe80::1]:4222"),
        ("nats://a:4222/", "nats://a:4222"),
    ])
    func `valid addresses are parsed`(text: String, address: String) {
        #expect(NATSAddress(text)?.description == address)
    }

    @Test(arguments: [
        "", "nats://", "http://a", "a:", "a:0", "a:65536", "a:+1", "user:secret@a", "a b", "[::1", "[::1]x", "::1",
    ])
    func `invalid addresses are rejected, including those with a password`(text: String) {
        #expect(NATSAddress(text) == nil)
    }

    @Test
    func `a list of addresses is parsed as a whole or rejected`() {
        #expect(NATSAddress.list("nats://a,nats://b:1")?.map(\.description) == ["nats://a:4222", "nats://b:1"])
        #expect(NATSAddress.list("nats://a,http://b") == nil)
        #expect(NATSAddress.list("") == nil)
    }

    @Test
    func `a password does not appear in descriptions`() {
        #expect("\(NATSCredentials(user: "u", password: "secret"))" == "u")
    }
}
