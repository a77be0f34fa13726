// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// What every endpoint works with.
struct CollectorDependencies: Sendable {
    let configuration: CollectorConfiguration
    let intake: Intake
    let store: any EventStore
    let authorization: Authorization
    let clock: any EventClock
    let bodies: BodyBudget
    let sensorsConfiguration: SensorsConfigurationFile?
    let connections: ConnectionLimit
    let statistics = Locked(RequestStatistics())
    let quarantine: Locked<QuarantineQuota>
}
