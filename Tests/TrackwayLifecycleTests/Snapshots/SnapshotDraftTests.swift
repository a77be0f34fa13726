// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayLifecycle

@Suite("A snapshot in progress")
struct SnapshotDraftTests {
    private func place(_ latitude: Double) -> Location {
        Location(time: Timestamp(milliseconds: 1), latitude: latitude, longitude: 0, horizontalAccuracy: 1)
    }

    private func draft() -> SnapshotDraft {
        let now = DeviceTime(wall: Timestamp(milliseconds: 1), monotonic: MonotonicTime(milliseconds: 1), boot: "b")
        return SnapshotDraft(
            number: 1,
            trigger: nil,
            time: now,
            awaited: [.appState, .location],
            title: nil,
            applicationState: .active
        )
    }

    @Test(arguments: [true, false])
    func `the location comes from the app state source, or else from the location source`(_ isPlaceFirst: Bool) {
        for known in [place(2), nil] {
            var state = AppStateSnapshot()
            state.location = known
            var draft = draft()
            if isPlaceFirst { draft.complete(place(1)) }
            draft.take(state)
            if !isPlaceFirst { draft.complete(place(1)) }
            #expect(draft.completed.location?.latitude == (known == nil ? 1 : 2))
        }
    }
}
