// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// Runs a sample app in a simulated phone that executes commands from standard input: see ``ScriptCommand``.
///
/// One process is one launch of the app, so a kill is a real kill, and the next launch finds what is on the disk.
/// Prints `ok` after each command, or `failed` and the reason.
@main
@MainActor
struct SimulatedAppScenario {
    static func main() async {
        do {
            let session = AppSession(try Options(Array(CommandLine.arguments.dropFirst())))
            await executeCommands(session)
            exit(0)
        } catch {
            printLine("failed \(error)")
            exit(1)
        }
    }

    private static func executeCommands(_ session: AppSession) async {
        // Reading blocks, so it runs on its own thread.
        let (lines, feed) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { feed.yield(line) }
            feed.finish()
        }
        for await line in lines {
            do {
                try await ScriptCommand(session).execute(line.split(separator: " ").map(String.init))
                printLine("ok")
            } catch {
                printLine("failed \(line): \(error)")
            }
        }
    }

    /// Prints an unbuffered line, so that lines written before a kill are complete.
    nonisolated static func printLine(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            sent += count
        }
    }
}

/// An error with a message.
struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// The arguments: `--data FOLDER --to ADDRESS [--app-version VERSION] [--screens found] [--day first]
/// [--app first-hour]`.
struct Options: Sendable {
    /// The installation's folder.
    var folder = URL(fileURLWithPath: "/")
    /// The URL of a collector that accepts all formats.
    var collector = URL(fileURLWithPath: "/")
    /// The version of the app.
    var version: String?
    /// Whether UIKit screens are captured automatically, with engagement times.
    var capturesUIKitScreens = false
    /// Whether everything that an app can send is sent, to one host per format; see ``FirstDay``.
    var isFirstDay = false
    /// Whether the app is `FirstHourApp`, which reads its settings from the environment, instead of the shop.
    var isFirstHour = false

    init(_ arguments: [String]) throws {
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard ["--data", "--to", "--app-version", "--screens", "--day", "--app"].contains(name),
                let value = rest.popFirst()
            else {
                throw Failure(description: "\(name): unknown option or missing value")
            }
            values[name] = value
        }
        guard let data = values["--data"], let url = values["--to"].flatMap({ URL(string: $0) }) else {
            throw Failure(description: "--data and --to are needed")
        }
        folder = URL(fileURLWithPath: data, isDirectory: true)
        collector = url
        version = values["--app-version"]
        capturesUIKitScreens = values["--screens"] == "found"
        isFirstDay = values["--day"] == "first"
        isFirstHour = values["--app"] == "first-hour"
    }
}
