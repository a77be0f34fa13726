// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

extension Collector {
    /// Revokes a key with the `trackway` command.
    package func revokeKey(_ name: String) throws {
        let command = try Program(CollectorBinary.path(), ["keys", "revoke", name, "--data", data])
        guard try command.status() == .exited(0) else {
            throw TestSupportError("the key was not revoked:\n\(command.tail)")
        }
    }

    /// Waits until a request for the totals with this key returns this status.
    package func wait(forStatus status: Int, of key: String) throws {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while true {
            let headers = [("authorization", "Bearer \(key)")]
            let response = try send(HTTPMessage(startLine: "GET /v1/stats HTTP/1.1", headers: headers))
            if response.status == status { return }
            guard Date() < deadline else { throw TimeoutError("expected status \(status), got \(response.status)") }
            pause()
        }
    }
}
