// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

#if canImport(ObjectiveC)
internal import ObjectiveC
#endif

/// Storage that associates values with objects until they are deallocated.
///
/// The objects may be of any class. The Objective-C runtime, if available, stores the values and releases them together
/// with their object. Otherwise, a table stores the values. The table's access time is constant regardless of the
/// number of objects, but a value may outlive its object until the number of values has doubled.
///
/// Callable from any thread. `@unchecked Sendable`: the table is protected by a lock or belongs to the runtime. A
/// value can be accessed on any thread that has its object, so a value restricted to one thread must be accessed only
/// on that thread.
package final class AssociatedStorage<Value>: @unchecked Sendable {
    private final class Box {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    #if canImport(ObjectiveC)
    /// The address that serves as the key.
    private let key = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

    /// Creates empty storage.
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
        /// The number of entries at which those of deallocated objects are removed.
        ///
        /// The threshold is twice the number of live objects, but at least 64, so that the cost per new entry is
        /// constant.
        var sweepThreshold = 64
    }

    private let table = Locked(Table())

    /// Creates empty storage.
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
            // Removed values are released outside the lock, because releasing them may run any of the app's
            // deinitializers.
            let removed = table.withLock { table -> [Entry] in
                var removed: [Entry] = []
                if let old = table.entries.removeValue(forKey: id) { removed.append(old) }
                if let entry { table.entries[id] = entry }
                if table.entries.count >= table.sweepThreshold { removed += Self.sweep(&table) }
                return removed
            }
            withExtendedLifetime(removed) {}
        }
    }

    /// The number of values, excluding those of deallocated objects.
    package var count: Int {
        let (count, removed) = table.withLock { table -> (Int, [Entry]) in
            let removed = Self.sweep(&table)
            return (table.entries.count, removed)
        }
        withExtendedLifetime(removed) {}
        return count
    }

    private static func sweep(_ table: inout Table) -> [Entry] {
        let deadEntries = table.entries.filter { $0.value.owner == nil }
        for id in deadEntries.keys { table.entries[id] = nil }
        table.sweepThreshold = max(64, 2 * table.entries.count)
        return Array(deadEntries.values)
    }
    #endif
}
