// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Wire {
    /// Sends one hand-written request on a separate connection.
    ///
    /// - Throws: ``NoResponseError`` if the connection ends without a response.
    public static func request(
        _ method: String,
        _ path: String,
        _ headers: [String: String] = [:],
        body: [UInt8]? = nil,
        port: Int
    ) async throws -> TestHTTPResponse {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "content-length: \(body.count)\r\n" }
        let bytes = Array((head + "\r\n").utf8) + (body ?? [])
        let answer = try await open(to: port) { wire in
            try await wire.send(bytes)
            return try await wire.readResponse()
        }
        guard let answer else { throw NoResponseError() }
        return answer
    }
}
