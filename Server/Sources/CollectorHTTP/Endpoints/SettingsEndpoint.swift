// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoint with the settings that a page needs for its time ranges.
struct SettingsEndpoint: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/settings", .analytics) { try await settings($0.query) }
    }

    /// `GET /v1/settings`: the project's calendar, and the time of the first event if the index can be read.
    private func settings(_ query: QueryParameters) async throws -> Response {
        try query.rejectUnknown([])
        let calendar = dependencies.configuration.calendar
        var first: Timestamp??
        do throws(StoreError) {
            first = .some(try await dependencies.analyticsStore.firstEvent())
        } catch {
            // The calendar does not depend on the index, so it is available while the index is not.
            first = nil
        }
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.key("time_zone")
            if let zone = calendar.timeZone { writer.string(zone) } else { writer.null() }
            writer.member("week_start", calendar.weekStart.rawValue)
            if let first {
                writer.key("first_event")
                if let first { writer.integer(first.milliseconds) } else { writer.null() }
            }
            writer.endObject()
        }
    }
}
