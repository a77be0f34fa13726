// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Stage

/// A proxy as operators use it, before a collector on the same machine.
struct Nginx {
    /// Whether there is one.
    static var isHere: Bool { path != nil }

    private static let path = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let program: Program
    private let folder: TemporaryFolder
    private let port: UInt16

    /// Starts one and waits until it answers.
    ///
    /// - Parameters:
    ///   - collector: the port requests are handed on to.
    ///   - settings: what the proxy is told beside that.
    init(before collector: UInt16, _ settings: String) throws {
        let folder = try TemporaryFolder()
        let port = try Listener.freePort()
        (self.folder, self.port) = (folder, port)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path($0));"
        }
        let configuration = """
            daemon off; master_process off; pid \(folder.path("pid")); error_log stderr;
            events { worker_connections 64; }
            http {
              access_log off; \(temporary.joined(separator: " "))
              server { listen 127.0.0.1:\(port); location / { proxy_pass http://127.0.0.1:\(collector); \(settings) } }
            }
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.path("conf")))
        guard let path = Self.path else { throw StageError("there is no nginx") }
        program = try Program(path, ["-p", folder.path, "-c", folder.path("conf")])
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        while (try? Socket(port: port)) == nil {  // not listening yet
            guard Date() < deadline else { throw Overdue("nginx did not listen:\n\(program.tail)") }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Asks through it, under a name, with a key or without.
    func ask(_ path: String, host: String, key: String?) throws -> HTTPMessage {
        let socket = try Socket(port: port)
        var message = HTTPMessage(
            startLine: "GET \(path) HTTP/1.1",
            headers: [("host", host), ("connection", "close")]
        )
        if let key { message.headers.append(("authorization", "Bearer \(key)")) }
        socket.send(message.bytes)
        guard let answer = socket.receive() else { throw StageError("nginx gave no answer:\n\(program.tail)") }
        return answer
    }
}
