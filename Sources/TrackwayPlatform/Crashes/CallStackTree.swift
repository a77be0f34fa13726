// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The call stacks in a system report (MetricKit).
///
/// In the JSON, each frame is nested in the previous one, deeper than a parser with a depth limit allows. The JSON is
/// therefore parsed as a flat list of objects, each with the index of its parent.
struct CallStackTree: Sendable, Equatable {
    /// A stack frame.
    struct Frame: Sendable, Equatable {
        /// The name of the image's file.
        var image: String
        /// The image's UUID in uppercase.
        ///
        /// "" if the system does not report it.
        var build: String
        /// The offset of the address into the image's code.
        var offset: UInt64
        /// The frame's address in the process.
        var address: UInt64
    }

    /// The frames of the thread that the report is about, innermost first.
    private(set) var frames: [Frame] = []
    /// The UUIDs of all images that contain a frame of any thread.
    private(set) var images: Set<String> = []

    /// The maximum size of the JSON, in bytes.
    ///
    /// The system's reports are smaller.
    private static let largestText = 8 << 20
    /// The maximum number of frames to keep.
    private static let frameLimit = 128

    /// Parses as much of the JSON as possible.
    ///
    /// The stack is empty if the JSON is invalid.
    ///
    /// - Complexity: O(length of the JSON).
    init(json text: [UInt8]) {
        guard text.count <= Self.largestText, let objects = FlatObjects(text).objects else { return }
        images = Set(objects.compactMap { $0["binaryUUID"]?.uppercased() })
        let children = Dictionary(grouping: objects.indices.dropFirst()) { objects[$0].parent }
        let threads = children[0] ?? []
        let attributed = threads.first { objects[$0]["threadAttributed"] == "true" }
        guard let thread = attributed ?? threads.first(where: { children[$0] != nil }) else { return }
        // If there are several sampled branches, follow the one with the most samples.
        var at = thread
        func weight(_ index: Int) -> Int { objects[index]["sampleCount"].flatMap { Int($0) } ?? 1 }
        while let next = children[at]?.max(by: { weight($0) < weight($1) }), frames.count < Self.frameLimit {
            if let frame = Self.frame(objects[next]) { frames.append(frame) }
            at = next
        }
        // The root of a single thread's stack is its innermost frame. The root of a tree of samples is the outermost.
        if objects[0]["callStackPerThread"] == "false" { frames.reverse() }
    }

    private static func frame(_ object: FlatObjects.Object) -> Frame? {
        guard let address = object["address"].flatMap({ UInt64($0) }) else { return nil }
        return Frame(
            image: object["binaryName"] ?? "?",
            build: object["binaryUUID"]?.uppercased() ?? "",
            offset: object["offsetIntoBinaryTextSegment"].flatMap { UInt64($0) } ?? 0,
            address: address
        )
    }
}

/// The objects in a JSON text at any depth, as a flat list.
///
/// They are in the order of their opening braces.
private struct FlatObjects {
    struct Object {
        /// The enclosing object's index; the first object has its own.
        var parent: Int
        /// The string, number, and Boolean members, as written in the text.
        var members: [String: String] = [:]

        subscript(key: String) -> String? { members[key] }
    }

    /// The objects found; nil if the text is not a JSON object.
    private(set) var objects: [Object]?

    /// The maximum number of objects; the system's reports have fewer.
    private static let maximumObjects = 100_000

    init(_ text: [UInt8]) {
        var found: [Object] = []
        /// The indices of the objects that are still open, innermost last.
        ///
        /// Arrays are not tracked.
        var open: [Int] = []
        var key: String?
        var at = 0
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "{"):
                guard found.count < Self.maximumObjects, found.isEmpty || !open.isEmpty else { return }
                found.append(Object(parent: open.last ?? 0))
                open.append(found.count - 1)
                key = nil
                at += 1
            case UInt8(ascii: "}"):
                guard open.popLast() != nil else { return }
                at += 1
            case UInt8(ascii: "\""):
                guard let end = Self.endOfText(text, at), let string = Self.string(text[at..<end]) else { return }
                at = end
                if let name = key, let object = open.last {
                    found[object].members[name] = string
                    key = nil
                } else if Self.isKey(text, behind: end) {
                    key = string
                }
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                let end = text[at...].firstIndex { !Self.isWord($0) } ?? text.count
                if let name = key, let object = open.last {
                    found[object].members[name] = String(decoding: text[at..<end], as: UTF8.self)
                }
                key = nil
                at = end
            case UInt8(ascii: "["):
                key = nil
                at += 1
            default:
                at += 1
            }
        }
        if open.isEmpty, !found.isEmpty { objects = found }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"): true
        default: false
        }
    }

    private static func endOfText(_ text: [UInt8], _ start: Int) -> Int? {
        var at = start + 1
        while at < text.count {
            if text[at] == UInt8(ascii: "\"") { return at + 1 }
            at += text[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    private static func isKey(_ text: [UInt8], behind end: Int) -> Bool {
        let spaces: Set<UInt8> = [32, 9, 10, 13]
        return text[end...].first { !spaces.contains($0) } == UInt8(ascii: ":")
    }

    private static func string(_ text: ArraySlice<UInt8>) -> String? {
        // An invalid JSON string ends the parsing; the reason does not matter.
        (try? JSONValue.parse(Array(text)))?.string
    }
}
