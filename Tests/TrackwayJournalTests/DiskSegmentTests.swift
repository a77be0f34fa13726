// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable import TrackwayJournal

@Suite("A segment's file and mapping")
struct DiskSegmentTests {
    @Test
    func `a segment finished by several threads during a flush is released once`() throws {
        let folder = NSTemporaryDirectory() + "trackway-segment-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Files left in the temporary folder do no harm.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for number in 0..<50 {
            let path = folder + "/\(number)"
            let segment = try DiskSegment(path: path, bytes: 65_536)
            let failures = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 8) { turn in
                do {
                    if turn % 4 == 3 { try segment.synchronize() } else { try segment.finish(length: 100) }
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
            #expect(failures.withLock { $0 } == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.size] as? Int == 100)
        }
    }
}
