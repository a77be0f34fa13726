// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents

/// Tells the behaviour which screen is shown, of those that lie over one another: one stack for every kind of interface.
///
/// The screen is the one that events carry when a call returns, except while the return to the app is still to be recorded, which it
/// then follows. The disk is waited for elsewhere. Any thread, though usually the main one.
package final class ScreenTracker: Sendable {
    private let stack = Locked(ScreenStack())
    private let behavior: BehaviorDriver
    private let clock: any EventClock
    private let sleeper: any DeliverySleeper

    init(_ behavior: BehaviorDriver, in dependencies: Dependencies) {
        self.behavior = behavior
        clock = dependencies.clock
        sleeper = dependencies.pacer
    }

    /// A screen appeared.
    ///
    /// - Parameter id: Which one; the same until it disappears.
    package func appeared(_ id: Int, _ view: ScreenView) {
        perform(stack.withLock { $0.appeared(id, view) })
    }

    /// A screen disappeared.
    package func disappeared(_ id: Int) {
        perform(stack.withLock { $0.disappeared(id) })
    }

    /// Nothing is known of these screens any more; what is shown stays what it is.
    package func forget(_ ids: Set<Int>) {
        stack.withLock { $0.forget(ids) }
    }

    private func perform(_ actions: [ScreenStack.Action]) {
        for action in actions {
            switch action {
            case .show(let view):
                behavior.screenShown(view, mayComeLater: true)
            case .wait(let number):
                let (sleeper, due) = (sleeper, clock.now().monotonic.advanced(by: ScreenStack.delay))
                Task { [weak self] in
                    await sleeper.sleep(until: due)
                    self?.timeCame(for: number)
                }
            }
        }
    }

    private func timeCame(for number: Int) {
        perform(stack.withLock { $0.timeCame(for: number) })
    }
}
