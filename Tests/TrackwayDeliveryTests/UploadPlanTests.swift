// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery

@Suite("Upload plan")
struct UploadPlanTests {
    @Test(
        arguments: [
            (0, 99_999, true, .rest),
            (1, 0, false, .gather(until: MonotonicTime(milliseconds: 11_000))),
            (29, 9_999, false, .gather(until: MonotonicTime(milliseconds: 11_000))),
            (29, 10_000, false, .upload),
            (30, 0, false, .upload),
            (1, 0, true, .upload),
        ] as [(UInt64, Int64, Bool, UploadPlan)]
    )
    func `events are sent when there are enough, when they are old enough, or on request`(
        pending: UInt64,
        waited: Int64,
        isUrgent: Bool,
        plan: UploadPlan
    ) {
        let since = MonotonicTime(milliseconds: 1_000)
        let decided = UploadPlan.decide(
            pending: pending,
            since: since,
            now: since.advanced(by: .milliseconds(waited)),
            isUrgent: isUrgent,
            policy: DeliveryPolicy()
        )
        #expect(decided == plan)
    }
}
