// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A ClickHouse server on the loopback interface for tests.
///
/// It exits when the test process ends, for whatever reason.
package actor ClickHouseServer {
    /// The path of the server binary; nil if it is not installed.
    ///
    /// Taken from the environment, or else from the system's folders.
    package static let path: String? = {
        let configured = ProcessInfo.processInfo.environment["TRACKWAY_CLICKHOUSE_SERVER"]
        let candidates = configured.map { [$0] } ?? ["/usr/bin/clickhouse-server", "/usr/sbin/clickhouse-server"]
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The last port tried, so that servers starting at the same time try different ones.
    private static let lastPort = Mutex(31_000 + Int(ProcessInfo.processInfo.processIdentifier) * 8 % 1_500)

    /// The HTTP port.
    package nonisolated let port: Int
    /// The HTTPS port. In use only if the server has a certificate.
    package nonisolated let securePort: Int
    private nonisolated let folder: URL
    /// The folder with all files of the server.
    package nonisolated var path: String { folder.path }
    private let binary: String
    private var process: (process: Process, stdinPipe: Pipe)?

    /// The server's URL.
    package nonisolated var url: String { "http://127.0.0.1:\(port)" }

    /// Runs a server while `body` runs.
    ///
    /// - Parameters:
    ///   - pair: The certificate for HTTPS; nil for HTTP only.
    ///   - clientAuthority: The certificate file of the authority that must have signed client certificates; nil if
    ///     clients need no certificate.
    ///   - body: Receives the server once it is ready.
    package static func run(
        certificate pair: TestCertificates.Pair? = nil,
        clientAuthority: String? = nil,
        _ body: @Sendable (ClickHouseServer) async throws -> Void
    ) async throws {
        guard let path else { return }
        let server = try await ClickHouseServer(path, pair, clientAuthority)
        do {
            try await server.start()
            try await body(server)
        } catch {
            await server.shutDown()
            throw error
        }
        await server.shutDown()
    }

    private init(_ binary: String, _ pair: TestCertificates.Pair?, _ clientAuthority: String?) async throws {
        self.binary = binary
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-columns-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var ports: [Int] = []
        while ports.count < 4 {
            let candidate = Self.lastPort.withLock { port in
                port += 1
                return port
            }
            guard await Self.isFree(candidate) else { continue }
            ports.append(candidate)
        }
        port = ports[0]
        securePort = ports[3]
        let secure = pair.map { pair in
            """
            <https_port>\(ports[3])</https_port><openSSL><server>
            <certificateFile>\(pair.certificate)</certificateFile><privateKeyFile>\(pair.key)</privateKeyFile>
            <caConfig>\(clientAuthority ?? pair.certificate)</caConfig><loadDefaultCAFile>false</loadDefaultCAFile>
            <verificationMode>\(clientAuthority == nil ? "none" : "strict")</verificationMode>
            <disableProtocols>sslv2,sslv3</disableProtocols></server></openSSL>
            """
        }
        let config = """
            <yandex>
            <logger><level>error</level><log>\(folder.path)/log</log><errorlog>\(folder.path)/errors</errorlog></logger>
            <http_port>\(ports[0])</http_port><tcp_port>\(ports[1])</tcp_port>
            <interserver_http_port>\(ports[2])</interserver_http_port><listen_host>127.0.0.1</listen_host>
            \(secure ?? "")
            <path>\(folder.path)/data/</path><tmp_path>\(folder.path)/tmp/</tmp_path>
            <merge_tree><old_parts_lifetime>1</old_parts_lifetime></merge_tree>
            <mark_cache_size>33554432</mark_cache_size><users_config>users.xml</users_config>
            <default_profile>default</default_profile><default_database>default</default_database>
            </yandex>
            """
        let users = """
            <yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default>
            <reading><readonly>1</readonly></reading></profiles>
            <users>
            <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
            <quota>default</quota></default>
            <writer><password>secret</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
            <quota>default</quota></writer>
            <reader><password>secret</password><networks><ip>127.0.0.1</ip></networks><profile>reading</profile>
            <quota>default</quota></reader>
            </users>
            <quotas><default><interval><duration>3600</duration></interval></default></quotas></yandex>
            """
        try Data(config.utf8).write(to: folder.appendingPathComponent("config.xml"))
        try Data(users.utf8).write(to: folder.appendingPathComponent("users.xml"))
    }

    private static func isFree(_ port: Int) async -> Bool {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: port).get()
            try await channel.close()
            return true
        } catch {
            // Another process uses the port.
            return false
        }
    }

    /// Starts the server and returns once it responds.
    package func start() async throws {
        let process = Process()
        let stdinPipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", #""$0" --config-file="$1" & server=$!; read line; kill -9 $server"#, binary,
            folder.appendingPathComponent("config.xml").path,
        ]
        process.currentDirectoryURL = folder
        process.standardInput = stdinPipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = (process, stdinPipe)
        let tries = 900
        for _ in 0..<tries {
            if await isResponding() { return }
            try await ContinuousClock().sleep(for: .milliseconds(100))
        }
        throw ClickHouseServerError(
            description: "clickhouse-server does not answer at \(url): see \(folder.path)/errors"
        )
    }

    /// Returns whether the server responds within five seconds. Another process may be using the port without
    /// responding.
    private func isResponding() async -> Bool {
        await withTaskGroup(of: Bool.self) { [port] group in
            group.addTask { (try? await Wire.request("GET", "/ping", port: port))?.status == 200 }
            group.addTask {
                // Canceled early when the other task has a response.
                try? await ContinuousClock().sleep(for: .seconds(5))
                return false
            }
            let isResponding = await group.next() ?? false
            group.cancelAll()
            return isResponding
        }
    }

    /// Kills the server with `kill -9` and returns once it has ended.
    package func kill() {
        guard let (process, stdinPipe) = process else { return }
        self.process = nil
        // Write a line; closing the pipe is not enough, because shells started later also hold it open. If the write
        // fails, the shell has already ended.
        try? stdinPipe.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
        try? stdinPipe.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func shutDown() {
        kill()
        // A remaining folder only costs some space in the system's temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a query and returns the response.
    package nonisolated func query(_ query: String, database: String = "trackway") async throws -> String {
        let answer = try await Wire.request("POST", "/?database=\(database)", body: Array(query.utf8), port: port)
        guard answer.status == 200 else { throw ClickHouseServerError(description: answer.body) }
        return answer.body
    }
}

/// The server rejected a query, or did not respond.
package struct ClickHouseServerError: Error, CustomStringConvertible {
    package let description: String
}
