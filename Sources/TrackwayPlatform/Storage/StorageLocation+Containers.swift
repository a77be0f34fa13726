// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension StorageLocation {
    /// Whether the folder lies in a container that an app shares with its extensions (an app group), on a system that suspends
    /// apps.
    ///
    /// Such a system ends an app that holds a file's lock there while it is suspended (`0xdead10cc`), and a journal's locks are
    /// held as long as the process lives. On a Mac, where shared containers are called otherwise, nothing is suspended.
    package var isInSharedContainer: Bool {
        let names = path.split(separator: "/")
        return zip(names, names.dropFirst()).contains { $0 == "Shared" && $1 == "AppGroup" }
    }
}
