// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("Secret files")
struct SecretFileTests {
    private static func withFile(mode: Int, _ body: (String) throws -> Void) async throws {
        try await RunningCollector.withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/nats.json"
            try Data(#"{"user":"joe","password":"hunter2"}"#.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            try body(path)
        }
    }

    @Test(
        arguments: [
            (0o600, nil), (0o400, nil), (0o640, nil), (0o644, "644"), (0o604, "604"), (0o666, "666"), (0o602, "602"),
        ]
            as [(Int, String?)]
    )
    func `a file that all users can read or change causes a warning with a chmod command; its group may read it`(
        mode: Int,
        expected: String?
    ) async throws {
        try await Self.withFile(mode: mode) { path throws in
            let warnings = Locked<[String]>([])
            let file = SecretFile(path: path, option: "--nats-credentials") { text in
                warnings.withLock { $0.append(text) }
            }
            let bytes = try file.read()
            #expect(bytes.count == 35)
            let sentences = warnings.withLock { $0 }
            #expect(sentences.count == (expected == nil ? 0 : 1))
            guard let expected, let sentence = sentences.first else { return }
            #expect(
                sentence.contains("--nats-credentials has mode \(expected)") && sentence.contains("chmod 600 \(path)")
            )
            #expect(!sentence.contains("hunter2"))
        }
    }

    @Test
    func `the mode of a symbolic link's target counts, because Kubernetes mounts secrets as links`() async throws {
        for (mode, isInsecure) in [(0o600, false), (0o644, true)] {
            try await Self.withFile(mode: mode) { path throws in
                try FileManager.default.createSymbolicLink(atPath: path + ".link", withDestinationPath: path)
                let file = SecretFile(path: path + ".link", option: "--clickhouse-credentials")
                #expect((file.warning != nil) == isInsecure)
            }
        }
    }

    @Test
    func `a missing file is reported with its option`() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try SecretFile(path: "/nowhere/nats.json", option: "--nats-credentials").read()
        }
        #expect(failure?.status == .inputMissing && failure?.remedy.contains("--nats-credentials") == true)
    }
}
