// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// An address of one of the device's network interfaces.
package struct InterfaceAddress: Sendable, Equatable {
    /// The IPv4 or IPv6 address in its usual notation.
    ///
    /// The notation does not include a scope id.
    package var text: String
    /// Whether the interface is up.
    package var isUp: Bool
    /// Whether this is a loopback interface.
    package var isLoopback: Bool

    /// Creates an address.
    package init(_ text: String, isUp: Bool = true, isLoopback: Bool = false) {
        self.text = text
        self.isUp = isUp
        self.isLoopback = isLoopback
    }

    /// Returns the running system's addresses, in the system's order.
    ///
    /// Returns nil if the addresses cannot be listed.
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

    /// Returns the addresses at which other hosts may reach the device.
    ///
    /// These are the addresses of active interfaces other than loopback.
    package static func reachable(_ all: [InterfaceAddress]) -> [String] {
        all.filter { $0.isUp && !$0.isLoopback }.map(\.text)
    }
}
