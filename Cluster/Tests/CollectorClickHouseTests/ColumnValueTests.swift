// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorTesting
internal import NIOCore
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Values in columns, and their comparison in queries")
struct ColumnValueTests {
    /// Returns a number of any size, often one that a double cannot represent, or a neighbor of such a number.
    private static func number(_ random: inout SeededNumberGenerator) -> JSONNumber {
        switch random.number(1...6) {
        case 1: return .integer(Int64(truncatingIfNeeded: random.next()))
        case 2: return .integer(Int64(random.number(-5...5)))
        case 3: return .integer((1 << 53) + Int64(random.number(-3...3)))
        case 4: return .integer(Int64.max - Int64(random.number(0...1_100)))
        case 5: return .double(Double(random.number(-40...40)) / 8)
        default:
            let double = Double(bitPattern: random.next())
            return .double(double.isFinite ? double : -0x1p63)
        }
    }

    @Test(arguments: UInt64(1)...4)
    func `encoded bytes sort like the numbers, and equal numbers have equal bytes`(seed: UInt64) {
        var random = SeededNumberGenerator(seed: seed)
        for _ in 0..<20_000 {
            let (left, right) = (Self.number(&random), Self.number(&random))
            let isLess = left.sortedBytes.lexicographicallyPrecedes(right.sortedBytes)
            #expect(isLess == left.isLess(than: right), "\(left) and \(right)")
            #expect(
                (left.sortedBytes == right.sortedBytes) == (left.simplest == right.simplest),
                "\(left) and \(right)"
            )
            #expect(JSONNumber(sortedBytes: left.sortedBytes) == left.simplest, "\(left)")
        }
    }

    @Test
    func `values survive encoding and decoding in a column`() throws {
        for json in QueryStream.values {
            let value = QueryValue(try JSONValue.parse(Array(json.utf8)))
            #expect(QueryValue(columnBytes: value?.columnBytes ?? []) == value, "\(json)")
        }
        #expect(QueryValue(columnBytes: []) == nil && QueryValue(columnBytes: [UInt8(ascii: "n"), 1]) == nil)
    }

    @Test(
        arguments: [
            (#"{"attributes":{"a":1}}"#, #"{"global":{"a":2}}"#, "1"),
            (#"{"attributes":{"a":1,"a":3}}"#, #"{"global":{"a":2}}"#, "3"),
            (#"{"attributes":{"a":1,"a":null}}"#, #"{"global":{"a":2}}"#, "2"),
            (#"{"attributes":{"a":null}}"#, #"{"global":{"a":null}}"#, nil),
            (#"{"attributes":{"\u0061":4}}"#, "{}", "4"),
            (#"{"attributes":{"a":4},"attributes":{"b":5}}"#, "{}", "4"),
            (#"{"attributes":7}"#, #"{"global":{"a":1,"a":2.0}}"#, "2"),
            (#"{}"#, #"{"global":[1],"global":{"a":true}}"#, "true"),
            (#"{}"#, #"{"global":{"a":1},"global":7}"#, nil),
        ] as [(String, String, String?)]
    )
    func `the last attribute with a given name counts, and null falls back to the global attribute`(
        event: String,
        context: String,
        expected: String?
    ) throws {
        let global = ColumnValues(global: try JSONValue.parse(Array(context.utf8)))
        let values = Array(event.utf8).withUnsafeBytes { ColumnValues(event: $0, global: global) }
        #expect(values["a"] == (try expected.flatMap { QueryValue(try JSONValue.parse(Array($0.utf8))) }))
    }

    @Test(arguments: UInt64(1)...6)
    func `each name has its last value, regardless of the number of attributes`(seed: UInt64) throws {
        var random = SeededNumberGenerator(seed: seed)
        for _ in 0..<200 {
            let names = random.number(1...60)
            let pick = { (random: inout SeededNumberGenerator) in "n\(random.number(1...names))" }
            var own: [String: String] = [:]
            var members: [String] = []
            for _ in 0..<random.number(0...90) {
                let (name, value) = (pick(&random), random.oneIn(5) ? "null" : "\(random.number(-3...99))")
                own[name] = value
                members.append("\"\(name)\":\(value)")
            }
            var global: [String: String] = [:]
            for _ in 0..<random.number(0...40) { global[pick(&random)] = "\"\(random.number(0...9))\"" }
            let context = #"{"global":{\#(global.map { #""\#($0)":\#($1)"# }.joined(separator: ","))}}"#
            let event = #"{"attributes":{\#(members.joined(separator: ","))}}"#
            let values = Array(event.utf8).withUnsafeBytes {
                ColumnValues(event: $0, global: ColumnValues(global: try? JSONValue.parse(Array(context.utf8))))
            }
            let expected = global.merging(own.filter { $0.value != "null" }) { $1 }
            #expect(values.count == expected.count)
            for (name, value) in expected {
                #expect(values[name] == QueryValue(try JSONValue.parse(Array(value.utf8))), "\(name) of \(event)")
            }
        }
    }

    @Test
    func `each member of a context is found under its path, whatever its name`() throws {
        let json =
            #"{"app":{"version":"2","version":"3","no":null},"a.b":{"c\\":1},"list":[1,{"x":2}],"a":{"b":{"c":5}}}"#
        let values = ColumnValues(context: try JSONValue.parse(Array(json.utf8)))
        func value(_ path: String...) -> QueryValue? {
            values[String(decoding: ColumnValues.name(of: path), as: UTF8.self)]
        }
        #expect(value("app", "version") == .text(Array("3".utf8)))
        #expect(value("app", "no") == nil && value("list", "x") == nil)
        #expect(value("a.b", "c\\") == .number(.integer(1)))
        #expect(value("a", "b", "c") == .number(.integer(5)))
        #expect(value("a", "b") == .structure(Array(#"{"c":5}"#.utf8)))
        #expect(ColumnValues(context: nil).count == 0 && ColumnValues(context: .integer(1)).count == 0)
    }

    @Test(arguments: UInt64(1)...4)
    func `no text can end the SQL literal that contains it`(seed: UInt64) {
        var random = SeededNumberGenerator(seed: seed)
        let specialBytes: [UInt8] = [39, 92, 0, 34, 96, 10, 13, 37, 63, 45, 59, 0xc0, 0xff]
        for _ in 0..<5_000 {
            let bytes = (0..<random.number(0...12)).map { _ in
                random.oneIn(2)
                    ? specialBytes[random.number(0...specialBytes.count - 1)] : UInt8(random.number(0...255))
            }
            let literal = Array(SQLText.literal(bytes).utf8)
            #expect(literal.first == 39 && literal.last == 39)
            #expect(Self.read(literal.dropFirst().dropLast()) == bytes)
        }
    }

    /// Decodes the inside of a literal as ClickHouse does; nil if the literal would end there.
    private static func read(_ inside: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = inside
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == 39 { return nil }
            guard byte == 92 else {
                bytes.append(byte)
                continue
            }
            guard rest.popFirst() == UInt8(ascii: "x") else { return nil }
            guard let number = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(number)
        }
        return bytes
    }

    @Test
    func `days of equal length are one term, and a day of a different length adds another`() {
        func sql(_ hours: [Int64]) -> String {
            IntervalSQL(hours.map { Timestamp(milliseconds: $0 * 3_600_000) }).sql()
        }
        #expect(sql([0, 24]) == "toInt32(0)")
        #expect(sql([0, 24, 48, 72]) == "toInt32(0 + intDiv(time - 0, 86400000))")
        #expect(sql([0, 24, 24, 48]) == "toInt32(0 + intDiv(time - 0, 86400000))")
        #expect(
            sql([5, 24, 48, 71, 95])
                == "multiIf(time < 86400000, toInt32(0), time < 172800000, toInt32(1), time < 255600000, toInt32(2), toInt32(3))"
        )
        let year = (0...365).map { (day: Int64) -> Int64 in
            let isSummer = day > 80 && day <= 300
            return isSummer ? day * 24 - 1 : day * 24
        }
        #expect(sql(year).filter { $0 == "<" }.count == 4)
    }
}

@Suite("Responses read row by row")
struct RowReaderTests {
    private static func decode(_ row: inout RowCursor) throws(RowFault) -> [[UInt8]] {
        let number = try row.uint64()
        let texts = try row.array { cell throws(RowFault) in try cell.string() }
        return [Array("\(number)".utf8)] + texts
    }

    @Test(arguments: UInt64(1)...6)
    func `rows are the same however the bytes are split`(seed: UInt64) throws {
        var random = SeededNumberGenerator(seed: seed)
        var (bytes, expected): ([UInt8], [[[UInt8]]]) = ([], [])
        for number in 0..<200 {
            let texts = (0..<random.number(0...4)).map { _ in
                [UInt8](repeating: UInt8(random.number(0...255)), count: random.number(0...300))
            }
            var row = RowBinary()
            row.unsigned(UInt64(number))
            row.strings(texts)
            bytes += row.bytes
            expected.append([Array("\(number)".utf8)] + texts)
        }
        var found: [[[UInt8]]] = []
        var reader = RowReader()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(random.number(1...500))
            rest = rest.dropFirst(piece.count)
            try reader.append(ByteBuffer(bytes: piece), Self.decode) { found.append($0) }
        }
        try reader.finish(Self.decode) { found.append($0) }
        #expect(found == expected)

        // A response that ends within a row is invalid.
        var short = RowReader()
        try short.append(ByteBuffer(bytes: bytes.dropLast()), Self.decode) { _ in }
        #expect(throws: RowFault.malformed) { try short.finish(Self.decode) { _ in } }
        var malformed = RowReader()
        #expect(throws: RowFault.malformed) {
            try malformed.append(ByteBuffer(bytes: [UInt8](repeating: 0xff, count: 64)), Self.decode) { _ in }
        }
    }

    /// Returns the rows and error of a query that receives this response.
    private static func outcome(_ answer: String) async throws -> (rows: Int, error: StoreError?) {
        let outcome = Locked<(rows: Int, error: StoreError?)>((0, nil))
        try await ScriptedServer.run { peer, _ in
            while let line = try await peer.readLine(), !line.isEmpty {}
            try await peer.send(answer)
            if !answer.contains("content-length: 99") { _ = try await peer.readLine() }
        } _: { server in
            let address = ClickHouseAddress(host: "127.0.0.1", port: server.port)
            let store = ClickHouseEventStore(ClickHouseClient(address, option: "--clickhouse"), clock: ManualClock())
            var meter = QueryMeter(store.budget, clock: ManualClock())
            do throws(StoreError) {
                try await store.rows("SELECT 1", &meter, { row throws(RowFault) in try row.uint8() }) { _ in
                    outcome.withLock { $0.rows += 1 }
                }
            } catch {
                outcome.withLock { $0.error = error }
            }
        }
        return outcome.withLock { $0 }
    }

    @Test
    func `server errors and incomplete responses map to errors that the caller can act on`() async throws {
        let complete = try await Self.outcome("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc")
        #expect(complete.rows == 3 && complete.error == nil)
        let chunked = try await Self.outcome(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
        )
        #expect(chunked.rows == 3 && chunked.error == nil)
        let truncated = try await Self.outcome("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nab")
        #expect(
            truncated.error?.kind == .analysisUnavailable && truncated.error?.message.contains("closed before") == true,
            "\(truncated)"
        )
        for (code, kind) in [(159, true), (160, true), (241, true), (202, false), (60, false), (164, false)] {
            let text = "Code: \(code), e.displayText() = DB::Exception: Some words, e.what() = DB::Exception\n"
            let failed = try await Self.outcome(
                "HTTP/1.1 500 Internal Server Error\r\ncontent-length: \(text.utf8.count)\r\n\r\n\(text)"
            )
            let expected: StoreError.Kind = kind ? .overBudget(parameter: "from") : .analysisUnavailable
            #expect(failed.error?.kind == expected && failed.rows == 0, "\(code): \(failed)")
        }
    }

    @Test
    func `canceling a query closes its connection`() async throws {
        let (queries, queryReceived) = AsyncStream.makeStream(of: Void.self)
        let (disconnections, disconnected) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run { peer, _ in
            while let line = try await peer.readLine(), !line.isEmpty {}
            try await peer.send("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\na")
            queryReceived.yield()
            // Nothing more is sent: this returns when the client disconnects.
            while try await peer.readLine() != nil {}
            disconnected.yield()
        } _: { server in
            let address = ClickHouseAddress(host: "127.0.0.1", port: server.port)
            let query = Task { () -> StoreError? in
                let store = ClickHouseEventStore(ClickHouseClient(address), clock: ManualClock())
                var meter = QueryMeter(store.budget, clock: ManualClock())
                do throws(StoreError) {
                    try await store.rows("SELECT 1", &meter, { row throws(RowFault) in try row.uint8() }) { _ in }
                    return nil
                } catch {
                    return error
                }
            }
            for await _ in queries { break }
            query.cancel()
            for await _ in disconnections { break }
            #expect(await query.value?.kind == .analysisUnavailable)
        }
    }
}
