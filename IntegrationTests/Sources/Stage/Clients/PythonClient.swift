// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The Python client that speaks the Sensors Analytics format, installed for the tests of one run.
package final class PythonClient: Sendable {
    /// The package's name, and the version the tests were written against.
    private static let package = "sensorsanalyticssdk==1.11.0"

    private let folder: TemporaryFolder

    /// The client; a failure says why it cannot be had. Installed once, when first asked for.
    package static let installed: Result<PythonClient, StageError> = {
        do {
            return .success(try PythonClient())
        } catch {
            return .failure(error as? StageError ?? StageError("\(error)"))
        }
    }()

    /// Why the client cannot be had; nil when it can.
    package static var obstacle: String? {
        if case .failure(let error) = installed { error.description } else { nil }
    }

    private init() throws {
        folder = try TemporaryFolder()
        let pip = try Program(
            "python3",
            ["-m", "pip", "install", "--quiet", "--no-input", "--target", folder.path, Self.package]
        )
        guard try pip.status() == .exited(0) else {
            throw StageError("python3 -m pip cannot install \(Self.package) here:\n\(pip.tail)")
        }
    }

    /// Lets an app on the client make every call once, through one of its consumers, until the server has taken all.
    ///
    /// - Parameters:
    ///   - consumer: `default`, `batch`, `async`, `debug` or `dry`.
    ///   - url: the server's address for records.
    ///   - prefix: what the records' marks begin with.
    /// - Returns: What was sent, in order: the mark and the type of each record.
    package func makeEveryCall(
        through consumer: String,
        to url: String,
        prefix: String
    ) throws -> [(mark: String, type: String)] {
        let script =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
            + "/Clients/sensors_client.py"
        // Nothing but the loopback address is to be reached, and no proxy knows that.
        let environment = ["PYTHONPATH": folder.path, "PYTHONDONTWRITEBYTECODE": "1", "no_proxy": "127.0.0.1"]
        let app = try Program("python3", [String(script), consumer, url, prefix], environment: environment)
        guard try app.status() == .exited(0) else { throw StageError("the client did not end well:\n\(app.tail)") }
        let lines = try app.allLines()
        guard lines.last?.hasPrefix("done ") == true else { throw StageError("the client was not done:\n\(app.tail)") }
        return lines.compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 3 && words[0] == "sent" ? (String(words[1]), String(words[2])) : nil
        }
    }
}
