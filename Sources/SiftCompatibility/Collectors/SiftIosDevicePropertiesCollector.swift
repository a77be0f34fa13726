// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// What collects device properties.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SiftIosDevicePropertiesCollector: NSObject, Sendable {
    private let core: SiftCore

    init(_ core: SiftCore) {
        self.core = core
        super.init()
    }

    /// Collects device properties into their own queue, which leaves out what did not change within an hour.
    public func collect() {
        core.collectProperties()
    }
}
