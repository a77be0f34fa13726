// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A wrapper that carries a main-thread value through code on any thread.
///
/// `@unchecked Sendable`: the value is created, used, and released only on the main thread. ``value`` is read by the
/// detector, after it has checked that it is running on the main thread, and by actions, which the main actor runs. The
/// exception is the delegate of ``SparkTrace``, which is also called on other threads, for calls rejected there.
struct OnMainThread<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension OnMainThread: Equatable where Value: AnyObject {
    /// Returns whether both contain the same object.
    static func == (left: Self, right: Self) -> Bool { left.value === right.value }
}
