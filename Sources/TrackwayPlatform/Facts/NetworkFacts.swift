// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How the device reaches the network. Addresses are not among the facts.
package struct NetworkFacts: Sendable, Hashable {
    /// A kind of network; the raw value is the attribute's text.
    package enum Kind: String, Sendable, Hashable {
        /// A cable.
        case ethernet
        /// A wireless local network.
        case wifi
        /// A mobile network.
        case cellular
        /// A tunnel or another network made by software.
        case virtual
    }

    /// The kind of network that leads to the outside; absent when there is no way out or its kind is unknown.
    package var kind: Kind?
    /// Names of the interfaces that are up and either real devices or the way out, in alphabetical order.
    package var interfaces: [String]

    /// Makes facts.
    package init(kind: Kind?, interfaces: [String]) {
        self.kind = kind
        self.interfaces = interfaces
    }
}
