// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// The background time of a process: named tasks of the app, and expiring activities, which extensions also have.
///
/// Rules modeled here:
/// - The app is killed if a task has not ended when its expiration handler returns (Apple, page of
///   `beginBackgroundTask(withName:expirationHandler:)`).
/// - An expiring activity's block runs on a separate queue with `false` and keeps the process awake while it runs. When
///   the time is over, it is called a second time, concurrently with the first, with `true`. If no time is available,
///   it is called only with `true` (page of `performExpiringActivity(withReason:using:)`).
public final class SimulatedBackgroundTime: @unchecked Sendable {
    /// A task or an activity that keeps the process awake.
    public struct Work: Sendable, Hashable {
        /// The name that the app gave it.
        public let name: String?
        /// Whether it is an app task rather than an activity.
        public let isTask: Bool
        fileprivate let number: Int
    }

    static let process = SimulatedBackgroundTime()

    private let lock = NSLock()
    private var number = 0
    private var tasks: [Int: (work: Work, handler: (@MainActor @Sendable () -> Void)?)] = [:]
    private var activities: [Int: (work: Work, block: @Sendable (Bool) -> Void)] = [:]
    private var ended: [Work] = []
    private var hasTime = true
    private var isExtension = false
    private let queue = DispatchQueue(label: "simulated.expiring-activities", attributes: .concurrent)

    var isInExtension: Bool {
        get { lock.withLock { isExtension } }
        set { lock.withLock { isExtension = newValue } }
    }

    var active: [Work] {
        lock.withLock { (tasks.values.map(\.work) + activities.values.map(\.work)).sorted { $0.number < $1.number } }
    }

    var finished: [Work] { lock.withLock { ended } }

    func reset() {
        lock.withLock {
            tasks = [:]
            activities = [:]
            ended = []
            hasTime = true
            isExtension = false
        }
    }

    func begin(_ name: String?, _ handler: (@MainActor @Sendable () -> Void)?) -> UIBackgroundTaskIdentifier {
        lock.withLock {
            guard hasTime else { return .invalid }
            number += 1
            tasks[number] = (Work(name: name, isTask: true, number: number), handler)
            return UIBackgroundTaskIdentifier(rawValue: number)
        }
    }

    func end(_ identifier: UIBackgroundTaskIdentifier) {
        lock.withLock {
            if let task = tasks.removeValue(forKey: identifier.rawValue) { ended.append(task.work) }
        }
    }

    func perform(_ name: String, _ block: @escaping @Sendable (Bool) -> Void) {
        let startedID: Int? = lock.withLock {
            guard hasTime else { return nil }
            number += 1
            activities[number] = (Work(name: name, isTask: false, number: number), block)
            return number
        }
        guard let activityID = startedID else {
            queue.async { block(true) }
            return
        }
        queue.async {
            block(false)
            self.lock.withLock {
                if let activity = self.activities.removeValue(forKey: activityID) { self.ended.append(activity.work) }
            }
        }
    }

    /// Ends the background time: runs handlers here and activities on their queue.
    ///
    /// Returns the tasks that handlers did not end.
    @MainActor func expire() -> [Work] {
        let (handlers, blocks) = lock.withLock {
            hasTime = false
            return (tasks.sorted { $0.key < $1.key }.map(\.value.handler), activities.values.map(\.block))
        }
        for block in blocks { queue.async { block(true) } }
        for handler in handlers { handler?() }
        return lock.withLock { tasks.values.map(\.work) }
    }

    func grantTime() {
        lock.withLock { hasTime = true }
    }
}

extension ProcessInfo {
    /// Runs a block while the process may continue to run in the background.
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        SimulatedBackgroundTime.process.perform(reason, block)
    }
}
#endif
