// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@testable import Trackway

@Suite("Snapshot queue")
struct SnapshotActionQueueTests {
    private static let time = DeviceTime(
        wall: Timestamp(milliseconds: 1),
        monotonic: MonotonicTime(milliseconds: 1),
        boot: "a"
    )

    private static func allActions(_ queue: SnapshotActionQueue) -> [SnapshotMachine.Action] {
        var queue = queue
        var actions: [SnapshotMachine.Action] = []
        while let action = queue.next() { actions.append(action) }
        #expect(queue.isEmpty)
        return actions
    }

    @Test
    func `actions are taken in sequence, and actions that arrive later follow`() {
        var queue = SnapshotActionQueue()
        queue.append([.query(.appState), .stopMotion])
        #expect(queue.next() == .query(.appState))
        queue.append([.stopHeading])
        #expect(!queue.isEmpty)
        #expect(Self.allActions(queue) == [.stopMotion, .stopHeading])
    }

    @Test
    func `only the last of several save actions runs, and a single one runs too`() {
        var queue = SnapshotActionQueue()
        queue.append([.save, .query(.appState), .save])
        queue.append([.query(.location), .save, .stopMotion])
        #expect(Self.allActions(queue) == [.query(.appState), .query(.location), .save, .stopMotion])
        queue = SnapshotActionQueue()
        queue.append([.save])
        #expect(queue.next() == .save)
        queue.append([.save])
        #expect(Self.allActions(queue) == [.save])
    }

    @Test
    func `discarding writes drops actions to record or save, and keeps actions to query or stop a source`() {
        var queue = SnapshotActionQueue()
        queue.append([
            .stopHeading, .recordProperties(["device_model": "phone"], at: Self.time), .save,
            .recordState(AppStateSnapshot(), at: Self.time, .request), .query(.appState), .stopMotion,
        ])
        #expect(queue.next() == .stopHeading)
        queue.discardWrites()
        #expect(Self.allActions(queue) == [.query(.appState), .stopMotion])
        queue.append([.save])
        #expect(Self.allActions(queue) == [.query(.appState), .stopMotion, .save])
    }
}
