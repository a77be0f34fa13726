// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// The notes that were built into the kernel, as `/sys/kernel/notes` holds them in the layout of ELF.
package struct KernelNotes: Sendable, Hashable {
    /// What names the build of the kernel: its linker's hash in hexadecimal digits; `nil` when there is none.
    package let buildID: String?

    /// The type of the note of the owner "GNU" that holds the build's hash.
    private static let buildIDType: UInt32 = 3

    /// Reads notes. What lies behind a damaged one is not read.
    package init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let note = Self.takeNote(&rest) {
            // A hash of 8 to 32 bytes: from the shortest to the longest that linkers make.
            guard note.type == Self.buildIDType, note.owner == Array("GNU\0".utf8),
                (8...32).contains(note.content.count)
            else { continue }
            buildID = DeviceIdentity.hexadecimal(note.content)
            return
        }
        buildID = nil
    }

    private static func takeNote(
        _ bytes: inout ArraySlice<UInt8>
    ) -> (owner: [UInt8], type: UInt32, content: [UInt8])? {
        guard let ownerLength = takeWord(&bytes), let contentLength = takeWord(&bytes), let type = takeWord(&bytes),
            let owner = takePadded(&bytes, Int(ownerLength)), let content = takePadded(&bytes, Int(contentLength))
        else { return nil }
        return (owner, type, content)
    }

    /// The next four bytes as the processor's own kernel writes a number.
    private static func takeWord(_ bytes: inout ArraySlice<UInt8>) -> UInt32? {
        guard bytes.count >= 4 else { return nil }
        let word = bytes.prefix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        bytes = bytes.dropFirst(4)
        return word
    }

    /// The next bytes; up to three follow them to a multiple of four.
    private static func takePadded(_ bytes: inout ArraySlice<UInt8>, _ length: Int) -> [UInt8]? {
        guard length <= bytes.count else { return nil }
        let taken = Array(bytes.prefix(length))
        bytes = bytes.dropFirst((length + 3) & ~3)
        return taken
    }
}
#endif
