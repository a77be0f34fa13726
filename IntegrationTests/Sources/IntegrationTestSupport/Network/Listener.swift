// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc

/// A loopback port that passes every connection to a function.
///
/// Each call runs on its own thread.
package final class Listener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init(_ serve: @escaping @Sendable (Socket) -> Void) throws {
        let (descriptor, port) = try Self.bindPort()
        self.descriptor = descriptor
        self.port = port
        guard listen(descriptor, 64) == 0 else { throw TestSupportError("listen", errno: errno) }
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard connection >= 0 else {
                    // The descriptor is closed only here. Otherwise another listener could get the same number while
                    // this thread still uses it.
                    close(descriptor)
                    return
                }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { serve(Socket(connection)) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Returns a port that is currently unused.
    package static func freePort() throws -> UInt16 {
        let (descriptor, port) = try bindPort()
        close(descriptor)
        return port
    }

    private static func bindPort() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError("socket", errno: errno) }
        var address = sockaddr_in(loopback: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        guard code == 0 else { throw TestSupportError("bind", errno: errno) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
