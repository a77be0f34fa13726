// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The destinations an addressed event names: the comma-separated text at its payload's start.
///
/// Valid only as long as the bytes it was made of.
struct RouteNames {
    private let bytes: UnsafeRawBufferPointer

    /// - Parameter length: bytes of the route; see ``LogEntry/routeLength``.
    init(_ payload: UnsafeRawBufferPointer, length: Int) {
        bytes = UnsafeRawBufferPointer(rebasing: payload.prefix(length))
    }

    /// The names, as texts.
    var names: [String] {
        bytes.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
    }

    func contains(_ destination: DestinationID) -> Bool {
        let name = destination.rawValue.utf8
        return bytes.split(separator: UInt8(ascii: ",")).contains { $0.elementsEqual(name) }
    }
}
