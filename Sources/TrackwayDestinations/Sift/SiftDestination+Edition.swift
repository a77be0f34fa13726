// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension SiftDestination {
    /// Which client's set of keys is sent. A back-end takes either; the difference is how much it is told.
    public enum Edition: String, Sendable, Hashable, CaseIterable {
        /// Everything the format ever had, as client 2.1.0: application state, orientation, heading, motion, where the
        /// device is with all accuracies, and what its kernel and processor say.
        case legacy
        /// The part that client 2.2.5 still sends: of a place latitude and longitude, of the device its names, carrier and
        /// evidence of changes.
        case current

        /// The version that snapshots name as their maker's, in `sdk_version`.
        public var sdkVersion: String {
            switch self {
            case .legacy: "v2.1.0"
            case .current: "v2.2.5"
            }
        }
    }
}
