// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A record of the intake log that cannot be read, although its checksum is right: a newer version wrote it, or it was
/// never one.
package struct RecordError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence.
    package var message: String

    package var description: String { message }
}
