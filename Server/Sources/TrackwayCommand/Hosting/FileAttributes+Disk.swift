// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation

extension FileAttributes {
    /// Returns the attributes of a file or folder, without following a symbolic link; nil if there is none.
    @Sendable
    static func ofFile(at path: String) -> FileAttributes? {
        // A missing file has no attributes.
        guard let found = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        let kind: Kind =
            switch found[.type] as? FileAttributeType {
            case .typeRegular?: .file
            case .typeDirectory?: .folder
            default: .other
            }
        let seconds = (found[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return FileAttributes(
            kind: kind,
            inode: Int64(bitPattern: (found[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0),
            bytes: (found[.size] as? NSNumber)?.intValue ?? 0,
            modified: Int64(exactly: (seconds * 1e9).rounded()) ?? 0
        )
    }
}
