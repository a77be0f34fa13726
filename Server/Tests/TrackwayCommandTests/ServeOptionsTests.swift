// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Options of serve and keys")
struct ServeOptionsTests {
    @Test(arguments: [
        ["--allow-origin", "shop.example"], ["--allow-origin", "null"], ["--allow-origin", "*"],
        ["--allow-origin", "https://shop.example/"], ["--allow-origin", "https://Shop.example"],
        ["--allow-read-origin", "https://"], ["--allow-read-origin", "https://a@b"], ["--allow-host", "a:80"],
        ["--allow-host", ""], ["--allow-host", "a/b"], ["--trusted-proxy", "localhost"],
        ["--trusted-proxy", "10.0.0"],
        ["--address-rate=-1"], ["--address-rate", "9223372036854775807"], ["--key-rate", "0"],
        ["--key-events-per-day=-1"], ["--read-key", "never"], ["--dev-key", "dev", "--host", "127.evil.com"],
        ["--dev-key", "dev", "--host", "0.0.0.0"], ["--dev-key", ""], ["--ephemeral", "--data", "/data"],
        ["--ephemeral", "--read-key", "always"], ["--ephemeral", "--host", "0.0.0.0"],
        ["--open-read", "--read-key", "always"], ["--open-read", "--host", "0.0.0.0"],
        ["--keep", ""], ["--keep", "0d"], ["--keep=-1d"], ["--keep", "90"], ["--keep", "12h"], ["--keep", "36526d"],
        ["--keep", "9223372036854775807d"], ["--keep", "1317624576693539402w"], ["--keep", "1.5d"],
        ["--keep-bytes", "0G"], ["--keep-bytes", "255M"], ["--keep-bytes=-1G"], ["--keep-bytes", "1000000000"],
        ["--keep-bytes", "9223372036854775807T"], ["--keep-bytes", "5g"], ["--ephemeral", "--keep", "7d"],
        ["--ephemeral", "--keep-bytes", "1G"],
    ])
    func `invalid options are rejected`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try ServeCommand.parse(arguments) }
    }

    @Test(
        arguments: [
            [], ["--allow-origin", "https://shop.example:8443", "--allow-origin", "http://[::1]:80"],
            ["--allow-read-origin", "capacitor://localhost"],
            ["--allow-host", "collector.example", "--allow-host", "a"],
            ["--trusted-proxy", "127.0.0.1", "--trusted-proxy", "::1"], ["--address-rate", "0"], ["--key-rate", "1"],
            ["--read-key", "always"], ["--dev-key", "dev", "--host", "::1"],
            ["--dev-key", "dev", "--host", "localhost"], ["--ephemeral", "--port", "8787", "--dev-key", "dev"],
            ["--ephemeral", "--json", "--address-file", "/tmp/address"], ["--open-read"],
            ["--open-read", "--dev-key", "dev"], ["--keep", "1d"], ["--keep", "52w", "--keep-bytes", "256M"],
            ["--keep-bytes", "2T"],
        ] as [[String]]
    )
    func `valid options are accepted`(_ arguments: [String]) throws {
        _ = try ServeCommand.parse(arguments)
    }

    @Test(
        arguments: [
            ([], nil), (["--host", "0.0.0.0"], nil), (["--read-key", "auto"], nil), (["--read-key", "always"], nil),
            (["--dev-key", "dev", "--read-key", "always"], nil), (["--allow-host", "collector.example"], nil),
            (["--dev-key", "dev"], "--dev-key"), (["--ephemeral"], "--ephemeral"), (["--open-read"], "--open-read"),
        ] as [([String], String?)]
    )
    func `reading without a key requires an option, and the banner names it`(_ arguments: [String], _ option: String?)
        throws
    {
        let options = try ServeCommand.parse(arguments).options
        #expect(options.openReadOption == option)
        let banner = ServeBanner(
            folder: CollectorFolder(option: "/data", environment: [:]),
            host: options.host,
            openReadOption: options.openReadOption
        )
        let line = banner.lines(port: 80, style: Style(isColored: false)).first { $0.hasPrefix("Reading") }
        #expect(line?.contains(option ?? "with a key of scope “read”") == true)
        #expect(banner.json(port: 80, process: 1)["read_key"]?.boolean == (option == nil))
    }

    @Test(arguments: [
        ["serve", "--nats", "nats://a"], ["serve", "--clickhouse", "http://a:8123/trackway"],
        ["serve", "--no-index"],
        [
            "serve", "--nats", "tls://a", "--nats-ca", "ca.pem", "--nats-cert", "c.pem", "--nats-key", "k.pem",
        ],
        ["cluster", "check", "--nats", "nats://a"], ["cluster"], ["cluster", "--help"],
        ["cluster", "forward", "--nats", "nats://a", "--clickhouse", "http://c:8123/trackway"],
    ])
    func `the error for a cluster command or option names the executable that has it`(_ arguments: [String]) {
        do {
            _ = try RootCommand.parseAsRoot(arguments)
            Issue.record("\(arguments) was accepted")
        } catch {
            #expect(RootCommand.message(for: error).contains("trackway-cluster"), "\(arguments)")
            #expect(RootCommand.exitCode(for: error).rawValue == CommandStatus.usage.rawValue)
        }
    }

    @Test
    func `help does not mention cluster support`() {
        for help in [
            RootCommand.helpMessage(columns: 80), RootCommand.helpMessage(for: ServeCommand.self, columns: 80),
        ] {
            for word in ["cluster", "engine", "forward ", "NATS", "ClickHouse", "JetStream", "no-index"] {
                #expect(help.range(of: word, options: .caseInsensitive) == nil, "\(word)")
            }
        }
    }

    @Test(arguments: ["--rate", "--events-per-day"])
    func `limits of a key must be positive integers`(_ option: String) throws {
        for number in ["0", "-1", "9223372036854775807", "x"] {
            #expect(throws: (any Error).self, "\(number)") {
                try KeysCreateCommand.parse(["shop", "\(option)=\(number)"])
            }
        }
        _ = try KeysCreateCommand.parse(["shop", option, "1"])
    }

    @Test(arguments: [(4_352, 4_096), (1_024, 768), (256, 128), (100, 50), (1, 1), (0, 1), (1_000_000, 4_096)])
    func `the connection limit leaves file descriptors for everything else`(_ descriptors: Int, _ connections: Int) {
        #expect(DescriptorLimit.connections(within: descriptors, wanted: 4_096) == connections)
    }
}
