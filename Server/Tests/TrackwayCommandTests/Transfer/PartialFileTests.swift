// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Foundation
internal import Testing

@testable internal import TrackwayCommand

@Suite("A file that gets its name when it is complete")
struct PartialFileTests {
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("partial-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(atPath: folder)
            } catch {
                // The system cleans the temporary folder.
            }
        }
        try body(folder)
    }

    @Test
    func `the complete file is private and has its name, and nothing else is left`() throws {
        try Self.withFolder { folder in
            let file = try PartialFile(folder + "/out")
            try file.write(Array("one".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out.partial"])
            try file.finish()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out"])
            #expect(FileManager.default.contents(atPath: folder + "/out") == Data("one".utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/out")[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test
    func `a file that another command created meanwhile is not replaced`() throws {
        try Self.withFolder { folder in
            let file = try PartialFile(folder + "/out")
            try file.write(Array("one".utf8))
            try Data("other".utf8).write(to: URL(fileURLWithPath: folder + "/out"))
            let failure = #expect(throws: CommandFailure.self) { try file.finish() }
            #expect(failure?.status == .cannotCreate)
            file.discard()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out"])
            #expect(FileManager.default.contents(atPath: folder + "/out") == Data("other".utf8))
            #expect(throws: CommandFailure.self) { try PartialFile(folder + "/out") }
        }
    }
}
