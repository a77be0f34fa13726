// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayWire

/// How the back-end of a destination under test answers, so that ``DestinationConformance`` can play its part.
public struct ConformanceBackEnd: Sendable {
    /// The answer when it takes everything in a request.
    public var accept: @Sendable (WireRequest) -> WireResponse
    /// The back-end's own answer with a status that is no success.
    public var refuse: @Sendable (_ status: Int, _ headers: WireHeaders) -> WireResponse

    /// Describes a back-end.
    public init(
        accept: @escaping @Sendable (WireRequest) -> WireResponse,
        refuse: @escaping @Sendable (_ status: Int, _ headers: WireHeaders) -> WireResponse
    ) {
        self.accept = accept
        self.refuse = refuse
    }

    /// Trackway's collector.
    public static let collector = ConformanceBackEnd(
        accept: { request in
            CollectorBody(request)?.answer(refusing: [:]) ?? WireResponse(status: 400)
        },
        refuse: { status, headers in
            guard case .respond(let response) = ScriptedAnswer.status(status, headers: headers) else {
                return WireResponse(status: status)
            }
            return response
        }
    )
}
