// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

#if canImport(ObjectiveC)
internal import ObjectiveC
#endif

/// Associates values with objects of any class until the objects are deallocated.
///
/// The Objective-C runtime stores the values if it is available; they are released together with their object.
/// Otherwise a table stores them. Its access time is constant regardless of the number of objects, but a value may
/// outlive its object until the number of values has doubled.
///
/// Any thread may call. `@unchecked Sendable`: the table is protected by a lock, or belongs to the runtime. A value
/// moves between threads together with its object, so a value that only one thread may use must be accessed on that
/// thread only.
package final class AssociatedStorage<Value>: @unchecked Sendable {
    private final class Box {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    #if canImport(ObjectiveC)
    /// Its address serves as the key.
    private let key = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

    /// Creates an empty storage.
    package init() {}

    deinit {
        key.deallocate()
    }

    /// Accesses the value of an object; setting nil removes it.
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
        /// The number of entries at which entries of deallocated objects are removed.
        ///
        /// It is twice the number of live objects, so that the cost per new entry is constant.
        var sweepsAt = 64
    }

    private let table = Locked(Table())

    /// Creates an empty storage.
    package init() {}

    /// Accesses the value of an object; setting nil removes it.
    package subscript(object: AnyObject) -> Value? {
        get {
            // The address may have been reused by another object.
            let entry = table.withLock { $0.entries[ObjectIdentifier(object)] }
            return entry.flatMap { $0.owner === object ? $0.box.value : nil }
        }
        set {
            let entry = newValue.map { Entry(owner: object, box: Box($0)) }
            let id = ObjectIdentifier(object)
            // Release removed values outside the lock, because that may run any deinit of the app.
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

    /// The number of values, excluding those of deallocated objects.
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
