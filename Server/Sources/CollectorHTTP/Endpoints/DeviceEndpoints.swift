// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoints for devices.
///
/// They return the properties of devices, the changes to these properties, and device states over time.
struct DeviceEndpoints: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/devices") { try await list($0.request) }
        routes.read("/v1/devices/{installation}", .lookup) { try await history($0.request, of: $0["installation"]) }
    }

    /// `GET /v1/devices`
    func list(_ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        let limit = try query.number("limit", in: 1...200) ?? 50
        let wanted = DeviceQuery(after: try query.value("after", "a cursor, such as a response's `next`"), limit: limit)
        let devices = try await dependencies.store.devices(matching: wanted)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("devices", devices) { $0.write(to: &$1) }
            writer.writeNextCursor(after: devices, limit: limit) { $0.place.description }
            writer.endObject()
        }
    }

    /// `GET /v1/devices/{installation}`
    func history(_ request: Request, of text: String) async throws -> Response {
        guard let installation = InstallationID(text) else {
            throw RequestFailure.malformed("installation", "“\(text.prefix(64))” is not an installation id.")
        }
        let limit = try QueryParameters(request.uri).number("limit", in: 1...1_000) ?? 200
        guard let history = try await dependencies.store.device(installation, limit: limit) else {
            throw RequestFailure.notFound("No events from installation \(installation) have arrived.")
        }
        return JSONResponse.make { history.write(to: &$0) }
    }
}
