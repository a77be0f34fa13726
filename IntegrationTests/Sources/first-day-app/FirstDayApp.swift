// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway

/// An app on the day of its installation, with every public feature that records data.
///
/// Arguments: `PART --data FOLDER [--app ID] [--version VERSION] [--without SETTING]…`. One process runs one part of
/// the day, prints `installation ID` and at the end `done`, or ends with a crash. See ``FirstDay``.
///
/// Names and values that the app itself chooses begin with `own`, so that all others are known to be the SDK's.
@main
struct FirstDayApp {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let day = try FirstDay(options)
            print("installation \(day.analytics.installationID)")
            try await day.live(options.part)
            print("done")
            exit(0)
        } catch {
            print("failed \(error)")
            exit(1)
        }
    }
}

/// An error with a message.
struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// The arguments.
struct Options {
    /// A part of the day.
    enum Part: String {
        case undecided, morning, evening, copied, quiet
    }

    var part = Part.quiet
    var folder = ""
    var app = "own-shop"
    var version = "1.0"
    /// The settings that are switched off.
    var without: Set<String> = []

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        guard let part = rest.popFirst().flatMap({ Part(rawValue: $0) }) else {
            throw Failure(description: "the first argument must be a part of the day")
        }
        self.part = part
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Failure(description: "\(name) needs a value") }
            switch name {
            case "--data": folder = value
            case "--app": app = value
            case "--version": version = value
            case "--without": without.insert(value)
            default: throw Failure(description: "unknown argument \(name)")
            }
        }
        guard !folder.isEmpty else { throw Failure(description: "--data is required") }
    }
}
