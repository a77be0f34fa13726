// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc

/// One process of the sample shop in the simulated phone.
///
/// It executes script commands; see `AppleSimulation/SimulatedAppScenario`.
package final class SimulatedAppProcess: Sendable {
    /// The process.
    package let program: Program
    /// The installation id that the process printed.
    package let installation: String

    /// Starts the app.
    ///
    /// - Parameters:
    ///   - launch: The launch reason: `user`, `background` or `prewarmed`.
    ///   - data: The installation's folder.
    ///   - url: The server of the five destinations.
    ///   - version: The app's version.
    ///   - arguments: Further options of the app.
    ///   - environment: Variables added to the tests' environment.
    package init(
        _ launch: String,
        data: String,
        to url: String,
        version: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let prewarmed = launch == "prewarmed" ? ["ActivePrewarm": "1"] : [:]
        program = try Program(
            try Self.path(),
            ["--data", data, "--to", url, "--app-version", version] + arguments,
            environment: environment.merging(prewarmed) { $1 }
        )
        let response = try Self.execute("launch \(launch)", program)
        installation = response.map { String($0.dropFirst("installation ".count)) } ?? ""
    }

    /// Returns the path of the program: `TRACKWAY_SIMULATED_APP`, or where `Scripts/build AppleSimulation` puts it.
    private static func path() throws -> String {
        let built =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
            + "/AppleSimulation/.build/debug/simulated-app"
        let path = ProcessInfo.processInfo.environment["TRACKWAY_SIMULATED_APP"] ?? String(built)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestSupportError(
                "the simulated phone is not built: run 'Scripts/build AppleSimulation --product simulated-app', "
                    + "or name the program in TRACKWAY_SIMULATED_APP (looked for \(path))"
            )
        }
        return path
    }

    // MARK: Script commands

    /// Executes commands sequentially.
    ///
    /// Each command completes before the next one starts.
    package func execute(_ commands: String...) throws {
        for command in commands { _ = try Self.execute(command, program) }
    }

    private static func execute(_ command: String, _ program: Program) throws -> String? {
        program.writeLine(command)
        var response: String?
        while let line = try program.line() {
            if line == "ok" { return response }
            if line.hasPrefix("failed ") { throw TestSupportError("\(line)\n\(program.tail)") }
            if !line.hasPrefix("diagnostic ") { response = line }
        }
        throw TestSupportError("the phone process ended at '\(command)':\n\(program.tail)")
    }

    /// Queries a number: `recorded`, `dropped`, `work`, or whether a text is on the screen.
    package func count(_ command: String) throws -> Int {
        guard let response = try Self.execute(command, program),
            let count = response.split(separator: " ").last.flatMap({ Int($0) })
        else { throw TestSupportError("no number was returned for '\(command)':\n\(program.tail)") }
        return count
    }

    /// Repeats a query until it returns this number or a higher one.
    package func wait(for count: Int, _ command: String) throws {
        try wait("\(count) as response to '\(command)'") { try self.count(command) >= count }
    }

    /// Waits until a text is on the screen.
    package func wait(forText text: String) throws {
        try wait(for: 1, "read \(text)")
    }

    /// Sends the app to the background.
    ///
    /// The system suspends it when no work keeps it awake.
    package func suspend() throws {
        try execute("home")
        try waitUntilIdle()
        try execute("suspend")
    }

    /// Waits until no background work keeps the app awake.
    package func waitUntilIdle() throws {
        try wait("the end of the background work") { try self.count("work") == 0 }
    }

    /// Flushes until no destination has pending events.
    package func deliverAll() throws {
        try wait("the delivery of all events") { try self.count("flush") == 0 }
    }

    private func wait(_ expectation: String, _ isReached: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        // Nothing signals this condition; it is only used to sleep between polls.
        let condition = NSCondition()
        while try !isReached() {
            guard Date() < deadline else { throw TimeoutError("\(expectation) timed out:\n\(program.tail)") }
            condition.lock()
            _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05))
            condition.unlock()
        }
    }

    // MARK: Termination

    /// Kills the process without notifying the app, as the system does.
    package func kill() throws {
        program.send(SIGKILL)
        guard try program.status() == .signalled(SIGKILL) else {
            throw TestSupportError("the process was not killed:\n\(program.tail)")
        }
    }

    /// The user swipes the app away in the app switcher.
    package func swipeAway() throws {
        program.writeLine("swipe-away")
        guard try program.status() == .exited(0) else { throw TestSupportError("the exit failed:\n\(program.tail)") }
    }
}
