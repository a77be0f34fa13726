// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Something that is made, used and ended where it may only be used on the main thread, while it is carried there by what may be
/// anywhere.
///
/// `@unchecked Sendable`: what is inside is touched on the main thread alone. Every place that reads ``value`` is one of two: the
/// detector, after it saw that it is called on the main thread, and an action, which the main actor runs.
struct OnMainThread<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension OnMainThread: Equatable where Value: AnyObject {
    /// Whether both carry the same object.
    static func == (left: Self, right: Self) -> Bool { left.value === right.value }
}
