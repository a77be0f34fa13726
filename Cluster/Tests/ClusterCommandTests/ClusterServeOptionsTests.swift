// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import trackway_cluster

@Suite("serve options for a NATS cluster")
struct ClusterServeOptionsTests {
    @Test(
        "invalid options and combinations are rejected",
        arguments: [
            ["--engine", ""], ["--engine", "http://a"], ["--engine", "nats://a,,nats://b"], ["--engine", "nats://a:0"],
            ["--engine", "nats://a,"], ["--engine", "nats://a", "--ephemeral"],
            ["--engine-credentials", "engine.json"], ["--analysis", "http://a:8123/trackway"],
            ["--engine", "nats://a", "--analysis", "a:9000"],
            ["--engine", "nats://a", "--analysis", "http://joe:pw@a/t"],
            ["--engine", "nats://a", "--analysis-credentials", "reader.json"],
            ["--no-index"], ["--engine", "nats://a", "--no-index"], ["--ephemeral", "--no-index"],
        ]
    )
    func rejected(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try ClusterServeCommand.parse(arguments) }
    }

    @Test(
        "valid options are accepted, including those of serve on a single machine",
        arguments: [
            [], ["--ephemeral", "--json"], ["--dev-key", "dev"],
            ["--engine", "nats://a,nats://b:4223,[::1]:4224", "--engine-credentials", "engine.json"],
            ["--engine", "a"], ["--engine", "nats://a", "--analysis", "http://clickhouse/trackway"],
            ["--engine", "nats://a", "--analysis", "http://clickhouse/trackway", "--no-index"],
        ] as [[String]]
    )
    func accepted(_ arguments: [String]) throws {
        _ = try ClusterServeCommand.parse(arguments)
    }

    @Test("trackway-cluster has every command of trackway")
    func commands() throws {
        for words in [["trends", "purchase"], ["keys", "list"], ["engine", "check", "--engine", "nats://a"]] {
            _ = try TrackwayCluster.parseAsRoot(words)
        }
    }
}
