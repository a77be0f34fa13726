// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
/// An event's action, which receives the time of the trigger.
///
/// It runs on the main thread.
public typealias SparkEventActionBlock = @convention(block) (_ timestamp: Date) -> Void
#else
/// An event's action, which receives the time of the trigger.
///
/// It runs on the main thread.
public typealias SparkEventActionBlock = (_ timestamp: Date) -> Void
#endif

/// An action with identity.
///
/// Two actions are equal if they are the same block object.
///
/// Without Objective-C, a closure is not an object, and two closures cannot be distinguished. In that case, an action
/// is equal only to its own copies.
struct SparkAction: Equatable {
    let block: SparkEventActionBlock

    #if canImport(ObjectiveC)
    init(block: @escaping SparkEventActionBlock) {
        self.block = block
    }

    static func == (left: Self, right: Self) -> Bool {
        unsafeBitCast(left.block, to: AnyObject.self) === unsafeBitCast(right.block, to: AnyObject.self)
    }
    #else
    private final class Identity {}

    private let identity = Identity()

    init(block: @escaping SparkEventActionBlock) {
        self.block = block
    }

    static func == (left: Self, right: Self) -> Bool { left.identity === right.identity }
    #endif
}
