// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import NIOCore

/// Where a request comes from.
struct RequestOrigin: Sendable {
    /// The client's address, also behind proxies that the operator trusts; nil for this machine itself.
    let address: IPAddress?
    /// The connection.
    let channel: any Channel

    /// Ends a request whose body does not arrive, with an answer that says so. Callable from any thread.
    var failBody: @Sendable () -> Void {
        { [channel] in channel.pipeline.fireErrorCaught(SlowRequestError()) }
    }
}
