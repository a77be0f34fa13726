// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Who needs a key for reading. There is no way to ask nobody: whatever may come from another machine needs one.
package enum ReadKeys: String, Sendable, Hashable, CaseIterable {
    /// Whoever may be beyond this machine. Without a key reads only what reached a loopback address directly, under a
    /// name of this machine, with no trace of a proxy.
    case auto
    /// Everybody. For a collector behind a proxy on the same machine.
    case always
}
