// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
/// What an event does; takes the time of its trigger. It runs on the main thread.
public typealias SparkEventActionBlock = @convention(block) (_ timestamp: Date) -> Void
#else
/// What an event does; takes the time of its trigger. It runs on the main thread.
public typealias SparkEventActionBlock = (_ timestamp: Date) -> Void
#endif

/// An action that can be told from others: two are equal when they are one and the same, as a block is one object.
///
/// Without Objective-C a closure is no object, and nothing tells two from one another. There an action is equal to its own copies.
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
