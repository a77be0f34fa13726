// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing

/// Checks the system calls of real programs on a real file system against the rules of the strictest file system.
@Suite("Flushes before promises", .enabled("needs strace") { Collector.canInjectFaults })
struct TracedPromisesTests {
    @Test
    func `a durable receipt follows every flush it depends on, in a new folder`() throws {
        let folder = try TemporaryFolder()
        let trace = folder.path("trace")
        let data = folder.path("library/app/data")
        for _ in 1...2 {
            let existingFiles = try Self.files(in: data)
            let recorder = try RecorderProcess(
                data: data,
                to: "http://127.0.0.1:9",
                ["--commands"],
                wrapper: TraceReader.command(writingTo: trace)
            )
            _ = try recorder.installation()
            try recorder.execute("durably 3")
            // Enough for several segments, so that completed ones are among the flushed files.
            try recorder.execute("record 3000 500")
            try recorder.execute("durably 2")
            try recorder.exit()
            let lines = try Self.lines(of: trace, recorder.program)
            // Events that are not durable are printed with the same words but promise nothing.
            var durable = Self.numbers(ofDurable: [3, 2], between: 3000).makeIterator()
            let rules = Self.checkRules(lines, present: existingFiles) { descriptor, text in
                descriptor.hasPrefix("pipe:") && text.hasPrefix("kept ")
            } isDurable: {
                durable.next() ?? false
            }
            #expect(rules.violations == [])
            #expect(rules.promises == 5)
        }
    }

    @Test
    func `a collector's response follows every flush it depends on, in a new folder`() throws {
        let folder = try TemporaryFolder()
        let trace = folder.path("trace")
        let data = folder.path("srv/collector")
        let collector = try Collector(data: data, wrapper: TraceReader.command(writingTo: trace))
        let sender = Sender(collector, number: 1)
        for _ in 0..<5 { sender.sendBatch() }
        #expect(sender.acknowledgedBatches.count == 5)
        let program = try #require(collector.program)
        try collector.stop()
        let rules = Self.checkRules(try Self.lines(of: trace, program), present: []) { descriptor, text in
            descriptor.contains(":[") && text.hasPrefix("HTTP/1.1 200")
        } isDurable: {
            true
        }
        #expect(rules.violations == [])
        #expect(rules.promises >= 5)
    }

    // MARK: Support

    private static func checkRules(
        _ lines: [Substring],
        present: Set<String>,
        promise: @escaping @Sendable (String, String) -> Bool,
        isDurable: () -> Bool
    ) -> FlushRules {
        var reader = TraceReader(promise: promise)
        var rules = FlushRules(present: present) { $0.hasSuffix(".segment") || $0.hasSuffix("/installation") }
        for line in lines {
            for action in reader.actions(of: line) {
                if case .promised = action, !isDurable() { continue }
                rules.process(action)
            }
        }
        return rules
    }

    /// Returns which receipts are durable: the first ones, then many that are not, then the last ones.
    private static func numbers(ofDurable counts: [Int], between others: Int) -> [Bool] {
        let (first, last) = (counts[0], counts[1])
        return (0..<(first + others + last)).map { $0 < first || $0 >= first + others }
    }

    /// Returns the trace after the program has ended and strace has written the last line.
    private static func lines(of trace: String, _ program: Program) throws -> [Substring] {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while true {
            let text = try String(contentsOfFile: trace, encoding: .utf8)
            let lines = text.split(separator: "\n")
            // Short numbers are padded.
            if let words = lines.last?.split(separator: " "), words.prefix(2) == ["\(program.id)", "+++"] {
                return lines
            }
            guard Date() < deadline else { throw TimeoutError("the trace is incomplete: \(lines.last ?? "")") }
            let never = NSCondition()
            never.lock()
            _ = never.wait(until: Date(timeIntervalSinceNow: 0.1))
            never.unlock()
        }
    }

    private static func files(in folder: String) throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return Set(try FileManager.default.subpathsOfDirectory(atPath: folder).map { folder + "/" + $0 })
    }
}
