// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import NIOCore

/// The origin of a request.
struct RequestOrigin: Sendable {
    /// The client's address, also behind trusted proxies; nil for this machine itself.
    let address: IPAddress?
    /// The connection.
    let channel: any Channel

    /// Ends a request whose body does not arrive, with an error response.
    ///
    /// Callable from any thread.
    var failBody: @Sendable () -> Void {
        { [channel] in channel.pipeline.fireErrorCaught(SlowRequestError()) }
    }
}
