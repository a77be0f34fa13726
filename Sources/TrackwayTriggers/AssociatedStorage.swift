// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

#if canImport(ObjectiveC)
internal import ObjectiveC
#endif

/// Values that belong to objects of any class and end with them, without the objects knowing.
///
/// Objective-C's runtime keeps them where there is one: they end at the instant their object does. Elsewhere a table keeps them,
/// in which every access takes the same time however many objects have values; there a value may outlive its object until so
/// many new ones have come as there were.
///
/// Any thread. `@unchecked Sendable`: the table is reached behind a lock, or is the runtime's own. What is kept passes from thread
/// to thread as the object does that it belongs to; whoever keeps what only one thread may touch asks on that thread alone.
package final class AssociatedStorage<Value>: @unchecked Sendable {
    private final class Box {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    #if canImport(ObjectiveC)
    /// Its address is the key.
    private let key = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

    /// An empty storage.
    package init() {}

    deinit {
        key.deallocate()
    }

    /// The value of an object; nil removes it.
    package subscript(object: AnyObject) -> Value? {
        get { (objc_getAssociatedObject(object, key) as? Box)?.value }
        set { objc_setAssociatedObject(object, key, newValue.map { Box($0) }, .OBJC_ASSOCIATION_RETAIN) }
    }
    #else
    private struct Entry: @unchecked Sendable {
        weak var owner: AnyObject?
        var box: Box
    }

    private struct Table: Sendable {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// At how many entries those of dead objects are looked for: twice as many as there were live ones, so that looking costs
        /// each new entry the same.
        var sweepsAt = 64
    }

    private let table = Locked(Table())

    /// An empty storage.
    package init() {}

    /// The value of an object; nil removes it.
    package subscript(object: AnyObject) -> Value? {
        get {
            // An object may have come to lie where a dead one lay.
            let entry = table.withLock { $0.entries[ObjectIdentifier(object)] }
            return entry.flatMap { $0.owner === object ? $0.box.value : nil }
        }
        set {
            let entry = newValue.map { Entry(owner: object, box: Box($0)) }
            let id = ObjectIdentifier(object)
            // What goes ends outside the lock: its end may be the end of anything of the app's.
            let gone = table.withLock { table -> [Entry] in
                var gone: [Entry] = []
                if let old = table.entries.removeValue(forKey: id) { gone.append(old) }
                if let entry { table.entries[id] = entry }
                if table.entries.count >= table.sweepsAt { gone += Self.sweep(&table) }
                return gone
            }
            withExtendedLifetime(gone) {}
        }
    }

    /// How many values there are; those of dead objects end.
    package var count: Int {
        let (count, gone) = table.withLock { table -> (Int, [Entry]) in
            let gone = Self.sweep(&table)
            return (table.entries.count, gone)
        }
        withExtendedLifetime(gone) {}
        return count
    }

    private static func sweep(_ table: inout Table) -> [Entry] {
        let dead = table.entries.filter { $0.value.owner == nil }
        for id in dead.keys { table.entries[id] = nil }
        table.sweepsAt = max(64, 2 * table.entries.count)
        return Array(dead.values)
    }
    #endif
}
