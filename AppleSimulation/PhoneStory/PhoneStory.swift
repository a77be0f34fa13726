// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The example shop in a simulated phone that does what lines on standard input say: see ``Acts``. One process is one life of
/// the app, so a kill is a kill, and what the next life finds is what lies on the disk.
///
/// Each line is answered with `ok` when it is done, or with `failed` and the reason.
@main
@MainActor
struct PhoneStory {
    static func main() async {
        do {
            let life = Life(try Options(Array(CommandLine.arguments.dropFirst())))
            await follow(life)
            exit(0)
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    private static func follow(_ life: Life) async {
        // Reading blocks, so it has a thread of its own.
        let (lines, feed) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { feed.yield(line) }
            feed.finish()
        }
        for await line in lines {
            do {
                try await Acts(life).carryOut(line.split(separator: " ").map(String.init))
                say("ok")
            } catch {
                say("failed \(line): \(error)")
            }
        }
    }

    /// Writes a line at once: what was written before a kill was written whole.
    nonisolated static func say(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            sent += count
        }
    }
}

/// What went wrong, in a sentence.
struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// What the arguments say: `--data FOLDER --to ADDRESS [--app-version VERSION] [--screens found]`.
struct Options: Sendable {
    /// The installation's folder.
    var folder = URL(fileURLWithPath: "/")
    /// Where a collector listens that takes every format.
    var collector = URL(fileURLWithPath: "/")
    /// The version of the app.
    var version: String?
    /// Whether screens of UIKit's are found by themselves, and how long each screen is used is told.
    var findsScreens = false

    init(_ arguments: [String]) throws {
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard ["--data", "--to", "--app-version", "--screens"].contains(name), let value = rest.popFirst() else {
                throw Failure(description: "\(name): unknown, or without a value")
            }
            values[name] = value
        }
        guard let data = values["--data"], let url = values["--to"].flatMap({ URL(string: $0) }) else {
            throw Failure(description: "--data and --to are needed")
        }
        folder = URL(fileURLWithPath: data, isDirectory: true)
        collector = url
        version = values["--app-version"]
        findsScreens = values["--screens"] == "found"
    }
}
