// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore

/// The endpoints that return everything about one person as an archive.
struct PersonExportEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    /// The slots for exports; there are fewer slots than index readers.
    private let slots = ConcurrencySlots(limit: 2)

    init(dependencies: CollectorDependencies) { self.dependencies = dependencies }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/users/{id}/export", .lookup) { try await export(.user($0.decoded("id")), $0) }
        routes.read("/v1/visitors/{installation}/export", .lookup) { call in
            let text = call.decoded("installation")
            guard let installation = InstallationID(text) else {
                throw RequestFailure.malformed(
                    "installation",
                    "“\(text.prefix(64))” is not an installation id."
                )
            }
            return try await export(.visitor(installation), call)
        }
    }

    /// `GET /v1/users/{id}/export`, `GET /v1/visitors/{installation}/export`
    ///
    /// The response is streamed. If an error occurs, the connection is closed before the end of the response, and the
    /// archive lacks its directory.
    private func export(_ person: PersonKey, _ call: EndpointRequest) async throws -> Response {
        try call.query.rejectUnknown([])
        let slot = try takeSlot()
        let found = try await PersonExport.prepare(
            of: person,
            store: dependencies.store,
            record: { [intake = dependencies.intake] in try await intake.record(at: $0) },
            limits: dependencies.configuration.limits,
            erasures: dependencies.erasureRegister?.pending ?? [],
            clock: dependencies.clock
        )
        guard let export = found else { throw PeopleEndpoints.unknown(person) }
        var headers: HTTPFields = [
            .contentType: "application/zip",
            .contentDisposition: "attachment; filename=\"\(export.fileName)\"",
        ]
        JSONResponse.addSecurityHeaders(to: &headers)
        let authorization = call.authorization
        let body = ResponseBody { writer in
            try await Self.write(export, authorization, to: &writer)
            try await writer.finish(nil)
            withExtendedLifetime(slot) {}
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    // The function is concurrent because the framework's writer is: a writer must not move between executors.
    @concurrent
    private static func write(
        _ export: PersonExport,
        _ authorization: ReadAuthorization,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        try await export.write { bytes in
            // The reader's key may have been revoked meanwhile.
            try authorization.check()
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
        }
    }

    private func takeSlot() throws(RequestFailure) -> ConcurrencySlot {
        do {
            return try slots.take()
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .exportsRunning,
                message: "Two exports are already running; try again in a moment.",
                retryAfter: .seconds(10)
            )
        }
    }
}
