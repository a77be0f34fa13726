// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayWire

extension TransportError.Code {
    /// The SDK is disabled or paused, or consent is not given; nothing was sent.
    package static let notPermitted = TransportError.Code(rawValue: "not_permitted")
}
