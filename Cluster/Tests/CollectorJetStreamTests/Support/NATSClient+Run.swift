// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorJetStream
internal import CollectorTLS

extension NATSTimes {
    /// Timeouts for busy machines, long enough that only a lost connection ends the client's connection.
    static var lenient: NATSTimes {
        var times = NATSTimes()
        times.greeting = .seconds(60)
        return times
    }
}

extension NATSClient {
    /// Runs a client while `body` runs.
    ///
    /// - Parameter body: Receives the client and the changes of its connection.
    static func run(
        _ addresses: [NATSAddress],
        credentials: NATSCredentials? = nil,
        tls: TLSClient? = nil,
        times: NATSTimes = .lenient,
        onWarning: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @escaping @Sendable (NATSClient, Changes) async throws -> Void
    ) async throws {
        let (stream, changes) = AsyncStream.makeStream(of: Void.self)
        let client = NATSClient(
            addresses,
            credentials: credentials,
            tls: tls,
            name: "test",
            times: times,
            randomUInt64: { 42 },
            sleep: { _ in await Task.yield() },
            onWarning: onWarning,
            onConnectionChange: { changes.yield() }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            group.addTask { try await body(client, Changes(client: client, stream: stream)) }
            // The client runs until it is canceled.
            try await group.next()
            group.cancelAll()
        }
    }

    /// A client's connection changes.
    struct Changes: Sendable {
        let client: NATSClient
        let stream: AsyncStream<Void>

        /// Waits for a connection newer than this one.
        func connection(after number: UInt64 = 0) async -> NATSConnection? {
            if let connection = client.connection, connection.number > number { return connection }
            for await _ in stream {
                if let connection = client.connection, connection.number > number { return connection }
            }
            return nil
        }

        /// Waits until a condition holds.
        func until(_ condition: () -> Bool) async {
            if condition() { return }
            for await _ in stream where condition() { return }
        }
    }
}
