// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Ledger {
    /// A part of an installation's journal that could not be counted, perhaps because another user owns it, or because the
    /// process has no file left to open.
    public struct Uncounted: Error, Sendable, Hashable {
        /// The file or folder that cannot be read now.
        public var path: String
        /// Why, in a sentence for people, with the remedy.
        public var reason: String

        /// Something that could not be counted.
        public init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }
}
