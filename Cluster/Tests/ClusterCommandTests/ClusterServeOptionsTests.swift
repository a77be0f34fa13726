// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import trackway_cluster

@Suite("serve options for a NATS cluster")
struct ClusterServeOptionsTests {
    @Test(arguments: [
        ["--nats", ""], ["--nats", "http://a"], ["--nats", "nats://a,,nats://b"], ["--nats", "nats://a:0"],
        ["--nats", "nats://a,"], ["--nats", "nats://a", "--ephemeral"],
        ["--nats-credentials", "nats.json"], ["--clickhouse", "http://a:8123/trackway"],
        ["--nats", "nats://a", "--clickhouse", "a:9000"],
        ["--nats", "nats://a", "--clickhouse", "http://joe:pw@a/t"],
        ["--nats", "nats://a", "--clickhouse-credentials", "reader.json"],
        ["--no-index"], ["--nats", "nats://a", "--no-index"], ["--ephemeral", "--no-index"],
    ])
    func `invalid options and combinations are rejected`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try ClusterServeCommand.parse(arguments) }
    }

    @Test(
        arguments: [
            [], ["--ephemeral", "--json"], ["--dev-key", "dev"],
            ["--nats", "nats://a,nats://b:4223,[::1]:4224", "--nats-credentials", "nats.json"],
            ["--nats", "a"], ["--nats", "nats://a", "--clickhouse", "http://clickhouse/trackway"],
            ["--nats", "nats://a", "--clickhouse", "http://clickhouse/trackway", "--no-index"],
        ] as [[String]]
    )
    func `valid options are accepted, including those for a single machine`(_ arguments: [String]) throws {
        _ = try ClusterServeCommand.parse(arguments)
    }

    @Test
    func `trackway-cluster has every command of trackway`() throws {
        for words in [
            ["trends", "purchase"], ["keys", "list"], ["cluster", "check", "--nats", "nats://a"], ["events", "tail"],
        ] {
            _ = try TrackwayCluster.parseAsRoot(words)
        }
    }
}
