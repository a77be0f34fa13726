// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Kernel notes")
struct KernelNotesTests {
    /// Returns a note as a linker writes it, in the machine's byte order.
    static func note(_ owner: String, _ type: UInt32, _ content: [UInt8]) -> [UInt8] {
        let name = Array(owner.utf8) + [0]
        func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
        func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: -bytes.count & 3) }
        return word(UInt32(name.count)) + word(UInt32(content.count)) + word(type) + padded(name) + padded(content)
    }

    static let hash: [UInt8] = Array(1...20)
    static let text = "0102030405060708090a0b0c0d0e0f1011121314"

    @Test
    func `the build ID is found before and after other notes`() {
        let build = Self.note("GNU", 3, Self.hash)
        let other = Self.note("Linux", 257, [1, 2, 3, 4, 5])
        #expect(KernelNotes(build).buildID == Self.text)
        #expect(KernelNotes(other + build).buildID == Self.text)
        #expect(KernelNotes(build + other).buildID == Self.text)
    }

    @Test
    func `a note with another owner, type or invalid length is not a build ID`() {
        #expect(KernelNotes(Self.note("GNU", 1, Self.hash)).buildID == nil)
        #expect(KernelNotes(Self.note("Xen", 3, Self.hash)).buildID == nil)
        #expect(KernelNotes(Self.note("GNU", 3, [])).buildID == nil)
        #expect(KernelNotes(Self.note("GNU", 3, [UInt8](repeating: 7, count: 33))).buildID == nil)
    }

    @Test
    func `truncated notes and notes with invalid lengths do not crash the parser`() {
        let notes = Self.note("Linux", 257, [1]) + Self.note("GNU", 3, Self.hash)
        for length in 0..<(notes.count - 1) { #expect(KernelNotes(Array(notes.prefix(length))).buildID == nil) }
        for index in notes.indices {
            var damaged = notes
            damaged[index] = 0xFF
            let buildID = KernelNotes(damaged).buildID
            #expect(buildID == nil || buildID?.utf8.count == 40)
        }
    }
}
