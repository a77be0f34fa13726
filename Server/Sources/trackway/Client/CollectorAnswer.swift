// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

/// What an answer means, whoever fetched it.
enum CollectorAnswer {
    /// The JSON of a good answer.
    ///
    /// - Throws: ``CommandFailure`` for every status but 2xx, and for a body that is not a collector's.
    static func value(status: Int, body: [UInt8], address: CollectorAddress) throws(CommandFailure) -> JSONValue {
        let json: JSONValue?
        do {
            json = try JSONValue.parse(body, limits: JSONLimits(bytes: 256 * 1024 * 1024))
        } catch {
            json = nil
        }
        if (200..<300).contains(status), let json { return json }
        throw failure(status: status, json: json, address: address)
    }

    /// Why nobody answered.
    static func unreachable(_ address: CollectorAddress, _ error: any Error) -> CommandFailure {
        CommandFailure(
            .unavailable,
            "no answer from \(address.root): \(reason(error))",
            remedy: "is the collector running? Start one with `trackway serve`, or say where it is with --url"
        )
    }

    /// Why the answer is not a good one.
    static func failure(status: Int, json: JSONValue?, address: CollectorAddress) -> CommandFailure {
        guard let error = json?["error"], let message = error["message"]?.string else {
            return CommandFailure(
                .unavailable,
                "\(address.root) answered \(status), but not as a Trackway collector does",
                remedy: "check the address: another server or a proxy seems to live there"
            )
        }
        let code = error["code"]?.string ?? "\(status)"
        let said = "the collector says: \(message) (\(status) \(code))"
        switch status {
        case 401, 403:
            return CommandFailure(
                .refused,
                said,
                remedy: "give a valid key with --key or in TRACKWAY_KEY; `trackway keys create` makes one"
            )
        case 404: return CommandFailure(.negative, said)
        case 408, 429, 500...: return CommandFailure(.temporary, said, remedy: "try again in a moment")
        default: return CommandFailure(.usage, said)
        }
    }

    private static func reason(_ error: any Error) -> String {
        let error = error as NSError
        guard error.domain == NSURLErrorDomain else { return error.localizedDescription }
        // The words of the system differ from release to release and say less.
        return switch error.code {
        case NSURLErrorCannotConnectToHost: "connection refused"
        case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: "unknown host"
        case NSURLErrorTimedOut: "timed out"
        case NSURLErrorNetworkConnectionLost: "the connection was lost"
        case NSURLErrorSecureConnectionFailed: "no secure connection"
        default: error.localizedDescription
        }
    }
}
