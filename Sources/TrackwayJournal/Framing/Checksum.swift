// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// The checksum of a frame: a salted crc32 over its payload and header.
///
/// The crc32 covers the payload, continues over the header's last 16 bytes, and is xored with the salt. The payload
/// comes first so that its part of the checksum can be computed before the lock is taken, when the sequence number is
/// not known yet. The salt is computed from the log's folder name and the segment's number, so that bytes inside a
/// payload that imitate a frame, or a stale block of another segment, are not accepted as records of this segment.
enum Checksum {
    static func payload(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        ctrackway_crc32(0, bytes.baseAddress, bytes.count)
    }

    static func frame(_ header: FrameHeader, payload: UInt32, salt: UInt32) -> UInt32 {
        let words = header.sealedWords
        var sealed = (words.0.littleEndian, words.1.littleEndian)
        return withUnsafeBytes(of: &sealed) { ctrackway_crc32(payload, $0.baseAddress, $0.count) } ^ salt
    }

    /// The salt of one segment.
    static func salt(folder: String, segment: UInt32) -> UInt32 {
        var text = logName(of: folder) + "/" + String(segment)
        return text.withUTF8 { payload(UnsafeRawBufferPointer($0)) }
    }

    /// The name of a log: its folder's name, without the path.
    static func logName(of folder: String) -> String {
        String(folder.utf8.lastIndex(of: UInt8(ascii: "/")).map { folder[folder.index(after: $0)...] } ?? folder[...])
    }
}
