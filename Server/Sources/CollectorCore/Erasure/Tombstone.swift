// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An event that states that its installation was erased.
///
/// The event counts only in our own format and only with the secret from which the identity was derived, which only the
/// erased installation has ever known. The sender does not matter, because a write key is public and a sender may claim
/// any identity.
public enum Tombstone: Sendable, Hashable {
    /// The event proves that its installation was erased.
    case proved(InstallationID)
    /// The event has no valid proof.
    ///
    /// The associated value is nil if the event names no installation.
    case unproved(InstallationID?)

    /// Reads an event; nil if it has another name.
    ///
    /// - Complexity: O(length of the name); for an event with this name, also O(length of the attributes).
    public init?(_ line: UnsafeRawBufferPointer, _ scan: EventScan) {
        guard Self.isName(of: scan, in: line) else { return nil }
        let attributes = scan.attributes.map { UnsafeRawBufferPointer(rebasing: line[$0]) }
        let text = { (key: String) -> String? in
            guard let attributes else { return nil }
            // Admission already validated the text. If it still cannot be parsed, the value counts as missing.
            return (try? JSONValue.parse(attributes))?[key]?.string
        }
        let named = text(CapturedKey.erasedInstallation).flatMap { InstallationID($0) }
        guard let named, let secret = text(CapturedKey.erasureProof).flatMap({ InstallationSecret($0) }),
            secret.proves(named)
        else {
            self = .unproved(named)
            return
        }
        self = .proved(named)
    }

    private static func isName(of scan: EventScan, in line: UnsafeRawBufferPointer) -> Bool {
        let name = UnsafeRawBufferPointer(rebasing: line[scan.name.range])
        guard scan.name.hasEscapes else {
            // Compare bytes, because every event takes this path.
            return name.count == CapturedName.installationErased.utf8.count
                && name.elementsEqual(CapturedName.installationErased.utf8)
        }
        // A name that cannot be unescaped was already rejected.
        let text = try? JSONScanner(line).string(scan.name)
        return text == CapturedName.installationErased
    }

    /// Returns the message for an erasure without a valid proof.
    public static func unprovedMessage(_ installation: InstallationID?) -> String {
        guard let installation else {
            return "The event does not name an installation in “\(CapturedKey.erasedInstallation)”; nothing was erased."
        }
        return
            "Nothing was erased: “\(CapturedKey.erasureProof)” is not the secret of the installation \(installation). "
            + "The operator of the collector can erase it with “trackway installations erase \(installation)”."
    }
}
