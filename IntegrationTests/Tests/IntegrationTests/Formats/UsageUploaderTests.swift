// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Apps built on the compatibility module upload to a collector as if to SAP Mobile Services, with outages and kills on
/// both sides.
@Suite("Usage report uploader", .timeLimit(.minutes(30)))
struct UsageUploaderTests {
    /// An app's process, and the records that it reported as stored.
    private final class App {
        let program: Program
        private(set) var storedRecords: [String] = []

        init(_ folder: String, to url: String) throws {
            program = try Program(BuiltProducts.path("usage-reporter"), [folder, url])
            _ = try program.line(startingWith: "ready")
        }

        func report(_ numbers: Range<Int>) throws {
            program.writeLine("report \(numbers.lowerBound) \(numbers.count)")
            for number in numbers {
                #expect(try program.line(startingWith: "kept") == "\(number)")
                storedRecords.append("\(number)")
            }
            _ = try program.line(startingWith: "ok")
        }

        /// Uploads until an upload succeeds.
        ///
        /// - Returns: The number of failed attempts.
        func uploadAll() throws -> Int {
            for failures in 0..<50 {
                program.writeLine("upload")
                _ = try program.line(startingWith: "uploading")
                while let line = try program.line(), line != "ok" {
                    if line == "uploaded" { return failures }
                }
            }
            throw TestSupportError("nothing was uploaded in 50 attempts:\n\(program.tail)")
        }

        func beginUpload() throws {
            program.writeLine("upload")
            _ = try program.line(startingWith: "uploading")
        }

        func kill() throws {
            program.send(SIGKILL)
            #expect(try program.status() == .signalled(SIGKILL))
        }

        /// Waits until an upload that was started elsewhere has removed the sent records.
        func waitUntilSettled() throws {
            for _ in 0..<100_000 {
                program.writeLine("left")
                let remaining = try program.line(startingWith: "left")
                _ = try program.line(startingWith: "ok")
                if remaining == "1 0" { return }
            }
            throw TestSupportError("the sent records were not removed:\n\(program.tail)")
        }

        /// Expects that everything was sent except the start of the current session, and that nothing was dropped.
        func expectSettled() throws {
            program.writeLine("left")
            #expect(try program.line(startingWith: "left") == "1 0")
        }
    }

    /// Expects every stored record in the collector exactly once.
    private func expect(_ collector: Collector, has storedRecords: [String]) throws {
        let arrived = try Arrival.all(in: collector).filter { $0.name == "many" }
        let numbers = arrived.compactMap { $0.attributes["value"]?.replacing("\"", with: "") }
        #expect(numbers.count == arrived.count)
        #expect(numbers.sorted() == storedRecords.sorted())
        #expect(Set(arrived.map(\.id)).count == arrived.count)
    }

    /// Returns the number of reports that were resent byte for byte because their response was lost.
    private func repeatedReports(_ server: FlakyServer) -> Int {
        let bodies = server.received.map(\.message.body).filter { !$0.isEmpty }
        return bodies.count - Set(bodies).count
    }

    private func methods(_ server: FlakyServer) -> [String] {
        server.received.map { String($0.message.startLine.prefix { $0 != " " }) }
    }

    @Test
    func `with errors, HTML pages and lost responses, every report arrives once and none are left`() throws {
        let collector = try Collector()
        let flaky = try FlakyServer(before: collector.port) { request in
            switch request.number % 9 {
            case 1: .loseResponse
            case 2: .respond(503, type: "text/html", body: "busy")
            case 3: .hangUp
            case 4: .respond(200, type: "text/html", body: "<html>Sign in</html>")
            case 5: .respond(500, body: "{}")
            case 6: .bytes(Array("HTTP/1.1 201 Created\r\ncontent-length: 500\r\n\r\n{\"rep".utf8))
            default: .forward
            }
        }
        let folder = try TemporaryFolder()
        let app = try App(folder.path("data"), to: flaky.url)
        var failures = 0
        for round in 0..<4 {
            try app.report(round * 150..<(round + 1) * 150)
            failures += try app.uploadAll()
        }
        #expect(failures >= 6)
        try app.expectSettled()
        try expect(collector, has: app.storedRecords)
        #expect(repeatedReports(flaky) > 0)
    }

    @Test
    func `an app killed between upload and removal resends, and every repeated report is recognized`() throws {
        let collector = try Collector()
        let flaky = try FlakyServer(before: collector.port) { _ in .forwardThenHold }
        let folder = try TemporaryFolder()
        var storedRecords: [String] = []
        for round in 1...4 {
            let app = try App(folder.path("data"), to: flaky.url)
            try app.report(round * 1_000..<round * 1_000 + 60)
            try app.beginUpload()
            try flaky.waitForForwarded(round)
            try app.kill()
            storedRecords += app.storedRecords
        }
        flaky.setReply { _ in .forward }
        let last = try App(folder.path("data"), to: flaky.url)
        try last.report(0..<10)
        #expect(try last.uploadAll() == 0)
        try last.expectSettled()
        try expect(collector, has: storedRecords + last.storedRecords)
        #expect(repeatedReports(flaky) > 0)
    }

    @Test(arguments: 1...4)
    func `an app killed anywhere during an upload of several requests loses nothing`(_ seed: Int) throws {
        let collector = try Collector()
        let flaky = try FlakyServer(before: collector.port) { _ in .forward }
        let folder = try TemporaryFolder()
        var storedRecords: [String] = []
        var forwarded = 0
        for round in 1...4 {
            let app = try App(folder.path("data"), to: flaky.url)
            try app.report(round * 1_000..<round * 1_000 + 450)
            try app.beginUpload()
            // The third of these requests is the last; the removal follows it.
            let requests = 1 + (seed + round) % 3
            try flaky.waitForForwarded(forwarded + requests)
            try app.kill()
            storedRecords += app.storedRecords
            forwarded = flaky.forwardedCount
        }
        let last = try App(folder.path("data"), to: flaky.url)
        try last.report(0..<10)
        #expect(try last.uploadAll() == 0)
        try last.expectSettled()
        try expect(collector, has: storedRecords + last.storedRecords)
    }

    @Test(arguments: 1...3)
    func `a collector killed during intake has every record once after its restart`(_ requests: Int) throws {
        let collector = try Collector()
        let flaky = try FlakyServer(before: collector.port) { _ in .forward }
        let folder = try TemporaryFolder()
        let app = try App(folder.path("data"), to: flaky.url)
        var forwarded = 0
        for round in 0..<3 {
            try app.report(round * 1_000..<round * 1_000 + 700)
            try app.beginUpload()
            try flaky.waitForForwarded(forwarded + requests)
            try collector.kill()
            _ = try app.program.line(startingWith: "ok")
            try collector.start()
            forwarded = flaky.forwardedCount
        }
        try app.report(9_000..<9_010)
        _ = try app.uploadAll()
        try app.expectSettled()
        try expect(collector, has: app.storedRecords)
    }

    @Test
    func `a broker uploads on the policy's schedule, not earlier, and ends the session with the process`() throws {
        let collector = try Collector()
        let policy = try Program(
            try CollectorBinary.path(),
            ["sap-policy", "set", "recorder", "--data", collector.data, "--upload-after-days", "1"]
        )
        #expect(try policy.status() == .exited(0))
        let flaky = try FlakyServer(before: collector.port) { _ in .forward }
        // A running collector checks its policies about once a second; a restart applies the policy immediately.
        try collector.kill()
        try collector.start()
        let folder = try TemporaryFolder()
        let app = try App(folder.path("data"), to: flaky.url)
        try app.report(0..<10)
        app.program.writeLine("broker")
        _ = try app.program.line(startingWith: "ok")
        // The policy request, then the report.
        try flaky.waitForForwarded(2)
        try app.waitUntilSettled()
        app.program.send(SIGTERM)
        #expect(try app.program.status() == .signalled(SIGTERM))
        #expect(methods(flaky) == ["GET", "POST"])

        let next = try App(folder.path("data"), to: flaky.url)
        next.program.writeLine("names")
        var names: [String] = []
        while let line = try next.program.line(), line != "ok" { names.append(line) }
        // The session after the upload, ended by the signal.
        #expect(names == ["stored SessionStart", "stored SessionEnd"])
        try next.report(10..<20)
        next.program.writeLine("broker")
        _ = try next.program.line(startingWith: "ok")
        try flaky.waitForForwarded(3)
        next.program.send(SIGTERM)
        #expect(try next.program.status() == .signalled(SIGTERM))
        #expect(methods(flaky) == ["GET", "POST", "GET"])
        try expect(collector, has: app.storedRecords)
    }
}
