// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport

/// An nginx in front of a collector on the same machine, as operators use it.
struct Nginx {
    /// Whether nginx is installed.
    static var isInstalled: Bool { path != nil }

    private static let path = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let program: Program
    private let folder: TemporaryFolder
    private let port: UInt16
    private let scheme: String

    /// The directives that the collector's documentation recommends for a location, without `proxy_pass`.
    static func documentedSettings() throws -> String {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
        let page = try String(contentsOfFile: "\(root)/Documentation/Collector.md", encoding: .utf8)
        guard let match = page.firstMatch(of: /```nginx\nlocation \/ \{\n *proxy_pass [^\n]*\n([^}]*)\}\n```/) else {
            throw TestSupportError("Documentation/Collector.md has no location for nginx")
        }
        return String(match.1)
    }

    /// The base URL of the proxy.
    var url: String { "\(scheme)://127.0.0.1:\(port)" }

    /// Starts nginx and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - collector: The port that requests are forwarded to.
    ///   - settings: Further directives for the location.
    ///   - certificate: The certificate and its key, for encrypted connections; nil for plain ones.
    init(before collector: UInt16, _ settings: String, certificate: (file: String, key: String)? = nil) throws {
        let folder = try TemporaryFolder()
        let port = try Listener.freePort()
        (self.folder, self.port) = (folder, port)
        scheme = certificate == nil ? "http" : "https"
        let tls = certificate.map { " ssl; ssl_certificate \($0.file); ssl_certificate_key \($0.key)" } ?? ""
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path($0));"
        }
        let configuration = """
            daemon off; master_process off; pid \(folder.path("pid")); error_log stderr;
            events { worker_connections 64; }
            http {
              access_log off; \(temporary.joined(separator: " "))
              server { listen 127.0.0.1:\(port)\(tls); location / { proxy_pass http://127.0.0.1:\(collector); \(settings) } }
            }
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.path("conf")))
        guard let path = Self.path else { throw TestSupportError("nginx is not installed") }
        program = try Program(path, ["-p", folder.path, "-c", folder.path("conf")])
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while (try? Socket(port: port)) == nil {  // not listening yet
            guard Date() < deadline else { throw TimeoutError("nginx does not listen:\n\(program.tail)") }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Sends a request through the proxy with a host name and, unless nil, a key.
    func get(_ path: String, host: String, key: String?) throws -> HTTPMessage {
        let socket = try Socket(port: port)
        var message = HTTPMessage(
            startLine: "GET \(path) HTTP/1.1",
            headers: [("host", host), ("connection", "close")]
        )
        if let key { message.headers.append(("authorization", "Bearer \(key)")) }
        socket.send(message.bytes)
        guard let response = socket.receive() else {
            throw TestSupportError("no response from nginx:\n\(program.tail)")
        }
        return response
    }
}
