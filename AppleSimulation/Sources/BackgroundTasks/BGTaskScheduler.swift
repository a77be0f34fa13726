// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - Only identifiers in the app's property list can be registered or submitted (Apple, page of
///   `register(forTaskWithIdentifier:using:launchHandler:)`).
/// - A request is consumed when its task is launched; a later request with the same identifier replaces the first (page
///   of `submit(_:)`).
/// - Launch handlers run on the given queue, or else on a system queue.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
    public struct Error: Swift.Error, Hashable, Sendable {
        public struct Code: RawRepresentable, Hashable, Sendable {
            public let rawValue: Int
            public init(rawValue: Int) { self.rawValue = rawValue }
            public static let unavailable = Code(rawValue: 1)
            public static let tooManyPendingTaskRequests = Code(rawValue: 2)
            public static let notPermitted = Code(rawValue: 3)
        }

        public let code: Code

        public init(_ code: Code) { self.code = code }
    }

    private struct Registration {
        let queue: DispatchQueue?
        let launch: (BGTask) -> Void
    }

    private static let one = BGTaskScheduler()
    private let lock = NSLock()
    private let queue = DispatchQueue(label: "simulated.background-tasks")
    private var permittedIdentifiers: Set<String> = []
    private var registrations: [String: Registration] = [:]
    private var pending: [String: BGTaskRequest] = [:]

    open class var shared: BGTaskScheduler { one }

    @discardableResult
    open func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        lock.withLock {
            guard permittedIdentifiers.contains(identifier), registrations[identifier] == nil else { return false }
            registrations[identifier] = Registration(queue: queue, launch: launchHandler)
            return true
        }
    }

    open func submit(_ taskRequest: BGTaskRequest) throws {
        try lock.withLock {
            guard permittedIdentifiers.contains(taskRequest.identifier) else { throw Error(.notPermitted) }
            pending[taskRequest.identifier] = taskRequest
        }
    }

    open func cancel(taskRequestWithIdentifier identifier: String) {
        lock.withLock { pending[identifier] = nil }
    }

    open func cancelAllTaskRequests() {
        lock.withLock { pending = [:] }
    }

    #if !canImport(ObjectiveC)
    /// Starts a new process of an app whose property list contains these identifiers.
    public func simulateProcess(permitting identifiers: Set<String>) {
        lock.withLock {
            permittedIdentifiers = identifiers
            registrations = [:]
            pending = [:]
        }
    }

    /// The registered identifiers.
    public var simulatedRegistrations: Set<String> { lock.withLock { Set(registrations.keys) } }

    /// The identifiers of pending requests.
    public var simulatedRequests: Set<String> { lock.withLock { Set(pending.keys) } }

    /// Launches the task of a request by calling its handler.
    ///
    /// - Returns: The task; nil without a request or without a registered handler.
    @discardableResult
    public func simulateLaunch(_ identifier: String) -> BGTask? {
        let found: (BGTask, Registration)? = lock.withLock {
            guard let registration = registrations[identifier], let request = pending.removeValue(forKey: identifier)
            else {
                return nil
            }
            let task: BGTask =
                request is BGProcessingTaskRequest ? BGProcessingTask(identifier) : BGAppRefreshTask(identifier)
            return (task, registration)
        }
        guard let (task, handler) = found else { return nil }
        (handler.queue ?? queue).sync { handler.launch(task) }
        return task
    }
    #endif
}
