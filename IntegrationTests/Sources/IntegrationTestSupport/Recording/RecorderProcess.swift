// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A running `recorder`: an app built on the SDK that executes commands.
package struct RecorderProcess: Sendable {
    /// The process.
    package let program: Program

    /// Starts a recorder.
    ///
    /// - Parameters:
    ///   - data: The installation's folder.
    ///   - url: The address of the destination `collector`.
    ///   - arguments: Further options; see the recorder's `Options`.
    ///   - environment: Variables added to the tests' environment.
    ///   - wrapper: A command prefix that runs the program.
    package init(
        data: String,
        to url: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        wrapper: [String] = []
    ) throws {
        let words = wrapper + Self.commandLine(data: data, to: url, arguments)
        program = try Program(words[0], Array(words.dropFirst()), environment: environment)
    }

    /// Returns the words of the command line.
    package static func commandLine(data: String, to url: String, _ arguments: [String] = []) -> [String] {
        [BuiltProducts.path("recorder"), "--data", data, "--to", "collector=\(url)"] + arguments
    }

    /// Runs a recorder that delivers the folder's pending events and returns its output.
    package static func deliver(
        data: String,
        to url: String,
        _ arguments: [String] = []
    ) throws -> (installation: String, ledger: RecorderLedger) {
        let recorder = try RecorderProcess(data: data, to: url, ["--finish", "60"] + arguments)
        let installation = try recorder.program.line(startingWith: "ready")
        let ledger = try recorder.nextLedger()
        guard try recorder.program.status() == .exited(0) else {
            throw TestSupportError("the recorder exited with an error:\n\(recorder.program.tail)")
        }
        return (installation, ledger)
    }

    /// Returns the installation id that the recorder printed.
    package func installation() throws -> String {
        try program.line(startingWith: "ready")
    }

    /// Sends a command and waits until it has completed.
    package func execute(_ command: String) throws {
        program.writeLine(command)
        _ = try program.line(startingWith: "ok")
    }

    /// Sends a command and returns the response lines that begin with a word, without the word.
    package func responses(to command: String, startingWith word: String) throws -> [String] {
        program.writeLine(command)
        var responses: [String] = []
        while let line = try program.line(), line != "ok" {
            if line.hasPrefix("failed") { throw TestSupportError(line) }
            if line.hasPrefix(word + " ") { responses.append(String(line.dropFirst(word.count + 1))) }
        }
        return responses
    }

    /// Returns the SDK's ledger for a destination.
    package func ledger(of destination: String = "collector") throws -> RecorderLedger {
        program.writeLine("ledger")
        let ledger = try RecorderLedger(try program.line(startingWith: "ledger"), of: destination)
        _ = try program.line(startingWith: "ok")
        return ledger
    }

    /// Sends a command and returns the rest of the response line that begins with the command's first word.
    package func response(to command: String) throws -> String {
        program.writeLine(command)
        let response = try program.line(startingWith: String(command.prefix { $0 != " " }))
        _ = try program.line(startingWith: "ok")
        return response
    }

    /// Flushes until no destination has pending events.
    package func deliverAll() throws {
        for _ in 0..<100 {
            program.writeLine("flush 5")
            let report = try JSONValue.parse(Array(try program.line(startingWith: "report").utf8))
            _ = try program.line(startingWith: "ok")
            let waiting = report.object?.members.reduce(0) { $0 + ($1.value["pending"]?.integer ?? 0) }
            if waiting == 0 { return }
        }
        throw TestSupportError("some events were not delivered:\n\(program.tail)")
    }

    /// Flushes and returns the report for the destination `collector`.
    @discardableResult
    package func flush(seconds: Int = 60) throws -> JSONValue {
        program.writeLine("flush \(seconds)")
        let line = try program.line(startingWith: "report")
        _ = try program.line(startingWith: "ok")
        guard let report = try JSONValue.parse(Array(line.utf8))["collector"] else {
            throw TestSupportError("no report for the collector: \(line)")
        }
        return report
    }

    /// Closes the recorder's input so that it exits, and waits.
    package func exit() throws {
        program.writeLine("exit")
        try program.status()
    }

    private func nextLedger() throws -> RecorderLedger {
        try RecorderLedger(try program.line(startingWith: "ledger"))
    }
}
