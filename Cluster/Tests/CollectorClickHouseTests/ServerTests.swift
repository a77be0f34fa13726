// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Testing
internal import TrackwayCore

@testable internal import CollectorClickHouse

@Suite("ClickHouse servers and other servers")
struct ServerTests {
    @Test(arguments: [
        ("http://a", "a", 8_123, "trackway"), ("http://10.0.0.1:9", "10.0.0.1", 9, "trackway"),
        ("http://a/", "a", 8_123, "trackway"), ("http://a:80/shop_1", "a", 80, "shop_1"),
        ("http://[::1]:81/x", "::1", 81, "x"), ("http://[::1]", "::1", 8_123, "trackway"),
    ])
    func `an address contains a server and a database`(text: String, host: String, port: Int, database: String) {
        #expect(ClickHouseAddress(text) == ClickHouseAddress(host: host, port: port, database: database))
    }

    @Test
    func `an address determines whether its connections are encrypted, and thereby the default port`() {
        let address = ClickHouseAddress("https://a/shop")
        #expect(address == ClickHouseAddress(host: "a", port: 8_443, database: "shop", isEncrypted: true))
        #expect(address?.description == "https://a:8443/shop")
        #expect(ClickHouseAddress("https://[::1]:9")?.server == "https://[::1]:9")
        #expect(ClickHouseAddress("http://a")?.isEncrypted == false)
    }

    @Test(arguments: [
        "", "a", "ftp://a", "https://", "http://", "http://:80", "http://a:0", "http://a:x", "http://a:99999",
        "http://a/b/c",
        "http://a/1b",
        "http://a/b-c", "http://a/b;DROP", "http://u:p@a/b", "http://::1/x", "http://a b/x",
    ])
    func `invalid addresses are rejected`(text: String) {
        #expect(ClickHouseAddress(text) == nil)
    }

    @Test
    func `credentials are parsed, and the password does not appear in descriptions`() {
        let read = ClickHouseCredentials(json: Array(#"{"user":"joe","password":"hunter2"}"#.utf8))
        #expect(read == ClickHouseCredentials(user: "joe", password: "hunter2"))
        #expect(!"\(read as Any)".contains("hunter2") && !String(reflecting: read).contains("hunter2"))
        for text in ["", "{}", #"{"user":"joe"}"#, #"{"user":"","password":"x"}"#, #"{"user":"a\nb","password":"x"}"#] {
            #expect(ClickHouseCredentials(json: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test
    func `each version gets only the settings that it supports`() throws {
        let old = try #require(ClickHouseVersion("18.16.1"))
        #expect(old.insertSettings.map(\.0) == ["insert_deduplicate"] && old.tableSettings.isEmpty)
        let new = try #require(ClickHouseVersion("26.9.2.1"))
        #expect(new.insertSettings.map(\.0) == ["insert_deduplicate", "async_insert"])
        #expect(new.tableSettings == ["fsync_after_insert = 1", "fsync_part_directory = 1"])
        #expect(ClickHouseVersion("Ok.") == nil && ClickHouseVersion("") == nil)
    }

    /// Errors as 18.16 and 26.9 format them.
    @Test(
        arguments: [
            (
                404,
                "Code: 60, e.displayText() = DB::Exception: Table trackway.ids doesn't exist., e.what() = DB::Exception",
                .tables, "cluster init"
            ),
            (
                404, "Code: 81. DB::Exception: Database trackway does not exist. (UNKNOWN_DATABASE) (version 26.9.2.1)",
                .tables, "“Database trackway does not exist."
            ),
            (
                401,
                "Code: 193, e.displayText() = DB::Exception: Wrong password for user joe, e.what() = DB::Exception",
                .denied, "the user joe"
            ),
            (
                403, "Code: 516. DB::Exception: joe: Authentication failed: password is incorrect", .denied,
                "--clickhouse-credentials"
            ),
            (
                500, "Code: 164, e.displayText() = DB::Exception: Cannot insert into table in readonly mode", .readOnly,
                "setting readonly"
            ),
            (
                500, "Code: 359, e.displayText() = DB::Exception: Table or Partition in t.events was not dropped.",
                .other,
                "max_partition_size_to_drop"
            ),
            (500, "Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space", .full, "no disk space left"),
            (500, "Code: 1000, e.displayText() = Poco::Exception: No space left on device", .full, "Free disk space"),
            (500, "Code: 241. DB::Exception: Memory limit (total) exceeded", .busy, "overloaded"),
            (500, "Code: 252. DB::Exception: Too many parts", .busy, "overloaded"),
            (500, "Code: 49. DB::Exception: Logical error", .other, "“Logical error” (49)"),
            (400, "<html>Bad Request</html>", .notClickHouse, "is not ClickHouse"),
            (302, "", .notClickHouse, "status 302"),
        ] as [(Int, String, ColumnFailure.Kind, String)]
    )
    func `an error becomes a sentence with the server, the problem and the fix`(
        status: Int,
        body: String,
        kind: ColumnFailure.Kind,
        expected: String
    ) throws {
        let address = ClickHouseAddress(host: "c")
        let answer = HTTPExchange.Response(status: status, body: Array(body.utf8))
        let failure = try #require(ColumnFailure(answer, at: address, user: "joe"))
        #expect(failure.kind == kind && failure.description.contains(expected), "\(failure)")
        #expect(failure.description.contains("http://c:8123"))
        #expect(ColumnFailure(HTTPExchange.Response(status: 200, body: []), at: address, user: "joe") == nil)
    }

    private static func failure(
        _ answer: String?,
        _ operation: @escaping @Sendable (ClickHouseTables) async throws(ColumnFailure) -> Void = {
            tables throws(ColumnFailure) in _ = try await tables.serverVersion()
        }
    ) async throws -> ColumnFailure? {
        let found = Locked<ColumnFailure?>(nil)
        try await ScriptedServer.run { peer, _ in
            while let line = try await peer.readLine(), !line.isEmpty {}
            if answer?.isEmpty == true { return }
            if let answer { try await peer.send(answer) }
            // Wait until the client disconnects: closing a connection with unread bytes would discard the answer.
            _ = try await peer.readLine()
        } _: { server in
            var times = ClickHouseClient.Times()
            // Only a silent server makes the client wait until the timeout.
            times.query = answer == nil ? .seconds(1) : .seconds(60)
            let client = ClickHouseClient(
                ClickHouseAddress(host: "127.0.0.1", port: server.port),
                times: times
            )
            do throws(ColumnFailure) {
                try await operation(ClickHouseTables(client))
            } catch {
                found.withLock { $0 = error }
            }
        }
        return found.withLock { $0 }
    }

    @Test
    func `garbage, other protocols, silence and a closed connection are distinguished`() async throws {
        let garbage = try await Self.failure("\u{1}\u{2}garbage\r\n\r\n")
        #expect(
            garbage?.kind == .notClickHouse && garbage?.description.contains("usually 8123") == true,
            "\(garbage as Any)"
        )
        let page = try await Self.failure("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>")
        #expect(page?.kind == .notClickHouse && page?.description.contains("no version found") == true)
        let closed = try await Self.failure("")
        #expect(closed?.kind == .unreachable && closed?.description.contains("cannot be reached") == true)
        let silent = try await Self.failure(nil)
        #expect(silent?.kind == .unreachable && silent?.description.contains("did not respond in time") == true)
        let version = try await Self.failure("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n18.16.1\n")
        #expect(version == nil)
    }

    @Test
    func `an unreachable server is reported`() async throws {
        let tables = ClickHouseTables(ClickHouseClient(ClickHouseAddress(host: "127.0.0.1", port: 1)))
        let failure = await #expect(throws: ColumnFailure.self) { try await tables.serverVersion() }
        #expect(
            failure?.kind == .unreachable
                && failure?.description.contains("http://127.0.0.1:1 cannot be reached") == true
        )
    }

    @Test
    func `a query in a URL is percent-encoded, byte by byte`() {
        #expect(ClickHouseClient.escaped("a b&c=é+%\n") == "a%20b%26c%3D%C3%A9%2B%25%0A")
        #expect(ClickHouseClient.escaped("Az09-_.") == "Az09-_.")
    }

    @Test
    func `the tables' keys let rewritten rows replace earlier ones, and are the same for every version`() {
        #expect(
            ColumnTable.events.createStatement(settings: [])
                == "CREATE TABLE IF NOT EXISTS events (position Int64, block Int64, id FixedString(16), name String, time Int64, "
                + "received Int64, installation FixedString(16), writer FixedString(16), sequence UInt64, user String, "
                + "session String, context FixedString(16), body String, names Array(String), values Array(String), screen String) ENGINE = ReplacingMergeTree "
                + "PARTITION BY intDiv(received, 604800000) ORDER BY (position) SETTINGS index_granularity = 1024"
        )
        #expect(
            ColumnTable.ids.createStatement(settings: ["fsync_after_insert = 1"])
                == "CREATE TABLE IF NOT EXISTS ids (id FixedString(16), position Int64, block Int64) "
                + "ENGINE = ReplacingMergeTree ORDER BY (id, position) SETTINGS fsync_after_insert = 1"
        )
        for table in ColumnTable.allCases {
            let names = table.columns.map(\.name)
            #expect(table.key.allSatisfy(names.contains) && names.contains("block") && Set(names).count == names.count)
            #expect(["position", "block", "part"].contains(table.key.last))
        }
        #expect(ColumnTable.allCases.last == .blocks)
    }
}
