// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Call stacks as the system's reports hold them (MetricKit): JSON in which each frame lies inside the one before it, deeper
/// than a reader of values goes that has a bound. So it is read as a list of objects that know what they lie in.
struct CallStackTree: Sendable, Hashable {
    /// One call.
    struct Frame: Sendable, Hashable {
        /// The file's name that the image was loaded from.
        var image: String
        /// The image's UUID in capital letters; "" when the system does not tell.
        var build: String
        /// How far into the image's code it lies.
        var offset: UInt64
        /// Where it lay in the process.
        var address: UInt64
    }

    /// The calls of the thread that the report is about, innermost first.
    private(set) var frames: [Frame] = []
    /// The UUIDs of all images that any thread's calls lie in.
    private(set) var images: Set<String> = []

    /// Larger texts are none of the system's.
    private static let largestText = 8 << 20
    /// Frames taken at most.
    private static let frameLimit = 128

    /// Reads a text as far as it makes sense; nothing, when it makes none.
    ///
    /// - Complexity: O(its length).
    init(json text: [UInt8]) {
        guard text.count <= Self.largestText, let objects = FlatObjects(text).objects else { return }
        images = Set(objects.compactMap { $0["binaryUUID"]?.uppercased() })
        let children = Dictionary(grouping: objects.indices.dropFirst()) { objects[$0].parent }
        let threads = children[0] ?? []
        let attributed = threads.first { objects[$0]["threadAttributed"] == "true" }
        guard let thread = attributed ?? threads.first(where: { children[$0] != nil }) else { return }
        // Of several that were sampled, the one most often seen.
        var at = thread
        func weight(_ index: Int) -> Int { objects[index]["sampleCount"].flatMap { Int($0) } ?? 1 }
        while let next = children[at]?.max(by: { weight($0) < weight($1) }), frames.count < Self.frameLimit {
            if let frame = Self.frame(objects[next]) { frames.append(frame) }
            at = next
        }
        // A stack of one thread hangs from its innermost call; samples of several are a tree that grows from the outermost.
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

/// The objects of a JSON text in the order they begin, however deep they lie.
private struct FlatObjects {
    struct Object {
        /// The object around it, by its place; the first one's is its own.
        var parent: Int
        /// Members that are texts, numbers and truths, as they are written.
        var members: [String: String] = [:]

        subscript(key: String) -> String? { members[key] }
    }

    /// nil when the text is no JSON object.
    private(set) var objects: [Object]?

    /// More are none of the system's.
    private static let most = 100_000

    init(_ text: [UInt8]) {
        var found: [Object] = []
        /// Where the object lies that was opened last and not closed; arrays do not count.
        var open: [Int] = []
        var key: String?
        var at = 0
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "{"):
                guard found.count < Self.most, found.isEmpty || !open.isEmpty else { return }
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
        // What is no text of JSON ends the reading; why does not matter.
        (try? JSONValue.parse(Array(text)))?.string
    }
}
