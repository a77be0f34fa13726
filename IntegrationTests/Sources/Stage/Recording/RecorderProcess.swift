// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A running `recorder`: an app on the SDK that does as it is told.
package struct RecorderProcess: Sendable {
    /// Its process.
    package let program: Program

    /// Starts a recorder.
    ///
    /// - Parameters:
    ///   - data: the installation's folder.
    ///   - url: where the destination `collector` is.
    ///   - arguments: what else it shall do; see `Options` of the recorder.
    ///   - environment: added to the tests' own.
    ///   - wrapper: what runs the program: words put before its own.
    package init(
        data: String,
        to url: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        wrapper: [String] = []
    ) throws {
        let words = wrapper + Self.words(data: data, to: url, arguments)
        program = try Program(words[0], Array(words.dropFirst()), environment: environment)
    }

    /// The words of the command.
    package static func words(data: String, to url: String, _ arguments: [String] = []) -> [String] {
        [BuiltProducts.path("recorder"), "--data", data, "--to", "collector=\(url)"] + arguments
    }

    /// Runs one to its end, delivering what waits in the folder, and gives what it said.
    package static func deliver(
        data: String,
        to url: String,
        _ arguments: [String] = []
    ) throws -> (installation: String, ledger: RecorderLedger) {
        let recorder = try RecorderProcess(data: data, to: url, ["--finish", "60"] + arguments)
        let installation = try recorder.program.line(beginning: "ready")
        let ledger = try recorder.nextLedger()
        guard try recorder.program.status() == .exited(0) else {
            throw StageError("the recorder did not end well:\n\(recorder.program.tail)")
        }
        return (installation, ledger)
    }

    /// The installation it says it is.
    package func installation() throws -> String {
        try program.line(beginning: "ready")
    }

    /// Gives an order and waits until it was carried out.
    package func order(_ order: String) throws {
        program.order(order)
        _ = try program.line(beginning: "ok")
    }

    /// Gives an order that is answered in several lines; gives those that begin with a word, without it.
    package func answers(to order: String, beginning word: String) throws -> [String] {
        program.order(order)
        var answers: [String] = []
        while let line = try program.line(), line != "ok" {
            if line.hasPrefix("failed") { throw StageError(line) }
            if line.hasPrefix(word + " ") { answers.append(String(line.dropFirst(word.count + 1))) }
        }
        return answers
    }

    /// Asks for the SDK's ledger.
    package func ledger(of destination: String = "collector") throws -> RecorderLedger {
        program.order("ledger")
        let ledger = try RecorderLedger(try program.line(beginning: "ledger"), of: destination)
        _ = try program.line(beginning: "ok")
        return ledger
    }

    /// Gives an order that is answered with a line beginning with its first word; gives what follows the word.
    package func answer(to order: String) throws -> String {
        program.order(order)
        let answer = try program.line(beginning: String(order.prefix { $0 != " " }))
        _ = try program.line(beginning: "ok")
        return answer
    }

    /// Flushes until nothing waits for any destination.
    package func deliverAll() throws {
        for _ in 0..<100 {
            program.order("flush 5")
            let report = try JSONValue.parse(Array(try program.line(beginning: "report").utf8))
            _ = try program.line(beginning: "ok")
            let waiting = report.object?.members.reduce(0) { $0 + ($1.value["pending"]?.integer ?? 0) }
            if waiting == 0 { return }
        }
        throw StageError("not everything was delivered:\n\(program.tail)")
    }

    /// Flushes and gives the report for the destination `collector`.
    @discardableResult
    package func flush(seconds: Int = 60) throws -> JSONValue {
        program.order("flush \(seconds)")
        let line = try program.line(beginning: "report")
        _ = try program.line(beginning: "ok")
        guard let report = try JSONValue.parse(Array(line.utf8))["collector"] else {
            throw StageError("no report for the collector: \(line)")
        }
        return report
    }

    /// Ends it by the end of its input, and waits.
    package func exit() throws {
        program.order("exit")
        try program.status()
    }

    private func nextLedger() throws -> RecorderLedger {
        try RecorderLedger(try program.line(beginning: "ledger"))
    }
}
