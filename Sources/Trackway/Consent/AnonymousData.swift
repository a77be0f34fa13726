// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Whose the events are that were recorded while nobody was signed in.
public enum AnonymousData: String, Sendable, Hashable, CaseIterable {
    /// Those of the person who then signs in: their decision about consent counts for them, too.
    case joinsUser
    /// Those of somebody who stayed unknown: what counts for the device counts for them.
    case staysApart
}
