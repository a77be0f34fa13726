// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
// `@objc` is an error in a file that does not import Foundation itself.
internal import Foundation

// The calls whose names in Objective-C are not the ones that Swift would make of them.
extension Sift {
    /// See ``init(rootDirPath:configure:)``.
    @objc(initWithRootDirPath:)
    public convenience init(rootDirPathForObjectiveC rootDirPath: String?) {
        self.init(rootDirPath: rootDirPath)
    }

    /// See ``append(_:toQueue:)``.
    @objc(appendEvent:toQueue:)
    @discardableResult
    public func appendEvent(_ event: SiftEvent?, toQueue identifier: String?) -> Bool {
        append(event, toQueue: identifier)
    }

    /// See ``append(_:)``.
    @objc(appendEvent:)
    @discardableResult
    public func appendEvent(_ event: SiftEvent?) -> Bool {
        append(event)
    }
}

extension SiftIosAppStateCollector {
    /// See ``collectWithTitle(_:_:)``.
    @objc(collectWithTitle:andTimestamp:)
    public func collect(title: String?, now: SFTimestamp) {
        collectWithTitle(title, now)
    }
}
#endif
