// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoint that returns what the collector holds about people.
struct InventoryEndpoint: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/inventory") { try await inventory($0.query) }
    }

    /// `GET /v1/inventory`
    private func inventory(_ query: QueryParameters) async throws -> Response {
        try query.rejectUnknown([])
        let inventory = try await dependencies.store.inventory()
        let keys = dependencies.authorization.grants
        return JSONResponse.make { writer in
            writer.beginObject()
            inventory.writeMembers(to: &writer)
            writer.member("client_addresses", dependencies.configuration.clientAddresses.rawValue)
            writer.list("keys", keys) { key, writer in
                writer.beginObject()
                writer.member("name", key.name)
                writer.list("scopes", KeyScope.allCases.filter(key.scopes.contains)) { $1.string($0.rawValue) }
                writer.endObject()
            }
            writer.endObject()
        }
    }
}
