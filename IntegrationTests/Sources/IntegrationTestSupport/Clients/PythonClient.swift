// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The Python client for the Sensors Analytics format, installed for one test run.
package final class PythonClient: Sendable {
    /// The package name and the version that the tests were written against.
    private static let package = "sensorsanalyticssdk==1.11.0"

    private let folder: TemporaryFolder

    /// The client, or the reason why it is unavailable.
    ///
    /// Installed once, on first use.
    package static let installed: Result<PythonClient, TestSupportError> = {
        do {
            return .success(try PythonClient())
        } catch {
            return .failure(error as? TestSupportError ?? TestSupportError("\(error)"))
        }
    }()

    /// Why the client is unavailable; nil if it is available.
    package static var unavailableReason: String? {
        if case .failure(let error) = installed { error.description } else { nil }
    }

    private init() throws {
        folder = try TemporaryFolder()
        let pip = try Program(
            "python3",
            ["-m", "pip", "install", "--quiet", "--no-input", "--target", folder.path, Self.package]
        )
        guard try pip.status() == .exited(0) else {
            throw TestSupportError("python3 -m pip failed to install \(Self.package):\n\(pip.tail)")
        }
    }

    /// Runs an app that makes every call of the client once through one of its consumers and returns when the server
    /// has accepted all records.
    ///
    /// - Parameters:
    ///   - consumer: `default`, `batch`, `async`, `debug` or `dry`.
    ///   - url: The server's address for records.
    ///   - prefix: The prefix of the records' marks.
    /// - Returns: The mark and the type of each sent record, in order.
    package func makeEveryCall(
        through consumer: String,
        to url: String,
        prefix: String
    ) throws -> [(mark: String, type: String)] {
        let script =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
            + "/Clients/sensors_client.py"
        // Only the loopback address is used, so proxies are disabled.
        let environment = ["PYTHONPATH": folder.path, "PYTHONDONTWRITEBYTECODE": "1", "no_proxy": "127.0.0.1"]
        let app = try Program("python3", [String(script), consumer, url, prefix], environment: environment)
        guard try app.status() == .exited(0) else {
            throw TestSupportError("the client exited with an error:\n\(app.tail)")
        }
        let lines = try app.allLines()
        guard lines.last?.hasPrefix("done ") == true else { throw TestSupportError("the client failed:\n\(app.tail)") }
        return lines.compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 3 && words[0] == "sent" ? (String(words[1]), String(words[2])) : nil
        }
    }
}
