// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorHTTP
internal import Foundation
internal import TrackwayCore

/// Finds faults of a collector, and of what is between the collector and this machine.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find faults of a collector, and how to fix them.",
        discussion: """
            Checks a collector as its clients reach it: address, certificate, clock, key,
            the proxy in front, disk, index, connections, and alerts. On the collector's
            machine, also checks its folder: permissions, disk, index, and keys.
            Nothing is changed. Each fault has a code and a remedy.

            The exit status is 0 without a finding, 1 with a fault, and 2 with warnings
            only.

            EXAMPLES
              # Check the collector on this machine, and its folder.
              trackway doctor
              # Check a collector behind a proxy, with the key of an app.
              trackway doctor --url https://collector.example.com --key tw_… --scope write
              # Print one line of JSON per check.
              trackway doctor --json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @OptionGroup var data: DataOptions

    @Option(help: "Scope that the key needs: read, or write for the key of an app.")
    var scope: KeyPurpose = .read

    @Flag(help: "Print one line of JSON per check.")
    var json = false

    /// Runs the checks, prints the findings, and exits with a status according to them.
    func run() async throws {
        let address = try collector.address()
        var diagnosis = CollectorDiagnosis(client: CollectorClient(address))
        diagnosis.scope = scope.rawValue
        var findings = await diagnosis.run()
        if let folder = localFolder(address) {
            // The collector may have reported the same about its disk and index.
            for finding in FolderDiagnosis(folder: folder).run()
            where !findings.contains(where: { $0.check == finding.check && $0.name == finding.name }) {
                findings.append(finding)
            }
        }
        if json {
            Console.standard.write(json: findings.map(\.json))
        } else {
            Console.standard.write(DoctorText.lines(findings, style: Console.standard.style))
        }
        let status = findings.exitStatus
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// The folder to check; nil if the collector is on another machine.
    private func localFolder(_ address: CollectorAddress) -> CollectorFolder? {
        let folder = data.folder
        if data.data != nil { return folder }
        guard let host = URL(string: address.root)?.host, CollectorConfiguration.isLoopback(host) else { return nil }
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }
}

/// What a key is for.
enum KeyPurpose: String, ExpressibleByArgument, CaseIterable, Sendable {
    case read
    case write
}
