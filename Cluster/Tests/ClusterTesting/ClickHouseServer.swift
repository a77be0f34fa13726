// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A server of ClickHouse on the loopback, which a test starts, kills and ends. It ends with the test's process, however that ends.
package actor ClickHouseServer {
    /// Where its program is: what the environment names, or what the system has; nil when it is not installed.
    package static let path: String? = {
        let given = ProcessInfo.processInfo.environment["TRACKWAY_CLICKHOUSE_SERVER"]
        let places = given.map { [$0] } ?? ["/usr/bin/clickhouse-server", "/usr/sbin/clickhouse-server"]
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The port that was tried last. Servers that start at the same time try different ones.
    private static let lastPort = Mutex(31_000 + Int(ProcessInfo.processInfo.processIdentifier) * 8 % 1_500)

    /// The port of HTTP.
    package nonisolated let port: Int
    /// The port of HTTPS; it listens there when it was given a certificate.
    package nonisolated let securePort: Int
    private nonisolated let folder: URL
    private let binary: String
    private var process: (process: Process, lifeline: Pipe)?

    /// Where it answers.
    package nonisolated var url: String { "http://127.0.0.1:\(port)" }

    /// Runs a server while `body` does.
    ///
    /// - Parameters:
    ///   - pair: Its certificate for HTTPS; nil for none.
    ///   - clients: The file of the authority that signs the certificates its clients have to have; nil when they need none.
    ///   - body: Is given the server, which answers.
    package static func run(
        certificate pair: TestCertificates.Pair? = nil,
        clients: String? = nil,
        _ body: @Sendable (ClickHouseServer) async throws -> Void
    ) async throws {
        guard let path else { return }
        let server = try await ClickHouseServer(path, pair, clients)
        do {
            try await server.start()
            try await body(server)
        } catch {
            await server.end()
            throw error
        }
        await server.end()
    }

    private init(_ binary: String, _ pair: TestCertificates.Pair?, _ clients: String?) async throws {
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
            <caConfig>\(clients ?? pair.certificate)</caConfig><loadDefaultCAFile>false</loadDefaultCAFile>
            <verificationMode>\(clients == nil ? "none" : "strict")</verificationMode>
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
            // Somebody has it.
            return false
        }
    }

    /// Starts it, and returns when it answers.
    package func start() async throws {
        let process = Process()
        let lifeline = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", #""$0" --config-file="$1" & server=$!; read line; kill -9 $server"#, binary,
            folder.appendingPathComponent("config.xml").path,
        ]
        process.currentDirectoryURL = folder
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = (process, lifeline)
        let tries = 900
        for _ in 0..<tries {
            if await answers() { return }
            try await ContinuousClock().sleep(for: .milliseconds(100))
        }
        throw ClickHouseServerError(
            description: "clickhouse-server does not answer at \(url): see \(folder.path)/errors"
        )
    }

    /// Whether it answers within some seconds. Somebody else may have the port, and say nothing.
    private func answers() async -> Bool {
        await withTaskGroup(of: Bool.self) { [port] group in
            group.addTask { (try? await Wire.request("GET", "/ping", port: port))?.status == 200 }
            group.addTask {
                // Ends early when the other has its answer.
                try? await ContinuousClock().sleep(for: .seconds(5))
                return false
            }
            let isThere = await group.next() ?? false
            group.cancelAll()
            return isThere
        }
    }

    /// Kills it with -9, and returns when it is gone.
    package func kill() {
        guard let (process, lifeline) = process else { return }
        self.process = nil
        // A line, for shells started later hold this pipe open, too. When it cannot be written the shell is gone.
        try? lifeline.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func end() {
        kill()
        // A folder that stays costs some space, and is in the system's folder for what may go.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Asks it, and returns its answer.
    package nonisolated func ask(_ query: String, database: String = "trackway") async throws -> String {
        let answer = try await Wire.request("POST", "/?database=\(database)", body: Array(query.utf8), port: port)
        guard answer.status == 200 else { throw ClickHouseServerError(description: answer.body) }
        return answer.body
    }
}

/// The server refused a query, or does not answer at all.
package struct ClickHouseServerError: Error, CustomStringConvertible {
    package let description: String
}
