// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Dispatch
internal import Foundation

/// The addresses behind names, as the system's resolver tells them.
enum SystemResolver {
    /// The addresses of a name; none when it is unknown. Blocks a thread of its own queue, never one of those that tasks run on.
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
            // A link-local address comes with its interface.
            let plain = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            // What cannot be read as an address is none that may be reached.
            let address = code == 0 ? IPAddress(plain.prefix { $0 != "%" }) : nil
            addresses.append(address ?? .v4(0))
        }
        return addresses
    }
}
