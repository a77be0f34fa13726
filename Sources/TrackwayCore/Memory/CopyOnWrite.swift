// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A value in memory of its own, which copies share until one of them changes.
///
/// Use it for a value of many fields that is part of other values: the others then copy and destroy one reference
/// instead of every field, which takes much less code.
package struct CopyOnWrite<Value> {
    /// The memory of the value.
    ///
    /// `@unchecked Sendable`, for values that are `Sendable`: the value changes only while a single copy refers to it.
    private final class Box: @unchecked Sendable {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var box: Box

    /// Creates a copy-on-write value.
    package init(_ value: Value) {
        box = Box(value)
    }

    /// The value.
    package var value: Value {
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}

extension CopyOnWrite: Sendable where Value: Sendable {}

extension CopyOnWrite: Equatable where Value: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }
}

extension CopyOnWrite: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(box.value)
    }
}
