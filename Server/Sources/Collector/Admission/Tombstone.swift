// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The event by which an installation says that it was erased, and whether that counts.
///
/// It counts in our own format only, and only with the secret from which the identity was derived: nobody but the erased
/// installation ever knew it. Who sends it plays no part, because a write key is public and a sender may claim any identity.
public enum Tombstone: Sendable, Hashable {
    /// The installation proves that it was erased.
    case proved(InstallationID)
    /// An event says so of an installation, without proof; nil when none is named.
    case unproved(InstallationID?)

    /// What an event says; nil for any event of another name.
    ///
    /// - Complexity: O(length of the name), and of the attributes for an event of this name.
    public init?(_ line: UnsafeRawBufferPointer, _ scan: EventScan) {
        guard Self.isName(of: scan, in: line) else { return nil }
        let attributes = scan.attributes.map { UnsafeRawBufferPointer(rebasing: line[$0]) }
        let text = { (key: String) -> String? in
            guard let attributes else { return nil }
            // Admission checked the text; what cannot be read proves nothing.
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
            // Compared as bytes: every event passes here.
            return name.count == CapturedName.installationErased.utf8.count
                && name.elementsEqual(CapturedName.installationErased.utf8)
        }
        // A name that cannot be unescaped was refused before.
        let text = try? JSONScanner(line).string(scan.name)
        return text == CapturedName.installationErased
    }

    /// Why an unproved one is not taken.
    public static let unprovedCode = "erasure_unproved"

    /// Why an unproved one is not taken, for a person.
    public static func unprovedMessage(_ installation: InstallationID?) -> String {
        guard let installation else {
            return "The event names no installation in “\(CapturedKey.erasedInstallation)”; nothing was erased."
        }
        return
            "Nothing was erased: “\(CapturedKey.erasureProof)” is not the secret of the installation \(installation). "
            + "Whoever runs the collector can erase it with “trackway erase \(installation)”."
    }
}
