// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// An address of one of the device's network interfaces.
package struct InterfaceAddress: Sendable, Hashable {
    /// IPv4 or IPv6 in its usual notation, without a scope id.
    package var text: String
    /// Whether the interface is up.
    package var isUp: Bool
    /// Whether the interface leads back to the device itself.
    package var isLoopback: Bool

    /// Makes an address.
    package init(_ text: String, isUp: Bool = true, isLoopback: Bool = false) {
        self.text = text
        self.isUp = isUp
        self.isLoopback = isLoopback
    }

    /// The addresses of the running system in the system's order; nil when it does not tell.
    package static func all() -> [InterfaceAddress]? {
        var addresses: [InterfaceAddress] = []
        let result = withUnsafeMutablePointer(to: &addresses) { pointer in
            ctrackway_list_addresses(pointer) { context, text, isUp, isLoopback in
                guard let context, let text else { return }
                let address = InterfaceAddress(String(cString: text), isUp: isUp, isLoopback: isLoopback)
                context.assumingMemoryBound(to: [InterfaceAddress].self).pointee.append(address)
            }
        }
        return result == 0 ? addresses : nil
    }

    /// The addresses under which others may reach the device: of interfaces that are up and lead outside.
    package static func reachable(_ all: [InterfaceAddress]) -> [String] {
        all.filter { $0.isUp && !$0.isLoopback }.map(\.text)
    }
}
