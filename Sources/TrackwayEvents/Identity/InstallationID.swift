// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The identity of one installed copy of an app; it survives restarts.
public struct InstallationID: UniqueID {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// An identity of these sixteen bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// What one installation alone knows: 128 bits from the kernel's generator, from which its identity is derived.
///
/// The identity is shown to every back-end and so is no secret. Whoever shows the secret behind it proves to be the
/// installation, to anybody, without having arranged anything before. It leaves the device once, when the installation is
/// erased.
public struct InstallationSecret: UniqueID {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// A secret of these sixteen bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new secret. Two system calls.
    public static func generate() -> InstallationSecret {
        InstallationSecret(high: Entropy.bits(), low: Entropy.bits())
    }

    /// The identity of an installation that begins at `time` with this secret: version 7 of RFC 9562, whose 74 bits behind
    /// the time are the first of a SHA-256 hash of the time and the secret.
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

    /// Whether an installation's identity was derived from this secret. Never of identities that were made otherwise: by
    /// the first versions of the SDK, and by other clients.
    public func proves(_ installation: InstallationID) -> Bool {
        self.installation(at: Timestamp(milliseconds: Int64(installation.high >> 16))) == installation
    }
}

/// The identity of one process's journal of an installation.
///
/// `(installation, writer, sequence)` names an event's place for ever.
public struct WriterID: UniqueID {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// An identity of these sixteen bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
