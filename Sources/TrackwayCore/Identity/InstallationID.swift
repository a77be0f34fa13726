// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The id of one installed copy of an app.
///
/// The id persists across restarts.
public struct InstallationID: UniqueID {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// Creates an id from its 16 bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The secret of an installation, from which its id is derived.
///
/// It consists of 128 bits from the kernel's random generator. Every back end receives the id, so the id is not secret.
/// Presenting the secret proves to any party, without prior arrangement, that the sender is the installation. The
/// secret leaves the device once, when the installation is erased.
public struct InstallationSecret: UniqueID {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// Creates a secret from its 16 bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Generates a new secret.
    ///
    /// A call costs two system calls.
    public static func generate() -> InstallationSecret {
        InstallationSecret(high: Entropy.randomBits(), low: Entropy.randomBits())
    }

    /// Returns the id of an installation that begins at `time`.
    ///
    /// The id is a version 7 UUID (RFC 9562). The 74 bits after the time are the first bits of a SHA-256 hash of the
    /// time and the secret.
    public func installation(at time: Timestamp) -> InstallationID {
        let moment = UInt64(truncatingIfNeeded: time.milliseconds) & 0xFFFF_FFFF_FFFF
        var message = Array("trackway.installation:".utf8)
        for word in [moment, high, low] { withUnsafeBytes(of: word.bigEndian) { message += $0 } }
        let hash = SHA256.hash(message)
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return InstallationID(
            high: moment << 16 | 0x7000 | word(hash[0..<8]) & 0x0FFF,
            low: 0x8000_0000_0000_0000 | word(hash[8..<16]) >> 2
        )
    }

    /// Whether an installation's id was derived from this secret.
    ///
    /// The result is always false for ids that were created differently: by the first versions of the SDK, or by other
    /// clients.
    public func proves(_ installation: InstallationID) -> Bool {
        self.installation(at: Timestamp(milliseconds: Int64(installation.high >> 16))) == installation
    }
}

/// The id of one process's journal within an installation.
///
/// `(installation, writer, sequence)` identifies an event's position permanently.
public struct WriterID: UniqueID {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// Creates an id from its 16 bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
