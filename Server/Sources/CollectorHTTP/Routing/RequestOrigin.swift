// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import NIOCore

/// The client address and the connection of a request.
struct RequestOrigin: Sendable {
    /// The client's address, including behind trusted proxies; nil for this machine itself.
    let address: IPAddress?
    /// The client's address, also for this machine itself; nil if the connection has none.
    let sender: IPAddress?
    /// The channel of the connection.
    let channel: any Channel

    /// Responds with an error to a request whose body does not arrive in time.
    ///
    /// Callable from any thread.
    var failBody: @Sendable () -> Void {
        { [channel] in channel.pipeline.fireErrorCaught(SlowRequestError()) }
    }
}
