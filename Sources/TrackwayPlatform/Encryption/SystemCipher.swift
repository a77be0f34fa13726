// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayJournal

/// The system's AES-256-GCM: CryptoKit on Apple systems, libcrypto on Linux.
package enum SystemCipher {
    /// Creates ciphers for files at rest.
    package static let make: CipherMaker = { key in
        #if canImport(CryptoKit)
        return CryptoKitCipher(key: key)
        #else
        return LibcryptoCipher(key: key)
        #endif
    }
}
