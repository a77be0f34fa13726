// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Carries a main-thread value through code that may run on any thread.
///
/// `@unchecked Sendable`: the value is created, used and released on the main thread only. ``value`` is read by the
/// detector, after it has checked that it is called on the main thread, and by actions, which the main actor runs. The
/// exception is the delegate of ``SparkTrace``, which is also called for calls rejected on other threads.
struct OnMainThread<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension OnMainThread: Equatable where Value: AnyObject {
    /// Whether both contain the same object.
    static func == (left: Self, right: Self) -> Bool { left.value === right.value }
}
