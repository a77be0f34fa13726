// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Testing
internal import TrackwayCore

@testable import CollectorJetStream

@Suite("NATS client with a scripted server", .timeLimit(.minutes(5)))
struct NATSClientTests {
    @Test
    func `the client sends its credentials, and matches answers to concurrent requests in any order`() async throws {
        try await ScriptedServer.run { peer, _ in
            let connect = try await peer.handshake()
            #expect(connect.contains("\"user\":\"trackway\",\"pass\":\"secret\""))
            var all: [ScriptedServer.Peer.Publication] = []
            for _ in 0..<50 { if let next = try await peer.readPublication() { all.append(next) } }
            for publication in all.reversed() {
                try await peer.reply(to: publication, String(decoding: publication.body, as: UTF8.self) + "!")
            }
            _ = try await peer.readLine()
        } _: { server in
            let credentials = NATSCredentials(user: "trackway", password: "secret")
            try await NATSClient.run([server.address], credentials: credentials) { client, changes in
                #expect(await changes.connection()?.server.name == "n0")
                let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                    for number in 0..<50 {
                        group.addTask {
                            let answer = try await client.request(
                                "echo",
                                headers: ["N": "\(number)"],
                                body: Array("\(number)".utf8),
                                within: .seconds(30)
                            )
                            return (number, String(decoding: answer.body, as: UTF8.self))
                        }
                    }
                    return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
                }
                #expect(answers == Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, "\($0)!") }))
            }
        }
    }

    @Test
    func `headers and body arrive unchanged, and a missing subscriber is an answer`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.handshake()
            guard let publication = try await peer.readPublication() else { return }
            #expect(publication.subject == "intake.3" && publication.headers == ["Nats-Msg-Id": "abc"])
            #expect(publication.body == Array("PING\r\n\0".utf8))
            try await peer.replyNoResponders(to: publication)
            _ = try await peer.readLine()
        } _: { server in
            try await NATSClient.run([server.address]) { client, changes in
                _ = await changes.connection()
                let answer = try await client.request(
                    "intake.3",
                    headers: ["Nats-Msg-Id": "abc"],
                    body: Array("PING\r\n\0".utf8),
                    within: .seconds(30)
                )
                #expect(answer.status == 503)
            }
        }
    }

    @Test
    func `nothing is sent without a connection, and a message that is too long is not sent`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.handshake(
                ScriptedServer.greeting.replacing("\"max_payload\":8388608", with: "\"max_payload\":10")
            )
            #expect(try await peer.readPublication() == nil)
        } _: { server in
            let idle = NATSClient([server.address], randomUInt64: { 1 }, sleep: { _ in })
            await #expect(throws: NATSRequestFailure.notConnected) { try await idle.request("a", within: .seconds(1)) }
            try await NATSClient.run([server.address]) { client, changes in
                _ = await changes.connection()
                await #expect(throws: NATSRequestFailure.tooLong(bytes: 11, limit: 10)) {
                    try await client.request("a", body: [UInt8](repeating: 0, count: 11), within: .seconds(30))
                }
            }
        }
    }

    @Test
    func `a request without an answer in time is unanswered, and its late answer affects no other request`()
        async throws
    {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.handshake()
            guard let first = try await peer.readPublication(), let second = try await peer.readPublication() else {
                return
            }
            try await peer.reply(to: first, "late")
            try await peer.reply(to: second, "in time")
            _ = try await peer.readLine()
        } _: { server in
            try await NATSClient.run([server.address]) { client, changes in
                let number = await changes.connection()?.number ?? 0
                await #expect(throws: NATSRequestFailure.unanswered(connection: number)) {
                    try await client.request("a", within: .milliseconds(1))
                }
                let answer = try await client.request("a", within: .seconds(30))
                #expect(answer.body == Array("in time".utf8))
            }
        }
    }

    @Test
    func `requests on a lost connection have an unknown outcome, and the client reconnects`() async throws {
        let publications = Locked(0)
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.handshake()
            guard let publication = try await peer.readPublication() else { return }
            let number = publications.withLock { count in
                count += 1
                return count
            }
            // The first connection ends without an answer.
            if number > 1 {
                try await peer.reply(to: publication, "again")
                _ = try await peer.readLine()
            }
        } _: { server in
            try await NATSClient.run([server.address]) { client, changes in
                let number = await changes.connection()?.number ?? 0
                await #expect(throws: NATSRequestFailure.connectionLost(connection: number)) {
                    try await client.request("a", within: .seconds(30))
                }
                #expect(await changes.connection(after: number) != nil)
                let answer = try await client.request("a", within: .seconds(30))
                #expect(answer.body == Array("again".utf8))
            }
        }
    }

    @Test(arguments: [
        ("", NATSConnectionEnd.greetingTimeout),
        ("SSH-2.0-OpenSSH\r\n", .protocolViolation(NATSProtocolError(.unknownOperation, "SSH-2.0-OpenSSH".utf8))),
        (ScriptedServer.greeting.replacing("\"headers\"", with: "\"ldm\":true,\"headers\""), .shuttingDown),
        ("-ERR 'maximum connections exceeded'\r\n", .rejected("maximum connections exceeded")),
    ])
    func `a server that is silent, sends garbage, or shuts down is skipped with its reason`(
        greeting: String,
        end: NATSConnectionEnd
    ) async throws {
        try await ScriptedServer.run { peer, _ in
            try await peer.send(greeting)
            while try await peer.readLine() != nil {}
        } _: { bad in
            try await ScriptedServer.run { peer, _ in
                _ = try await peer.handshake()
                while try await peer.readLine() != nil {}
            } _: { good in
                var times = NATSTimes.lenient
                // A silent server is dropped soon; the other may time out, too, and is then retried.
                if end == .greetingTimeout { times.greeting = .milliseconds(500) }
                let warnings = Locked<[String]>([])
                try await NATSClient.run(
                    [bad.address, good.address],
                    times: times,
                    onWarning: { text in warnings.withLock { $0.append(text) } }
                ) { client, changes in
                    await changes.until { client.connection?.address == good.address }
                    #expect(warnings.withLock { $0 }.first == "NATS server \(bad.address) \(end).")
                    #expect(client.connectionError == nil)
                }
            }
        }
    }

    @Test
    func `an unreachable server is reported, and a server learned from another is used`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.handshake()
            while try await peer.readLine() != nil {}
        } _: { other in
            let learnedURLs = "\"connect_urls\":[\"127.0.0.1:\(other.address.port)\"],\"headers\""
            try await ScriptedServer.run { peer, number in
                guard number == 1 else { return }
                _ = try await peer.handshake(ScriptedServer.greeting.replacing("\"headers\"", with: learnedURLs))
            } _: { server in
                try await NATSClient.run([server.address]) { client, changes in
                    await changes.until { client.connection?.address == other.address }
                    #expect(client.connection?.address == other.address)
                }
            }
        }
        let unreachable = NATSAddress(host: "127.0.0.1", port: 1)
        try await NATSClient.run([unreachable]) { client, changes in
            await changes.until { client.connectionError != nil }
            #expect(client.connectionError?.hasPrefix("nats://127.0.0.1:1 cannot be reached (") == true)
        }
    }

    @Test
    func `answers received before the timeout count, and a missing subscriber ends the wait`() async throws {
        let inbox = "_INBOX.x"
        func message(_ token: UInt64) -> NATSMessage {
            NATSMessage(subject: "\(inbox).\(token)", subscription: 1, body: [1])
        }
        let partial = await withUnsafeContinuation { continuation in
            var pending = PendingRequests()
            let token = pending.add(PendingRequests.Request(replyCount: 3, continuation), connection: 1)
            #expect(pending.receive(message(token), inbox: inbox).map { _ in 1 } == nil)
            #expect(pending.receive(message(token + 1), inbox: inbox).map { _ in 1 } == nil)
            #expect(pending.receive(message(token), inbox: inbox).map { _ in 1 } == nil)
            #expect(pending.connectionLost(2).isEmpty && pending.count == 1)
            pending.expire(token)?.resume()
            #expect(pending.expire(token).map { _ in 1 } == nil && pending.count == 0)
        }
        #expect(try partial.get().count == 2)
        let noResponder = await withUnsafeContinuation { continuation in
            var pending = PendingRequests()
            let token = pending.add(PendingRequests.Request(replyCount: 3, continuation), connection: 1)
            var headers = NATSHeaders()
            headers.status = 503
            let answer = NATSMessage(subject: "\(inbox).\(token)", subscription: 1, headers: headers)
            pending.receive(answer, inbox: inbox)?.resume()
            #expect(pending.count == 0)
        }
        #expect(try noResponder.get().first?.status == 503)
    }

    @Test
    func `all answers are collected, without waiting for a server that misses the deadline`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.handshake()
            for count in [3, 0] {
                guard let publication = try await peer.readPublication() else { return }
                for number in 0..<count { try await peer.reply(to: publication, "\(number)") }
            }
            _ = try await peer.readLine()
        } _: { server in
            try await NATSClient.run([server.address]) { client, changes in
                let number = await changes.connection()?.number ?? 0
                let answers = try await client.collect("all", upTo: 3, within: .seconds(30))
                #expect(answers.map { String(decoding: $0.body, as: UTF8.self) } == ["0", "1", "2"])
                await #expect(throws: NATSRequestFailure.unanswered(connection: number)) {
                    try await client.collect("all", upTo: 3, within: .milliseconds(1))
                }
            }
        }
    }

    @Test
    func `repeated requests to drop a connection switch servers only once`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.handshake()
            while try await peer.readLine() != nil {}
        } _: { server in
            try await NATSClient.run([server.address]) { client, changes in
                let first = await changes.connection()?.number ?? 0
                client.dropConnection(first)
                client.dropConnection(first)
                let second = await changes.connection(after: first)?.number ?? 0
                #expect(second > first)
                client.dropConnection(first)
                #expect(client.connection?.number == second)
            }
        }
    }
}
