// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Dispatch
internal import Foundation

/// Resolves host names with the system's resolver.
enum SystemResolver {
    /// Returns the addresses of a host name; empty if the name is unknown.
    ///
    /// Blocks a dispatch queue's thread, never a thread that runs tasks.
    @Sendable static func addresses(of name: String) async -> [IPAddress] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(returning: lookUp(name)) }
        }
    }

    private static func lookUp(_ name: String) -> [IPAddress] {
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, nil, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        var next = first
        while let info = next?.pointee {
            next = info.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let code = getnameinfo(
                info.ai_addr,
                info.ai_addrlen,
                &text,
                socklen_t(text.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            // Remove the interface from a link-local address.
            let plain = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            // Anything that is not an address becomes 0.0.0.0, which is never allowed.
            let address = code == 0 ? IPAddress(plain.prefix { $0 != "%" }) : nil
            addresses.append(address ?? .v4(0))
        }
        return addresses
    }
}
