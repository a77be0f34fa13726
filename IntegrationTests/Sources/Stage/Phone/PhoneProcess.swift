// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc

/// One life of the example shop in the simulated phone: a process that does what acts say; see `AppleSimulation/PhoneStory`.
package final class PhoneProcess: Sendable {
    /// Its process.
    package let program: Program
    /// The installation it says it is.
    package let installation: String

    /// Starts the app.
    ///
    /// - Parameters:
    ///   - launch: why: `person`, `background` or `prewarmed`.
    ///   - data: the installation's folder.
    ///   - url: where the five destinations are.
    ///   - version: of the app.
    package init(_ launch: String, data: String, to url: String, version: String) throws {
        program = try Program(
            try Self.path(),
            ["--data", data, "--to", url, "--app-version", version],
            environment: launch == "prewarmed" ? ["ActivePrewarm": "1"] : [:]
        )
        let answer = try Self.play("launch \(launch)", program)
        installation = answer.map { String($0.dropFirst("installation ".count)) } ?? ""
    }

    /// Where the program is: `TRACKWAY_PHONE`, or where `Scripts/build AppleSimulation` puts it.
    private static func path() throws -> String {
        let built =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
            + "/AppleSimulation/.build/debug/phone-story"
        let path = ProcessInfo.processInfo.environment["TRACKWAY_PHONE"] ?? String(built)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw StageError(
                "the simulated phone is not built: run 'Scripts/build AppleSimulation --product phone-story', "
                    + "or name the program in TRACKWAY_PHONE (looked for \(path))"
            )
        }
        return path
    }

    // MARK: Acts

    /// Plays acts, one after the other; each is done before the next one begins.
    package func play(_ acts: String...) throws {
        for act in acts { _ = try Self.play(act, program) }
    }

    private static func play(_ act: String, _ program: Program) throws -> String? {
        program.order(act)
        var answer: String?
        while let line = try program.line() {
            if line == "ok" { return answer }
            if line.hasPrefix("failed ") { throw StageError("\(line)\n\(program.tail)") }
            if !line.hasPrefix("diagnostic ") { answer = line }
        }
        throw StageError("the phone ended at '\(act)':\n\(program.tail)")
    }

    /// Asks for a number: `recorded`, `dropped`, `work`, or whether a text can be read.
    package func count(_ act: String) throws -> Int {
        guard let answer = try Self.play(act, program),
            let count = answer.split(separator: " ").last.flatMap({ Int($0) })
        else { throw StageError("no number came for '\(act)':\n\(program.tail)") }
        return count
    }

    /// Asks for a number until it is this one, or a higher one.
    package func wait(for count: Int, _ act: String) throws {
        try wait("\(count) as answer to '\(act)'") { try self.count(act) >= count }
    }

    /// Waits until a text can be read on the screen.
    package func wait(toRead text: String) throws {
        try wait(for: 1, "read \(text)")
    }

    /// The person leaves the app; when nothing keeps it awake any more, the system suspends it.
    package func leave() throws {
        try play("home")
        try waitForRest()
        try play("suspend")
    }

    /// Waits until nothing keeps the app awake in the background.
    package func waitForRest() throws {
        try wait("the end of the work in the background") { try self.count("work") == 0 }
    }

    /// Flushes until nothing waits for any destination.
    package func deliverAll() throws {
        try wait("the delivery of everything") { try self.count("flush") == 0 }
    }

    private func wait(_ expectation: String, _ isReached: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        // Where there is nothing to be told by, asking again soon is all one can do.
        let nobody = NSCondition()
        while try !isReached() {
            guard Date() < deadline else { throw Overdue("\(expectation) did not come:\n\(program.tail)") }
            nobody.lock()
            _ = nobody.wait(until: Date(timeIntervalSinceNow: 0.05))
            nobody.unlock()
        }
    }

    // MARK: Ends

    /// The system ends the process without a word.
    package func kill() throws {
        program.send(SIGKILL)
        guard try program.status() == .signalled(SIGKILL) else {
            throw StageError("it was not killed:\n\(program.tail)")
        }
    }

    /// The person throws the app out of the switcher.
    package func swipeAway() throws {
        program.order("swipe-away")
        guard try program.status() == .exited(0) else { throw StageError("it did not end well:\n\(program.tail)") }
    }
}
