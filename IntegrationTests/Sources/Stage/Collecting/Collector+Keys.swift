// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

extension Collector {
    /// Makes a key with the command, as an operator does; gives its text.
    package func makeKey(_ name: String, _ options: [String] = []) throws -> String {
        let command = try Program(CollectorBinary.path(), ["keys", "create", name, "--data", data] + options)
        guard let key = try command.line(), try command.status() == .exited(0) else {
            throw StageError("no key was made:\n\(command.tail)")
        }
        return key
    }

    /// Revokes a key with the command.
    package func revokeKey(_ name: String) throws {
        let command = try Program(CollectorBinary.path(), ["keys", "revoke", name, "--data", data])
        guard try command.status() == .exited(0) else { throw StageError("no key was revoked:\n\(command.tail)") }
    }

    /// Waits until a key is answered like this when it asks for the totals.
    package func wait(forStatus status: Int, of key: String) throws {
        let deadline = Date(timeIntervalSinceNow: Overdue.patience)
        while true {
            let headers = [("authorization", "Bearer \(key)")]
            let answer = try ask(HTTPMessage(startLine: "GET /v1/stats HTTP/1.1", headers: headers))
            if answer.status == status { return }
            guard Date() < deadline else { throw Overdue("status \(status) did not come but \(answer.status)") }
            pause()
        }
    }

    /// The most memory its process ever had resident, in MiB.
    package func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program?.id ?? 0)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw StageError("no VmHWM in \(status.prefix(500))")
        }
        return kibibytes / 1_024
    }
}
