// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Decodes archives of Apple's keyed archiver without the archived classes.
///
/// An archive is a binary property list: `$objects` contains all objects, and `$top` refers to the root. Foundation's
/// plain value classes are decoded; an object of any other class becomes a dictionary of its members, with the name of
/// its class as ``className``.
package struct KeyedArchive {
    /// The reason why an archive cannot be decoded.
    package enum Fault: Error, Hashable {
        /// The bytes are not a property list, or are damaged.
        case unreadable(BinaryPropertyList.Fault)
        /// The property list is not a keyed archive with a root.
        case noArchive
        /// An object is malformed, or the archive exceeds a limit.
        ///
        /// For example, an object refers to a missing object or to itself. The limits are those of depth and size.
        case damaged
    }

    /// The dictionary key under which an object's class name is stored.
    package static let className = "$class"
    /// The maximum nesting depth of objects.
    private static let maximumDepth = 32

    private let objects: [PropertyValue]
    private var remainingValues = BinaryPropertyList.maximumValues

    /// Returns the root object, or nil if nil was archived.
    package static func root(of bytes: [UInt8]) throws(Fault) -> PropertyValue? {
        let list: PropertyValue
        do throws(BinaryPropertyList.Fault) {
            list = try BinaryPropertyList.value(of: bytes)
        } catch {
            throw .unreadable(error)
        }
        guard list["$archiver"]?.string == "NSKeyedArchiver", let objects = list["$objects"]?.array,
            let root = list["$top"]?["root"]
        else { throw .noArchive }
        var archive = KeyedArchive(objects: objects)
        return try archive.object(root, depth: 0)
    }

    private init(objects: [PropertyValue]) {
        self.objects = objects
    }

    private mutating func object(_ value: PropertyValue, depth: Int) throws(Fault) -> PropertyValue? {
        remainingValues -= 1
        guard depth < Self.maximumDepth, remainingValues > 0 else { throw .damaged }
        guard case .reference(let index) = value else { return value }
        guard objects.indices.contains(index) else { throw .damaged }
        // The first object always represents nil.
        if index == 0 { return nil }
        let stored = objects[index]
        guard case .dictionary(let members) = stored else { return stored }
        guard case .reference(let classIndex)? = members[Self.className], objects.indices.contains(classIndex),
            let name = objects[classIndex]["$classname"]?.string
        else { throw .damaged }
        switch name {
        case "NSDictionary", "NSMutableDictionary":
            return .dictionary(try dictionary(members, depth: depth))
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
            return .array(try list(members["NS.objects"], depth: depth))
        case "NSString", "NSMutableString":
            return members["NS.string"]
        case "NSDate":
            guard case .double(let seconds)? = members["NS.time"], let time = Timestamp(secondsSince2001: seconds)
            else { throw .damaged }
            return .date(time)
        case "NSData", "NSMutableData":
            return members["NS.data"]
        default:
            var read: [String: PropertyValue] = [:]
            for (key, member) in members where key != Self.className {
                read[key] = try object(member, depth: depth + 1)
            }
            read[Self.className] = .string(name)
            return .dictionary(read)
        }
    }

    private mutating func dictionary(
        _ members: [String: PropertyValue],
        depth: Int
    ) throws(Fault) -> [String: PropertyValue] {
        guard let keys = members["NS.keys"]?.array, let values = members["NS.objects"]?.array,
            keys.count == values.count
        else { throw .damaged }
        var read: [String: PropertyValue] = [:]
        for (key, value) in zip(keys, values) {
            // Only string keys are useful here; other keys are skipped.
            guard case .string(let name)? = try object(key, depth: depth + 1) else { continue }
            read[name] = try object(value, depth: depth + 1)
        }
        return read
    }

    private mutating func list(_ values: PropertyValue?, depth: Int) throws(Fault) -> [PropertyValue] {
        guard let values = values?.array else { throw .damaged }
        var read: [PropertyValue] = []
        for value in values {
            if let object = try object(value, depth: depth + 1) { read.append(object) }
        }
        return read
    }
}
