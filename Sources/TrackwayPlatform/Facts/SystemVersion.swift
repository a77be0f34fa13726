// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A system's version as the system writes it.
package enum SystemVersion {
    /// Apple's form: the last number is left out when it is zero, `16.4` and `16.4.1`.
    package static func text(major: Int, minor: Int, patch: Int) -> String {
        patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)"
    }
}
