// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation

/// Whether code runs where the main actor does, asked by calls that belong to no actor before they say so.
///
/// On Apple's systems that is the main thread. Where there is no run loop, as in a tool on Linux, the main queue may run on
/// whatever thread.
package enum MainThread {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Whether this is it.
    package static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true }
}
