// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// An HTTP proxy that keeps every byte that it receives, and sends all requests to one collector.
///
/// The hosts of the requests need not exist.
package final class RecordingProxy: Sendable {
    private let connections: Locked<[[UInt8]]>
    private let listener: Listener

    /// Starts a proxy.
    ///
    /// - Parameter collector: The port that receives every request, whatever its host.
    package init(before collector: UInt16) throws {
        let connections = Locked<[[UInt8]]>([])
        self.connections = connections
        listener = try Listener { socket in
            let number = connections.withLock { connections in
                connections.append([])
                return connections.count - 1
            }
            socket.onReceive = { bytes in connections.withLock { $0[number] += bytes } }
            while let message = socket.receive() {
                guard let response = Self.forward(message, to: collector), socket.send(response.bytes) else { return }
            }
        }
    }

    /// The port of the proxy.
    package var port: UInt16 { listener.port }

    /// The bytes of each connection, in order of arrival.
    package var received: [[UInt8]] { connections.withLock { $0 } }

    /// The variables that make a program use the proxy for every host.
    package var environment: [String: String] {
        let url = "http://127.0.0.1:\(port)"
        return [
            "http_proxy": url, "https_proxy": url, "HTTPS_PROXY": url, "all_proxy": url, "ALL_PROXY": url,
            "no_proxy": "", "NO_PROXY": "",
        ]
    }

    private static func forward(_ message: HTTPMessage, to collector: UInt16) -> HTTPMessage? {
        var words = message.startLine.split(separator: " ").map(String.init)
        guard words.count == 3, let target = RecordedRequest.Target(words[1]) else {
            return HTTPMessage(startLine: "HTTP/1.1 501 Not Implemented")
        }
        words[1] = target.pathAndQuery
        var message = message
        message.startLine = words.joined(separator: " ")
        message.headers.removeAll { ["connection", "proxy-connection", "transfer-encoding", "host"].contains($0.name) }
        message.headers.append(("host", "127.0.0.1:\(collector)"))
        message.headers.append(("connection", "close"))
        guard let upstream = try? Socket(port: collector), upstream.send(message.bytes),
            var response = upstream.receive()
        else { return nil }
        response.headers.removeAll { ["connection", "transfer-encoding"].contains($0.name) }
        return response
    }
}
